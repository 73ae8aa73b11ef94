"""`strict`: what is a caution otherwise releases nothing."""

import numpy as np
import pandas as pd
import pytest

import microagg as ma


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"age": rng.integers(20, 60, 120).astype(float), "pay": rng.normal(9, 2, 120)}
    )


def protect(frame, **options):
    options = {"quasi_identifiers": ["age", "pay"], "method": "mdav", **options}
    return ma.protect(frame, 3, **options)


def test_a_release_without_cautions_passes(frame):
    assert protect(frame, strict=True).measures["k"] == 3


CASES = {
    "exposed": (lambda f: f.assign(town=[f"t{i % 40}" for i in range(120)]), {}, "unchanged columns"),
    "copy": (lambda f: f.assign(tax=f["pay"] * 0.2), {}, "'tax'"),
    "unique weight": (
        lambda f: f.assign(w=np.linspace(1, 2, 120)), {"weights": "w"}, "'w' has a value of its own",
    ),
    "filled": (lambda f: f.mask(f["age"] > 55), {"missing": "group"}, "were filled in"),
    "codes": (
        lambda f: f.assign(zip=np.random.default_rng(1).choice([10115, 20095, 50667, 80331], 120)),
        {"quasi_identifiers": ["age", "pay", "zip"]}, "look like codes",
    ),
    "index": (lambda f: f.set_axis([f"p{i}" for i in range(120)]), {"index": "keep"}, "The index"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_cautions_become_an_error(frame, case):
    change, options, words = CASES[case]
    risky = change(frame)
    assert any(words in caution for caution in protect(risky, **options).outcome.cautions)
    with pytest.raises(ma.AnonymityError, match="Nothing was released") as caught:
        protect(risky, strict=True, **options)
    assert words in str(caught.value)


def test_a_confidential_column_may_be_unique_but_no_copy(frame):
    own = frame.assign(blood=np.random.default_rng(2).normal(size=120))
    assert protect(own, confidential=["blood"], strict=True)
    with pytest.raises(ma.AnonymityError, match="'tax'"):
        protect(frame.assign(tax=frame["pay"] * 0.2), confidential=["tax"], strict=True)
