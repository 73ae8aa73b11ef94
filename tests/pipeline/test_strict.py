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
        lambda f: f.assign(w=np.linspace(1, 2, 120)), {"weights": "w"}, "'w' has a unique value in",
    ),
    "filled": (lambda f: f.mask(f["age"] > 55), {"missing": "group"}, "were filled in"),
    "blanked": (
        lambda f: f.assign(age=f["age"].mask(f.index < 2)), {"missing": "keep"}, "released as missing",
    ),
    "codes": (
        lambda f: f.assign(zip=np.random.default_rng(1).choice([10115, 20095, 50667, 80331], 120)),
        {"quasi_identifiers": ["age", "pay", "zip"]}, "look like codes",
    ),
    "unique confidential": (
        lambda f: f.assign(account=np.arange(120) * 7), {"confidential": ["account"]},
        "'account' has a unique value in 100 %",
    ),
    "individual ranking": (
        lambda f: f, {"method": "individual-ranking"}, "On all quasi-identifiers together, k = 1",
    ),
    "segments": (lambda f: f, {"segments": 1}, "On all quasi-identifiers together, k = 1"),
    "synthetic": (lambda f: f, {"aggregate": "hybrid"}, "On all quasi-identifiers together, k = 1"),
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


def test_a_confidential_column_with_values_that_are_shared_passes(frame):
    own = frame.assign(blood=np.random.default_rng(2).integers(0, 9, 120))
    assert protect(own, confidential=["blood"], strict=True)
    with pytest.raises(ma.AnonymityError, match="'tax'"):
        protect(frame.assign(tax=frame["pay"] * 0.2), confidential=["tax"], strict=True)


def test_all_cautions_are_listed_at_once(frame):
    risky = frame.assign(
        tax=frame["pay"] * 0.2,
        zip=np.random.default_rng(1).choice([10115, 20095, 50667, 80331], 120),
        town=[f"t{i % 40}" for i in range(120)],
    )
    with pytest.raises(ma.AnonymityError) as caught:
        protect(risky, quasi_identifiers=["pay", "zip"], identifiers=["age"], strict=True)
    for words in ("'tax'", "look like codes", "unchanged columns"):
        assert words in str(caught.value)


@pytest.mark.parametrize("rule", [{"method": "individual-ranking"}, {"segments": 1}])
def test_a_loss_that_is_next_to_nothing_is_said(rule):
    rng = np.random.default_rng(0)
    many = pd.DataFrame({"age": rng.normal(size=3000), "pay": rng.normal(size=3000)})
    found = "\n".join(protect(many, **rule).outcome.cautions)
    assert "means that anyone who knows the values of a person" in found


def test_noise_of_a_differentially_private_masking_is_no_lack_of_k(frame):
    release = protect(
        frame, method="dp-individual-ranking",
        parameters={"epsilon": 1.0, "bounds": {"age": (0, 99), "pay": (0, 20)}},
    )  # fmt: skip
    assert release.measures["k"] < 3
    assert not any("On all quasi-identifiers" in caution for caution in release.outcome.cautions)


def test_rounding_beyond_the_range_of_a_column_is_said(frame):
    release = protect(frame, round_to={"age": 1000})
    assert any("age are rounded to multiples of 1000" in c for c in release.outcome.cautions)
    assert not any("rounded" in c for c in protect(frame, round_to={"age": 5}).outcome.cautions)
