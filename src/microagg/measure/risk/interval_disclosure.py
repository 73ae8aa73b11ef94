"""ID: the share of records whose released values are all near the original ones, by rank.

Around each released value lies the interval of the values up to P % of the records before and after
it in rank; P goes from 1 to 10. A record is disclosed when all its original values lie in their
intervals. Categories with an order have ranks like numbers. In microagg, a category without an order is
near if it is the same. Equal released values can be ranked in any order. Each order is taken as equally
likely, in each column separately, and the measure is the expected share, so it does not depend on the
order of the rows. (The thesis ranks them in row order, which reproduces its Census figures to the last
digit.)
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from microagg.measure.pair import Pair
from microagg.measure.registry import measure
from microagg.threads import in_threads, workers
from microagg.typing import Floats, Rows

PERCENTS = range(1, 11)
"""The half-widths of the intervals, in percent of the ranks."""


@measure(
    "interval-disclosure",
    "Values close to the original",
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
    columns, together = list(zip(*pair.ordered(), strict=True)), workers()
    for at in range(0, len(columns), together):
        for shares in in_threads(lambda both: list(_near(*both)), columns[at : at + together]):
            for chance, near in zip(chances, shares, strict=True):
                chance *= near
    return float(100 * np.mean([chance.mean() for chance in chances]))


def _near(original: Floats, released: Floats) -> Iterator[Floats]:
    """Yield for each of PERCENTS the probability that each original value lies in its interval.

    A missing value is near only to a missing value. The released value has a rank from `first` to `last`.
    The interval contains the original if the rank is at most `top` and at least `bottom`.
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
    """Sorted values, and where each run of equal values begins and ends.

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
        """Return the number of values below each value, and the number not above it.

        The values are searched in order, so each search starts near the previous one in memory.
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
