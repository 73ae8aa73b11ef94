"""Valid delimited text of any form is read as the same records, whole and piece by piece."""

import csv
import gzip
import io

import pyarrow as pa
import pytest

import microagg as ma
from microagg.data.streams import Stream
from tests.hostile.checker import count_of
from tests.hostile.seeds import rng_of

CASES = 60
WORDS = [
    "a",
    "b c",
    "d,e",
    'f"g',
    "h;i",
    "j\tk",
    "l\nm",
    "n\r\no",
    "p ",
    " q",
    "",
    "\u00e9",
    "\U0001f600",
    "#",
]


def text_of(rng):
    """Return names, records, and text that has them in a form that varies."""
    n, d = int(rng.integers(1, 40)), int(rng.integers(2, 6))
    names = [f"c{i}" for i in range(d)]
    rows = [[WORDS[i] for i in rng.integers(0, len(WORDS), d)] for _ in range(n)]
    for number, row in enumerate(rows):
        row[0] = str(number)
    stream = io.StringIO()
    end = ("\n", "\r\n", "\r")[rng.integers(3)]
    every = end == "\r" or rng.random() < 0.5  # Python leaves other ends of lines without quotes
    quoting = csv.QUOTE_ALL if every else csv.QUOTE_MINIMAL
    csv.writer(stream, quoting=quoting, lineterminator=end).writerows([names, *rows])
    text = stream.getvalue()
    if rng.random() < 0.3:
        text = text.removesuffix(end)
    return names, rows, "\ufeff" * (rng.random() < 0.3) + text + end * int(rng.integers(0, 3))


def packed(rng, data):
    """Return data as one of the kinds of file, some in several members or frames."""
    cut = int(rng.integers(0, len(data) + 1))
    parts = [data[:cut], data[cut:]] if rng.random() < 0.5 else [data]
    kind = ("", ".gz", ".zst")[rng.integers(3)]
    if kind == ".gz":
        zeros = b"\0" * int(rng.integers(0, 2) * 512)  # as tapes have after the end
        return kind, b"".join(gzip.compress(part) for part in parts) + zeros
    if kind == ".zst":
        return kind, b"".join(pa.compress(part, codec="zstd", asbytes=True) for part in parts)
    return kind, data


def attempt(case, folder):
    """Read one file in both ways; return whether the records are those that were written."""
    rng = rng_of(case)
    names, rows, text = text_of(rng)
    suffix, data = packed(rng, text.encode())
    path = folder / f"{case}.csv{suffix}"
    path.write_bytes(data)
    whole = ma.read_file(path)
    pieces = pa.concat_tables(Stream(path, size=int(rng.integers(60, 400))).tables(7))
    for table in (whole, pieces):
        assert table.column_names == names
        columns = [[str(v) if v is not None else "" for v in c.to_pylist()] for c in table.columns]
        assert list(map(list, zip(*columns, strict=True))) == rows
    return True


@pytest.mark.parametrize("part", range(2))
def test_text_of_any_form_is_read(part, tmp_path, record_property):
    cases = range(part, CASES, 2)
    record_property("files", count_of(cases, attempt, tmp_path))
