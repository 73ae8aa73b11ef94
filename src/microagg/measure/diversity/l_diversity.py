"""l-diversity: how varied confidential values are among records with the same quasi-identifiers.

The value is the minimum over all classes and confidential columns. A missing value counts as one value.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from microagg.measure.diversity.within_classes import Counts, confidential_counts
from microagg.measure.pair import Pair
from microagg.measure.registry import measure

_SOURCE = "Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam 2007"
_C = 3.0


@measure(
    "l-diversity",
    "Fewest confidential values in a group",
    kind="anonymity",
    summary="the number of different confidential values in the least varied group",
    formula="min over classes of the number of different values",
    source=_SOURCE,
    low=1.0,
    high=float("inf"),
    better="higher",
    unit="",
    any_order=True,
    compares_values=False,
    sums=True,
)
def l_diversity(pair: Pair) -> float:
    """Return distinct l."""
    return fewest_values(confidential_counts(pair))


def fewest_values(counted: Iterable[Counts]) -> float:
    """Return the number of different values in the least varied class, over all columns."""
    return min(float(np.bincount(counts.classes).min()) for counts in counted)


@measure(
    "l-diversity-entropy",
    "Entropy l-diversity",
    kind="anonymity",
    summary="the number of equally frequent values that would be as uncertain as those of the "
    "least varied group",
    formula="min over classes of exp(-Σ_s p_s ln p_s)",
    source=_SOURCE,
    low=1.0,
    high=float("inf"),
    better="higher",
    unit="",
    any_order=True,
    compares_values=False,
    sums=True,
)
def l_diversity_entropy(pair: Pair) -> float:
    """Return entropy l."""
    return min(entropy_l(counts) for counts in confidential_counts(pair))


@measure(
    "l-diversity-recursive",
    "Recursive l-diversity",
    kind="anonymity",
    summary="the largest l such that in every group the most frequent value is less than three "
    "times as frequent as the l-th and rarer ones together",
    formula="the largest l with r_1 < c (r_l + ... + r_m) in every class, r falling, c = 3",
    source=_SOURCE,
    low=0.0,
    high=float("inf"),
    better="higher",
    unit="",
    any_order=True,
    compares_values=False,
    sums=True,
)
def l_diversity_recursive(pair: Pair) -> float:
    """Return recursive l with c = 3; 0 cannot occur, because r_1 < 3 r_1."""
    return min(float(recursive_l(counts)) for counts in confidential_counts(pair))


def entropy_l(counted: Counts) -> float:
    """Return the minimum over classes of the exponential of the entropy."""
    p = counted.counts / counted.sizes[counted.classes]
    entropies = np.add.reduceat(-p * np.log(p), counted.starts)
    return float(np.exp(max(entropies.min(), 0.0)))


def recursive_l(counted: Counts) -> int:
    """Return the minimum over classes of the largest l that holds."""
    falling = np.lexsort((-counted.counts, counted.classes))
    r = counted.counts[falling]
    totals = np.add.reduceat(r, counted.starts)
    before = np.concatenate(([0], np.cumsum(r)))[:-1]
    rest = totals[counted.classes] - (before - before[counted.starts][counted.classes])
    holds = r[counted.starts][counted.classes] < _C * rest
    return int(np.add.reduceat(holds.astype(np.int64), counted.starts).min())
