"""Types that few frames have: each is released faithfully, or refused with a MicroaggError."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import microagg as ma
from microagg.data.files import read_file, write_file
from microagg.errors import DataError, MicroaggError

N = 12
AGE = np.arange(N) * 1.0
DAYS = np.arange(N)


def ends(values):
    return pa.RunEndEncodedArray.from_arrays(pa.array([6, 12], pa.int32()), pa.array(values))


UNUSUAL = {
    "pandas cut": lambda: pd.DataFrame({"age": AGE, "x": pd.cut(AGE, 3)}),
    "pandas interval": lambda: pd.DataFrame(
        {"age": AGE, "x": pd.arrays.IntervalArray.from_breaks(np.arange(N + 1) // 4)}
    ),
    "pandas period": lambda: pd.DataFrame(
        {"age": AGE, "x": pd.period_range("2020", periods=N, freq="Y")}
    ),
    "pandas view": lambda: pd.DataFrame(
        {"age": AGE, "x": pd.array(["a", "b"] * 6, dtype=pd.ArrowDtype(pa.string_view()))}
    ),
    "polars date": lambda: pl.DataFrame(
        {"age": AGE, "x": pl.Series(DAYS + 3_700_000, dtype=pl.Int32).cast(pl.Date)}
    ),
    "arrow time": lambda: pa.table(
        {"age": AGE, "x": pa.array((DAYS + 3_700_000) * 86_400_000, pa.timestamp("ms"))}
    ),
    "arrow zone": lambda: pa.table(
        {"age": AGE, "x": pa.array(DAYS * 86400, pa.timestamp("s", tz="Mars/Olympus"))}
    ),
    "arrow null category": lambda: pa.table(
        {
            "age": AGE,
            "x": pa.DictionaryArray.from_arrays(
                pa.array([0, 1, 2] * 4, pa.int8()), pa.array(["a", None, "b"])
            ),
        }
    ),
    "arrow view": lambda: pa.table({"age": AGE, "x": pa.array(["a", "b"] * 6, pa.string_view())}),
    "arrow runs of numbers": lambda: pa.table({"age": AGE, "x": ends([1.0, 2.0])}),
    "arrow runs of text": lambda: pa.table({"age": AGE, "x": ends(["a", "b"])}),
}
ROLES = {
    "other": {},
    "quasi-identifier": {"quasi_identifiers": ["age", "x"], "missing": "group"},
    "confidential": {"confidential": ["x"], "l_diversity": 2},
    "identifier": {"identifiers": ["x"]},
    "strata": {"strata": ["x"], "small_strata": "merge"},
}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("make", UNUSUAL.values(), ids=UNUSUAL)
def test_every_role(make, role, tmp_path):
    options = {"quasi_identifiers": ["age"], "method": "mdav", **ROLES[role]}
    if role == "strata":
        options.pop("small_strata")
    try:
        release = ma.protect(make(), 2 if role == "strata" else 3, **options)
    except DataError:
        assert role in ("strata", "quasi-identifier")  # strata that are too small
        return
    assert type(release.data) is type(make())
    for suffix in ("csv", "parquet", "feather"):
        try:
            release.save(tmp_path / suffix, format=suffix)
        except DataError as error:
            assert suffix == "csv"
            assert "time zone" in error.hint  # noqa: PT017 - only one type may be refused
    ma.assess(make(), release.data)
    release.write({"report": tmp_path / "report.html"}, original=make())


def test_intervals_and_periods_are_written_as_they_print(tmp_path):
    frame = pd.DataFrame(
        {
            "cut": pd.cut([1.0, 2.0, 3.0], 2),
            "period": pd.PeriodIndex(["2020-01", "2021-12", None], freq="M"),
            "interval": pd.arrays.IntervalArray.from_tuples([(0, 1), None, (1, 2)]),
        }
    )
    for suffix in (".csv", ".parquet", ".feather"):
        write_file(frame, tmp_path / f"a{suffix}")
    assert (tmp_path / "a.csv").read_text().splitlines()[1:] == [
        '"(0.998, 2.0]",2020-01,"(0.0, 1.0]"',
        '"(0.998, 2.0]",2021-12,',
        '"(2.0, 3.0]",,"(1.0, 2.0]"',
    ]
    table = read_file(tmp_path / "a.parquet")
    assert table["period"].to_pylist() == ["2020-01", "2021-12", None]
    assert table["cut"].type.ordered


def test_an_ordered_cut_is_ordinal():
    frame = pd.DataFrame({"x": pd.cut(np.arange(30.0), 10)})
    release = ma.protect(frame, 6, quasi_identifiers=["x"], method="mdav")
    assert release.provenance["input"]["kinds"] == {"x": "ordinal"}
    assert release.data["x"].dtype.categories.dtype == frame["x"].dtype.categories.dtype


def test_objects_of_polars_are_refused_and_not_written_as_addresses(tmp_path):
    frame = pl.DataFrame({"x": pl.Series([object(), object()], dtype=pl.Object)})
    with pytest.raises(DataError, match="Python objects"):
        write_file(frame, tmp_path / "a.parquet")


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_arrow_files_of_polars_are_read(tmp_path, compression):
    frame = pl.DataFrame(
        {
            "age": AGE,
            "town": ["a", "b"] * 6,
            "kind": pl.Series(["x", "y"] * 6, dtype=pl.Categorical),
        }
    )
    path = tmp_path / "a.arrow"
    frame.write_ipc(path, compression=compression)
    table = read_file(path)
    assert table["town"].type in (pa.string(), pa.large_string())
    release = ma.protect(table, 3, quasi_identifiers=["age"], confidential=["town"], method="mdav")
    assert release.data["town"].to_pylist() == frame["town"].to_list()


def test_runs_in_a_file_are_read(tmp_path):
    path = tmp_path / "a.arrow"
    table = pa.table({"x": ends([1.0, 2.0])})
    with pa.ipc.new_file(path, table.schema) as file:
        file.write_table(table)
    assert read_file(path).to_pydict() == {"x": [1.0] * 6 + [2.0] * 6}


FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize(
    ("kind", "top", "step"),
    [("uint8", 255, 20), ("int8", 126, 50), ("int8", -128, 50), ("int16", 32767, 1000)],
)
def test_rounding_beyond_a_narrow_type_is_refused(make, kind, top, step):
    data = make({"x": np.array([top] * 4 + [1] * 4, dtype=kind)})
    with pytest.raises(DataError, match="cannot store its released values") as caught:
        ma.protect(data, 2, quasi_identifiers=["x"], round_to={"x": step}, method="mdav")
    assert str(top) not in str(caught.value)


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_rounding_within_a_narrow_type_keeps_it(make):
    data = make({"x": np.array([250] * 4 + [1] * 4, dtype="uint8")})
    release = ma.protect(data, 2, quasi_identifiers=["x"], round_to={"x": 5}, method="mdav")
    assert (
        str(release.data["x"].dtype if make is not pa.table else release.data["x"].type).lower()
        == "uint8"
    )
    assert np.asarray(release.data["x"]).tolist() == [250] * 4 + [0] * 4


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_dates_over_the_whole_range_of_nanoseconds(make):
    ends = np.array(["1677-09-22", "2262-04-11"] * 3, dtype="datetime64[ns]")
    data = make({"t": ends})
    release = ma.protect(data, 6, quasi_identifiers=["t"], method="mdav")
    assert {str(day)[:10] for day in np.asarray(release.data["t"])} == {"1970-01-01"}
    odd = ends.copy()
    odd[0] += np.timedelta64(1, "ns")  # now in steps of a nanosecond
    release = ma.protect(make({"t": odd}), 6, quasi_identifiers=["t"], method="mdav")
    (mean,) = set(np.asarray(release.data["t"]).astype("datetime64[ns]").astype(np.int64).tolist())
    assert abs(mean - sum(map(int, odd.astype(np.int64))) / 6) < 4096


def test_files_that_are_nested_too_deeply(tmp_path):
    deep = tmp_path / "schema.toml"
    deep.write_text("x = " + "[" * 100_000)
    with pytest.raises(ma.errors.FileError, match="nested too deeply"):
        ma.Schema.from_toml(deep)
    for key in ("a" + ".a" * 20_000, '"a"' + " . 'a'" * 20_000, "[a" + ".a" * 20_000 + "]"):
        deep.write_text(key if key.startswith("[") else f"{key} = 1")
        with pytest.raises(ma.errors.FileError, match="nested too deeply"):
            ma.Schema.from_toml(deep)
    deep.write_text("k = " + "9" * 5_000)
    with pytest.raises(ma.errors.FileError, match="too many digits"):
        ma.Schema.from_toml(deep)
    name = "what.is" + ".it" * 30
    deep.write_text(f'quasi_identifiers = ["{name}"]\n[kinds]\n"{name}" = "nominal"')
    assert ma.Schema.from_toml(deep).kinds == {name: "nominal"}
    record = tmp_path / "provenance.json"
    record.write_text("[" * 100_000)
    with pytest.raises(ma.errors.FileError, match="cannot be read"):
        ma.read_arguments(record)


SECRETS = ["Ada", "Bob", "Eve"]


@pytest.mark.parametrize("library", ["pandas", "polars", "list of polars"])
@pytest.mark.parametrize("role", ["weights", "quasi_identifiers"])
def test_a_type_is_named_without_its_categories(library, role):
    people = [*SECRETS, *SECRETS]
    kind = pl.Enum(SECRETS)
    column = {
        "pandas": lambda: pd.Series(pd.Categorical(people, SECRETS, ordered=True)),
        "polars": lambda: pl.Series(people, dtype=kind),
        "list of polars": lambda: pl.Series([[p] for p in people], dtype=pl.List(kind)),
    }[library]()
    frame = (pd if library == "pandas" else pl).DataFrame({"x": [1.0, 2.0, 3.0] * 2, "who": column})
    options = {"quasi_identifiers": ["x"], "method": "mdav"}
    options |= {"weights": "who"} if role == "weights" else {"quasi_identifiers": ["x", "who"]}
    options |= {} if role == "weights" else {"kinds": {"who": "continuous"}}
    with pytest.raises(MicroaggError) as caught:
        ma.protect(frame, 2, **options)
    assert not any(name in str(caught.value) for name in SECRETS)


HUGE = 10**400


@pytest.mark.parametrize("role", ["quasi_identifiers", "strata", "identifiers", None])
def test_integers_beyond_64_bits_are_refused_or_left_alone(role):
    frame = pd.DataFrame({"x": range(12), "n": [HUGE, 2, 3] * 4})
    options = {"quasi_identifiers": ["x"]} | ({} if role is None else {role: ["n"]})
    if role in (None, "identifiers"):
        release = ma.protect(frame, 3, method="mdav", **options)
        assert role or release.data["n"].tolist() == frame["n"].tolist()
        return
    with pytest.raises(ma.DataError, match="'n' contains values of more than one type") as caught:
        ma.protect(frame, 3, method="mdav", **options)
    assert "000" not in str(caught.value)


def test_integers_beyond_every_float_are_refused():
    frame = pd.DataFrame({"x": range(12)})
    with pytest.raises(ma.ParameterError, match="must be a number above 0 for column 'x'"):
        ma.protect(frame, 3, quasi_identifiers=["x"], round_to={"x": HUGE})
    with pytest.raises(ma.DataError, match="some values are not numeric"):
        ma.partition(np.array([[HUGE, 1], [2, 3], [3, 4], [5, 6]], dtype=object), 2)


@pytest.mark.parametrize(
    "value", [10**5000, -(10**5000), "a" * 5000], ids=["large", "small", "text"]
)
def test_messages_show_no_long_values(value):
    frame = pd.DataFrame({"x": range(12)})
    with pytest.raises(ma.ParameterError) as caught:
        ma.protect(frame, value, quasi_identifiers=["x"])
    assert len(str(caught.value)) < 400


def test_names_that_are_no_unicode_text_are_refused_by_number():
    frame = pd.DataFrame([[1, 2]] * 9, columns=pd.Index(["x", "\ud800"], dtype=object))
    with pytest.raises(ma.DataError, match="name of column 2 is not valid Unicode text"):
        ma.protect(frame, 3, quasi_identifiers=["x"])


def test_weights_that_are_all_missing_are_refused():
    frame = pd.DataFrame({"x": range(9), "w": pd.Series([None] * 9, dtype=object)})
    with pytest.raises(ma.DataError, match="9 weights in column 'w' are missing"):
        ma.protect(frame, 3, quasi_identifiers=["x"], weights="w")
