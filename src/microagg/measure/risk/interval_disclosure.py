"""ID: how often all released values of a record are near its original ones, by rank.

Around each released value lies the interval of the values up to P % of the records before and after
it in rank; P goes from 1 to 10. A record is disclosed when all its original values lie in their
intervals. Categories with an order have ranks like numbers; ours: one without an order is near when
it is the same. Equal released values can be ranked in any order: here each order is equally likely, in
each column on its own, and the expected share counts, so the order of the rows does not
matter. (The thesis ranks them in row order: so done, its Census figures come out to the digit.)
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from microagg.measure.pair import Pair
from microagg.measure.registry import measure
from microagg.typing import Floats, Rows

PERCENTS = range(1, 11)
"""How far the intervals reach, in percent of the ranks."""


@measure(
    "interval-disclosure",
    "Values guessed closely",
    kind="risk",
    summary="the share of records whose original values all lie near the released ones, within "
    "1 % to 10 % of the ranks; a category without an order is near only if it is the same",
    formula="100 mean over P = 1..10 of the share of records with x_j in "
    "[x'(rank - P %), x'(rank + P %)] for every column j, or x_j = x'_j where there is no order; "
    "ties are shared evenly",
    source="Pagliuca and Seri 1999; Fayyoumi 2008, section 4.4 (ID)",
    priority=3,
    head="guessed %",
)
def interval_disclosure(pair: Pair) -> float:
    """Return the interval disclosure in percent."""
    same = np.ones(pair.n)
    for column in pair.unordered():
        same *= column.original == column.released
    chances = [same.copy() for _ in PERCENTS]
    for original, released in zip(*pair.ordered(), strict=True):
        for chance, near in zip(chances, _near(original, released), strict=True):
            chance *= near
    return float(100 * np.mean([chance.mean() for chance in chances]))


def _near(original: Floats, released: Floats) -> Iterator[Floats]:
    """Yield for each of PERCENTS the chance that each original lies in its interval.

    Missing is near missing only. The released value has a rank from `first` to `last`. The interval
    reaches down to the original from the ranks up to `top`, and up to it from the ranks from `bottom` on.
    """
    blank = np.isnan(original), np.isnan(released)
    present = ~(blank[0] | blank[1])
    whole = bool(present.all())
    missing: Floats = (blank[0] & blank[1]).astype(np.float64)
    ranks = Ranks(np.sort(released[~blank[1]]))
    x, y = (original, released) if whole else (original[present], released[present])
    first, after = ranks.places(y)
    below, up_to = ranks.places(x)
    ranked = ranks.values
    outside = (up_to == 0) | (below == ranked.size)  # beyond all released values
    last, width = after - 1, (after - first).astype(np.float64)
    up_to[outside] = -ranked.size  # below every interval
    for percent in PERCENTS:
        reach = percent * ranked.size // 100
        inside = np.minimum(last, up_to + (reach - 1))
        inside -= np.maximum(first, below - reach) - 1
        near = np.maximum(inside, 0) / width
        if whole:
            yield near
            continue
        chance = missing.copy()
        chance[present] = near
        yield chance


class Ranks:
    """Sorted values, and where those that equal each of them begin and end.

    Examples
    --------
    >>> Ranks(np.array([1.0, 2.0, 2.0])).places(np.array([2.0, 0.0, 9.0]))
    (array([1, 0, 3]), array([3, 0, 3]))
    """

    def __init__(self, values: Floats) -> None:
        self.values = values
        starts = np.flatnonzero(np.diff(values) != 0) + 1
        counts = np.diff(starts, prepend=0, append=values.size)
        self._ends = np.repeat(np.append(starts, values.size), counts)

    def places(self, values: Floats) -> tuple[Rows, Rows]:
        """Return how many are below each value, and how many are not above it.

        The values are sought in order: each search then starts near the last one, in memory too.
        """
        order = np.argsort(values)
        sought = values[order]
        start = np.searchsorted(self.values, sought, "left")
        at = np.minimum(start, self.values.size - 1)
        equal = (self.values[at] == sought) & (start < self.values.size)
        below, up_to = np.empty((2, values.size), dtype=np.int64)
        below[order] = start
        up_to[order] = np.where(equal, self._ends[at], start)
        return below, up_to
