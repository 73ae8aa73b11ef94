"""Small files that stand for more values than memory can hold.

`python -m tests.hostile.bombs FOLDER SUFFIX` writes the bombs of a format to FOLDER, reads each with little
memory, and prints a line of JSON for each: its name, and "read", "refused" or the fault.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import microagg as ma
from microagg.data.streams import Stream
from tests.hostile.files import damaged, records
from tests.hostile.seeds import rng_of

LITTLE = 6 << 30
"""Bytes of addresses that the process may use: fewer than any of the bombs expands to."""

LONG = "y" * (1 << 20)
ROWS = 1 << 16


def dictionary(words: list[Any], *, first: int = 0) -> pa.DictionaryArray:
    """Return records that have the last word, after `first` ones that have the first word."""
    codes = np.full(ROWS, len(words) - 1, dtype=np.int32)
    codes[:first] = 0
    return pa.DictionaryArray.from_arrays(codes, words)


def in_structure(values: pa.Array) -> pa.Array:
    """Return the values as the only field of a structure."""
    return pa.StructArray.from_arrays([values], ["inside"])


def in_lists(values: pa.Array, length: int = 1) -> pa.Array:
    """Return the values in lists of one length."""
    offsets = np.arange(len(values) // length + 1) * length
    return pa.ListArray.from_arrays(offsets.astype(np.int32), values)


def views(text: str) -> pa.Array:
    """Return records that all refer to the same text."""
    one = np.zeros(4, dtype=np.int32)
    one[0], one[1] = len(text), int.from_bytes(text[:4].encode(), "little")
    buffers = [None, pa.py_buffer(np.tile(one, ROWS).tobytes()), pa.py_buffer(text.encode())]
    return pa.Array.from_buffers(pa.string_view(), ROWS, buffers)


def list_views(length: int) -> pa.Array:
    """Return lists that all refer to the same values."""
    offsets, sizes = np.zeros(ROWS, dtype=np.int32), np.full(ROWS, length, dtype=np.int32)
    return pa.ListViewArray.from_arrays(offsets, sizes, pa.array(np.zeros(length)))


def run(length: int, values: pa.Array) -> pa.Array:
    """Return one run of a value."""
    return pa.RunEndEncodedArray.from_arrays(pa.array([length], pa.int32()), values)


def nothing(kind: pa.DataType, length: int, inside: pa.Array | None = None) -> pa.Array:
    """Return records of a type that needs no bytes."""
    return pa.Array.from_buffers(
        kind, length, [None], children=None if inside is None else [inside]
    )


ENCODED: dict[str, Callable[[], Any]] = {
    "dictionary": lambda: dictionary([LONG]),
    "short text first": lambda: dictionary(["a", LONG], first=3_000),
    "dictionary in a structure": lambda: in_structure(dictionary([LONG])),
    "dictionary in lists": lambda: in_lists(dictionary([LONG])),
    "views": lambda: views(LONG),
    "list views": lambda: list_views(1 << 16),
    "run": lambda: run(2**31 - 1, pa.array([1.5])),
    "run of text": lambda: run(1 << 20, pa.array([LONG])),
    "run in a list": lambda: in_lists(run(2**31 - 1, pa.array([1.5])), 2**31 - 1),
    "nulls": lambda: nothing(pa.null(), 1 << 40),
    "structures without fields": lambda: nothing(pa.struct([]), 1 << 40),
    "lists of nulls": lambda: nothing(
        pa.list_(pa.null(), 1 << 30), ROWS, nothing(pa.null(), ROWS << 30)
    ),
    "compressed numbers": lambda: pa.chunked_array([pa.array(np.zeros(1 << 20))] * 1_000),
    "compressed text": lambda: pa.chunked_array([pa.array([LONG] * 8)] * 1_000),
}
"""Columns that Arrow stores in few bytes."""

PARQUET: dict[str, Callable[[], Any]] = {
    "text": lambda: dictionary([LONG]),
    "short text first": lambda: dictionary(["a", LONG], first=3_000),
    "text in a structure": lambda: in_structure(dictionary([LONG])),
    "text in lists": lambda: in_lists(dictionary([LONG])),
    "bytes": lambda: dictionary([LONG.encode()]),
    "bytes of one length": lambda: pa.chunked_array(
        [pa.array([LONG.encode()[: 1 << 18]] * 64, pa.binary(1 << 18))] * 100
    ),
    "numbers": lambda: pa.chunked_array([pa.array(np.zeros(1 << 20))] * 200),
    "numbers in lists": lambda: pa.chunked_array(
        [in_lists(pa.array(np.zeros(1 << 20)), 1 << 10)] * 200
    ),
}
"""Columns that Parquet stores in few bytes."""


def write(column: Any, path: Path) -> None:
    """Write a column in the format of the suffix, compressed as well as can be."""
    table = pa.table({"x": column})
    if path.suffix == ".parquet":
        pq.write_table(table, path, compression="zstd", store_schema=False, row_group_size=1 << 24)
        return
    options = pa.ipc.IpcWriteOptions(compression="zstd", allow_64bit=True)
    maker = pa.ipc.new_file if path.suffix == ".feather" else pa.ipc.new_stream
    with maker(str(path), table.schema, options=options) as file:
        file.write_table(table)


def attempt(path: Path, read: Callable[[Path], object] = ma.read_file) -> str:
    """Read a file; return what happened."""
    try:
        read(path)
    except ma.MicroaggError as error:
        bomb = "expands to more than 200 times its size" in str(error)
        return "refused" if bomb else "another error of ours"
    except Exception as error:  # noqa: BLE001  (the point of the test)
        return type(error).__name__
    return "read"


def damaged_parquet(folder: Path, first: int, last: int) -> None:
    """Read damaged Parquet files, whole and piece by piece, one line for each file."""
    table = records()
    table = table.append_column("l", pa.array([[i, i] for i in range(table.num_rows)]))
    path = folder / "a.parquet"
    for case in range(first, last):
        pq.write_table(table, path, row_group_size=20, data_page_version=f"{case % 2 + 1}.0")
        path.write_bytes(damaged(path.read_bytes(), rng_of(case)))
        print(json.dumps([case, attempt(path), attempt(path, in_pieces)]), flush=True)


def in_pieces(path: Path) -> None:
    """Read a file as large ones are."""
    for _ in Stream(path, size=1 << 22).tables(10):
        pass


def main(folder: Path, suffix: str) -> None:
    """Write and read the bombs of a format, one line each."""
    resource.setrlimit(resource.RLIMIT_AS, (LITTLE, LITTLE))
    for name, make in (PARQUET if suffix == ".parquet" else ENCODED).items():
        path = folder / f"{name}{suffix}"
        write(make(), path)
        print(json.dumps([name, path.stat().st_size, attempt(path)]), flush=True)
        path.unlink()


if __name__ == "__main__":
    if len(sys.argv) == 3:
        main(Path(sys.argv[1]), sys.argv[2])
    else:
        damaged_parquet(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
