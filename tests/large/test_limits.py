"""Limits on units and confidential values in files read piece by piece: refusals, and what is checked."""

import numpy as np
import pyarrow as pa
import pytest

import microagg as ma
from microagg.errors import AnonymityError, DataError, MicroaggError, ParameterError
from microagg.large import domains, memory, tally
from microagg.large.tally import VALUED, Tallied
from microagg.large.value_counts import ValueCounts, lowest

N = 400
GIVEN = {"k": 4, "quasi_identifiers": ["x", "y"], "parameters": {"block_size": 80}}


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    monkeypatch.setattr(memory, "LARGEST_PIECE", 90)


def people(**changed):
    rng = np.random.default_rng(1)
    x = np.sort(rng.normal(size=N))
    columns = {
        "x": x,
        "y": rng.normal(size=N),
        "ill": ["a" if i < 0.9 * N else "b" for i in range(N)],
        "person": [f"p{i}" for i in rng.integers(0, 60, N)],
        "town": rng.choice(["Bern", "Ulm"], N),
    }
    return pa.table({**columns, **changed})


@pytest.fixture
def protect(tmp_path):
    def run(suffix="parquet", table=None, **given):
        path = tmp_path / f"people.{suffix}"
        ma.write_file(people() if table is None else table, path, overwrite=True)
        return ma.protect_file(path, tmp_path / "out", **{**GIVEN, **given})

    return run


def test_limits_that_similar_records_cannot_hold_are_refused(protect, tmp_path):
    # Only the tenth with the highest x is ill with b, so most blocks have one value.
    given = {"confidential": ["ill"], "l_diversity": 2, "parameters": {"block_size": 20}}
    with pytest.raises(
        ParameterError, match="'l_diversity' parameter cannot be met in blocks of 20"
    ):
        protect(**given)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"l_diversity": 2}, ParameterError, "applies to confidential columns, but none is named"),
        (
            {"l_diversity": 3, "confidential": ["ill"]},
            ParameterError,
            "has 2 different values in all records: 2 is the best possible",
        ),
        (
            {"t_closeness": 0.05, "confidential": ["ill"], "strata": "half"},
            ParameterError,
            "is 0.05, but groups do not cross strata, and a whole stratum has",
        ),
        ({"unit": "person", "k": 61}, DataError, "There are 60 different units, and k is 61"),
        ({"unit": "town"}, DataError, "There are 2 different units, and k is 4"),
        ({"unit": "nobody"}, ParameterError, "names a column 'nobody'"),
        ({"unit": "x"}, ParameterError, "names 'x', which quasi_identifiers= names too"),
    ],
)
def test_what_cannot_be_held_is_an_error(protect, tmp_path, wrong, error, words):
    half = ["low" if i < N // 2 else "high" for i in range(N)]
    with pytest.raises(error, match=words):
        protect(table=people(half=half), **{"parameters": {"block_size": 300}, **wrong})
    assert not (tmp_path / "out").exists()


def test_a_record_without_a_unit(protect):
    names = [None if i == 250 else f"p{i % 60}" for i in range(N)]
    with pytest.raises(DataError, match="has no unit in column 'person', in data row 251"):
        protect(table=people(person=names), unit="person")


@pytest.mark.parametrize("suffix", ["parquet", "categories", "csv"])
def test_names_that_may_be_those_of_one_unit_count_as_one(protect, suffix):
    names = pa.array([("p1", "p1 ", "P1", "\uff501")[i % 4] for i in range(N)])
    if suffix == "categories":
        names, suffix = names.dictionary_encode(), "parquet"
    with pytest.raises(MicroaggError, match="unit"):
        protect(suffix, people(person=names), unit="person")


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_codes_for_missing_units_are_no_units(protect, suffix):
    names = ["N/A" if i == 250 else f"p{i % 60}" for i in range(N)]
    with pytest.raises(DataError, match="has no unit in column 'person', in data row 251"):
        protect(suffix, people(person=names), unit="person")


def test_too_many_confidential_values(protect, monkeypatch):
    monkeypatch.setattr(domains, "MOST", 100)
    with pytest.raises(DataError, match="'pay' has more than 100 different values"):
        protect(table=people(pay=np.arange(N) * 1.5), confidential=["pay"], t_closeness=0.3)


def test_codes_in_text_are_compared_by_equality_and_the_provenance_says_so(protect):
    rng = np.random.default_rng(2)
    table = people(sick=rng.integers(0, 3, N), pay=rng.normal(9, 1, N).round(1))
    given = {"confidential": ["sick", "pay"], "t_closeness": 0.4}
    release = protect("csv", table, **given)
    assert release.provenance["arguments"]["kinds"] == {"sick": "nominal", "pay": "continuous"}
    (limit,) = release.provenance["result"]["beyond_k"]
    assert limit["nominal"] == ("sick",)


@pytest.mark.filterwarnings("ignore::microagg.MicroaggWarning")
def test_a_release_that_breaks_a_limit_is_never_there(protect, tmp_path, monkeypatch):
    wrong = Tallied(fewest=1.0, farthest=0.9, alike=3, entries=9)
    monkeypatch.setattr(tally, "_counted", lambda *_: wrong)
    with pytest.raises(AnonymityError, match="l-diversity 1, but 2 is promised"):
        protect(confidential=["town"], l_diversity=2)
    with pytest.raises(AnonymityError, match="only 1 unit, but at least k=4"):
        protect(unit="person")
    assert not (tmp_path / "out").exists()


def test_strict_refuses_what_would_be_a_caution(protect, tmp_path):
    with pytest.raises(AnonymityError, match="the unchanged columns together"):
        protect(strict=True)
    assert not (tmp_path / "out").exists()
    everything = people().select(["x", "y"])
    assert protect(table=everything, strict=True).measures["k"] >= 4


def test_rounding_to_more_than_the_range_is_a_caution(protect):
    release = protect(round_to={"x": 1000.0})
    assert any("rounded to multiples of 1000" in c for c in release.outcome.cautions)


def test_units_that_are_released_link_records(protect):
    release = protect(unit="person", confidential=["person"])
    assert release.outcome.units.released
    assert any("links the records of a unit" in caution for caution in release.outcome.cautions)


def test_counts_of_parts_are_joined():
    part, codes = np.array([0, 0, 1, 1]), np.array([[5, 5, 5, 2]])
    units = np.array([7, 8, 7, 7])
    one = ValueCounts.of(part, codes, units, k=2)
    both = ValueCounts.joined([one, one], k=2)
    assert both.values[0].tolist() == [[0, 1, 1], [5, 2, 5], [4, 2, 2]]
    assert both.units.tolist() == [[0, 0, 1], [7, 8, 7]]
    assert both.of_parts(np.array([0, 0])).values[0].tolist() == [[0, 0], [2, 5], [2, 6]]
    assert lowest(np.zeros((2, 0), dtype=np.int64), 3).shape == (2, 0)


def test_values_are_counted_within_classes():
    records = np.zeros(4, dtype=VALUED)
    records["one"], records["value"], records["count"] = [1, 1, 2, 1], [0, 3, 3, 3], [2, 1, 5, 1]
    summed = tally.summed(records)
    assert summed["count"].tolist() == [2, 2, 5]
    assert tally._counted(summed, None) == Tallied(fewest=1.0, alike=5, entries=3)
