"""Pictures as numbers: columns before and after, correlations, group sizes, the cloud of records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, log10
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.measure.loss.correlations import correlations
from microagg.measure.pair import BLANK, Category, Pair, standardised
from microagg.measure.registry import NotApplicable

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

BINS = 24
MOST_CATEGORIES = 12
SINGLED_OUT = 3
"""A category of fewer records is not named, to anyone."""
MOST_COLUMNS = 40
MOST_CORRELATED = 14
MOST_LINES = 700
MOST_SIZES = 16


@dataclass(frozen=True)
class Distribution:
    """Counts of a column before and after, by bins (`edges`) or by categories (`labels`)."""

    name: str
    before: Sequence[int]
    after: Sequence[int]
    edges: Sequence[float] = ()
    labels: Sequence[str] = ()
    remark: str = ""


def distributions_of(pair: Pair, least: int) -> list[Distribution]:
    """Return each key before and after; counts below `least` are not shown, nor the ends."""
    columns = [
        _numbers(name, pair.original[j], pair.released[j], least)
        for j, name in enumerate(pair.names)
    ]
    columns += [_categories(name, column, least) for name, column in pair.categories.items()]
    return columns[:MOST_COLUMNS]


def distribution_of_values(
    name: str, before: Sequence[Any], after: Sequence[Any] = (), least: int = 0
) -> Distribution:
    """Return the distribution of plain values, numbers or else categories; None and NaN are missing.

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


def columns_left_out(pair: Pair) -> str:
    """Say when not every key is drawn."""
    count = len(pair.keys)
    return f"Drawn: {MOST_COLUMNS} of {count} columns." if count > MOST_COLUMNS else ""


def _numbers(name: str, before: Floats, after: Floats, least: int) -> Distribution:
    blank = int(np.isnan(before).sum()), int(np.isnan(after).sum())
    one, other = before[~np.isnan(before)], after[~np.isnan(after)]
    if not one.size or not other.size:
        return Distribution(name, [], [], remark="Nothing but missing values.")
    edges = _edges(one, *_ends(one, other, least))
    ends = (-np.inf, np.inf) if least else (edges[0], edges[-1])
    counts = [np.histogram(np.clip(v, *ends), edges)[0] for v in (one, other)]
    remark = "Values beyond the ends are counted in the first and last bar."
    if least:
        counts = [_without_few(c, before.size, least) for c in counts]
        remark = f"Values beyond the ends, and bars of fewer than {least} records, are left out."
    if any(blank) and not least:
        remark += f" Missing: {blank[0]:,} before, {blank[1]:,} after."
    return Distribution(name, counts[0].tolist(), counts[1].tolist(), edges.tolist(), (), remark)


def _without_few(counts: NDArray[np.int64], n: int, least: int) -> NDArray[np.int64]:
    """Leave out bars of fewer than `least`, and more, until those left out are not so few."""
    shown = np.where(counts < least, 0, counts)
    while 0 < n - shown.sum() < least and shown.any():
        shown[np.argmin(np.where(shown > 0, shown, n + 1))] = 0
    return shown


def _edges(values: Floats, low: float, high: float) -> Floats:
    """Return the ends of the bars; as many whole numbers in each where a column has no others.

    Bars of 2.3 years would hold the ages of two years or of three, and look like a saw.
    """
    if np.any(values != np.round(values)) or np.abs(values).max() > 2**52:
        return np.linspace(low, high, BINS + 1)
    whole = np.unique(values).astype(np.int64)
    step = int(np.gcd.reduce(np.diff(whole))) or 1
    first = floor((low - whole[0]) / step) * step + int(whole[0])
    width = step * max(1, ceil((high - first) / step / BINS))
    count = max(1, ceil((high - first + step / 2) / width))
    edges: Floats = first - step / 2 + width * np.arange(count + 1, dtype=np.float64)
    return edges


def _ends(before: Floats, after: Floats, least: int) -> tuple[float, float]:
    """Return the range to show: without the outer half percent, or rounded for others."""
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
    """Return the categories to name: none of few records, nor so that a few are what is left.

    The number of all records is known, so a few that are left out could be told by subtraction.
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
    """Tell where either count is of a few records, but not of none."""
    few = max(least, SINGLED_OUT)
    return ((before > 0) & (before < few)) | ((after > 0) & (after < few))


def correlation_of(
    pair: Pair,
) -> tuple[list[str], list[list[float]], list[list[float]]] | None:
    """Return names and correlations before and after, of the first columns."""
    if len(pair.names) < 2:
        return None
    try:
        before, after = correlations(pair)
    except NotApplicable:
        return None
    names = list(pair.names[:MOST_CORRELATED])
    m = len(names)
    return names, before[:m, :m].tolist(), after[:m, :m].tolist()


def correlations_left_out(pair: Pair) -> str:
    """Say when not every column of numbers is drawn."""
    count = len(pair.names)
    return (
        f"Drawn: the first {MOST_CORRELATED} of {count} columns of numbers."
        if (count > MOST_CORRELATED)
        else ""
    )


def group_sizes(pair: Pair) -> tuple[list[tuple[str, int]], str, str]:
    """Return how many combinations have how many records, in numbers and in words."""
    by_size = sorted(pair.anonymity.class_sizes.items())
    sizes = np.repeat([s for s, _ in by_size], [c for _, c in by_size])
    words = (
        f"The released quasi-identifiers have {pair.anonymity.n_classes:,} different combinations; "
        f"the rarest belongs to {counted(pair.anonymity.k)}, a typical one to "
        f"{counted(int(np.median(sizes)))}."
    )
    remark = "How many released records share their combination of quasi-identifiers."
    return binned(by_size), words, remark


def binned(by_size: Sequence[tuple[int, int]]) -> list[tuple[str, int]]:
    """Return counts by size, one by one or, where there are many, in classes that grow.

    Examples
    --------
    >>> binned([(3, 40), (5, 2)])
    [('3', 40), ('4', 0), ('5', 2)]
    >>> binned([(3, 40), (8, 2), (70, 1)])
    [('3-4', 40), ('5-9', 2), ('10-19', 0), ('20-49', 0), ('50-99', 1)]
    """
    first, last = by_size[0][0], by_size[-1][0]
    starts = list(range(first, last + 2))
    if last - first >= MOST_SIZES:
        steps = (m * 10**e for e in range(len(str(last)) + 1) for m in (1, 2, 5))
        starts = [first, *(step for step in steps if step > first)]
        starts = starts[: 1 + sum(start <= last for start in starts)]
    counts = np.zeros(len(starts) - 1, dtype=np.int64)
    for size, count in by_size:
        counts[np.searchsorted(starts, size, "right") - 1] += count
    ends = [start - 1 for start in starts[1:]]
    labels = [f"{a:,}" if a == b else f"{a:,}-{b:,}" for a, b in zip(starts, ends, strict=False)]
    return list(zip(labels, counts.tolist(), strict=True))


def counted(records: int) -> str:
    """Return a number of records in words.

    Examples
    --------
    >>> counted(1), counted(1200)
    ('1 record', '1,200 records')
    """
    return f"{records:,} record{'' if records == 1 else 's'}"


def group_cloud(pair: Pair) -> tuple[list[tuple[float, float, float, float]], str]:
    """Return records and what replaced them, on the first two principal components."""
    if len(pair.names) < 2:
        return [], ""
    before, after = (standardised(v, pair.original) for v in (pair.original, pair.released))
    known = ~(np.isnan(before) | np.isnan(after)).any(axis=0)
    rows = _whole_groups(pair.released_classes[known])
    before, after = before[:, known], after[:, known]
    if before.shape[1] < 3:
        return [], ""
    vectors = np.linalg.eigh(np.cov(before))[1][:, ::-1][:, :2]
    ends = np.vstack([vectors.T @ before[:, rows], vectors.T @ after[:, rows]])
    lines = [(float(a), float(b), float(c), float(d)) for a, b, c, d in ends.T]
    share = "" if rows.size == known.size else f" {rows.size:,} of {pair.n:,} records."
    return lines, f"Dots are records, squares what replaced them.{share}"


def _whole_groups(classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return rows of evenly spaced groups, so many that a picture can hold them."""
    count = np.unique(classes).size
    wanted = max(1, round(count * min(1.0, MOST_LINES / classes.size)))
    numbers = np.unique(classes, return_inverse=True)[1]
    chosen = np.zeros(count, dtype=bool)
    chosen[np.linspace(0, count - 1, wanted).round().astype(np.int64)] = True
    return np.flatnonzero(chosen[numbers])
