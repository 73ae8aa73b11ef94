"""Views and runs: columns in any layout of Arrow are released as the same values in the usual one."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import microagg as ma
from microagg.cli.app import app
from microagg.data.layouts import plain, plain_array, plain_type

N = 48
RNG = np.random.default_rng(3)
TEXT = pa.array(np.repeat(["town", "a village with a long name", "farm", "isle"], N // 4))
NUMBER = pa.array(np.repeat([3.0, 1.0, 2.0, 4.0], N // 4))
LAYOUTS = {
    "view": lambda values: values.cast(pa.string_view()),
    "runs": pc.run_end_encode,
    "short runs": lambda values: pc.run_end_encode(values, run_end_type=pa.int16()),
    "runs of categories": lambda values: runs(values, pa.dictionary(pa.int32(), pa.string())),
    "runs of views": lambda values: runs(values, pa.string_view()),
    "categories of views": lambda values: pa.DictionaryArray.from_arrays(
        values.dictionary_encode().indices,
        values.dictionary_encode().dictionary.cast(pa.string_view()),
    ),
}


def runs(values, kind):
    """Return twelve records of each of four values, as runs."""
    ends = pa.array(np.arange(1, 5) * (N // 4), pa.int32())
    few = values.take(np.arange(4) * (N // 4)).cast(kind)
    return pa.RunEndEncodedArray.from_arrays(ends, few)


def frames(layout, values):
    """Return a table with a column in a layout, and the same in the usual one."""
    kind = plain_type(layout(values).type)
    numbers = RNG.normal(size=(2, N))
    about = {"age": numbers[0], "pay": numbers[1]}
    usual = pa.chunked_array([values]).cast(kind) if kind != values.type else values
    return pa.table({**about, "x": layout(values)}), pa.table({**about, "x": usual})


ROLES = {
    "other": {},
    "nominal": {"quasi_identifiers": ["age", "x"], "kinds": {"x": "nominal"}, "missing": "group"},
    "confidential": {"confidential": ["x"], "l_diversity": 2},
    "close": {"confidential": ["x"], "t_closeness": 0.6},
    "strata": {"strata": ["x"]},
    "unit": {"unit": "x"},
    "identifier": {"identifiers": ["x"]},
}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_text_of_any_layout_in_every_role(layout, role):
    odd, usual = frames(LAYOUTS[layout], TEXT)
    options = {"quasi_identifiers": ["age"], "method": "mdav", **ROLES[role]}
    release, expected = (ma.protect(each, 3, **options) for each in (odd, usual))
    assert release.data.to_pydict() == expected.data.to_pydict()
    assert release.data.schema == expected.data.schema


@pytest.mark.parametrize("role", ["quasi-identifier", "weights", "confidential"])
@pytest.mark.parametrize("layout", ["runs", "short runs"])
def test_numbers_in_runs(layout, role):
    odd, usual = frames(LAYOUTS[layout], NUMBER)
    roles = {
        "quasi-identifier": {"quasi_identifiers": ["age", "x"]},
        "weights": {"weights": "x"},
        "confidential": {
            "confidential": ["x"],
            "t_closeness": 0.6,
            "kinds": {"x": "continuous"},
        },
    }
    options = {"quasi_identifiers": ["age"], "method": "mdav", **roles[role]}
    release, expected = (ma.protect(each, 3, **options) for each in (odd, usual))
    assert release.data.equals(expected.data)


def inside(make):
    """Return text of a layout inside nested columns, some of them null, and cut from longer ones."""
    words, blank = make(TEXT), pa.array(np.arange(N) % 5 == 0)
    offsets = pa.array(np.arange(N + 1, dtype=np.int32))
    pairs = pa.array(np.arange(0, N + 1, 2, dtype=np.int32))
    return {
        "structure": pa.StructArray.from_arrays([words], ["a"], mask=blank),
        "list": pa.ListArray.from_arrays(offsets, words, mask=blank),
        "large list": pa.LargeListArray.from_arrays(offsets.cast(pa.int64()), words),
        "fixed list": pa.FixedSizeListArray.from_arrays(words, 1, mask=blank),
        "pairs": pa.ListArray.from_arrays(pairs, words),
        "map": pa.MapArray.from_arrays(offsets, make(TEXT), words),
        "list view": pa.ListViewArray.from_arrays(
            pa.array(np.arange(N, dtype=np.int32)[::-1]), pa.array(np.ones(N, np.int32)), words
        ),
        "structure in list": pa.ListArray.from_arrays(
            offsets, pa.StructArray.from_arrays([words], ["a"])
        ),
    }


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("nesting", inside(lambda values: values))
def test_nested_values_of_any_layout(nesting, layout):
    array, usual = inside(LAYOUTS[layout])[nesting], inside(lambda values: values)[nesting]
    for start, length in ((0, len(array)), (3, 11), (5, 0)):
        cut = array.slice(start, length)
        fresh = plain_array(cut, plain_type(array.type))
        fresh.validate(full=True)
        assert fresh.to_pylist() == usual.slice(start, length).to_pylist()
        assert plain_type(fresh.type) == fresh.type


@pytest.mark.parametrize("suffix", [".arrow", ".parquet", ".feather"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("nesting", inside(lambda values: values))
def test_nested_columns_are_released(nesting, layout, suffix, tmp_path):
    column = inside(LAYOUTS[layout])[nesting]
    table = pa.table({"age": RNG.normal(size=len(column)), "x": column})
    with pa.ipc.new_file(tmp_path / "in.arrow", table.schema) as file:
        file.write_table(table)
    usual = inside(lambda values: values)[nesting].to_pylist()
    for data in (table, ma.read_file(tmp_path / "in.arrow")):
        release = ma.protect(data, 3, quasi_identifiers=["age"], method="mdav")
        assert release.data["x"].to_pylist() == usual
        release.write({"data": tmp_path / f"out{suffix}"}, overwrite=True)
        assert ma.read_file(tmp_path / f"out{suffix}")["x"].to_pylist() == usual


def polars_frame():
    odd, _ = frames(LAYOUTS["view"], TEXT)
    frame = pl.DataFrame({name: odd[name].to_numpy() for name in ("age", "pay")})
    words = pl.Series("x", TEXT.to_pylist())
    return frame.with_columns(words, pl.Series("y", [[word] for word in words]))


@pytest.mark.parametrize("role", [*ROLES])
def test_files_that_polars_writes(role, tmp_path):
    frame = polars_frame()
    frame.write_ipc(tmp_path / "a.arrow", compat_level=pl.CompatLevel.newest())
    frame.write_ipc_stream(tmp_path / "b.arrow", compat_level=pl.CompatLevel.newest())
    frame.write_parquet(tmp_path / "a.parquet")
    kinds = pa.ipc.open_file(tmp_path / "a.arrow").schema.types
    assert any(pa.types.is_string_view(kind) for kind in kinds)
    options = {"quasi_identifiers": ["age"], "method": "mdav", **ROLES[role]}
    expected = ma.protect(frame, 3, **options).data.to_dict(as_series=False)
    for name in ("a.arrow", "b.arrow", "a.parquet"):
        release = ma.protect(ma.read_file(tmp_path / name), 3, **options)
        assert release.data.to_pydict() == expected


def test_assess_and_the_command_line(tmp_path):
    frame = polars_frame()
    source, out = tmp_path / "a.arrow", tmp_path / "out.arrow"
    frame.write_ipc(source, compat_level=pl.CompatLevel.newest())
    common = ["--qi", "age,x", "--kinds", "x=nominal", "--missing", "group"]
    done = CliRunner().invoke(app, ["protect", str(source), "-k", "3", *common, "-o", str(out)])
    assert done.exit_code == 0, done.output
    pl.read_ipc(out).write_ipc(tmp_path / "b.arrow", compat_level=pl.CompatLevel.newest())
    done = CliRunner().invoke(
        app, ["assess", str(source), str(tmp_path / "b.arrow"), "--qi", "age"]
    )
    assert done.exit_code == 0, done.output


def test_frames_of_pandas_with_nested_views():
    column = inside(LAYOUTS["view"])["structure in list"]
    frame = pd.DataFrame(
        {"age": RNG.normal(size=N), "x": pd.arrays.ArrowExtensionArray(pa.chunked_array([column]))}
    )
    release = ma.protect(frame, 3, quasi_identifiers=["age"], method="mdav")
    assert release.data["x"].tolist() == frame["x"].tolist()


@pytest.mark.parametrize("role", [*ROLES])
def test_large_files_with_views(role, tmp_path):
    odd, usual = frames(LAYOUTS["view"], TEXT)
    nested = inside(LAYOUTS["view"])["structure"]
    for name, table in (("odd", odd), ("usual", usual)):
        kept = nested if name == "odd" else plain_array(nested, plain_type(nested.type))
        pq.write_table(table.append_column("y", kept), tmp_path / f"{name}.parquet")
    schema = pq.read_schema(tmp_path / "odd.parquet")
    assert pa.types.is_string_view(schema.field("x").type)
    options = {"quasi_identifiers": ["age"], "memory": "500MB", **ROLES[role]}
    results = []
    for name in ("odd", "usual"):
        release = ma.protect_file(tmp_path / f"{name}.parquet", tmp_path / name, 3, **options)
        results.append(ma.read_file(release.paths["data"]).to_pydict())
    assert results[0] == results[1]


def test_a_null_category_inside_runs_is_a_null():
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1, 0]), pa.array(["a", None]))
    ends = pa.array([1, 2, 3, 4], pa.int32())
    table = pa.table({"x": pa.RunEndEncodedArray.from_arrays(ends, words)})
    assert plain(table)["x"].to_pylist() == ["a", None, None, "a"]
    assert plain(table)["x"].null_count == 2
