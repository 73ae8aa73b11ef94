"""Columns that are nested deeper than files have room for are refused, in every kind of frame."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import microagg as ma
from microagg.data.nesting import DEEPEST

REFUSED = f"Column 'n' is nested more than {DEEPEST} levels deep"


def nested(depth, wrap):
    value = 1
    for _ in range(depth):
        value = wrap(value)
    return value


def arrow(depth, make):
    """Return a table with a column whose values are nested in so many levels."""
    column = pa.array(range(12))
    for _ in range(depth):
        column = make(column)
    return pa.table({"x": np.arange(12.0), "n": column})


MAKERS = {
    "structure": lambda inner: pa.StructArray.from_arrays([inner], ["f"]),
    "list": lambda inner: pa.ListArray.from_arrays(pa.array(range(13), pa.int32()), inner),
    "map": lambda inner: pa.MapArray.from_arrays(
        pa.array(range(13), pa.int32()), pa.array(range(12)), inner
    ),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
def test_what_is_not_refused_can_be_written(make, suffix, tmp_path):
    levels = DEEPEST // 2 if make is MAKERS["map"] else DEEPEST  # a map is a list of structures
    release = ma.protect(arrow(levels, make), 3, quasi_identifiers=["x"], method="mdav")
    path = tmp_path / f"a{suffix}"
    release.write({"data": path})
    assert ma.read_file(path)["n"].equals(release.data["n"])


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("depth", [DEEPEST + 1, 2_000])
def test_deep_tables(make, depth):
    with pytest.raises(ma.DataError, match=REFUSED):
        ma.protect(arrow(depth, make), 3, quasi_identifiers=["x"])


@pytest.mark.parametrize("wrap", [lambda v: [v], lambda v: {"f": v}], ids=["lists", "dictionaries"])
def test_deep_objects(wrap, tmp_path):
    frame = pd.DataFrame({"x": np.arange(12.0), "n": [nested(100, wrap) for _ in range(12)]})
    release = ma.protect(frame, 3, quasi_identifiers=["x"], method="mdav")
    with pytest.raises(ma.DataError, match=REFUSED):
        release.write({"data": tmp_path / "a.parquet"})
    polars = pytest.importorskip("polars")
    with pytest.raises(ma.DataError, match=REFUSED):
        ma.protect(polars.DataFrame(frame.to_dict("list")), 3, quasi_identifiers=["x"])


def test_deep_columns_of_files(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(arrow(40, MAKERS["structure"]), path)
    with pytest.raises(ma.DataError, match=REFUSED):
        ma.read_file(path)
    with pytest.raises(ma.DataError, match=REFUSED):
        ma.protect_file(path, tmp_path / "out", 3, quasi_identifiers=["x"], memory="500MB")
