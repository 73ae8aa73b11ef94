"""The distributions of columns before and after protection, as counts that may be shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, log10
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.data.dates import Calendar
from microagg.measure.pair import BLANK, Category, Pair
from microagg.typing import Floats

Counts = NDArray[np.int64]

BINS = 24
MOST_CATEGORIES = 12
DATES = 4
"""The number of dates along the axis of a column of dates."""
SINGLED_OUT = 3
"""The minimum number of records of a category that is named in any report."""


@dataclass(frozen=True)
class Distribution:
    """The counts of a column before and after, by bins (`edges`) or by categories (`labels`).

    The bins of dates have `ticks`: their positions, and the dates in the format of the file.
    """

    name: str
    before: Sequence[int]
    after: Sequence[int]
    edges: Sequence[float] = ()
    labels: Sequence[str] = ()
    remark: str = ""
    ticks: Sequence[tuple[float, str]] = ()


def distributions_of(pair: Pair, least: int) -> list[Distribution]:
    """Return the distribution of each key, without counts below `least` and without the ends."""
    columns = [
        _dated(_numbers(name, pair.original[j], pair.released[j], least), pair.calendars.get(name))
        for j, name in enumerate(pair.names)
    ]
    return columns + [_categories(name, column, least) for name, column in pair.categories.items()]


def released_alone(column: Distribution) -> Distribution:
    """Return a distribution without the original, which would reveal a few changed records."""
    remark = "The original is not shown, because the difference describes few records."
    return replace(column, before=(), remark=" ".join(filter(None, (column.remark, remark))))


def distribution_of_values(
    name: str, before: Sequence[Any], after: Sequence[Any] = (), least: int = 0
) -> Distribution:
    """Return the distribution of plain numbers or categories; None and NaN are missing values.

    Without `after`, it is that of the original alone.

    Examples
    --------
    >>> shown = distribution_of_values("ill", ["yes", "no", "no", "no", None] * 9)
    >>> list(shown.labels), list(shown.before), list(shown.after)
    (['no', 'yes', '(missing)'], [27, 9, 9], [])
    """
    pair = (before, after if len(after) else before)
    files = [[None if isinstance(v, Real) and v != v else v for v in values] for values in pair]
    present = [v for values in files for v in values if v is not None]
    if all(isinstance(v, Real) and not isinstance(v, bool) for v in present):
        one, other = (np.array([np.nan if v is None else v for v in each]) for each in files)
        column = _numbers(name, one.astype(float), other.astype(float), least)
    else:
        column = _categories(name, _category(files[0], files[1]), least)
    return column if len(after) else replace(column, after=())


def _category(before: Sequence[Any], after: Sequence[Any]) -> Category:
    """Return two columns of plain values as codes."""
    labels = sorted({str(v) for v in (*before, *after) if v is not None})
    if any(v is None for v in (*before, *after)):
        labels.append(BLANK)
    codes = {label: code for code, label in enumerate(labels)}
    original, released = (
        np.array([codes[BLANK if v is None else str(v)] for v in values], np.int64)
        for values in (before, after)
    )
    return Category(original, released, ordinal=False, labels=tuple(labels))


def _numbers(name: str, before: Floats, after: Floats, least: int) -> Distribution:
    blank = int(np.isnan(before).sum()), int(np.isnan(after).sum())
    one, other = before[~np.isnan(before)], after[~np.isnan(after)]
    if not one.size or not other.size:
        return Distribution(name, [], [], remark="The column contains only missing values.")
    edges = _edges(_shared(one, least), *_ends(one, other, least))
    ends = (-np.inf, np.inf) if least else (edges[0], edges[-1])
    counts = [np.histogram(np.clip(v, *ends), edges)[0] for v in (one, other)]
    remark = "The first and the last bar include all values outside the range shown."
    if least:
        counts = [_without_few(c, before.size, least) for c in counts]
        remark = f"Values outside the range and bars of fewer than {least} records are not shown."
    if any(blank) and not least:
        remark += f" Missing: {blank[0]:,} before, {blank[1]:,} after."
    return Distribution(name, counts[0].tolist(), counts[1].tolist(), edges.tolist(), (), remark)


def _dated(column: Distribution, calendar: Calendar | None) -> Distribution:
    """Return a distribution of dates with the dates along its axis."""
    if calendar is None or not column.edges:
        return column
    low, high = column.edges[0], column.edges[-1]
    places = low + (high - low) * (np.arange(DATES) + 0.5) / DATES
    try:
        written = [str(value)[:10] for value in calendar.dates(places).to_pylist()]
    except (OverflowError, ValueError):
        return column  # a year after 9999, or a time zone that Python does not have
    return replace(column, ticks=list(zip(places.tolist(), written, strict=True)))


def _without_few(counts: NDArray[np.int64], n: int, least: int) -> NDArray[np.int64]:
    """Leave out bars of fewer than `least` records, and more, until enough records are left out."""
    shown = np.where(counts < least, 0, counts)
    while 0 < n - shown.sum() < least and shown.any():
        shown[np.argmin(np.where(shown > 0, shown, n + 1))] = 0
    return shown


def _shared(values: Floats, least: int) -> Floats:
    """Return the distinct values that at least `least` records share, or all for the internal audience.

    The bars must not depend on the value of a single record. Where only one value is shared, or fewer than
    half of the records share theirs, as in amounts that are often 0, no value tells of the others.
    """
    different, counts = np.unique(values, return_counts=True)
    shared = counts >= least
    tells = not least or (shared.sum() > 1 and 2 * counts[shared].sum() >= values.size)
    return different[shared] if tells else different[:0]


def _edges(values: Floats, low: float, high: float) -> Floats:
    """Return the edges of the bars; for whole numbers, each bar has the same number of them.

    Bars of 2.3 years would hold the ages of two years or of three, and look like a saw.
    """
    if (
        not values.size
        or np.any(values != np.round(values))
        or np.abs([values[0], values[-1]]).max() > 2**52
    ):
        return np.linspace(low, high, BINS + 1)
    whole = values.astype(np.int64)
    step = int(np.gcd.reduce(np.diff(whole))) or 1
    first = floor((low - whole[0]) / step) * step + int(whole[0])
    width = step * max(1, ceil((high - first) / step / BINS))
    count = max(1, ceil((high - first + step / 2) / width))
    edges: Floats = first - step / 2 + width * np.arange(count + 1, dtype=np.float64)
    return edges


def _ends(before: Floats, after: Floats, least: int) -> tuple[float, float]:
    """Return the range to show: without the outer half percent, or rounded for the external audience."""
    if least:
        low, high = np.quantile(after, [0.05, 0.95])
        step = 10 ** (floor(log10(high - low)) - 1) if high > low else 1.0
        low, high = floor(low / step) * step, (floor(high / step) + 1) * step
    else:
        low, high = np.quantile(np.concatenate([before, after]), [0.005, 0.995])
    if high <= low:
        pad = max(abs(low) * 0.1, 0.5)
        return float(low - pad), float(low + pad)
    return float(low), float(high)


def _categories(name: str, column: Category, least: int) -> Distribution:
    before = np.bincount(column.original, minlength=column.size)
    after = np.bincount(column.released, minlength=column.size)
    shown = _shown(before, after, least, column.ordinal)
    rest = [c for c in range(column.size) if c not in shown]
    labels = [column.labels[c] for c in shown]
    counts = [[int(c[i]) for i in shown] for c in (before, after)]
    remark = ""
    others = [int(c[rest].sum()) for c in (before, after)]
    if _few(others[0], others[1], least):
        remark = f"Categories of fewer than {max(least, SINGLED_OUT)} records are left out."
    elif any(others):
        labels.append("(all others)")
        counts = [[*c, other] for c, other in zip(counts, others, strict=True)]
    return Distribution(name, counts[0], counts[1], (), labels, remark)


def _shown(before: Counts, after: Counts, least: int, ordinal: bool) -> list[int]:
    """Return the categories to name: none with few records, and not so that few records remain.

    The number of all records is known, so a few that are left out could be derived by subtraction.
    """
    rare = np.minimum(before, after) < least if least else _few(before, after, least)
    most = 2 * MOST_CATEGORIES if ordinal else MOST_CATEGORIES  # an order wants no gaps
    named = [c for c in range(before.size) if not rare[c] and before[c] + after[c]]
    named = sorted(named, key=lambda c: -before[c])[:most]
    while named and _few(
        before.sum() - before[named].sum(), after.sum() - after[named].sum(), least
    ):
        named.pop(min(range(len(named)), key=lambda i: min(before[named[i]], after[named[i]])))
    return sorted(named) if ordinal else named


def _few(before: Any, after: Any, least: int) -> Any:
    """Return where either count is small but not zero."""
    few = max(least, SINGLED_OUT)
    return ((before > 0) & (before < few)) | ((after > 0) & (after < few))
