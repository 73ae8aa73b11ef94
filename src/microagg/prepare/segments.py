"""Segments: sets of columns that are microaggregated separately.

Reference: Domingo-Ferrer and Torra 2002 (Aggregation Operators), and mu-Argus: two, three or four
columns at a time (thesis, sections 2.6.3.2 and 6.1).

Idea: columns that are correlated go together, because a group that is close in one is then close
in the other. Segments are as equal in size as can be, so no column is left alone where that can be
helped; the sum of squared correlations within segments is made large: each segment is started with
the strongest pair left and filled with the column closest to it, then columns of two segments are
exchanged as long as that adds to the sum.

Where the papers are silent: they take the columns in the order of the file, or by an expert's
word. Exchanges end in a local optimum; the best of all segmentations is not sought.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

from microagg.prepare.select import correlations
from microagg.typing import Floats


def correlated_segments(columns: Sequence[Floats], size: int) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of the columns in segments of at most `size`, correlated ones together.

    Examples
    --------
    >>> import numpy as np
    >>> a, b = np.array([0.0, 1.0, 2.0, 3.0]), np.array([5.0, 1.0, 1.0, 5.0])
    >>> correlated_segments([a, b, -a, b + 1], 2)
    ((0, 2), (1, 3))
    """
    d = len(columns)
    count = -(-d // size)
    sizes = [d // count + (place < d % count) for place in range(count)]
    alike = correlations(columns) ** 2
    segments = _filled(alike, sizes)
    while _exchange(alike, segments):
        pass
    return tuple(sorted(tuple(sorted(segment)) for segment in segments))


def _filled(alike: Floats, sizes: Sequence[int]) -> list[list[int]]:
    """Fill each segment with what is closest: ties go to the lowest column."""
    left = list(range(len(alike)))
    segments = []
    for size in sizes:
        strongest = max(left, key=lambda j: max((alike[j, i] for i in left if i != j), default=0.0))
        segment = [strongest]
        left.remove(strongest)
        while len(segment) < size:
            closest = max(left, key=lambda j: alike[j, segment].sum())
            segment.append(closest)
            left.remove(closest)
        segments.append(segment)
    return segments


def _exchange(alike: Floats, segments: list[list[int]]) -> bool:
    """Exchange the first two columns whose exchange adds to the sum; tell whether there were any."""
    for one, other in combinations(segments, 2):
        for i, j in product(range(len(one)), range(len(other))):
            a, b = one[i], other[j]
            apart = alike[a, one].sum() + alike[b, other].sum()
            joined = alike[a, other].sum() + alike[b, one].sum() - 2 * alike[a, b]
            if joined > apart * (1 + 1e-12):
                one[i], other[j] = b, a
                return True
    return False
