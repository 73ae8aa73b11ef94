"""`Records`: mixed records as methods use them: numbers, categories, missing values and weights.

The distance of two records is the squared one of an embedding, summed over columns:

- numbers and ranks: (x - y)^2 of the scaled values;
- nominal: the same for every two different categories. With z-scores it is 2 / (1 - sum f^2), f
  being the shares of the categories: then the column's sum of squares is n, as that of a number,
  and a column of two categories weighs what the same column weighs as zeros and ones. With
  "range" or "none" it is 1;
- nominal with a table or hierarchy: its distances squared, divided so that two random records
  are 2 apart on average ("zscore"), that the largest is 1 ("range"), or as they are ("none").

Gower's distance has |x - y| / range, 0 or 1, and the table's distance over its largest instead.

Every column has a weight that multiplies its part. With blanks the sum runs over the columns that
both records have, and is divided by their share in the whole: in the mean squared distance of the
data (Gower: in the weights). Records with no column in common are as far apart as two records are
on average.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.prepare import moments
from microagg.prepare.column import Column
from microagg.prepare.gaps import StandIn, stand_in
from microagg.prepare.measure import ColumnMeasure as ColumnMeasure
from microagg.prepare.moments import Sums, chunked_sums
from microagg.prepare.scale import WeightedSpread, scaling_of
from microagg.typing import Floats

LARGEST_BLOCK = 1024
"""Columns share one table of all their combinations while there are no more of these."""


@dataclass(frozen=True, eq=False)
class Records:
    """Mixed records; the attributes that kernels see are those of `kernels.mixed.Mixture`.

    Attributes
    ----------
    columns : tuple of Column
        The quasi-identifiers in their original units.
    measures : tuple of ColumnMeasure
        The contribution of each to the distance.
    weights : float64[n]
        The weights of the records; all 1 without weights.
    gower : bool
        Whether the distance is Gower's.
    apart : float
        The distance of records that have no column in common.
    stand_ins : tuple of StandIn
        The single value with the least loss in place of all records; of these records if it is empty.
    rules : mapping of str to str
        The aggregate of a column, if it is not the mean, the lower median of ranks, or
        the mode of categories.
    keeps_blanks : bool
        Whether a column that one record of a group lacks is released as missing for the group.
    """

    columns: tuple[Column, ...]
    measures: tuple[ColumnMeasure, ...]
    weights: Floats
    gower: bool = False
    apart: float = 0.0
    stand_ins: tuple[StandIn, ...] = ()
    rules: Mapping[str, str] = field(default_factory=dict)
    keeps_blanks: bool = False

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.weights.size)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(column.name for column in self.columns)

    def subset(self, rows: NDArray[np.int64]) -> Records:
        """Return some of the records, with the distances of all."""
        columns = tuple(replace(c, values=c.values[rows]) for c in self.columns)
        return replace(self, columns=columns, weights=self.weights[rows])

    def arrays(self) -> dict[str, Any]:
        """Return the arrays for kernels, by name: see `kernels.mixed.Mixture`."""
        pairs = list(zip(self.columns, self.measures, strict=True))
        numbers = [pair for pair in pairs if not pair[0].nominal]
        nominal = [pair for pair in pairs if pair[0].nominal]
        present = ~np.array([column.blank for column, _ in (*numbers, *nominal)])
        patterns, which = patterns_of(present)
        shares = np.array([measure.share for _, measure in (*numbers, *nominal)])
        return {
            **_numbers(numbers, self.n),
            **_codes(nominal, self.n),
            "weights": self.weights.copy(),  # writeable like the others: one type, one compilation
            "patterns": which.astype(np.int32),
            "known": np.ascontiguousarray(patterns.T),
            "blanks": not patterns.all(),
            "shares": shares / (shares.sum() or 1.0),
            "gower": self.gower,
            "apart": self.apart,
        }


def patterns_of(present: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return the different columns of bool[d, n], in order, and which of them each record has.

    The columns are compared as numbers, because sorting them as columns takes longer by far.

    Examples
    --------
    >>> patterns_of(np.array([[True, False, True], [True, True, True]]))
    (array([[False,  True],
           [ True,  True]]), array([1, 0, 1]))
    """
    if present.shape[1] and present.all():
        return np.ones((len(present), 1), dtype=bool), np.zeros(present.shape[1], dtype=np.int64)
    packed = np.packbits(present, axis=0)
    numbers = np.zeros(present.shape[1], dtype=np.int64)
    for row in packed:  # each byte refines the order of those before
        numbers = np.unique(numbers * 256 + row, return_inverse=True)[1].reshape(-1)
    firsts = np.unique(numbers, return_index=True)[1]
    return present[:, firsts], numbers


def prepare_records(
    columns: Sequence[Column],
    *,
    scale: str = "zscore",
    gower: bool = False,
    column_weights: Mapping[str, float] | None = None,
    weights: Floats | None = None,
) -> Records:
    """Make mixed columns comparable, as described in the module docstring; `weights` are the records'.

    Examples
    --------
    >>> sex = Column("sex", "nominal", np.array([0.0, 1.0, 0.0, 1.0]))
    >>> prepare_records([sex]).measures[0].strength
    4.0
    """
    masses = np.ones(columns[0].values.size) if weights is None else weights
    chosen = column_weights or {}
    measures = []
    for column in columns:
        factor = float(chosen.get(column.name, 1.0))
        measure = _measured(column, scale, gower, factor, masses)
        measures.append(with_share(measure, factor, gower))
    stand_ins = tuple(
        stand_in(column, measure, masses, gower)
        for column, measure in zip(columns, measures, strict=True)
    )
    return Records(tuple(columns), tuple(measures), masses, gower, apart_of(measures), stand_ins)


def apart_of(measures: Sequence[ColumnMeasure]) -> float:
    """Return the distance of records without a common column: that of two random records."""
    return 2 * sum(measure.average for measure in measures)


@dataclass(frozen=True, eq=False)
class ColumnSummary:
    """What the scale of a column depends on; None of it depends on how the records arrive.

    Attributes
    ----------
    low, high : float
        The extremes of the values that are present.
    sums : tuple of float
        Their total weight, mean and squares.
    by_code : float64[m]
        The total weight of each category of a nominal column; empty for numbers.
    """

    low: float
    high: float
    sums: Sums
    by_code: Floats


def summary_of(column: Column, weights: Floats) -> ColumnSummary | None:
    """Return the summary of the values that are present; None if there is none."""
    present = ~column.blank
    values, weights = column.values[present], weights[present]
    if not values.size:
        return None
    codes = weights_by_code(values, weights) if column.nominal else np.zeros(0)
    sums = chunked_sums(values, weights)
    return ColumnSummary(float(values.min()), float(values.max()), sums, codes)


def weights_by_code(values: Floats, weights: Floats) -> Floats:
    """Return the total weight of each code up to the largest, summed chunk by chunk."""
    totals = np.zeros(int(values.max()) + 1)
    for start in range(0, values.size, moments.CHUNK):
        part = slice(start, start + moments.CHUNK)
        totals += np.bincount(values[part].astype(np.int64), weights[part], totals.size)
    return totals


def measure_of(
    column: Column, summary: ColumnSummary | None, scale: str, gower: bool, factor: float
) -> ColumnMeasure:
    """Return the contribution of a column to the distance, except the average distance of its numbers.

    Only the kind and the distances between categories of `column` are used.
    """
    how = "range" if gower else scale
    if summary is None or summary.high == summary.low:
        return ColumnMeasure(center=0.0 if summary is None else summary.low)
    if column.nominal:
        return _nominal(column, how, gower, factor, summary)
    spread_of_all = WeightedSpread(summary.low, summary.high, summary.sums)
    centers, scales = scaling_of(spread_of_all, how, str(column.name))
    spread = float(scales[0]) / (factor if gower else float(np.sqrt(factor)))
    return ColumnMeasure(center=float(centers[0]), scale=spread)


def distances_to_middle(
    measure: ColumnMeasure, values: Floats, weights: Floats, middle: float, gower: bool
) -> Floats:
    """Return the weighted distance of each number to the single value that replaces all."""
    if gower:
        return np.asarray(np.multiply(np.abs(values - measure.center) / measure.scale, weights))
    return np.asarray(np.multiply(((values - middle) / measure.scale) ** 2, weights))


def with_share(measure: ColumnMeasure, factor: float, gower: bool) -> ColumnMeasure:
    """Return a measure with the column's share in a distance."""
    return replace(measure, share=factor if gower else measure.average)


def _measured(
    column: Column, scale: str, gower: bool, factor: float, weights: Floats
) -> ColumnMeasure:
    """Return the measure of a column in memory, with the average distance."""
    summary = summary_of(column, weights)
    measure = measure_of(column, summary, scale, gower, factor)
    if summary is None or summary.high == summary.low or column.nominal:
        return measure
    present = ~column.blank
    values, weights = column.values[present], weights[present]
    total, middle, _ = summary.sums
    distance = 0.0
    for start in range(0, values.size, moments.CHUNK):
        part = slice(start, start + moments.CHUNK)
        terms = distances_to_middle(measure, values[part], weights[part], middle, gower)
        distance += float(terms.sum())
    return replace(measure, average=distance / total)


def _nominal(
    column: Column, scale: str, gower: bool, factor: float, summary: ColumnSummary
) -> ColumnMeasure:
    shares = summary.by_code / summary.sums[0]
    if column.between is None:
        mean = 1.0 - float(np.sum(shares**2))  # of two random records
        strength = 1.0 / _unit(scale, mean, 1.0)
        return ColumnMeasure(strength=strength * factor, average=strength * factor * mean / 2)
    shares = np.pad(shares, (0, len(column.between) - shares.size))
    table = column.between if gower else euclidean(column.between**2)
    mean = float(shares @ table @ shares)
    by = _unit(scale, mean, float(table.max()))
    return ColumnMeasure(table=table * factor / by, average=mean * factor / by / 2)


def _unit(scale: str, mean: float, largest: float) -> float:
    """Return the distance of categories that counts as one, from the mean and the largest of all."""
    unit = {"zscore": mean / 2, "range": largest, "none": 1.0}[scale]
    return unit or 1.0  # a table of nothing but zeros among what occurs


def euclidean(squares: Floats) -> Floats:
    """Return squared distances that points can have: as they are, if there are such points.

    If not, the least constant that makes it so is added to all but the diagonal (Lingoes 1971),
    which keeps the order of the distances.

    Examples
    --------
    >>> far = np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 1.0], [9.0, 1.0, 0.0]])  # 1 + 1 < 3
    >>> bool(euclidean(far)[0, 1] > 1.0)
    True
    """
    m = len(squares)
    centering = np.eye(m) - 1.0 / m
    lowest = float(np.linalg.eigvalsh(-0.5 * centering @ squares @ centering)[0])
    if lowest >= -1e-9 * max(float(squares.max()), 1e-300):
        return squares
    return squares - 2.0 * lowest * (1.0 - np.eye(m))


def _numbers(pairs: list[tuple[Column, ColumnMeasure]], n: int) -> dict[str, Any]:
    numbers = np.zeros((len(pairs), n))
    masks: list[Floats] = []
    mask_at = np.full(len(pairs), -1, dtype=np.int64)
    for j, (column, measure) in enumerate(pairs):
        present = ~column.blank
        numbers[j, present] = (column.values[present] - measure.center) / measure.scale
        if not present.all():
            mask_at[j] = len(masks)
            masks.append(present.astype(np.float64))
    return {"numbers": numbers, "mask_at": mask_at, "masks": np.array(masks).reshape(-1, n)}


def _codes(pairs: list[tuple[Column, ColumnMeasure]], n: int) -> dict[str, Any]:
    codes = np.zeros((len(pairs), n), dtype=np.int32)
    starts, tables, table_at = [0], [np.zeros(0)], np.full(len(pairs), -1, dtype=np.int64)
    for j, (column, measure) in enumerate(pairs):
        slots = max(len(column.labels), 1)
        codes[j] = np.where(column.blank, slots, column.values)
        slots += bool(column.blank.any())
        starts.append(starts[-1] + slots)
        if measure.table is not None:
            table_at[j] = sum(table.size for table in tables)
            room = slots - len(measure.table)
            tables.append(np.pad(measure.table, (0, room)).ravel())
    return {
        "codes": codes,
        "starts": np.array(starts, dtype=np.int64),
        "strengths": np.array([measure.strength for _, measure in pairs]),
        "tables": np.concatenate(tables),
        "table_at": table_at,
        **_blocks(codes, np.diff(starts)),
    }


def _blocks(codes: NDArray[np.int32], slots: NDArray[np.int64]) -> dict[str, Any]:
    """Combine neighbouring columns to blocks of at most LARGEST_BLOCK combinations."""
    blocks: list[int] = []
    sizes: list[int] = []
    joint: list[NDArray[np.int64]] = []
    for j, size in enumerate(slots.tolist()):
        if sizes and sizes[-1] * size <= LARGEST_BLOCK:
            sizes[-1] *= size
            joint[-1] = joint[-1] * size + codes[j]
        else:
            blocks.append(j)
            sizes.append(size)
            joint.append(codes[j].astype(np.int64))
    return {
        "blocks": np.array([*blocks, len(slots)], dtype=np.int64),
        "block_codes": np.array(joint, dtype=np.int32).reshape(-1, codes.shape[1]),
        "widest": max(sizes, default=1),
    }
