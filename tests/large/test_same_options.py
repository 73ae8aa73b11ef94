"""The options of `protect` on a file in pieces: the groups and values of memory, record for record."""

import datetime

import numpy as np
import pyarrow as pa
import pytest

import microagg as ma
from microagg.errors import DataError, ParameterError
from microagg.large import memory, survey
from microagg.partition.search.blocks import blocks as search_blocks
from microagg.prepare import moments
from tests.examples import sample

N = 700


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    monkeypatch.setattr(memory, "LARGEST_PIECE", 130)
    monkeypatch.setattr(moments, "CHUNK", 64)
    for module in (search_blocks, survey):
        monkeypatch.setattr(module, "SAMPLE", 300)


def people(blank=False):
    """Return records with a column of each kind, with missing values where these are asked for."""
    rng = np.random.default_rng(4)
    day = datetime.date(1960, 1, 1)
    columns = {
        "name": [f"p{i}" for i in range(N)],
        "age": rng.integers(18, 90, N).tolist(),
        "income": rng.lognormal(8, 1, N).tolist(),
        "town": rng.choice(["Ulm", "Bern", "Graz", "Linz", "Köln"], N).tolist(),
        "grade": rng.choice(["low", "mid", "high"], N).tolist(),
        "born": [day + datetime.timedelta(days=int(d)) for d in rng.integers(0, 15000, N)],
        "region": rng.choice(["n", "s", "e"], N, p=[0.6, 0.3, 0.1]).tolist(),
        "weight": rng.choice([0.5, 1.25, 3.0], N).tolist(),
        "ill": rng.integers(0, 3, N).tolist(),
        "person": [f"u{i}" for i in rng.integers(0, 150, N)],
    }
    if blank:
        for name, share in (("income", 0.1), ("town", 0.05), ("born", 0.02)):
            for i in np.flatnonzero(rng.random(N) < share):
                columns[name][i] = None
    return pa.table(columns)


NUMBERS = ["age", "income"]
MIXED = ["age", "income", "town", "grade", "born"]
KINDS = {"age": "continuous", "weight": "continuous"}
CASES = {
    "mixed": {"quasi_identifiers": MIXED, "orders": {"grade": ["low", "mid", "high"]}},
    "names": {"quasi_identifiers": ["town", "grade", "age"], "scale": "range"},
    "codes": {"quasi_identifiers": ["age", "ill"], "kinds": {"age": "continuous", "ill": "nominal"}},
    "dates": {"quasi_identifiers": ["born", "age"]},
    "column weights": {"quasi_identifiers": MIXED, "column_weights": {"age": 4.0, "town": 0.5}},
    "keep": {"quasi_identifiers": MIXED, "missing": "keep", "blank": True},
    "group": {"quasi_identifiers": MIXED, "missing": "group", "blank": True},
    "suppress": {"quasi_identifiers": MIXED, "missing": "suppress", "blank": True},
    "suppressed numbers": {"quasi_identifiers": NUMBERS, "missing": "suppress", "blank": True},
    "kept numbers": {"quasi_identifiers": NUMBERS, "missing": "keep", "blank": True},
    "weights": {"quasi_identifiers": NUMBERS, "weights": "weight"},
    "weights, mixed": {"quasi_identifiers": MIXED, "weights": "weight", "missing": "keep", "blank": True},
    "strata": {"quasi_identifiers": NUMBERS, "strata": "region"},
    "strata, mixed": {"quasi_identifiers": MIXED, "strata": ["region", "ill"], "small_strata": "merge"},
    "strata, suppressed": {
        "quasi_identifiers": ["age", "income", "town"], "strata": ["region", "grade"],
        "small_strata": "suppress", "missing": "keep", "blank": True,
    },
    "rounded": {"quasi_identifiers": NUMBERS, "integers": "round", "round_to": {"income": 0.01}},
    "medians": {
        "quasi_identifiers": MIXED, "aggregate": {"age": "median", "income": "median"},
    },
    "trimmed": {"quasi_identifiers": NUMBERS, "aggregate": {"age": "trimmed"}},
    "diverse": {
        "quasi_identifiers": NUMBERS, "confidential": ["ill", "region"], "l_diversity": 2,
        "kinds": {"age": "continuous", "ill": "nominal"},
    },
    "diverse, mixed": {
        "quasi_identifiers": MIXED, "confidential": ["ill"], "l_diversity": 3, "missing": "keep",
        "blank": True, "strata": "region", "kinds": {"age": "continuous", "ill": "nominal"},
    },
    "close": {
        "quasi_identifiers": NUMBERS, "confidential": ["weight"], "t_closeness": 0.2, "kinds": KINDS,
    },
    "close, mixed": {
        "quasi_identifiers": MIXED, "confidential": ["ill", "weight"], "t_closeness": 0.3,
        "l_diversity": 2, "kinds": {**KINDS, "ill": "nominal"}, "missing": "group", "blank": True,
    },
    "units": {"quasi_identifiers": NUMBERS, "unit": "person"},
    "units, mixed": {
        "quasi_identifiers": ["age", "town"], "unit": "person", "strata": "region",
        "small_strata": "suppress", "confidential": ["ill"], "l_diversity": 2,
        "missing": "keep", "blank": True, "kinds": {"age": "continuous", "ill": "nominal"},
    },
    "hierarchy": {
        "quasi_identifiers": ["age", "town"],
        "hierarchies": {
            "town": [
                ["Ulm", "D", "*"], ["Köln", "D", "*"], ["Bern", "CH", "*"], ["Graz", "A", "*"],
                ["Linz", "A", "*"],
            ]
        },
    },
}  # fmt: skip


def rounded(value):
    """Return a value of a provenance, rounded: sums over blocks end in other last digits."""
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(one) for one in value]
    return float(f"{value:.12g}") if isinstance(value, float) else value


def both(tmp_path, suffix, *, blank=False, k=4, **given):
    """Return the releases of a frame and of a file with the same records."""
    table = people(blank)
    path = tmp_path / f"people.{suffix}"
    ma.write_file(table, path)
    given = {"identifiers": ["name"], "kinds": {"age": "continuous"}, "seed": 3, **given}
    given["parameters"] = {"block_size": 100}
    frame = ma.read_file(path) if suffix == "csv" else table
    in_memory = ma.protect(frame, k, method="blocks", **given)
    return in_memory, ma.protect_file(path, tmp_path / "out", k, **given)


@pytest.mark.filterwarnings("ignore::microagg.MicroaggWarning")
@pytest.mark.parametrize("case", sample(CASES, quick=range(0, len(CASES), 4)))
@pytest.mark.parametrize("suffix", sample(["parquet", "csv"]))
def test_groups_and_values_are_those_of_memory(tmp_path, suffix, case):
    in_memory, release = both(tmp_path, suffix, **CASES[case])
    groups = ma.read_file(release.paths["groups"])
    assert np.array_equal(groups["group"], in_memory.partition.labels)
    rows = in_memory.outcome.rows
    assert np.array_equal(groups["row"], np.arange(1, len(in_memory.data) + 1))
    if rows is None:
        assert "original_row" not in groups.column_names
    else:
        assert np.array_equal(groups["original_row"], rows + 1)
    written = ma.read_file(release.paths["data"])
    expected = in_memory.data
    if suffix == "csv":
        ma.write_file(expected, tmp_path / "expected.csv")
        expected = ma.read_file(tmp_path / "expected.csv")
    assert written.column_names == expected.column_names
    for name in written.column_names:
        if case == "trimmed" and name in NUMBERS:
            assert np.allclose(written[name], expected[name], rtol=1e-12)
        else:
            assert written[name].equals(expected[name]), name
    assert release.measures == pytest.approx(in_memory.measures)
    assert in_memory.measures["k"] >= 4
    result, kept = release.provenance["result"], in_memory.provenance["result"]
    assert result["missing_values"] == kept["missing_values"]
    assert result["aggregate"] == kept["aggregate"]
    for name in ("units", "beyond_k", "records_in_homogeneous_classes", "exposure"):
        assert rounded(result[name]) == rounded(kept[name]), name
    assert result["il_by_column"] == pytest.approx(kept["il_by_column"])
    assert release.provenance["input"]["kinds"] == in_memory.provenance["input"]["kinds"]
    assert release.provenance["input"]["rows"] == N


@pytest.mark.filterwarnings("ignore::microagg.MicroaggWarning")
@pytest.mark.parametrize("case", ["strata, mixed", "strata, suppressed", "suppress"])
def test_cautions_about_records_are_those_of_memory(tmp_path, case):
    in_memory, release = both(tmp_path, "parquet", k=22, **CASES[case])
    own = release.provenance["result"]["cautions"]
    assert own
    assert set(own) <= set(in_memory.provenance["result"]["cautions"])


@pytest.mark.parametrize("text", ["?", " -9 "])
def test_texts_that_stand_for_missing_values(tmp_path, text):
    table = people(blank=True)
    ages = [text if i % 50 == 0 else str(age) for i, age in enumerate(table["age"].to_pylist())]
    path = tmp_path / "people.csv"
    ma.write_file(table.set_column(1, "age", [ages]), path)
    release = ma.protect_file(
        path, tmp_path / "out", 4, quasi_identifiers=["age"], missing="keep", blank=[text.strip()],
        kinds={"age": "continuous"},
    )  # fmt: skip
    assert ma.read_file(release.paths["data"])["age"].null_count == N // 50


def test_numbers_beside_text_are_an_error_without_wrong_rows(tmp_path):
    table = people()
    ages = ["young" if i == 600 else str(age) for i, age in enumerate(table["age"].to_pylist())]
    path = tmp_path / "people.csv"
    ma.write_file(table.set_column(1, "age", [ages]), path)
    with pytest.raises(
        DataError, match="Column 'age' contains text, and numbers in others"
    ) as told:
        ma.protect_file(path, tmp_path / "out", 4, quasi_identifiers=["age"])
    assert "data row" not in str(told.value)
    assert "young" not in str(told.value)
    assert not (tmp_path / "out").exists()


def test_too_many_categories_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("microagg.large.domains.MOST", 300)
    path = tmp_path / "people.parquet"
    ma.write_file(people(), path)
    with pytest.raises(DataError, match="'name' has more than 300 different values"):
        ma.protect_file(path, tmp_path / "out", 4, quasi_identifiers=["name"])


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"weights": "ill"}, DataError, "A weight in column 'ill' is not above 0, in data row"),
        ({"strata": "region", "k": 100}, DataError, "1 of 3 strata has fewer than k=100"),
        ({"strata": "nowhere"}, ParameterError, "names a column 'nowhere'"),
        ({"round_to": {"town": 1}}, ParameterError, "'town', which is not a quasi-identifier"),
    ],
)
def test_what_cannot_be_done_is_said(tmp_path, wrong, error, words):
    path = tmp_path / "people.parquet"
    ma.write_file(people(), path)
    given = {"k": 4, "quasi_identifiers": NUMBERS, "kinds": KINDS, **wrong}
    with pytest.raises(error, match=words):
        ma.protect_file(path, tmp_path / "out", **given)
    assert not (tmp_path / "out").exists()
