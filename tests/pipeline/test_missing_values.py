"""Missing values that stay, and those that were filled in: counted, said, and part of the loss."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import microagg as ma

KEYS = ["age", "pay", "sex"]


def people(seed=0, n=150, share=0.1):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float),
            "pay": rng.gamma(2, 900, n).round(2),
            "sex": rng.choice(["f", "m"], n).astype(object),
        }
    )
    return frame.mask(rng.random(frame.shape) < share)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("share", [0.01, 0.15, 0.6])
def test_keep_invents_no_value_and_holds_k(seed, share):
    frame = people(seed, share=share)
    release = ma.protect(frame, 4, quasi_identifiers=KEYS, missing="keep", method="mdav", seed=seed)
    assert not (frame[KEYS].isna() & release.data[KEYS].notna()).any().any()
    assert release.data.groupby(KEYS, dropna=False).size().min() >= 4
    blanks = release.outcome.blanks
    assert not blanks.filled
    lost = (frame.notna() & release.data.isna()).sum()
    assert dict(blanks.blanked) == {name: count for name, count in lost.items() if count}
    for _, rows in release.data.groupby(release.partition.labels):
        lacking = frame.loc[rows.index].isna().any()
        assert (rows.isna().all() == lacking).all()


def test_frequent_patterns_lose_nothing_to_blanks():
    frame = people(share=0.0)
    frame.loc[:49, "pay"] = np.nan
    release = ma.protect(frame, 5, quasi_identifiers=KEYS, missing="keep", method="mdav")
    assert not release.outcome.blanks.blanked
    assert release.data["pay"].isna().sum() == 50
    present = frame["pay"].sum()
    assert release.data["pay"].sum() == pytest.approx(present)


def test_strata_and_other_frames():
    frame = people(share=0.15).assign(region=["a", "b", "c"] * 50)
    options = {"quasi_identifiers": KEYS, "missing": "keep", "method": "mdav", "strata": "region"}
    release = ma.protect(frame, 3, **options)
    regions = frame.groupby(release.partition.labels)["region"].nunique()
    assert regions.max() == 1
    other = ma.protect(pl.from_pandas(frame), 3, **options)
    assert other.partition == release.partition


def test_a_filled_cell_counts_as_lost():
    frame = people(share=0.0)
    frame.loc[:74, "pay"] = np.nan
    options = {"quasi_identifiers": KEYS, "method": "mdav"}
    keep = ma.protect(frame, 3, missing="keep", **options).outcome
    for missing in ("group", "impute"):
        filled = ma.protect(frame, 3, missing=missing, **options).outcome
        assert filled.loss.by_column["pay"] > 40 > keep.loss.by_column["pay"]
        count = filled.blanks.filled["pay"]
        assert count > 60
        assert any(f"filled in for {count} of 150 records" in c for c in filled.cautions)
    imputed = ma.protect(frame, 3, missing="impute", **options)
    assert imputed.provenance["result"]["missing_values"] == {
        "missing": {"pay": 75},
        "filled": {"pay": 75},
        "blanked": {},
    }


def test_a_flag_or_nothing_that_is_filled_counts():
    frame = people(share=0.0).assign(disabled=["Y"] * 20 + [None] * 130)
    release = ma.protect(
        frame, 3, quasi_identifiers=["age", "disabled"], missing="group", method="mdav"
    )
    assert release.outcome.loss.by_column["disabled"] > 0


def test_an_error_recommends_to_keep():
    with pytest.raises(ma.DataError, match='missing="keep"'):
        ma.protect(people(), 3, quasi_identifiers=KEYS)
