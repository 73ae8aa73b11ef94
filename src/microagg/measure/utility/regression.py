"""Regression coefficients with the overlap of their intervals, and subgroup means, in both files.

The overlap is defined by Karr, Kohnen, Oganian, Reiter and Sanil (2006): the mean of the shares of both
confidence intervals that they have in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microagg.measure.utility.features import FEWEST, Feature, frequent, unit_of
from microagg.typing import Floats

MOST_DUMMIES = 8
"""Columns with more categories are left out of the regression and the subgroups."""


@dataclass(frozen=True)
class Coefficient:
    """A regression coefficient from both files, with the overlap of their intervals in percent.

    `records` is the number of original records that it describes: those of a category, or all.
    """

    name: str
    original: float
    released: float
    overlap: float
    records: int


@dataclass(frozen=True)
class SubgroupMean:
    """The mean of the target in a subgroup of both files, and the number of its original records."""

    column: str
    subgroup: str
    original: float
    released: float
    records: int


def coefficients(keys: Sequence[Feature], target: tuple[Floats, Floats]) -> tuple[Coefficient, ...]:
    """Return the least-squares coefficients of both files, with amounts in standard deviations."""
    names: list[tuple[str, int]] = []
    before: list[Floats] = []
    after: list[Floats] = []
    for feature in keys:
        if not feature.nominal:
            unit = unit_of(feature.original)
            one, other = feature.original / unit, feature.released / unit
            mean, spread = np.nanmean(one), np.nanstd(one)
            if spread > 0:
                names.append((feature.name, feature.original.size))
                before.append((one - mean) / spread)
                after.append((other - mean) / spread)
        elif 2 <= len(feature.labels) <= MOST_DUMMIES:
            for code in frequent(feature)[1:]:
                count = int(np.count_nonzero(feature.original == code))
                names.append((f"{feature.name} = {feature.labels[code]}", count))
                before.append(_dummy(feature.original, code))
                after.append(_dummy(feature.released, code))
    unit = unit_of(target[0])  # in which squares do not overflow
    fits = [_least_squares(c, y / unit) for c, y in zip((before, after), target, strict=True)]
    if fits[0] is None or fits[1] is None:
        return ()
    return tuple(
        Coefficient(
            name,
            float(b) * unit,
            float(a) * unit,
            _overlap(b - 1.96 * s, b + 1.96 * s, a - 1.96 * t, a + 1.96 * t),
            count,
        )
        for (name, count), b, s, a, t in zip(names, *fits[0], *fits[1], strict=True)
        if s > 0 and t > 0
    )


def _dummy(values: Floats, code: int) -> Floats:
    return np.where(np.isnan(values), np.nan, values == code)


def _least_squares(columns: Sequence[Floats], y: Floats) -> tuple[Floats, Floats] | None:
    """Return coefficients and their standard errors, without the constant; None if the fit fails."""
    if not columns:
        return None
    X = np.column_stack([np.ones(y.size), *columns])
    present = ~np.isnan(X).any(axis=1) & ~np.isnan(y)
    X, y = X[present], y[present]
    if len(X) <= X.shape[1] or np.linalg.matrix_rank(X) < X.shape[1]:
        return None
    inverse = np.linalg.inv(X.T @ X)
    fitted = inverse @ X.T @ y
    variance = float(((y - X @ fitted) ** 2).sum()) / (len(X) - X.shape[1])
    return fitted[1:], np.sqrt(variance * np.diag(inverse))[1:]


def _overlap(low: float, high: float, other_low: float, other_high: float) -> float:
    """Return the mean share of two intervals that overlaps, in percent.

    Examples
    --------
    >>> float(_overlap(0.0, 2.0, 1.0, 3.0)), float(_overlap(0.0, 1.0, 2.0, 3.0))
    (50.0, 0.0)
    """
    common = max(0.0, min(high, other_high) - max(low, other_low))
    return float(50 * (common / (high - low) + common / (other_high - other_low)))


def subgroup_means(
    keys: Sequence[Feature], target: tuple[Floats, Floats]
) -> tuple[SubgroupMean, ...]:
    """Return the mean of the target in subgroups of both files that are large enough."""
    means = []
    for feature in keys:
        for name, before, after in _subgroups(feature):
            one, other = (before & ~np.isnan(target[0])), (after & ~np.isnan(target[1]))
            if min(one.sum(), other.sum()) >= FEWEST:
                means.append(
                    SubgroupMean(
                        feature.name,
                        name,
                        _mean(target[0][one]),
                        _mean(target[1][other]),
                        int(one.sum()),
                    )
                )
    return tuple(means)


def _mean(values: Floats) -> float:
    """Return the mean, even of values whose sum would overflow."""
    unit = unit_of(values)
    return float((values / unit).mean()) * unit


def _subgroups(feature: Feature) -> list[tuple[str, NDArray[np.bool_], NDArray[np.bool_]]]:
    """Return the names and members of subgroups in both files: categories, or quarters of amounts."""
    one, other = feature.original, feature.released
    if feature.nominal:
        codes = frequent(feature) if len(feature.labels) <= MOST_DUMMIES else []
        return [(feature.labels[code], one == code, other == code) for code in codes]
    cuts = np.nanquantile(one, [0.25, 0.5, 0.75]) if not np.isnan(one).all() else np.zeros(3)
    if np.unique(cuts).size < cuts.size:
        return []
    quarter = [np.searchsorted(cuts, v) for v in (one, other)]
    names = ("lowest quarter", "second quarter", "third quarter", "highest quarter")
    return [
        (name, (quarter[0] == i) & ~np.isnan(one), (quarter[1] == i) & ~np.isnan(other))
        for i, name in enumerate(names)
    ]
