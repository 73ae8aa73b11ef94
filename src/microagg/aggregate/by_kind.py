"""The representative of a group in one column: a mean, a median, a trimmed mean, or a mode.

Missing values are ignored; a group of missing values stays missing. A weight counts as that many
equal records. All records of a group get exactly the same value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microagg.aggregate.mean import group_means
from microagg.constraints import OneOf
from microagg.errors import ParameterError, did_you_mean, shown
from microagg.partition.partition import Partition
from microagg.partition.search.blocks.sample import scrambled
from microagg.prepare.column import Column
from microagg.prepare.weighted_median import ALIKE
from microagg.typing import Floats, Rows

MOST_SHORT = int(np.iinfo(np.uint16).max)
"""NumPy sorts integers of 16 bits in linear time."""

TRIM = 0.2
"""The share of a group's weight that a trimmed mean leaves out at each end."""


@dataclass(frozen=True, eq=False)
class Sorted:
    """The present values of a column, sorted by group and by value within a group.

    Attributes
    ----------
    values, weights : float64[m]
        The sorted values and their weights.
    groups : int64[m]
        The group of each value.
    starts : int64[g]
        Where each group that has a value starts.
    below, reached : float64[m]
        The share of its group's weight before each value, and with it.
    """

    values: Floats
    weights: Floats
    groups: Rows
    starts: Rows
    below: Floats
    reached: Floats


Chance = Callable[[Rows, Floats], NDArray[np.uint64]]
"""Returns a random number for each group and value: the same ones, in whatever order they come."""


def _chance(salt: int, numbers: Rows | None) -> Chance:
    """Return the random numbers of one column, by the numbers that its groups have in the release.

    They do not depend on how many groups are looked at, so a file that is read in pieces has those of
    memory.
    """

    def drawn(groups: Rows, values: Floats) -> NDArray[np.uint64]:
        own = groups if numbers is None else numbers[groups]
        mixed = scrambled(own.astype(np.uint64) ^ np.uint64(salt))
        return scrambled(mixed ^ np.ascontiguousarray(values).view(np.uint64))

    return drawn


def _sorted(values: Floats, labels: NDArray[np.int32], weights: Floats) -> Sorted:
    present = np.flatnonzero(~np.isnan(values))
    order = present[np.argsort(values[present], kind="stable")]
    keys = labels[order]
    if keys.max() <= MOST_SHORT:
        keys = keys.astype(np.uint16)
    order = order[np.argsort(keys, kind="stable")]
    groups = labels[order].astype(np.int64)
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    sizes = np.diff(starts, append=order.size)
    reached = _shares_reached(weights[order], starts, sizes)
    below = np.append(0.0, reached[:-1])
    below[starts] = 0.0
    return Sorted(values[order], weights[order], groups, starts, below, reached)


def _shares_reached(weights: Floats, starts: Rows, sizes: Rows) -> Floats:
    """Return what share of its group's weight lies up to each record.

    The sum begins anew at each group, so that rounding does not grow with the number of records.
    """
    shares = weights / np.repeat(np.add.reduceat(weights, starts), sizes)
    steps = shares.copy()
    steps[starts[1:]] -= 1.0
    sums = np.cumsum(steps)
    return np.asarray(sums - np.repeat(sums[starts] - shares[starts], sizes))


def _mean(column: Sorted, weights: Floats) -> Floats:
    """Return the weighted mean of each group, taken around one of its values."""
    sizes = np.diff(column.starts, append=column.values.size)
    first = column.values[column.starts]
    excess = weights * (column.values - np.repeat(first, sizes))
    total = np.add.reduceat(weights, column.starts)
    means: Floats = first + np.add.reduceat(excess, column.starts) / total
    return means


def mean(column: Sorted, chance: Chance) -> Floats:
    """Return the mean of each group."""
    return _mean(column, column.weights)


def trimmed(column: Sorted, chance: Chance) -> Floats:
    """Return the mean of each group without the share TRIM of its weight at each end.

    A value at the boundary counts with the part of its weight that is inside.
    """
    inside = np.minimum(column.reached, 1.0 - TRIM) - np.maximum(column.below, TRIM)
    part = np.clip(inside / (column.reached - column.below), 0.0, 1.0)
    ends = np.abs(part - np.rint(part)) < ALIKE  # wholly in or out, but for rounding
    return _mean(column, column.weights * np.where(ends, np.rint(part), part))


def _middle(column: Sorted, *, beyond: bool) -> Floats:
    """Return the first value of each group at which the weight reaches a half, or passes it."""
    enough = column.reached > 0.5 * (1 + ALIKE) if beyond else column.reached >= 0.5 * (1 - ALIKE)
    enough[np.append(column.starts[1:], enough.size) - 1] = True  # the last one always does
    at = np.flatnonzero(enough)
    first = at[np.searchsorted(at, column.starts)]
    return column.values[first]


def median(column: Sorted, chance: Chance) -> Floats:
    """Return the median of each group: the midpoint if there are two."""
    return 0.5 * (_middle(column, beyond=False) + _middle(column, beyond=True))


def lower_median(column: Sorted, chance: Chance) -> Floats:
    """Return the median of each group: the lower one if there are two."""
    return _middle(column, beyond=False)


def mode(column: Sorted, chance: Chance) -> Floats:
    """Return the value of each group with the largest weight; ties are broken at random."""
    changed = np.diff(column.groups, prepend=-1).astype(bool) | np.diff(
        column.values, prepend=np.nan
    ).astype(bool)
    runs = np.flatnonzero(changed)
    weight, groups = np.add.reduceat(column.weights, runs), column.groups[runs]
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    most = np.repeat(np.maximum.reduceat(weight, starts), np.diff(starts, append=runs.size))
    modes = np.flatnonzero(weight >= most * (1 - ALIKE))
    groups, values = groups[modes], column.values[runs[modes]]
    drawn, starts = chance(groups, values), np.flatnonzero(np.diff(groups, prepend=-1))
    least = np.repeat(np.minimum.reduceat(drawn, starts), np.diff(starts, append=groups.size))
    chosen = np.flatnonzero(drawn == least)
    return values[chosen[np.flatnonzero(np.diff(groups[chosen], prepend=-1))]]


Rule = Callable[[Sorted, Chance], Floats]

RULES: dict[str, dict[str, Rule]] = {
    "continuous": {"mean": mean, "median": median, "trimmed": trimmed},
    "ordinal": {"median": lower_median, "mode": mode},
    "nominal": {"mode": mode},
}
"""The representatives that a column of each kind can have; "auto" means the first."""


def rules_of(columns: Mapping[str, Column], chosen: str | Mapping[str, str]) -> dict[str, str]:
    """Return the aggregate of each column: as chosen, or the default of its kind."""
    by_name = {} if isinstance(chosen, str) else chosen
    for name, word in by_name.items():
        allowed = OneOf(tuple(RULES[columns[name].kind]))
        if not allowed.admits(word):
            raise ParameterError(
                f"must be {allowed} for the {columns[name].kind} column {name!r}. Got {shown(word)}.",
                parameter="aggregate",
                caller="protect",
                hint=did_you_mean(word, allowed.choices),
            )
    return {n: by_name.get(n, next(iter(RULES[c.kind]))) for n, c in columns.items()}


def representatives(
    column: Column,
    part: Partition,
    rule: str,
    rng: np.random.Generator,
    weights: Floats | None = None,
    *,
    complete: bool | None = None,
    numbers: Rows | None = None,
) -> Floats:
    """Return what replaces each value of a column, by the group of its record.

    Where the records are a part of all, `complete` tells whether no record at all is blank, and `numbers`
    has the number of each group among all.

    Examples
    --------
    >>> part = Partition([0, 0, 0, 1, 1], k=2)
    >>> sex = Column("sex", "nominal", np.array([1.0, 0.0, 1.0, np.nan, np.nan]))
    >>> representatives(sex, part, "mode", np.random.default_rng(0))
    array([ 1.,  1.,  1., nan, nan])
    """
    chance = _chance(int(rng.integers(1 << 63)), numbers)
    if complete is None:
        complete = not column.blank.any()
    if rule == "mean" and weights is None and complete:
        return group_means(column.values, part)
    masses = np.ones(part.n) if weights is None else weights
    by_group = np.full(part.n_groups, np.nan)
    if not column.blank.all():
        present = _sorted(column.values, part.labels, masses)
        values = RULES[column.kind][rule](present, chance)
        by_group[present.groups[present.starts]] = values
    return by_group[part.labels]
