"""Objects of Python, odd numbers and odd names in every role: released, or refused with a MicroaggError."""

import datetime as dt
import fractions
import uuid
import warnings
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import microagg as ma
from microagg.errors import MicroaggError
from tests.examples import sample
from tests.hostile.checker import count_of, judge, require_discreet
from tests.hostile.frames import MARK

N = 30


def objects(*values):
    """Return a column of objects that repeats some values."""
    return pd.Series((list(values) * N)[:N], dtype=object)


def zoned(*zones):
    return objects(*(pd.Timestamp("2020-01-01", tz=zone) for zone in zones))


QUIET, PAYLOADS = 0x7FF8000000000001, np.arange(N, dtype=np.uint64)
ODD = {
    "integers beyond 64 bits": lambda: objects(10**30, 2, 3),
    "integers of unsigned 64 bits": lambda: objects(2**64 - 1, 2**63, -1),
    "integers beyond every float": lambda: objects(10**400, 2, 3),
    "decimals that are not finite": lambda: objects(
        Decimal("NaN"), Decimal("Infinity"), Decimal(1)
    ),
    "signalling decimals": lambda: objects(Decimal("sNaN"), Decimal(1), Decimal(2)),
    "decimals with huge exponents": lambda: objects(Decimal("1E+999999"), Decimal(1)),
    "decimals and floats": lambda: objects(Decimal("1.1"), 1.1, 11),
    "fractions": lambda: objects(fractions.Fraction(1, 3), fractions.Fraction(2, 3)),
    "Boolean values and integers": lambda: objects(True, 1, 0),
    "several blanks": lambda: objects(None, float("nan"), pd.NaT),
    "nothing": lambda: objects(None),
    "several zones": lambda: zoned("UTC", "Europe/Madrid", "Asia/Tokyo"),
    "some zones": lambda: zoned("UTC", None),
    "dates and times": lambda: objects(dt.date(2020, 1, 1), dt.datetime(2020, 1, 1), None),
    "tuples": lambda: objects((f"{MARK}a", 1), (f"{MARK}b", 2)),
    "dictionaries": lambda: objects({f"{MARK}a": 1}, {f"{MARK}b": 2}),
    "bytes": lambda: objects(f"{MARK}a".encode(), b"\xff"),
    "identifiers": lambda: objects(*(uuid.UUID(int=i) for i in range(N))),
    "functions": lambda: objects(len, max),
    "half of a surrogate pair": lambda: objects("\ud800", f"{MARK}a"),
    "blanks of two kinds": lambda: pd.Series(
        pd.arrays.FloatingArray(np.array([np.nan, 1, 2] * 10), np.array([False, True, False] * 10))
    ),
    "categories of tuples": lambda: pd.Series(
        pd.Categorical.from_codes([0, 1] * 15, pd.Index([("a", 1), ("b", 2)], tupleize_cols=False))
    ),
    "categories of several types": lambda: pd.Series(pd.Categorical([f"{MARK}a", 1, 2.5] * 10)),
    "decimals of Arrow": lambda: pd.Series([Decimal("1.1"), None] * 15).astype(
        pd.ArrowDtype(pa.decimal256(50, 2))
    ),
    "zeros of both signs": lambda: pd.Series([-0.0, 0.0] * 15),
    "denormal numbers": lambda: pd.Series(np.arange(N) * 5e-324),
    "payloads of NaN": lambda: pd.Series((PAYLOADS + np.uint64(QUIET)).view(np.float64)),
    "long doubles": lambda: pd.Series(np.arange(N, dtype=np.longdouble)),
}
"""Makers of columns that generators of usual types never make."""

BEYOND_THE_JUDGE = ("payloads of NaN", "several blanks", "signalling decimals")
"""Columns of values that differ from themselves."""

ROLES = {
    "unchanged": {},
    "quasi-identifier": {"quasi_identifiers": ["age", "x"], "missing": "keep"},
    "nominal": {"quasi_identifiers": ["age", "x"], "kinds": {"x": "nominal"}, "missing": "keep"},
    "confidential": {"confidential": ["x"], "l_diversity": 2, "t_closeness": 0.5},
    "unit": {"unit": "x"},
    "strata": {"strata": ["x"], "small_strata": "merge"},
    "weights": {"weights": "x"},
    "identifier": {"identifiers": ["x"]},
}


def attempt(maker, role, folder):
    """Protect and write a frame with an odd column; return whether it was released."""
    frame = pd.DataFrame({"age": np.arange(N) % 11, "x": ODD[maker]()})
    options = {"quasi_identifiers": ["age"], "method": "mdav", **ROLES[role]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ma.MicroaggWarning)
        try:
            release = ma.protect(frame, 3, **options)
        except MicroaggError as error:
            require_discreet(str(error))
            return False
        if "x" in release.data.columns and maker not in BEYOND_THE_JUDGE:
            judge(frame, release, options["quasi_identifiers"], 3)
        for suffix in (".csv", ".parquet"):
            try:
                release.write({"data": folder / f"a{suffix}"}, overwrite=True)
            except MicroaggError as error:
                require_discreet(str(error))
    require_discreet(release.summary())
    return True


@pytest.mark.parametrize("role", ROLES)
def test_odd_columns_are_released_or_refused(role, tmp_path, record_property):
    record_property("released", count_of(ODD, attempt, role, tmp_path))
    record_property("frames", len(ODD))


NAMES = ["{0}", "{x!r}", "%s", "%(a)d", "{", "%", "$x$", "\\", "a\tb", "\x1b[31m", "\u202eab", "\u200b",
         "'", '"', "`", ",", "=", "a=b,c", "e\u0301", "\u00e9", "nan", "None", "True", "1", "-", "--qi",
         "@file", "~", "*", "^.*$", "^", "^a$", "</script>", "&amp;", "__class__",
         "age.1", "k", "row", "group"]  # fmt: skip

PATTERNS = {"*", "^.*$", "^a$"}
"""Names that polars takes for others."""


@pytest.mark.parametrize("make", sample([pd.DataFrame, pl.DataFrame, pa.table]))
def test_odd_names_in_every_option(make, tmp_path, record_property):
    """Formats, shells, reports and the names of our own files use the same characters."""
    columns = {name: (np.arange(N) * 7 + i) % 13 for i, name in enumerate(NAMES)}
    for first, second in pairwise(NAMES):
        if make is pl.DataFrame and PATTERNS & {first, second}:
            with pytest.raises(ma.DataError, match="as a pattern for several columns"):
                ma.protect(make({first: columns[first], second: columns[second]}), 3,
                           quasi_identifiers=[first])  # fmt: skip
            continue
        chosen = {name: columns[name] for name in (first, second, "row")}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ma.MicroaggWarning)
            release = ma.protect(make(chosen), 3, quasi_identifiers=[first], confidential=[second],
                                 kinds={first: "continuous"}, round_to={first: 1}, l_diversity=2,
                                 method="mdav")  # fmt: skip
            paths = {"data": tmp_path / "a.csv", "provenance": tmp_path / "a.json"}
            release.write(paths, overwrite=True)
            again = ma.protect(make(chosen), **ma.read_arguments(paths["provenance"]))
        assert list(ma.read_file(paths["data"], numeric_names=True).column_names) == list(chosen)
        assert again.outcome.loss == release.outcome.loss
        assert release.summary()
    record_property("names", len(NAMES))
