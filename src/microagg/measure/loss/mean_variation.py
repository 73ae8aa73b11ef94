"""The relative change of values and their moments (thesis table 4.1).

Rules for zeros (thesis, footnote 5): if the original is 0 and the release is not, the change is
divided by the released value; if both are 0, nothing is added. In microagg, a value that is missing in
one file only counts as completely changed, and a value that is missing in both as unchanged.
"""

from __future__ import annotations

import numpy as np

from microagg.measure.covariation import Covariation
from microagg.measure.pair import Pair, of_usual_size
from microagg.measure.registry import NotApplicable, measure
from microagg.typing import Floats

_SOURCE = "Fayyoumi 2008, table 4.1 ({})"
_UNBOUNDED = float("inf")


@measure(
    "variation-data",
    "Change of single values",
    kind="loss",
    summary="the mean relative change of a value; values near 0 have a large influence",
    formula="100/(nd) Σ_ij |x_ij - x'_ij| / |x_ij|",
    source=_SOURCE.format("M1"),
    high=_UNBOUNDED,
    counts="numbers",
    sums=True,
)
def variation_data(pair: Pair) -> float:
    """Return M1 in percent."""
    changes = relative_change(pair.original, pair.released)
    with np.errstate(over="ignore"):
        return _finite(100 * pair.mean(changes))


@measure(
    "variation-means",
    "Change of means",
    kind="loss",
    summary="the mean relative change of the column means",
    formula="100/d Σ_j |x̄_j - x̄'_j| / |x̄_j|",
    source=_SOURCE.format("M2"),
    high=_UNBOUNDED,
    counts="numbers",
    any_order=True,
    sums=True,
)
def variation_means(pair: Pair) -> float:
    """Return M2 in percent."""
    before, after = (covariation.mean for covariation in covariations(pair))
    # Means that differ by rounding alone are the same.
    same = np.isclose(before, after, rtol=1e-12, atol=0)
    return 100 * mean_variation(before, np.where(same, before, after))


@measure(
    "variation-variances",
    "Change of variances",
    kind="loss",
    summary="the mean relative change of the column variances",
    formula="100/d Σ_j |v_jj - v'_jj| / |v_jj|",
    source=_SOURCE.format("M3"),
    high=_UNBOUNDED,
    counts="numbers",
    any_order=True,
    sums=True,
)
def variation_variances(pair: Pair) -> float:
    """Return M3 in percent."""
    before, after = covariances(pair)
    return 100 * mean_variation(np.diag(before), np.diag(after))


@measure(
    "variation-covariances",
    "Change of covariances",
    kind="loss",
    summary="the mean relative change of variances and covariances",
    formula="100/(d(d+1)/2) Σ_{i<=j} |v_ij - v'_ij| / |v_ij|",
    source=_SOURCE.format("M4"),
    high=_UNBOUNDED,
    counts="numbers",
    any_order=True,
    sums=True,
)
def variation_covariances(pair: Pair) -> float:
    """Return M4 in percent."""
    before, after = covariances(pair)
    upper = np.triu_indices(len(before))
    return 100 * mean_variation(before[upper], after[upper])


def mean_variation(before: Floats, after: Floats) -> float:
    """Return the mean relative change, with the rules of the thesis for zeros.

    Examples
    --------
    >>> mean_variation(np.array([2.0, 0.0, 0.0]), np.array([3.0, 5.0, 0.0]))
    0.5
    """
    with np.errstate(over="ignore"):
        return _finite(float(relative_change(before, after).mean()))


def relative_change(before: Floats, after: Floats) -> Floats:
    """Return the relative change of each value, with the rules of the thesis for zeros."""
    change = np.abs(before - after)
    base = np.where(before == 0, np.abs(after), np.abs(before))
    with np.errstate(over="ignore"):  # a value next to 0 may change by more than all numbers
        terms = np.divide(change, base, out=np.zeros_like(change), where=base > 0)
    blank = np.isnan(before), np.isnan(after)
    terms[blank[0] ^ blank[1]] = 1.0
    terms[blank[0] & blank[1]] = 0.0
    return terms


def _finite(change: float) -> float:
    if not np.isfinite(change):
        raise NotApplicable(INFINITE)
    return change


def complete(pair: Pair) -> list[tuple[Floats, Floats | None]]:
    """Return the numbers of the complete records of both files, with their weights.

    Columns of very large or small numbers are rescaled, equally in both files.
    """
    files = []
    for values in of_usual_size(pair.original, pair.released):
        whole = ~np.isnan(values).any(axis=0)
        if np.count_nonzero(whole) < 2:
            raise NotApplicable(TOO_FEW)
        weights = None if pair.weights is None else pair.weights[whole]
        files.append((values[:, whole], weights))
    return files


def covariances(pair: Pair) -> tuple[Floats, Floats]:
    """Return the covariance matrices of the complete records of both files."""
    before, after = (covariation.covariance for covariation in covariations(pair))
    return before, after


def covariations(pair: Pair) -> tuple[Covariation, Covariation]:
    """Return the means and covariances of the complete records of both files."""
    with pair.locks.of("covariations"):
        if pair.covariations is None:
            before, after = (Covariation.of(*file) for file in complete(pair))
            pair.covariations = before, after
    if min(own.records for own in pair.covariations) < 2:
        raise NotApplicable(TOO_FEW)
    return pair.covariations


INFINITE = "an original number is so close to 0 that its relative change is infinite"
TOO_FEW = "fewer than two records have all quasi-identifiers"
