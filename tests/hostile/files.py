"""Damaged files of every format, each read in a child process, which a damaged file may kill.

`python -m tests.hostile.files FOLDER FIRST LAST` tries the cases FIRST to LAST and prints a line of
JSON for each: the case, and "released", "refused", or the fault.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa

import microagg as ma
from tests.hostile.checker import require_discreet
from tests.hostile.frames import MARK
from tests.hostile.seeds import rng_of

SUFFIXES = (".csv", ".tsv", ".csv.gz", ".parquet", ".feather", ".arrow", ".sav", ".dta")
"""The formats that are written and damaged."""


def records(n: int = 60) -> pa.Table:
    """Return a table of numbers, text and categories."""
    rng = np.random.default_rng(0)
    names = [f"{MARK}{i}" for i in range(n)]
    city = pa.array(rng.choice([f"{MARK}x", f"{MARK}y"], n).tolist())
    age, pay = rng.integers(18, 90, n), rng.normal(1000, 100, n)
    return pa.table({"name": names, "age": age, "pay": pay, "city": city})


def write_originals(folder: Path) -> dict[str, bytes]:
    """Write the table in every format that is installed; return the bytes by suffix."""
    contents = {}
    for suffix in SUFFIXES:
        path = folder / f"records{suffix}"
        ma.write_file(records(), path, overwrite=True)
        contents[suffix] = path.read_bytes()
    return contents


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """Return the bytes with one to a few random faults."""
    data = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        at = int(rng.integers(len(data)))
        length = int(rng.integers(1, 40))
        fault = rng.integers(6)
        if fault == 0:
            data[at] ^= 1 << int(rng.integers(8))
        elif fault == 1:
            data[at : at + length] = rng.bytes(length)
        elif fault == 2:
            del data[at : at + length]
        elif fault == 3:
            data[at:at] = rng.bytes(length)
        elif fault == 4:
            data[at:] = b""
        else:
            data[at : at + length] = b"\x00" * length
        data = data or bytearray(b"\x00")
    return bytes(data)


def attempt(case: int, contents: dict[str, bytes], folder: Path) -> str:
    """Read one damaged file and protect what it holds; return what happened."""
    rng = rng_of(case)
    suffix = list(contents)[case % len(contents)]
    path = folder / f"damaged{suffix}"
    path.write_bytes(damaged(contents[suffix], rng))
    try:
        table = ma.read_file(path)
        names = [name for name in table.column_names if name in ("age", "pay")]
        ma.protect(table, 3, quasi_identifiers=names, identifiers=[], method="mdav")
    except ma.MicroaggError as error:
        try:
            require_discreet(str(error))
        except AssertionError as fault:
            return f"{fault} ({suffix})"
        return "refused"
    except Exception as error:  # noqa: BLE001  (the point of the test)
        return f"{type(error).__name__} ({suffix})"
    return "released"


def main(folder: Path, first: int, last: int) -> None:
    """Try some cases, one line each."""
    warnings.simplefilter("ignore")
    contents = write_originals(folder)
    for case in range(first, last):
        print(json.dumps([case, "begun"]), flush=True)
        print(json.dumps([case, attempt(case, contents, folder)]), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
