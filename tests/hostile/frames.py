"""Random frames of every column type that pandas, polars and Arrow have, with awkward values.

Every text carries `MARK`, so a message that quotes a record can be recognised.
"""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute

MARK = "zq\u00e9"
"""Part of every text of a generated record, and of nothing else."""

Rng = np.random.Generator
Maker = Callable[[Rng, int], Any]

EXTREMES = {
    "int8": [-128, 127, 0],
    "int16": [-(2**15), 2**15 - 1, 0],
    "int32": [-(2**31), 2**31 - 1, 0],
    "int64": [-(2**63), 2**63 - 1, 2**53, 2**53 + 1],
    "uint8": [0, 255],
    "uint16": [0, 2**16 - 1],
    "uint32": [0, 2**32 - 1],
    "uint64": [0, 2**64 - 1, 2**53 + 1],
    "float32": [3.4e38, -3.4e38, 1e-38, 0.0],
    "float64": [1.7e308, -1.7e308, 5e-324, 1e140, 0.0, -0.0],
}
"""The ends of each type, and the integers that float64 cannot tell apart."""


def integers(name: str) -> Maker:
    """Return a maker of small integers, with extremes in one frame of four."""

    def make(rng: Rng, n: int) -> Any:
        values = rng.integers(0, 20, n).tolist()
        if rng.random() < 0.25:
            for row in rng.integers(0, n, max(n // 4, 1)):
                values[row] = EXTREMES[name][rng.integers(len(EXTREMES[name]))]
        return pa.array(values, type=getattr(pa, name)())

    return make


def floats(name: str) -> Maker:
    """Return a maker of numbers, with extremes in one frame of four."""

    def make(rng: Rng, n: int) -> Any:
        values = rng.normal(50, 20, n).round(rng.integers(0, 4)).tolist()
        if rng.random() < 0.25:
            values[rng.integers(n)] = EXTREMES[name][rng.integers(len(EXTREMES[name]))]
        if rng.random() < 0.1:
            values[rng.integers(n)] = float(rng.choice([np.inf, -np.inf, np.nan]))
        return pa.array(values, type=getattr(pa, name)())

    return make


def words(rng: Rng, n: int) -> list[str]:
    """Return texts that carry the mark."""
    some = [f"{MARK}{tail}" for tail in ("a", "b", "c", "d e", "f,g", 'h"i', "j\nk", "l\x00", "")]
    return [some[i] for i in rng.integers(0, len(some), n)]


def text(type_: pa.DataType) -> Maker:
    """Return a maker of texts of one of Arrow's types."""
    return lambda rng, n: pa.array(words(rng, n)).cast(type_)


def decimals(rng: Rng, n: int) -> Any:
    """Return decimals, some longer than float64 can hold."""
    long = rng.random() < 0.3
    base = 10**20 if long else 10
    values = [decimal.Decimal(int(i) + base) / 100 for i in rng.integers(0, 9, n)]
    return pa.array(values, type=pa.decimal128(30, 2))


def dates(rng: Rng, n: int) -> Any:
    """Return dates of this century, with the ends of the calendar now and then."""
    values = [dt.date(1950, 1, 1) + dt.timedelta(int(d)) for d in rng.integers(0, 25_000, n)]
    if rng.random() < 0.2:
        values[rng.integers(n)] = [dt.date(1, 1, 1), dt.date(9999, 12, 31)][rng.integers(2)]
    return pa.array(values)


def beyond_the_calendar(rng: Rng, n: int) -> Any:
    """Return days of which some are after the year 9999."""
    return pa.array(rng.integers(0, 4_000_000, n).astype(np.int32)).cast(pa.date32())


def moments(unit: str, zone: str | None = None) -> Maker:
    """Return a maker of timestamps; in nanoseconds they span their whole range now and then."""

    def make(rng: Rng, n: int) -> Any:
        step = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
        values = (rng.integers(0, 2_000_000_000, n) * step).tolist()
        if unit == "ns" and rng.random() < 0.3:
            values[0], values[-1] = -(2**63) + 1, 2**63 - 1
        return pa.array(values, type=pa.timestamp(unit, zone))

    return make


def categories(rng: Rng, n: int) -> Any:
    """Return dictionary-encoded text, with an entry that no record has."""
    codes = pa.array(rng.integers(0, 3, n).astype(np.int8))
    return pa.DictionaryArray.from_arrays(codes, [f"{MARK}{c}" for c in ("x", "y", "z", "unused")])


def null_in_dictionary(rng: Rng, n: int) -> Any:
    """Return dictionary-encoded text of which one entry is null."""
    codes = pa.array(rng.integers(0, 3, n).astype(np.int8))
    return pa.DictionaryArray.from_arrays(codes, pa.array([f"{MARK}x", None, f"{MARK}y"]))


def nested(rng: Rng, n: int) -> Any:
    """Return lists, structures or maps, some with dictionaries inside."""
    choice = rng.integers(7)
    inner = words(rng, n)
    if choice == 0:
        return pa.array([[word] for word in inner])
    if choice == 1:
        return pa.StructArray.from_arrays([categories(rng, n)], ["inside"])
    if choice == 2:
        return pa.array([[(word, 1)] for word in inner], type=pa.map_(pa.string(), pa.int64()))
    offsets = pa.array(np.arange(n + 1, dtype=np.int32))
    if choice == 3:
        return pa.ListArray.from_arrays(offsets, categories(rng, n))
    views = pa.array(inner, pa.string_view())
    if choice == 4:
        return pa.StructArray.from_arrays([views], ["inside"])
    maker = pa.ListArray.from_arrays if choice == 5 else pa.MapArray.from_arrays
    return maker(offsets, *[views] * (choice - 4))


def run_ends(rng: Rng, n: int) -> Any:
    """Return run-end-encoded numbers or text."""
    values = pa.array(np.sort(rng.integers(0, 4, n)) if rng.random() < 0.5 else words(rng, n))
    return pa.compute.run_end_encode(values)


def unused_category(values: list[str]) -> pd.Categorical:
    """Return texts as categories, with one that no record has."""
    return pd.Categorical(values, categories=sorted({*values, f"{MARK}alone"}))


ARROW: dict[str, Maker] = {
    **{name: integers(name) for name in EXTREMES if "int" in name},
    **{name: floats(name) for name in ("float32", "float64")},
    "float16": lambda rng, n: pa.array(rng.normal(size=n).astype(np.float16)),
    "bool": lambda rng, n: pa.array(rng.random(n) < 0.5),
    "string": text(pa.string()),
    "large_string": text(pa.large_string()),
    "string_view": text(pa.string_view()),
    "binary": lambda rng, n: pa.array([word.encode() for word in words(rng, n)]),
    "decimal": decimals,
    "date32": dates,
    "date64": lambda rng, n: dates(rng, n).cast(pa.date64()),
    "late days": beyond_the_calendar,
    **{f"timestamp {unit}": moments(unit) for unit in ("s", "ms", "us", "ns")},
    "timestamp zone": moments("us", "Europe/Madrid"),
    "timestamp unknown zone": moments("us", "Nowhere/Land"),
    "duration": lambda rng, n: pa.array(rng.integers(0, 9, n), type=pa.duration("s")),
    "time32": lambda rng, n: pa.array(rng.integers(0, 86_399, n).astype(np.int32), pa.time32("s")),
    "time64": lambda rng, n: pa.array(rng.integers(0, 86_399, n), pa.time64("us")),
    "dictionary": categories,
    "null in dictionary": null_in_dictionary,
    "nested": nested,
    "run ends": run_ends,
    "null": lambda rng, n: pa.nulls(n),
}
"""A maker for each type of Arrow."""

PANDAS: dict[str, Maker] = {
    "period": lambda rng, n: pd.PeriodIndex.from_ordinals(rng.integers(500, 620, n), freq="M"),
    "interval": lambda rng, n: pd.cut(rng.normal(size=n), 3),
    "categorical": lambda rng, n: unused_category(words(rng, n)),
    "ordered": lambda rng, n: pd.Categorical(
        rng.choice(["low", "mid", "high"], n), ["low", "mid", "high", f"{MARK}top"], ordered=True
    ),
    "numbers as categories": lambda rng, n: pd.Categorical(rng.integers(0, 4, n)),
    "object": lambda rng, n: np.array([*words(rng, n - 1), 7], dtype=object),
    "Int64": lambda rng, n: pd.array([None, *rng.integers(0, 9, n - 1).tolist()], dtype="Int64"),
    "boolean": lambda rng, n: pd.array([None, *(rng.random(n - 1) < 0.5).tolist()], "boolean"),
    "sparse": lambda rng, n: pd.arrays.SparseArray(rng.integers(0, 2, n)),
    "complex": lambda rng, n: rng.normal(size=n) + 1j,
    "timedelta": lambda rng, n: pd.to_timedelta(rng.integers(0, 9, n), unit="s"),
    "zoned": lambda rng, n: pd.to_datetime(rng.integers(0, 10**9, n), unit="s", utc=True),
}
"""A maker for each type that pandas has beside those of Arrow."""

NAMES = [
    "age",
    "net income",
    "a,b",
    "naïve",
    "x" * 60,
    "1",
    "two\nlines",
    "<b>bold</b>",
    "=1+1",
    "",
]


def random_names(rng: Rng, d: int) -> list[str]:
    """Return d different column names."""
    return [str(name) for name in rng.permutation(NAMES)[:d]]


def table(rng: Rng, n: int, d: int) -> dict[str, Any]:
    """Return d random columns of n records, of types of Arrow, a tenth of them with blanks."""
    columns = {}
    for name in random_names(rng, d):
        column = ARROW[list(ARROW)[rng.integers(len(ARROW))]](rng, n)
        columns[name] = blanked(rng, column) if rng.random() < 0.2 else column
    return columns


def blanked(rng: Rng, column: Any) -> Any:
    """Return a column with null in some places, where its type can have that."""
    if not _plain(column.type):
        return column
    blank = pa.array(rng.random(len(column)) < 0.2)
    return pa.compute.if_else(blank, pa.scalar(None, column.type), column)


def _plain(kind: pa.DataType) -> bool:
    """Tell whether values of a type can be replaced by nulls with the compute functions."""
    encoded = pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind)
    return not (encoded or pa.types.is_nested(kind) or kind in (pa.null(), pa.string_view()))


def random_frame(rng: Rng) -> Any:
    """Return a frame of pandas, polars or Arrow."""
    n, d = int(rng.integers(4, 40)), int(rng.integers(1, 6))
    columns = table(rng, n, d)
    library = rng.integers(3)
    if library == 0:
        return pa.table(columns)
    if library == 1:
        return _as_polars(columns)
    frame = _as_pandas(columns)
    for name in rng.permutation(list(PANDAS))[: rng.integers(0, 3)]:
        frame[str(name)] = PANDAS[str(name)](rng, n)
    return _with_index(rng, frame)


def _as_polars(columns: dict[str, Any]) -> pl.DataFrame:
    """Return what polars can take of some columns."""
    taken = {}
    for name, column in columns.items():
        try:
            taken[name] = pl.from_arrow(column)
        except Exception:  # noqa: BLE001  (whatever polars has against it)
            continue
    return pl.DataFrame(taken) if taken else pl.DataFrame({"only": list(range(9))})


def _as_pandas(columns: dict[str, Any]) -> pd.DataFrame:
    """Return what pandas can take of some columns."""
    taken = {}
    for name, column in columns.items():
        try:
            taken[name] = column.to_pandas()
        except Exception:  # noqa: BLE001  (whatever pandas has against it)
            continue
    n = len(next(iter(columns.values())))
    return pd.DataFrame(taken) if taken else pd.DataFrame({"only": range(n)})


def _with_index(rng: Rng, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with an index of any kind."""
    n = len(frame)
    indexes = (
        frame.index,
        pd.Index([f"{MARK}{i}" for i in range(n)], name="person"),
        pd.Index(rng.permutation(n)),
        pd.date_range("2020-01-01", periods=n),
        pd.MultiIndex.from_arrays([rng.integers(0, 3, n), np.arange(n)], names=["a", None]),
    )
    return frame.set_axis(indexes[rng.integers(len(indexes))], axis=0)
