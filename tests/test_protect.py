"""protect(): any frame in, the same kind of frame out, and the promise held on what comes out."""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import polars.testing
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microagg as ma
from microagg.errors import AnonymityError, DataError, ParameterError
from tests.examples import examples

N = 11
UNTOUCHED = ["job", "hired", "grade", "remote", "note", "score"]
QUASI_IDENTIFIERS = ["age", "income"]


def people() -> pd.DataFrame:
    """Return records with every sort of column that must come back as it is."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "job": pd.Categorical(list("abcabcabcab"), categories=["c", "b", "a"], ordered=True),
            "age": rng.integers(20, 70, N),
            "hired": [dt.date(2020, 1, 1 + i) for i in range(N)],
            "name": [f"person {i}" for i in range(N)],
            "grade": [f"00{i}" for i in range(N)],
            "income": rng.normal(3e4, 1e4, N),
            "remote": pd.array([True, None] * 5 + [False], dtype="boolean"),
            "note": ["a,b", None, "", 'q"', "line\nend", "ä", " x ", "7", "1.50", "nan", "NULL"],
            "score": [0.1, np.nan, -0.0, 1e300, *range(N - 4)],
        }
    )


def as_polars() -> pl.DataFrame:
    return pl.from_pandas(people()).with_columns(pl.col("job").cast(pl.Categorical))


def as_arrow() -> pa.Table:
    table = pa.Table.from_pandas(people(), preserve_index=False).replace_schema_metadata(None)
    field = table.schema.field("grade").with_metadata({"label": "a label"})
    return table.set_column(table.schema.get_field_index("grade"), field, table["grade"])


FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": people,
    "pandas, text index": lambda: people().set_index(pd.Index(list("kjihgfedcba"), name="key")),
    "pandas, repeated index": lambda: people().set_index(pd.Index([3, 3, 1] + [0] * (N - 3))),
    "pandas, index of two levels": lambda: people().set_index(
        pd.MultiIndex.from_arrays([list("aaabbbcccdd"), range(N)], names=["area", "nr"])
    ),
    "pandas, index of dates": lambda: people().set_index(pd.date_range("2020-01-01", periods=N)),
    "pandas, nullable": lambda: people().convert_dtypes(),
    "pandas, pyarrow-backed": lambda: people().convert_dtypes(dtype_backend="pyarrow"),
    "polars": as_polars,
    "pyarrow": as_arrow,
}


def names_of(frame: Any) -> list[str]:
    return list(frame.column_names if isinstance(frame, pa.Table) else frame.columns)


def assert_same(found: Any, wanted: Any) -> None:
    """Compare by the equality that the kind of frame brings with it, types and index included."""
    assert type(found) is type(wanted)
    if isinstance(wanted, pd.DataFrame):
        pd.testing.assert_frame_equal(found, wanted, check_exact=True)
    elif isinstance(wanted, pl.DataFrame):
        polars.testing.assert_frame_equal(found, wanted, check_exact=True)
    else:
        assert found.schema.equals(wanted.schema)
        polars.testing.assert_frame_equal(pl.from_arrow(found), pl.from_arrow(wanted))


def chosen(frame: Any, names: list[str]) -> Any:
    return frame.select(names) if isinstance(frame, pa.Table | pl.DataFrame) else frame[names]


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_comes_back_as_it_was_but_for_the_quasi_identifiers(kind):
    frame = FRAMES[kind]()
    roles = {"identifiers": ["name"], "confidential": ["score"], "index": "keep"}
    release = ma.protect(frame, 3, quasi_identifiers=QUASI_IDENTIFIERS, **roles)
    assert names_of(release.data) == [name for name in names_of(frame) if name != "name"]
    assert_same(chosen(release.data, UNTOUCHED), chosen(frame, UNTOUCHED))
    for name in QUASI_IDENTIFIERS:
        original = pd.Series(np.asarray(frame[name], dtype=np.float64))
        means = original.groupby(release.partition.labels).transform("mean")
        assert np.asarray(release.data[name], dtype=np.float64) == pytest.approx(means.to_numpy())
    assert_same(frame, FRAMES[kind]())  # the caller's own is left alone


@pytest.mark.parametrize("kind", FRAMES)
def test_the_groups_do_not_depend_on_the_kind_of_frame(kind):
    release = ma.protect(FRAMES[kind](), 3, quasi_identifiers=QUASI_IDENTIFIERS)
    plain = ma.protect(people(), 3, quasi_identifiers=QUASI_IDENTIFIERS)
    assert release.partition == plain.partition
    assert release.measures == plain.measures


INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def type_of(column: Any) -> Any:
    return column.type if isinstance(column, pa.ChunkedArray) else column.dtype


def released_column(frame: Any, **options: Any) -> Any:
    return ma.protect(frame, 2, quasi_identifiers=["x"], **options).data


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize(
    ("family", "floats"),
    [("{}", "float64"), ("Nullable", "Float64"), ("{}[pyarrow]", "double[pyarrow]")],
)
def test_integers_in_pandas_become_float64_or_stay_what_they_are(dtype, family, floats):
    own = {"Nullable": dtype.replace("int", "Int").replace("u", "U")}.get(
        family, family.format(dtype)
    )
    frame = pd.DataFrame({"x": pd.Series([1, 2, 30, 33], dtype=own)})
    assert str(frame.dtypes["x"]) == own
    kept = released_column(frame)
    assert str(kept.dtypes["x"]) == floats
    assert kept["x"].tolist() == [1.5, 1.5, 31.5, 31.5]
    rounded = released_column(frame, integers="round")
    assert str(rounded.dtypes["x"]) == own
    assert rounded["x"].tolist() == [2, 2, 32, 32]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_in_polars_and_pyarrow_become_float64_or_stay_what_they_are(dtype):
    values = pd.Series([1, 2, 30, 33], dtype=dtype)
    for frame in (pl.DataFrame({"x": values.to_numpy()}), pa.table({"x": values.to_numpy()})):
        own, kept = frame["x"], released_column(frame)["x"]
        rounded = released_column(frame, integers="round")["x"]
        assert np.asarray(kept).dtype == np.float64
        assert list(np.asarray(kept)) == [1.5, 1.5, 31.5, 31.5]
        assert type_of(rounded) == type_of(own)
        assert list(np.asarray(rounded)) == [2, 2, 32, 32]


def test_halves_are_rounded_to_even():
    frame = pd.DataFrame({"x": [0, 1, 10, 11, 101, 102, 1000, 1003]})
    assert released_column(frame, integers="round")["x"].tolist() == [
        0, 0, 10, 10, 102, 102, 1002, 1002,
    ]  # fmt: skip


def test_what_is_lost_by_rounding_is_in_the_measures():
    frame = pd.DataFrame({"x": [0, 1, 10, 11, 101, 102, 1000, 1003]})
    exact = ma.protect(frame, 2, quasi_identifiers=["x"])
    rounded = ma.protect(frame, 2, quasi_identifiers=["x"], integers="round")
    assert rounded.measures["sse"] > exact.measures["sse"]
    errors = (rounded.data["x"] - frame["x"]) / frame["x"].std(ddof=0)
    assert rounded.measures["sse"] == pytest.approx((errors**2).sum())


@pytest.mark.parametrize(
    "dtype", ["float32", "Float32", "float[pyarrow]", "float64", "Float64", "double[pyarrow]"]
)
def test_floats_keep_their_width_in_pandas(dtype):
    frame = pd.DataFrame({"x": pd.Series([0.5, 1.0, 8.0, 9.0], dtype=dtype)})
    kept = released_column(frame)["x"]
    assert kept.dtype == frame["x"].dtype
    assert kept.tolist() == [0.75, 0.75, 8.5, 8.5]


def test_floats_keep_their_width_in_polars_and_pyarrow():
    values = np.array([0.5, 1.0, 8.0, 9.0], dtype=np.float32)
    assert released_column(pl.DataFrame({"x": values}))["x"].dtype == pl.Float32
    assert released_column(pa.table({"x": values}))["x"].type == pa.float32()


def test_integers_that_float64_cannot_hold_are_refused_in_every_kind_of_frame():
    values = [2**53 + 1, 2**53 + 3, 5, 6]
    for frame in (
        pd.DataFrame({"x": values}),
        pl.DataFrame({"x": values}),
        pa.table({"x": values}),
    ):
        with pytest.raises(
            DataError, match=r"'x' has integers with a magnitude above 2\^53"
        ) as caught:
            released_column(frame)
        assert "9007199254740993" not in str(caught.value)
    fits = pl.DataFrame({"x": [2**53, 2**53, -(2**53), -(2**53)]})
    assert released_column(fits, integers="round")["x"].to_list() == fits["x"].to_list()


def test_decimals_are_numbers():
    frame = pa.table({"x": [Decimal("1.00"), Decimal("2.00"), Decimal("30.00"), Decimal("33.00")]})
    assert released_column(frame)["x"].to_pylist() == [1.5, 1.5, 31.5, 31.5]


def test_integer_column_names_in_pandas():
    frame = people().rename(columns={"age": 7, "income": 0, "name": 3})
    release = ma.protect(frame, 3, quasi_identifiers=[7, 0], identifiers=[3], confidential=["job"])
    named = ma.protect(people(), 3, quasi_identifiers=QUASI_IDENTIFIERS, identifiers=["name"])
    expected = named.data.rename(columns={"age": 7, "income": 0})
    pd.testing.assert_frame_equal(release.data, expected)
    with pytest.raises(ParameterError, match="names a column 8 that is not in the data"):
        ma.protect(frame, 3, quasi_identifiers=[8])


def test_a_frame_that_pandas_took_a_slice_of():
    frame = pd.concat([people()] * 2).iloc[3:17:2]
    release = ma.protect(frame, 3, quasi_identifiers=QUASI_IDENTIFIERS, index="keep")
    pd.testing.assert_index_equal(release.data.index, frame.index)
    dropped = ma.protect(frame, 3, quasi_identifiers=QUASI_IDENTIFIERS)
    assert list(dropped.data.index) == list(range(len(frame)))


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        (pl.LazyFrame({"x": [1, 2]}), "collect"),
        ({"x": [1, 2]}, "pandas or polars"),
        ([[1], [2]], "pandas or polars"),
        (np.ones((3, 1)), "pandas or polars"),
        (pd.Series([1, 2], name="x"), "pandas or polars"),
        (None, "pandas or polars"),
        ("people.csv", "read_file"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_frame_in_memory_is_refused(data, hint):
    with pytest.raises(ParameterError, match=f"Got {type(data).__name__}") as caught:
        ma.protect(data, 2, quasi_identifiers=["x"])
    assert hint in caught.value.hint


@st.composite
def frames(draw):
    n = draw(st.integers(2, 40))
    few = st.integers(-2, 2)
    wide = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: 0.0 if abs(x) < 1e-100 else x)
    columns = {
        f"q{j}": draw(st.lists(draw(st.sampled_from([few, wide])), min_size=n, max_size=n))
        for j in range(draw(st.integers(1, 3)))
    }
    return pd.DataFrame({**columns, "other": range(n)})


@settings(max_examples=examples(80), deadline=None)
@given(frame=frames(), data=st.data())
def test_every_release_is_k_anonymous_by_an_independent_count(frame, data):
    k = data.draw(st.integers(2, len(frame)))
    method = data.draw(st.sampled_from([method.name for method in ma.methods()]))
    integers = data.draw(st.sampled_from(["float", "round"]))
    names = [name for name in frame.columns if name != "other"]
    release = ma.protect(frame, k, quasi_identifiers=names, method=method, integers=integers)
    counted = release.data.groupby(names, dropna=False).size()
    assert counted.min() >= k
    assert release.measures["k"] <= counted.min()
    assert counted.sum() == len(frame)


def test_a_method_that_breaks_the_promise_gets_nothing_released(monkeypatch):
    from microagg.partition import registry
    from microagg.partition.grouping import Grouping

    method, _ = registry.find("mdav")

    def broken(labels):
        copy = method.__class__(
            **{**method.__dict__, "function": lambda *_, **__: Grouping(labels)}
        )
        monkeypatch.setitem(registry._METHODS, "mdav", copy)
        return ma.protect(people(), 3, quasi_identifiers=QUASI_IDENTIFIERS, method="mdav")

    with pytest.raises(AnonymityError, match="1 of 2 groups have fewer than k=3"):
        broken(np.array([0] * (N - 2) + [1] * 2))
    with pytest.raises(AnonymityError, match="1 records are in no group"):
        broken(np.array([0] * (N - 1) + [-1]))
    with pytest.raises(AnonymityError, match=f"mdav grouped {N - 1} records of {N}"):
        broken(np.zeros(N - 1, dtype=int))


def test_an_aggregation_that_breaks_the_promise_gets_nothing_released(monkeypatch):
    def forgetful(values, part):
        means = means_of(values, part).copy()
        means[4] += 1e-9
        return means

    groups = import_module("microagg.aggregate.by_kind")
    means_of = groups.group_means
    monkeypatch.setattr(groups, "group_means", forgetful)
    with pytest.raises(AnonymityError, match="Nothing was released") as caught:
        ma.protect(people(), 3, quasi_identifiers=QUASI_IDENTIFIERS)
    assert "the smallest class has 1" in caught.value.message


def test_a_real_minus_999_is_a_value():
    frame = pd.DataFrame({"x": [-999.0, -999.0, 1.0, 3.0]})
    assert released_column(frame)["x"].tolist() == [-999.0, -999.0, 2.0, 2.0]


def test_a_column_of_ones_stays_exactly_ones():
    frame = people().assign(one=1, tenth=0.1)
    names = [*QUASI_IDENTIFIERS, "one", "tenth"]
    release = ma.protect(frame, 3, quasi_identifiers=names)
    assert (release.data["one"] == 1).all()
    assert (release.data["tenth"] == 0.1).all()
    without = ma.protect(people(), 3, quasi_identifiers=QUASI_IDENTIFIERS)
    assert release.partition == without.partition  # it has no weight


@pytest.mark.parametrize("blank", [None, np.nan])
@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_record_with_a_blank_is_an_error_and_never_vanishes(kind, blank):
    with pytest.raises(DataError, match="'x' has 1 missing value, the first in data row 2"):
        released_column(kind({"x": [1.0, blank, 2.0, 3.0, 4.0]}))


@pytest.mark.parametrize("parameter", ["weightVar", "stratum", "measure", "mising", "K"])
def test_a_parameter_that_does_not_exist_is_not_ignored(parameter):
    with pytest.raises(ParameterError, match=f"has no parameter '{parameter}'"):
        ma.protect(people(), 3, quasi_identifiers=["age"], **{parameter: [1] * N})


def test_roles_come_by_name_or_in_a_schema_but_not_both():
    schema = ma.Schema(["age"], identifiers=["name"])
    by_schema = ma.protect(people(), 3, schema=schema)
    by_name = ma.protect(people(), 3, quasi_identifiers=["age"], identifiers=["name"])
    as_mapping = ma.protect(people(), 3, schema=schema.as_dict())
    pd.testing.assert_frame_equal(by_schema.data, by_name.data)
    pd.testing.assert_frame_equal(as_mapping.data, by_name.data)
    with pytest.raises(ParameterError, match="specified twice"):
        ma.protect(people(), 3, schema=schema, identifiers=["name"])


def test_every_role_must_name_columns_that_are_there():
    for roles in (
        {"quasi_identifiers": ["agee"]},
        {"quasi_identifiers": ["age"], "identifiers": ["agee"]},
        {"quasi_identifiers": ["age"], "confidential": ["agee"]},
        {"quasi_identifiers": ["age"], "kinds": {"agee": "continuous"}},
    ):
        with pytest.raises(ParameterError, match=f"'{list(roles)[-1]}' parameter names a column"):
            ma.protect(people(), 3, **roles)


def test_the_measures_are_those_of_the_released_values():
    release = ma.protect(people(), 3, quasi_identifiers=QUASI_IDENTIFIERS)
    loss = ma.information_loss(people()[QUASI_IDENTIFIERS], release.partition)
    assert release.measures["il"] == pytest.approx(loss.il)
    assert release.measures["sst"] == pytest.approx(N * len(QUASI_IDENTIFIERS))
    assert release.measures["k"] == release.partition.sizes.min()


def test_scale_reaches_the_grouping():
    frame = pd.DataFrame({"a": [0.0, 1.0, 0.0, 1.0], "b": [0.0, 0.0, 50.0, 50.0]})
    unscaled = ma.protect(frame, 2, quasi_identifiers=["a", "b"], scale="none")
    assert unscaled.partition.labels[0] == unscaled.partition.labels[1]
    assert unscaled.measures["sse"] == pytest.approx(1.0)


def test_an_identifier_may_be_in_the_index_of_a_pandas_frame():
    frame = people().set_index(["name", "grade"])
    one = ma.protect(
        frame, 3, quasi_identifiers=QUASI_IDENTIFIERS, identifiers=["name"], index="keep"
    )
    assert list(one.data.index.names) == ["grade"]
    assert list(one.data.index) == people()["grade"].tolist()
    both = ma.protect(frame, 3, quasi_identifiers=["age"], identifiers=["name", "grade"])
    assert list(both.data.index) == list(range(N))


def test_names_that_are_the_same_as_text_are_refused():
    with pytest.raises(DataError, match="columns 1 and 2 share a name"):
        ma.protect(pd.DataFrame({7: [1, 2], "7": [1, 2]}), 2, quasi_identifiers=[7])


def test_names_of_several_levels_are_refused():
    columns = pd.MultiIndex.from_tuples([("x", "a"), ("x", "b")])
    frame = pd.DataFrame([[1, 2]] * 4, columns=columns)
    for name in (("x", "a"), "x"):
        with pytest.raises(DataError, match="must be text or integers"):
            ma.protect(frame, 2, quasi_identifiers=[name])


def test_what_hangs_on_a_frame_as_a_whole_is_not_released():
    frame = people()
    frame.attrs["source"] = "person 1"
    assert ma.protect(frame, 3, quasi_identifiers=["age"]).data.attrs == {}
    assert frame.attrs
    table = as_arrow().replace_schema_metadata({"source": "person 1"})
    assert ma.protect(table, 3, quasi_identifiers=["age"]).data.schema.metadata is None
