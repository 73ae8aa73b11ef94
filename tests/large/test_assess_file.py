"""`assess_file`: the figures of `assess`, of files that are read piece by piece."""

from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import microagg as ma
from microagg.data.remote import located
from microagg.errors import DataError, FileError, ParameterError
from microagg.large.assess import class_counts, room
from microagg.large.assess.paired_files import TypedFile
from microagg.large.assess.passes import Passes
from microagg.large.dataset import SourceFiles
from microagg.large.protect_file import FORM
from microagg.measure import paired_sample as samples
from microagg.measure.paired_sample import paired_sample
from microagg.report.html import render
from microagg.report.of_assessment import page_of_assessment
from microagg.reporter import Reporter
from tests.examples import examples

KEYS = ["age", "income", "job", "born", "level"]


def people(n=700, seed=0):
    """Return records with columns of every kind, blanks and ties."""
    rng = np.random.default_rng(seed)
    income = rng.lognormal(8, 1, n).round(1)
    jobs = rng.choice(["nurse", "driver", "clerk", "cook"], n, p=[0.4, 0.3, 0.2, 0.1])
    return pa.table(
        {
            "id": np.arange(n) + 5,
            "age": rng.integers(18, 90, n),
            "income": pa.array(income, mask=rng.random(n) < 0.03),
            "job": pa.array(jobs, mask=rng.random(n) < 0.02),
            "born": pa.array(
                [date(1980, 1, 1) + timedelta(int(i)) for i in rng.integers(0, 900, n)]
            ),
            "level": rng.choice(["low", "mid", "high"], n),
            "ill": rng.choice(["flu", "cold", "none"], n),
            "debt": rng.integers(0, 40, n).astype(float),
            "weight": rng.choice([1.0, 2.5], n),
            "person": [f"P{i}" for i in rng.integers(0, n // 2, n)],
            "city": rng.choice(["Ulm", "Kiel"], n),
        }
    )


def masked(table, k=4, **options):
    """Return a release of the records, with the identifier still in it."""
    settings = {"missing": "group", "orders": {"level": ["low", "mid", "high"]}, **options}
    kept = [name for name in table.column_names if name not in ("person",)]
    return ma.protect(
        table.select(kept), k, quasi_identifiers=KEYS, method="mdav-nc", **settings
    ).data


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(room, "LARGEST_PIECE", 150)


def both_ways(tmp_path, suffix, original, released, **options):
    """Return the assessment in memory and that of the files."""
    paths = [tmp_path / f"original.{suffix}", tmp_path / f"released.{suffix}"]
    for path, table in zip(paths, (original, released), strict=True):
        ma.write_file(table, path, overwrite=True)
    frames = [ma.read_file(path) for path in paths]
    return ma.assess(*frames, **options), ma.assess_file(*paths, **options)


def without_findings(assessment):
    """Return everything but the measures, as programs see it."""
    return {name: value for name, value in assessment.as_dict().items() if name != "measures"}


ROLES = [
    {},
    {"quasi_identifiers": KEYS, "confidential": ["ill", "debt"]},
    {"quasi_identifiers": ["age", "income"], "confidential": ["debt"], "unit": "person"},
    {
        "quasi_identifiers": ["age", "income", "job", "level"],
        "weights": "weight",
        "orders": {"level": ["low", "mid", "high"]},
        "column_weights": {"age": 2.0},
    },
    {"quasi_identifiers": ["job", "born"], "kinds": {"job": "nominal"}, "scale": "range"},
    {"quasi_identifiers": ["age"], "kinds": {"age": "nominal"}, "confidential": ["city"]},
]


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.parametrize("roles", ROLES, ids=range(len(ROLES)))
def test_all_records_in_the_sample_give_all_figures_of_memory(tmp_path, suffix, roles):
    table = people()
    memory, file = both_ways(tmp_path, suffix, table, masked(table), **roles)
    assert file.measures == pytest.approx(memory.measures, rel=1e-9, abs=1e-9)
    ours, theirs = without_findings(file), without_findings(memory)
    assert ours.pop("score") == pytest.approx(theirs.pop("score"))
    assert ours == theirs
    reasons = [(f.measure.name, f.reason, f.note, f.doubtful) for f in memory.findings]
    assert [(f.measure.name, f.reason, f.note, f.doubtful) for f in file.findings] == reasons


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("roles", ROLES, ids=range(len(ROLES)))
def test_counts_and_sums_are_exact_whatever_the_sample(tmp_path, monkeypatch, roles):
    table = people()
    monkeypatch.setattr(samples.paired_sample, "__defaults__", (90,))
    memory, file = both_ways(tmp_path, "parquet", table, masked(table), **roles)
    assert file.pair.n <= 90 < file.n == 700
    exact = {one.name for one in ma.measures() if one.sums}
    known = {name: value for name, value in memory.measures.items() if name in exact}
    assert {n: v for n, v in file.measures.items() if n in exact} == pytest.approx(known, rel=1e-9)
    for finding in file.findings:
        sampled = "of 700 records in whole classes" in finding.note
        assert sampled is (finding.value is not None and finding.measure.name not in exact)
    assert file.measures["k"] == memory.measures["k"]
    assert file.other_columns == memory.other_columns
    assert "probabilistic" not in file.measures
    words = [w for w in file.warnings if "rare exposed records may not be in the sample" in w]
    assert len(words) == 1
    assert file.at_risk.rows == ()
    assert "700 records matched by position" in file.summary()


def test_the_report_counts_the_units_of_classes_outside_the_sample(tmp_path, monkeypatch):
    monkeypatch.setattr(samples.paired_sample, "__defaults__", (200,))
    age = np.repeat(np.arange(200.0), 10)
    noise = np.random.default_rng(0).normal(size=age.size)
    unit = np.array([f"U{i}" for i in range(age.size)], dtype=object)
    drawn = paired_sample([(pa.table({"age": age}),) * 2], ["age"]).released["age"].to_pylist()
    single = next(number for number in age if number not in drawn)
    unit[age == single] = "same"
    original = pa.table({"age": age * 100 + noise, "unit": pa.array(unit.tolist())})
    roles = {"quasi_identifiers": ["age"], "unit": "unit", "measures": ["k", "il"]}
    paths = [tmp_path / "original.parquet", tmp_path / "released.parquet"]
    for path, table in zip(paths, (original, pa.table({"age": age})), strict=True):
        ma.write_file(table, path)
    file = ma.assess_file(*paths, **roles)
    assert single not in file.pair.values["age"]
    holds, *_, steps = page_of_assessment(file).verdict
    assert holds.state == "alarm"
    assert "Some combinations belong to a single unit: k records, but one person." in holds.words
    assert any("Protect the file by unit" in step for step in steps.words)


@pytest.mark.usefixtures("small_pieces")
def test_classes_larger_than_the_sample(tmp_path, monkeypatch):
    monkeypatch.setattr(samples.paired_sample, "__defaults__", (90,))
    table = people().select(["age", "income", "city", "ill"])
    released = table.set_column(0, "age", pa.array(np.full(700, 50.0)))
    roles = {"quasi_identifiers": ["age"], "confidential": ["ill"]}
    memory, file = both_ways(tmp_path, "parquet", table, released, **roles)
    assert (file.pair.n, file.n) == (90, 700)
    assert file.measures["k"] == memory.measures["k"] == 700
    assert file.measures["il"] == pytest.approx(memory.measures["il"])
    assert "of a sample of 90 of 700 records drawn one by one" in {f.note for f in file.findings}
    for audience in ("internal", "external"):
        text = render(page_of_assessment(file, audience=audience))
        assert "The charts show a sample of 90 of 700 records." in text
        assert file.summary(audience)


@pytest.mark.usefixtures("small_pieces")
def test_folders_of_parts_and_shuffled_identifiers(tmp_path):
    table = people()
    release = masked(table)
    order = np.random.default_rng(1).permutation(700)
    release = release.set_column(0, "id", table["id"].take(pa.array(order)))
    for name, own in (("original", table), ("released", release)):
        (tmp_path / name).mkdir()
        for part, start in enumerate(range(0, 700, 190)):
            ma.write_file(own.slice(start, 190), tmp_path / name / f"part-{part}.parquet")
    keys = ["age", "income"]
    file = ma.assess_file(tmp_path / "original", tmp_path / "released", quasi_identifiers=keys)
    memory = ma.assess(table, release, quasi_identifiers=keys)
    assert file.other_columns.naming == ("id",) == memory.other_columns.naming
    assert file.warnings == memory.warnings
    assert file.measures == pytest.approx(memory.measures)


@pytest.mark.usefixtures("small_pieces")
def test_intervals_as_text_and_other_ranges(tmp_path):
    table = people().select(["age", "income", "city"])
    age = pa.array([f"{10 * (a // 10)}-{10 * (a // 10) + 9}" for a in table["age"].to_pylist()])
    release = table.set_column(0, "age", age)
    memory, file = both_ways(tmp_path, "parquet", table, release)
    assert any("such as intervals" in words for words in memory.warnings)
    assert file.warnings == memory.warnings
    assert file.measures == pytest.approx(memory.measures)
    far = table.set_column(1, "income", pa.array(np.full(700, 1e9) + np.arange(700)))
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    ma.write_file(table.select(["income"]), paths[0])
    ma.write_file(far.select(["income"]), paths[1])
    with pytest.raises(DataError, match="overlaps"):
        ma.assess_file(*paths)


@pytest.mark.usefixtures("small_pieces")
def test_too_many_values_are_estimated_and_said_to_be(tmp_path, monkeypatch):
    monkeypatch.setattr("microagg.large.domains.MOST", 20)
    monkeypatch.setattr("microagg.large.assess.summing.MOST_COMBINATIONS", 5)
    monkeypatch.setattr(samples.paired_sample, "__defaults__", (200,))
    table = people()
    roles = {"quasi_identifiers": ["age", "job"], "confidential": ["debt"]}
    memory, file = both_ways(tmp_path, "parquet", table, masked(table), **roles)
    notes = {f.measure.name: f.note for f in file.findings}
    for name in ("t-closeness", "entropy", "contingency", "categories-changed"):
        assert "of 700 records in whole classes" in notes[name]
    for name in ("k", "l-diversity", "homogeneity", "il"):
        assert "whole classes" not in notes[name]
        assert file.measures[name] == pytest.approx(memory.measures[name])


@pytest.mark.parametrize("values", ["numbers", "names", "lists"])
def test_blank_confidential_values_are_one_however_many_there_are(tmp_path, monkeypatch, values):
    monkeypatch.setattr("microagg.large.domains.MOST", 20)
    n = 40
    columns = {
        "numbers": [np.nan, None, np.nan, None, 0.0, -0.0, 0.0, -0.0, *map(float, range(8, n))],
        "names": [None] * 4 + ["d"] * 4 + [f"d{i}" for i in range(8, n)],
        "lists": [None] * 4 + [[1]] * 4 + [[i] for i in range(8, n)],
    }
    secret = pa.array(columns[values])
    original = pa.table({"age": np.arange(n) * 1.0, "secret": secret})
    released = pa.table({"age": np.repeat(np.arange(10.0), 4), "secret": secret})
    names = ["l-diversity", "l-diversity-entropy", "l-diversity-recursive", "homogeneity"]
    options = {"quasi_identifiers": ["age"], "confidential": ["secret"], "measures": names}
    paths = [tmp_path / "original.parquet", tmp_path / "released.parquet"]
    for path, table in zip(paths, (original, released), strict=True):
        pq.write_table(table, path)
    file = ma.assess_file(*paths, **options)
    assert file.measures == ma.assess(original, released, **options).measures
    assert file.measures["l-diversity"] == 1
    assert file.measures["homogeneity"] == 20


def test_too_many_confidential_numbers_as_text_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("microagg.large.domains.MOST", 20)
    secret = ["1", "1.0"] * 2 + [str(i) for i in range(4, 40)]
    table = pa.table({"age": np.repeat(np.arange(10.0), 4), "secret": secret})
    path = tmp_path / "people.parquet"
    pq.write_table(table, path)
    roles = {"quasi_identifiers": ["age"], "confidential": ["secret"]}
    with pytest.raises(DataError, match="'secret' is text of kind 'ordinal' with more than"):
        ma.assess_file(path, path, **roles, kinds={"secret": "ordinal"})


TOKENS = [
    "1",
    "2.5",
    "",
    "007",
    "0",
    "-0",
    "1e5",
    "nan",
    "inf",
    "9223372036854775808",
    " 1",
    "+5",
    "5.",
]


@pytest.mark.parametrize("rows", [1, 3])
def test_types_of_text_do_not_depend_on_pieces(tmp_path, rows):
    rng, path = np.random.default_rng(rows), tmp_path / "x.csv"
    for _ in range(60):
        column = rng.choice(rng.choice(TOKENS, rng.integers(1, 4)), rng.integers(2, 9))
        path.write_text("a,b\n" + "".join(f"{text},{i}\n" for i, text in enumerate(column)))
        whole = ma.read_file(path)
        data = SourceFiles.of(located(path), 10**8, dict(FORM))
        pieces = pa.concat_tables(TypedFile(data, rows).typed(Reporter()).tables(["a", "b"]))
        assert pieces.schema.types == whole.schema.types, column
        assert repr(pieces.to_pydict()) == repr(whole.to_pydict())


def test_infinite_changes_have_no_value(tmp_path):
    age = np.repeat(np.arange(1.0, 11.0), 4)
    before = pa.table({"age": np.r_[1e-310, age[1:] + 0.1]})
    after = pa.table({"age": np.r_[1e10, age[1:]]})
    memory, file = both_ways(tmp_path, "parquet", before, after, quasi_identifiers=["age"])
    assert "variation-data" not in memory.measures
    assert file.measures == pytest.approx(memory.measures)
    reasons = [(f.measure.name, f.reason) for f in memory.findings]
    assert [(f.measure.name, f.reason) for f in file.findings] == reasons


def test_files_that_change_meanwhile_are_refused(tmp_path, monkeypatch):
    path, real = tmp_path / "people.parquet", Passes.assessment
    ma.write_file(people(), path)

    def slow(self, *args):
        assessment = real(self, *args)
        ma.write_file(people(seed=1), path, overwrite=True)
        return assessment

    monkeypatch.setattr(Passes, "assessment", slow)
    with pytest.raises(DataError, match="changed while it was being read"):
        ma.assess_file(path, path, quasi_identifiers=["age"])


def test_temporary_files_that_cannot_be_written(tmp_path, monkeypatch):
    path = tmp_path / "people.parquet"
    ma.write_file(people(), path)
    with pytest.raises(ParameterError, match="'work' parameter must be a folder that exists"):
        ma.assess_file(path, path, work=tmp_path / "no" / "folder")

    def full(*_):
        raise OSError("59973 requested and 3200 written")

    monkeypatch.setattr(class_counts.Bins, "_path", full)
    with pytest.raises(FileError, match=r"Temporary files cannot be written to .*disk may be full"):
        ma.assess_file(path, path, quasi_identifiers=["age"])


def test_mistakes_are_named(tmp_path):
    table = people(40)
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    ma.write_file(table, paths[0])
    ma.write_file(table.slice(0, 39), paths[1])
    with pytest.raises(DataError, match="different numbers of records"):
        ma.assess_file(*paths)
    with pytest.raises(ParameterError, match="at least 510MB for two files with 22 columns"):
        ma.assess_file(*paths, memory="300MB")
    with pytest.raises(ParameterError, match=r"'quasi_identifiers'.*'agee'"):
        ma.assess_file(paths[0], paths[0], quasi_identifiers=["agee"])
    with pytest.raises(ParameterError, match="applies to delimited text"):
        ma.assess_file(*paths, blank=["?"])


def drawn(rng, n):
    """Draw n records with a column of each type, some blank."""

    def blank():
        return rng.random(n) < 0.1

    days = [date(2000, 1, 1) + timedelta(int(i)) for i in rng.integers(0, 400, n)]
    return pa.table(
        {
            "number": pa.array(rng.normal(size=n).round(1), mask=blank()),
            "whole": rng.integers(-5, 40, n),
            "text": pa.array(rng.choice(["a", "b", "B", "0"], n), mask=blank()),
            "truth": rng.random(n) < 0.5,
            "day": pa.array(days, mask=blank()),
        }
    )


def attempt(call):
    """Return the result of a call and no message, or the message of its error."""
    try:
        return call(), ""
    except DataError as error:
        return None, error.message


@pytest.mark.parametrize("seed", range(examples(60)))
def test_random_tables_give_the_figures_of_memory(tmp_path, monkeypatch, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    original, release = drawn(rng, n), drawn(rng, n)
    every = original.column_names
    keys = rng.choice(every, int(rng.integers(1, 6)), replace=False).tolist()
    others = [name for name in every if name not in keys]
    for name in others:
        release = release.set_column(every.index(name), name, original[name])
    monkeypatch.setattr(room, "LARGEST_PIECE", int(rng.integers(1, 50)))
    paths = [tmp_path / "original.parquet", tmp_path / "released.parquet"]
    ma.write_file(original, paths[0])
    ma.write_file(release, paths[1])
    roles = {"quasi_identifiers": keys, "confidential": others[:1]}
    memory, error = attempt(lambda: ma.assess(*map(ma.read_file, paths), **roles))
    file, same_error = attempt(lambda: ma.assess_file(*paths, **roles))
    assert same_error == error
    if error:
        return
    assert file.measures == pytest.approx(memory.measures, rel=1e-7, abs=1e-7)
    assert file.warnings == memory.warnings
    assert file.other_columns == memory.other_columns
