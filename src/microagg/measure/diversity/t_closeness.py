"""t-closeness: how much the confidential values of a group differ from those of all records.

The earth mover's distance. Numbers: between neighbouring values it costs one step of
1/(number of values - 1). Categories: every change costs 1. A missing value comes after all others.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from microagg.measure.diversity.within_classes import Counts, confidential_counts
from microagg.measure.pair import Pair
from microagg.measure.registry import measure
from microagg.typing import Codes, Floats


@measure(
    "t-closeness",
    "Distance from the overall distribution",
    kind="anonymity",
    summary="the largest distance between the distributions of a confidential column in a group "
    "and in all records",
    formula="max over classes of 1/(m-1) Σ_i |Σ_{j<=i} (p_j - q_j)| for numbers, "
    "½ Σ_i |p_i - q_i| for categories",
    source="Li, Li and Venkatasubramanian 2007",
    high=1.0,
    unit="",
    any_order=True,
    compares_values=False,
    sums=True,
)
def t_closeness(pair: Pair) -> float:
    """Return t, the largest over all confidential columns."""
    return largest_distance(confidential_counts(pair))


def largest_distance(counted: Iterable[Counts]) -> float:
    """Return the largest distance of a class from all records, over all columns."""
    return max(
        float((_ordered(counts) if counts.ordered else _nominal(counts)).max())
        for counts in counted
    )


def _shares(counted: Counts) -> tuple[Floats, Floats]:
    """Return the share of each value in its class, and of every value among all records."""
    p = counted.counts / counted.sizes[counted.classes]
    everywhere = counted.everywhere
    if everywhere is None:
        everywhere = np.bincount(counted.values, weights=counted.counts)
    return p, everywhere / everywhere.sum()


def _nominal(counted: Counts) -> Floats:
    """Half the sum of |p - q|; values that a class lacks add their q."""
    p, q = _shares(counted)
    here = np.add.reduceat(np.abs(p - q[counted.values]) - q[counted.values], counted.starts)
    return np.maximum((1 + here) / 2, 0.0)


def _ordered(counted: Counts) -> Floats:
    """Mean distance between cumulative shares, without looking at values that a class lacks.

    Between two values of a class its cumulative share stays as it is, while that of all records
    rises; so each stretch is summed at once, in two parts where they cross.
    """
    p, q = _shares(counted)
    if q.size == 1:
        return np.zeros(counted.starts.size)
    Q = np.cumsum(q)
    sums = np.concatenate(([0.0], np.cumsum(Q)))
    running = np.cumsum(p)
    share = running - (running - p)[counted.starts][counted.classes]
    ends = np.append(counted.values[1:], 0)
    ends[np.append(counted.starts[1:], p.size) - 1] = q.size - 1
    stretches = _stretch(share, counted.values, ends, Q, sums)
    # Before its first value, the share of the class is 0.
    first = sums[counted.values[counted.starts]]
    return (first + np.add.reduceat(stretches, counted.starts)) / (q.size - 1)


def _stretch(share: Floats, start: Codes, end: Codes, Q: Floats, sums: Floats) -> Floats:
    """Return Σ |share - Q_j| over start <= j < end, where Q rises."""
    end = np.maximum(start, end)
    cross = np.clip(np.searchsorted(Q, share), start, end)
    below = (cross - start) * share - (sums[cross] - sums[start])
    above = (sums[end] - sums[cross]) - (end - cross) * share
    total: Floats = below + above
    return total
