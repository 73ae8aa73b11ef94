"""IL = 100 x SSE / SST: the share of the variation between records that is lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from microagg.aggregate.mean import group_means
from microagg.data.matrix import columns_of
from microagg.engine import chosen_engine
from microagg.errors import DataError
from microagg.lazy import lazy
from microagg.partition.partition import Partition
from microagg.prepare.column import Column
from microagg.prepare.gaps import gaps_of, stand_in
from microagg.prepare.prepared import Prepared, prepare
from microagg.prepare.records import ColumnMeasure, Records
from microagg.typing import Floats

gpu = lazy("microagg.cuda.loss")

MANY_VALUES = 1_000_000
"""The number of values from which the engine "auto" uses the GPU; the CPU sums fewer as fast."""


@dataclass(frozen=True)
class InformationLoss:
    """Sum of squared errors, total sum of squares, and their ratio in percent.

    Attributes
    ----------
    sse : float
        The sum over records of the squared distance to their released values.
    sst : float
        The same sum if all records are replaced by the overall mean, or in a nominal column by the
        category that loses least.
    by_column : mapping of column name to float
        The information loss of each column, in percent.
    """

    sse: float
    sst: float
    by_column: Mapping[str, float] = field(default_factory=dict)

    @property
    def il(self) -> float:
        """The information loss in percent; 0 if the data do not vary at all."""
        return percent(self.sse, self.sst)


def information_loss(
    X: Any, part: Partition | ArrayLike, *, scale: str = "zscore", engine: str | None = None
) -> InformationLoss:
    """Measure the information loss of replacing each record by the mean of its group.

    Parameters
    ----------
    X : array or DataFrame of numbers, shape (n, d)
        The original records.
    part : Partition or array of labels
        The groups.
    scale : {"zscore", "range", "none"}
        How columns are made comparable; the literature uses z-scores.
    engine : {"cpu", "cuda", "auto"}, optional
        Where the sums are computed: on the processor, on a GPU, or on a GPU if there is one and the data
        has at least 1,000,000 values. The default is that of ``MICROAGG_ENGINE``, or "cpu".
        Both engines use double precision but add in a different order, so the last digits may differ.

    Returns
    -------
    InformationLoss
        The loss of all columns (`il`), and that of each column.

    Examples
    --------
    >>> loss = information_loss([[0.0], [2.0], [8.0], [10.0]], [0, 0, 1, 1])
    >>> round(loss.il, 3)
    5.882
    """
    groups = part if isinstance(part, Partition) else Partition(np.asarray(part), k=1)
    columns, names = columns_of(X)
    if len(columns[0]) != groups.n:
        raise DataError(f"The data has {len(columns[0])} rows, but the groups have {groups.n}.")
    prepared = prepare(columns, names, scale=scale)
    chosen = chosen_engine(engine)
    if chosen == "cuda" or (chosen == "auto" and prepared.columns.size >= MANY_VALUES):
        return loss_from_sums(names, *gpu.squared_errors(prepared.columns, groups.labels))
    # Means of scaled values: a large offset would cost digits.
    return _loss_of_scaled(prepared, np.stack([group_means(c, groups) for c in prepared.columns]))


def loss_of(records: Prepared | Records, released: Mapping[str, Floats]) -> InformationLoss:
    """Measure the loss of released values with the distance that was used for grouping.

    Records are weighted. A new missing value is as informative as the single value that
    replaces all. A missing value that was filled in counts as a completely lost cell of average
    variation; one that stays missing does not count. `released` contains the values of each column, in
    the units of the originals.
    """
    if isinstance(records, Prepared):
        return _loss_of_numbers(records, released)
    return _loss_of_records(records, released)


def _loss_of_numbers(prepared: Prepared, released: Mapping[str, Floats]) -> InformationLoss:
    """Sum squared differences of complete numbers that are scaled as `prepared` is."""
    return _loss_of_scaled(prepared, prepared.apply(released[name] for name in prepared.names))


def _loss_of_scaled(prepared: Prepared, new: Floats) -> InformationLoss:
    """Sum squared differences of values, float64[d, n], that are scaled as `prepared` is."""
    mean = prepared.columns.mean(axis=1, keepdims=True)
    sse = squared_errors(prepared.columns, np.where(np.isnan(new), mean, new))
    return loss_from_sums(prepared.names, sse, squared_errors(prepared.columns, mean))


def squared_errors(before: Floats, after: Floats) -> Floats:
    """Return the sum of squared differences of each column of two float64[d, n]."""
    return np.asarray(np.sum((before - after) ** 2, axis=1))


def loss_from_sums(names: Sequence[str], sse: Floats, sst: Floats) -> InformationLoss:
    """Return the loss from the sums of each column, possibly over pieces of a file."""
    by_column = dict(zip(names, map(percent, sse, sst), strict=True))
    return InformationLoss(float(sse.sum()), float(sst.sum()), by_column)


@dataclass(frozen=True)
class RecordSums:
    """Sums over the records of one column, possibly over pieces of a file.

    Attributes
    ----------
    lost, at_most : float
        The distances to the released values, and to the single value with the least loss.
    present, invented : float
        The weights of the records with a value, and of those whose missing value was filled in.
    """

    lost: float = 0.0
    at_most: float = 0.0
    present: float = 0.0
    invented: float = 0.0

    def __add__(self, other: RecordSums) -> RecordSums:
        """Return the sums of both."""
        return RecordSums(
            self.lost + other.lost,
            self.at_most + other.at_most,
            self.present + other.present,
            self.invented + other.invented,
        )

    def loss(self) -> tuple[float, float]:
        """Return the squared error and the total of the column, including filled-in values."""
        if not self.invented:
            return self.lost, self.at_most
        spread = self.at_most / self.present if self.at_most else 1.0
        filled = spread * self.invented
        return self.lost + filled, self.at_most + filled


def record_sums(
    column: Column, measure: ColumnMeasure, weights: Floats, new: Floats, one: float, gower: bool
) -> RecordSums:
    """Return the sums of a column of mixed records whose released values are `new`."""
    present = ~column.blank
    masses, values = weights[present], column.values[present]
    replaced = np.where(np.isnan(new[present]), one, new[present])
    lost = gaps_of(column, measure, values, replaced, gower)
    at_most = gaps_of(column, measure, values, np.full(values.size, one), gower)
    return RecordSums(
        float(np.sum(masses * lost)),
        float(np.sum(masses * at_most)),
        float(masses.sum()),
        float(weights[~present & ~np.isnan(new)].sum()),
    )


def loss_from_record_sums(sums: Mapping[str, RecordSums]) -> InformationLoss:
    """Return the loss from the sums of each column of mixed records."""
    both = {name: own.loss() for name, own in sums.items()}
    by_column = {name: percent(*own) for name, own in both.items()}
    sse, sst = (sum(own[i] for own in both.values()) for i in (0, 1))
    return InformationLoss(sse, sst, by_column)


def _loss_of_records(records: Records, released: Mapping[str, Floats]) -> InformationLoss:
    """Sum the distances of mixed records; Gower's distance is not squared, and a median replaces all."""
    sums = {}
    for column, measure in zip(records.columns, records.measures, strict=True):
        one = stand_in(column, measure, records.weights, records.gower).value
        new = released[column.name]
        sums[column.name] = record_sums(column, measure, records.weights, new, one, records.gower)
    return loss_from_record_sums(sums)


def percent(sse: float, sst: float) -> float:
    """Return the lost share of the variation in percent; 0 if there is no variation."""
    return float(100 * sse / sst) if sst else 0.0
