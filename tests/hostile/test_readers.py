"""Released text is read by other programs as the records that were checked, and k holds there, too."""

import csv
import gzip
import io
import warnings

import pandas as pd
import polars as pl
import pytest

import microagg as ma
from microagg.errors import MicroaggError
from tests.hostile.checker import count_of
from tests.hostile.seeds import rng_of

CASES = 60
WORDS = [
    "a", "b c", "d,e", 'f"g', '"', "h;i", "j\tk", "l\nm", "n\r\no", "p ", " q", "\u00e9", "#", "'",
    "\ufeffr", "\\", 's\\"', "=1+1", "-1", "1e5", "100000", "NA", "nan", "null", "None", "TRUE",
    "true", "0", "-0", "0.0", "00", "1,5", "1.5", "2020-01-02", "02/01/2020", "\u2028", "\x85",
    "\x0c", "\x1c", "\u200b", "\u00a0", "e\u0301", "sep=;",
]  # fmt: skip
SUFFIXES = (".csv", ".tsv", ".txt", ".csv.gz")


def records(rng):
    """Return a frame with numbers of all sizes, and texts that files can have in several forms."""
    n = int(rng.integers(12, 60))
    some = rng.choice(WORDS, int(rng.integers(2, 9)), replace=False)
    size = 10.0 ** rng.integers(-8, 18)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=n).round(int(rng.integers(0, 6))) * size,
            "word": rng.choice(some, n),
            "ill": rng.choice(some, n),
        }
    )
    if rng.random() < 0.3:
        frame.loc[rng.integers(0, n, 3), "word"] = None
    return frame


def read_by_others(path):
    """Return what other programs read of a file: every cell as text."""
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    separator = "\t" if ".tsv" in path.name or b"\t" in text.split(b"\n")[0] else ","
    rows = list(csv.reader(io.StringIO(text.decode(), newline=""), delimiter=separator))
    yield "csv", pd.DataFrame(rows[1:], columns=rows[0])
    as_text = {"dtype": str, "keep_default_na": False, "sep": separator}
    yield "pandas", pd.read_csv(io.BytesIO(text), **as_text)
    table = pl.read_csv(text, separator=separator, infer_schema=False).fill_null("")
    yield "polars", pd.DataFrame(table.to_dict(as_series=False))
    yield "pandas by default", pd.read_csv(io.BytesIO(text), sep=separator)


def attempt(case, folder):
    """Judge a release as other programs read it; return whether there is one."""
    rng = rng_of(case)
    frame, k = records(rng), int(rng.integers(2, 6))
    keys = ["number", "word"]
    options = {"missing": "keep"} if rng.random() < 0.5 else {"missing": "suppress"}
    if rng.random() < 0.3:
        options["round_to"] = {"number": float(10.0 ** rng.integers(-3, 4))}
    path = folder / f"{case}{SUFFIXES[rng.integers(len(SUFFIXES))]}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            release = ma.protect(frame, k, quasi_identifiers=keys, method="mdav", **options)
        release.write({"data": path})
    except MicroaggError:
        return False
    kept = frame["ill"] if release.rows is None else frame["ill"].iloc[release.rows]
    for program, read in read_by_others(path):
        assert len(read) == len(kept), f"{program} reads another number of records"
        assert read.groupby(keys, dropna=False).size().min() >= k, program
        if program != "pandas by default":
            assert read["ill"].tolist() == kept.tolist(), f"{program} reads other values"
    return True


@pytest.mark.parametrize("part", range(2))
def test_other_programs_read_what_was_checked(part, tmp_path, record_property):
    cases = range(part, CASES, 2)
    written = count_of(cases, attempt, tmp_path)
    record_property("releases", written)
    assert written >= len(cases) // 2
