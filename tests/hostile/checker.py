"""An independent judge of releases, in plain pandas: it knows nothing of how they were made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa

from tests.hostile.frames import MARK


def plain(frame: Any) -> pd.DataFrame:
    """Return any frame as text in pandas, so that equal means equal to the last digit."""
    columns = columns_of(frame)
    return pd.DataFrame({name: list(map(as_text, values)) for name, values in columns.items()})


def columns_of(frame: Any) -> dict[str, list[Any]]:
    """Return the values of any frame as objects of Python."""
    if isinstance(frame, pl.DataFrame):
        return {name: _of_polars(frame[name]) for name in frame.columns}
    if isinstance(frame, pa.Table):
        return {name: _listed(frame[name]) for name in frame.column_names}
    return {name: frame[name].tolist() for name in frame.columns}


def _of_polars(column: pl.Series) -> list[Any]:
    """Return the values of a column, as their integers where Python has no type for them."""
    if column.dtype == pl.Date:  # some may be after the year 9999
        return column.to_physical().to_list()
    try:
        return column.to_list()
    except (ValueError, OverflowError):
        return column.to_physical().to_list()


def _listed(column: pa.ChunkedArray) -> list[Any]:
    """Return the values of a column, as their integers where Python has no type for them."""
    if pa.types.is_run_end_encoded(column.type):
        column = pa.chunked_array([pa.compute.run_end_decode(c) for c in column.chunks])
    if pa.types.is_date32(column.type):  # some may be after the year 9999
        return column.cast(pa.int32()).to_pylist()
    try:
        return column.to_pylist()
    except (ValueError, OverflowError, KeyError):
        return column.cast(pa.int64() if column.type.bit_width == 64 else pa.int32()).to_pylist()


def as_text(value: Any) -> str:
    """Return a value as text that only equal values share."""
    missing = value is None or value is pd.NaT or value is pd.NA or value != value
    return "(missing)" if isinstance(missing, bool) and missing else repr(value)


def judge(before: Any, release: Any, quasi_identifiers: list[str], k: int) -> None:
    """Raise AssertionError unless the release holds k and leaves the other columns alone."""
    original, released = plain(before), plain(release.data)
    sizes = released.groupby(quasi_identifiers, dropna=False).size()
    assert sizes.min() >= k, "a combination of quasi-identifiers belongs to fewer than k records"
    rows = range(len(original)) if release.rows is None else release.rows.tolist()
    assert len(released) == len(rows)
    kept = original.iloc[list(rows)].reset_index(drop=True)
    for name in released.columns:
        if name not in quasi_identifiers:
            assert kept[name].equals(released[name]), f"an untouched column changed: {name!r}"
    _no_unused_categories(release.data)


def judge_units(before: Any, release: Any, quasi_identifiers: list[str], unit: str, k: int) -> None:
    """Raise AssertionError unless k different units have each combination, and are not released."""
    released = plain(release.data)
    assert unit not in released.columns
    units = plain(before)[unit]
    kept = units if release.rows is None else units.iloc[release.rows.tolist()]
    keys = [released[name] for name in quasi_identifiers]
    fewest = kept.reset_index(drop=True).groupby(keys, dropna=False).nunique().min()
    assert fewest >= k, "a combination of quasi-identifiers belongs to fewer than k units"


def _no_unused_categories(frame: Any) -> None:
    """Raise AssertionError when a categorical column names a category that no record has."""
    if isinstance(frame, pd.DataFrame):
        for name in frame.columns:
            if isinstance(frame[name].dtype, pd.CategoricalDtype):
                used = set(frame[name].dropna().map(repr))
                assert used >= {repr(c) for c in frame[name].cat.categories}, "an unused category"
    elif isinstance(frame, pa.Table):
        for column in frame.columns:
            _used(column)


def _used(column: pa.ChunkedArray) -> None:
    for chunk in column.chunks:
        if pa.types.is_dictionary(chunk.type):
            used = {i for i in chunk.indices.to_pylist() if i is not None}
            assert used >= set(range(len(chunk.dictionary))), "an unused category"


def require_discreet(message: str) -> None:
    """Raise AssertionError when a message quotes a record."""
    assert MARK not in message, "a message quotes a record"


def count_of(cases: Iterable[int], attempt: Callable[..., object], *arguments: object) -> int:
    """Try all cases, whatever fails; return how many succeeded."""
    done, tried, faults = 0, 0, []
    for case in cases:
        tried += 1
        try:
            done += bool(attempt(case, *arguments))
        except Exception as error:  # noqa: BLE001  (of any kind: it is the fault that is looked for)
            faults.append(f"case {case}: {type(error).__name__}: {error}")
    assert not faults, f"{len(faults)} of {tried} cases: {faults[:5]}"
    return done
