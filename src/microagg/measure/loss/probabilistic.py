"""PIL: the probability that sampling would change the statistics less than the release does.

If the original is a sample, its mean varies from sample to sample, and so do its other statistics.
The loss of a statistic is the probability that this variation stays below the change that the
release brings. It lies between 0 and 1 whatever the data, but in large files even small changes
are larger than sampling variation. Places where the paper is silent: quantiles are 5 %, 10 %, ...,
95 %, and their density is taken from the neighbouring quantiles, 2.5 % to both sides.
"""

from __future__ import annotations

from itertools import chain
from math import erf, sqrt
from typing import NamedTuple

import numpy as np

from microagg.measure.loss.mean_variation import complete
from microagg.measure.pair import Pair
from microagg.measure.registry import NotApplicable, measure
from microagg.threads import in_threads
from microagg.typing import Floats


@measure(
    "probabilistic",
    "Change beyond chance",
    kind="loss",
    summary="the mean probability that a new sample would change the statistics less than the "
    "release does",
    formula="100 mean over θ of 2 P(0 <= Z <= |θ' - θ| / sd(θ)); θ: means, variances, "
    "covariances, correlations, quantiles (the mean over these five)",
    source="Mateo-Sanz, Domingo-Ferrer and Sebé 2005",
    counts="numbers",
    any_order=True,
)
def probabilistic(pair: Pair) -> float:
    """Return the probabilistic information loss in percent."""
    if pair.sample_of is not None:
        raise NotApplicable("it depends on the number of records, and this is a sample")
    before, after = (values for values, _ in complete(pair))
    if pair.weights is not None:
        pair.notes["probabilistic"] = "sampling weights are ignored"
    parts = [_means(before, after), *_moments(before, after), _quantiles(before, after)]
    return float(100 * np.mean([np.mean(part) for part in parts if len(part)]))


def _means(before: Floats, after: Floats) -> list[float]:
    n = before.shape[1]
    return [
        _unlikely(b.mean() - a.mean(), b.var() / n, abs(b.mean()) + b.std())
        for b, a in zip(before, after, strict=True)
    ]


def _moments(before: Floats, after: Floats) -> tuple[list[float], list[float], list[float]]:
    """Return the losses of variances, covariances and correlations."""
    old, new = (Centred.of(values) for values in (before, after))
    parts = in_threads(lambda i: _moments_with(old, new, i), range(len(before)))
    variances, covariances, correlations = (list(chain(*lost)) for lost in zip(*parts, strict=True))
    return variances, covariances, correlations


def _moments_with(
    old: Centred, new: Centred, i: int
) -> tuple[list[float], list[float], list[float]]:
    """Return the same losses for a column with itself and with the columns before it."""
    variances: list[float] = []
    covariances: list[float] = []
    correlations: list[float] = []
    n = old.values.shape[1]
    for j in range(i + 1):
        product, released = old.values[i] * old.values[j], new.values[i] * new.values[j]
        change = float(np.mean(product)) - float(np.mean(released))
        size = sqrt(old.squares[i] * old.squares[j])
        spread = float(np.mean(product**2)) - float(np.mean(product)) ** 2
        lost = _unlikely(change, spread / n, size)
        (variances if i == j else covariances).append(lost)
        if i != j:
            correlations.append(_correlation_lost(old, new, i, j, float(np.mean(released))))
    return variances, covariances, correlations


class Centred(NamedTuple):
    """Centred columns, their mean squares, and the same columns with mean square 1."""

    values: Floats
    squares: list[float]
    scaled: Floats

    @classmethod
    def of(cls, columns: Floats) -> Centred:
        """Centre some columns; a constant column becomes 0."""
        values = columns - columns.mean(axis=1, keepdims=True)
        squares = [float(np.mean(x * x)) for x in values]
        roots = [np.sqrt(square) if square > 0 else 1.0 for square in squares]
        return cls(values, squares, values / np.array(roots)[:, None])


def _correlation_lost(old: Centred, new: Centred, i: int, j: int, released: float) -> float:
    """Return the loss of a correlation; `released` is the covariance in the release."""
    if not (old.squares[i] and old.squares[j] and new.squares[i] and new.squares[j]):
        return 0.0
    x, y = old.scaled[i], old.scaled[j]
    product = x * y
    correlation = float(np.mean(product))
    change = correlation - float(released / np.sqrt(new.squares[i] * new.squares[j]))
    # The delta method: what each record adds to the correlation.
    share = product - correlation / 2 * (x * x + y * y)
    return _unlikely(change, float(np.mean(share**2)) / x.size, 1.0)


def _quantiles(before: Floats, after: Floats) -> list[float]:
    levels, step = np.arange(0.05, 0.96, 0.05), 0.025
    lost = []
    for b, a in zip(np.sort(before, axis=1), np.sort(after, axis=1), strict=True):
        change = quantiles(b, levels) - quantiles(a, levels)
        slope = (quantiles(b, levels + step) - quantiles(b, levels - step)) / (2 * step)
        variance = levels * (1 - levels) / b.size * slope**2
        size = float(max(abs(b[0]), abs(b[-1])))
        lost += [_unlikely(c, v, size) for c, v in zip(change, variance, strict=True)]
    return lost


def quantiles(ordered: Floats, levels: Floats) -> Floats:
    """Return what `np.quantile` returns for values that are already sorted.

    Examples
    --------
    >>> quantiles(np.array([1.0, 2.0, 4.0]), np.array([0.25, 0.5]))
    array([1.5, 2. ])
    """
    place = (ordered.size - 1) * levels
    below = np.floor(place).astype(np.int64)
    low, high = ordered[below], ordered[np.minimum(below + 1, ordered.size - 1)]
    share = place - below
    # From the nearer one, as NumPy does.
    between: Floats = np.where(
        share < 0.5, low + (high - low) * share, high - (high - low) * (1 - share)
    )
    return between


def _unlikely(change: float, variance: float, size: float) -> float:
    """Return 2 P(0 <= Z <= |change| / sd); a change by rounding alone is ignored."""
    if abs(change) <= 1e-12 * size:
        return 0.0
    return erf(abs(change) / sqrt(2 * variance)) if variance > 0 else 1.0
