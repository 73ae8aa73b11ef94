"""Groups that satisfy l-diversity only because missing values count, and the caution about them."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microagg as ma
from microagg.errors import AnonymityError
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.diversity.present_values import absent, diverse_by_missing
from microagg.report.html import render
from microagg.report.of_release import page_of_release
from tests.examples import examples

WORDS = ["flu", "cold", None, "NA", "?", " "]


@settings(max_examples=examples(100), deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.sampled_from(WORDS)), min_size=1, max_size=30),
    limit=st.integers(1, 3),
)
def test_as_counted_by_pandas(rows, limit):
    frame = pd.DataFrame(rows, columns=["age", "ill"])
    present = frame["ill"].where(frame["ill"].isin(["flu", "cold"]))
    different = present.groupby(frame["age"]).transform("nunique")
    with_missing = frame["ill"].fillna("").groupby(frame["age"]).transform("nunique")
    expected = int(((different < limit) & (with_missing >= limit)).sum())
    ages, ill = (list(values) for values in zip(*rows, strict=True))
    table = pa.table({"age": ages, "ill": pa.array(ill, pa.string())})
    counted = diverse_by_missing(EquivalenceClasses(table), ("age",), [("ill", None)], limit)
    assert counted == ({"ill": expected} if expected else {})


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1.0, None, float("nan")]),
        pa.array([1, None, None]),
        pa.array(["a", None, "n/a"]).dictionary_encode(),
    ],
)
def test_missing_values_of_every_type(column):
    assert absent(pa.chunked_array([column])).tolist() == [False, True, True]


@pytest.fixture
def people():
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, 300),
            "size": rng.integers(150, 200, 300),
            "ill": np.where(rng.random(300) < 0.6, "flu", None),
            "sick": np.where(rng.random(300) < 0.6, "flu", "?"),
        }
    )


ROLES = {"quasi_identifiers": ["age", "size"], "l_diversity": 2, "kinds": {"age": "continuous"}}


@pytest.mark.parametrize("name", ["ill", "sick"])
def test_a_single_value_beside_missing_ones_is_a_caution(people, name):
    frame = people[["age", "size", name]]
    release = ma.protect(frame, 4, confidential=[name], **ROLES)
    assert release.measures["l-diversity"] == 2  # a missing value counts as one
    (caution,) = [each for each in release.cautions if "that are not missing" in each]
    assert caution.startswith(
        f"300 of 300 records are in classes with fewer than l = 2 values of '{name}'"
    )
    with pytest.raises(AnonymityError, match="that are not missing"):
        ma.protect(frame, 4, confidential=[name], strict=True, **ROLES)


def test_values_that_suffice_without_the_missing_ones_are_none(people):
    frame = people.assign(ill=[*(["flu", "cold", None] * 100)])[["age", "size", "ill"]]
    release = ma.protect(frame, 20, confidential=["ill"], **ROLES)
    assert not [each for each in release.cautions if "that are not missing" in each]


@pytest.mark.parametrize("masked", [False, True])
def test_assess_warns_of_one_value_beside_missing_ones(people, masked, tmp_path):
    frame = people[["age", "size", "ill"]]
    roles = {"quasi_identifiers": ["age", "size"], "confidential": ["ill"]}
    release = ma.protect(frame, 4, l_diversity=2, **roles)
    files = [tmp_path / "in.csv", tmp_path / "out.csv"][: 1 + masked]
    frames = [frame, release.data] if masked else [release.data]
    for file, own in zip(files, frames, strict=True):
        own.to_csv(file, index=False)
    words = "300 of 300 records are in classes with at most one value of 'ill' that is not missing"
    assessments = [ma.assess(*frames, **roles)]
    if masked:
        assessments.append(ma.assess_file(*files, memory="1GB", **roles))
    for assessment in assessments:
        assert any(each.startswith(words) for each in assessment.warnings)


def test_large_files_have_the_same_caution(people, tmp_path):
    people[["age", "size", "ill"]].to_csv(tmp_path / "in.csv", index=False)
    release = ma.protect_file(
        tmp_path / "in.csv", tmp_path / "out", 4, memory="500MB", confidential=["ill"], **ROLES
    )
    (caution,) = [each for each in release.outcome.cautions if "that are not missing" in each]
    assert caution.startswith(
        "300 of 300 records are in classes with fewer than l = 2 values of 'ill'"
    )


def test_other_readers_see_no_small_count():
    # Only the four oldest have no second value that is present.
    frame = pd.DataFrame({"age": [*range(296), *[1_000] * 4]})
    frame["ill"] = [*(["flu", "cold"] * 148), "flu", "flu", None, None]
    release = ma.protect(
        frame,
        4,
        confidential=["ill"],
        method="mdav",
        **{**ROLES, "quasi_identifiers": ["age"]},
    )
    (caution,) = [each for each in release.cautions if "that are not missing" in each]
    assert caution.startswith("4 of 300 records")
    outside = page_of_release(release.outcome, frame, audience="external")
    assert "4 of 300 records" not in render(outside)
    assert "fewer than 5 of 300 records are in classes" in render(outside).lower()
