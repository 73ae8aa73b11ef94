"""Merge groups that violate a limit with neighbouring ones, the worst first, until none does.

Every merge leaves one group less, and a single group of all records (of each stratum) satisfies every limit
that can be satisfied, so the procedure ends.

A group merges with the cheapest one whose union with it satisfies the limits. For t-closeness, that one may
lie far beyond groups with similar confidential values, and merging with those first does not help: the
union needs as many records from elsewhere as both groups did, and it ends so close to the limit that it
cannot be halved again. If none of the groups considered satisfies the limits, the union that costs least
for the violation it removes is made.

If very many groups violate a limit, they are first merged in rounds. In each round, the worst groups
choose first, and a group that was chosen no longer chooses. One merge at a time would compare each
of these groups with all others: with 100,000 records in groups of five, that took minutes.
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from microagg.context import Ticker
from microagg.partition.constrain.groups import ConstrainedGroups, union_costs
from microagg.partition.constrain.limits import SURELY
from microagg.typing import Floats, Rows

NEAR = 8
"""The number of neighbouring groups that a group considers."""

TRIED = 32
"""The number of neighbouring groups that are compared if no union satisfies t-closeness."""

MANY = 1_000
"""More groups that violate a limit are merged in rounds."""

MANY_PAIRS = 40_000_000
"""With t-closeness, they are only if there are more pairs of such a group with any other."""

LEAST = 1e-9
"""The least violation that a union must remove."""


def merge(groups: ConstrainedGroups, ticker: Ticker) -> int:
    """Merge until every group satisfies the limits; returns the number of merges. IN/OUT: groups."""
    done = _merge_in_rounds(groups, ticker)
    unions = _Unions(groups)
    waiting = [(-groups.violation[g], g) for g in groups.failing().tolist()]
    heapq.heapify(waiting)
    while waiting and ticker[1] == 0:
        violation, group = heapq.heappop(waiting)
        ticker[0] += 1
        if groups.violation[group] <= 0 or violation != -groups.violation[group]:
            continue  # it has changed since, or is gone
        other = _partner(groups, group, unions)
        rows = np.concatenate([groups.members[group], groups.members[other]])
        groups.set_members(group, np.empty(0, dtype=np.int64))
        groups.set_members(other, rows)
        unions.join(group, other)
        done += 1
        if groups.violation[other] > 0:
            heapq.heappush(waiting, (-groups.violation[other], other))
    return done


def _merge_in_rounds(groups: ConstrainedGroups, ticker: Ticker) -> int:
    """Merge as long as very many groups violate a limit; returns the number of merges. IN/OUT: groups."""
    done = 0
    while ticker[1] == 0:
        failing = groups.failing()
        if not _are_too_many(groups, failing.size):
            return done
        pairs = _pairs(failing.tolist(), _near_by_cost(groups, failing))
        if not pairs:
            return done
        groups.join(pairs)
        done += len(pairs)
        ticker[0] += len(pairs)
    return done


def _are_too_many(groups: ConstrainedGroups, failing: int) -> bool:
    """Tell whether merging so many groups one at a time would take too long."""
    pairs = failing * int(np.count_nonzero(groups.sizes))
    return failing > MANY and (groups.limits.t_closeness is None or pairs > MANY_PAIRS)


def _near_by_cost(groups: ConstrainedGroups, some: Rows) -> dict[int, Rows]:
    """Return for some groups those of the NEAR nearest means, the cheapest union first."""
    near: dict[int, Rows] = {}
    for inside, here in groups.by_stratum(some):
        width = min(NEAR, inside.size - 1)
        others = inside[np.concatenate(list(groups.nearest_means(inside, here, width)))]
        gaps = groups.means[others] - groups.means[here][:, None, :]
        sizes, own = groups.sizes[others], groups.sizes[here][:, None]
        cost = np.where(
            others == here[:, None], np.inf, (gaps**2).sum(axis=2) * (own * sizes / (own + sizes))
        )
        order = np.argsort(cost, axis=1, kind="stable")
        cheapest = np.take_along_axis(others, order, axis=1)
        near |= dict(zip(here.tolist(), cheapest[:, :width], strict=True))
    return near


def _pairs(failing: list[int], near: dict[int, Rows]) -> list[tuple[int, int]]:
    """Return each group, in this order, with the first near one that is still free.

    Examples
    --------
    >>> _pairs([0, 1, 2], {0: np.array([1, 2]), 1: np.array([0]), 2: np.array([0, 3])})
    [(0, 1), (2, 3)]
    """
    taken: set[int] = set()
    pairs = []
    for group in failing:
        if group in taken:
            continue
        other = next((other for other in near[group].tolist() if other not in taken), None)
        if other is not None:
            taken |= {group, other}
            pairs.append((group, other))
    return pairs


class _Unions:
    """The groups that are left, side by side, and what their unions cost and violate.

    A merge changes one of them, so hardly anything is collected anew for the next merge.

    Attributes
    ----------
    left : int64[m]
        The groups, also those that a merge has removed since.
    scores : float64[columns, m]
        The sum of the scores of each group in each confidential column.
    bins : list of float64[bins, m] arrays
        The sums of what `in_bins` yields, for each column with a limit on distances.
    """

    def __init__(self, groups: ConstrainedGroups) -> None:
        self._groups, self.left = groups, np.flatnonzero(groups.sizes > 0)
        self._place = np.zeros(groups.sizes.size, dtype=np.int64)
        self._place[self.left] = np.arange(self.left.size)
        self._means, self._squares = groups.means[self.left], groups.squares[self.left]
        self._sizes = groups.sizes[self.left].astype(np.float64)
        self._gone = np.zeros(self.left.size)  # infinite for a group that is gone
        self._stratum = groups.stratum[self.left]
        self._add_sums(np.concatenate([groups.members[group] for group in self.left.tolist()]))

    def _add_sums(self, rows: Rows) -> None:
        """Compute the sums from the records, group by group."""
        sizes, columns = self._groups.sizes[self.left], self._groups.columns
        first = np.cumsum(sizes) - sizes

        def sums_of(values: Rows) -> Floats:
            return np.add.reduceat(values, first).astype(np.float64)

        self.scores = np.stack([sums_of(column.scores[rows]) for column in columns])
        self.bins = [
            np.stack([sums_of(values) for values in column.in_bins(column.codes[rows])])
            for column in columns
            if self._groups.limits.farthest(column) is not None
        ]

    def join(self, group: int, other: int) -> None:
        """Take note that a group is gone, and that another has taken its records."""
        gone, grown, groups = self._place[group], self._place[other], self._groups
        for sums in (self.scores, *self.bins):
            sums[:, grown] += sums[:, gone]
        self._gone[gone] = np.inf
        self._means[grown], self._squares[grown] = groups.means[other], groups.squares[other]
        self._sizes[grown] = groups.sizes[other]

    def costs(self, group: int) -> Floats:
        """Return what unions add to the squared error; infinite where there is no such union."""
        at = self._place[group]
        own = (self._means[at], self._squares[at], self._sizes[at])
        cost = union_costs(self._means, self._squares, self._sizes, *own) + self._gone
        cost[self._stratum != self._stratum[at]] = np.inf
        cost[at] = np.inf
        return cost

    def surely_far(self, group: int) -> NDArray[np.bool_]:
        """Tell which unions are too far from all records by the means of their scores."""
        at, groups = self._place[group], self._groups
        means = (self.scores + self.scores[:, [at]]) / (self._sizes + self._sizes[at])
        return groups.limits.surely_far(groups.columns, list(means))

    def least_violation(self, group: int, places: Rows) -> Floats:
        """Return violations that the unions with some groups are not below, but for rounding."""
        if not self.bins:
            return np.zeros(places.size)
        at, groups = self._place[group], self._groups
        sizes = self._sizes[places] + self._sizes[at]
        means = [(bins[:, places] + bins[:, [at]]) / sizes for bins in self.bins]
        return groups.limits.least_violation(groups.columns, means)


def _partner(groups: ConstrainedGroups, group: int, unions: _Unions) -> int:
    """Return the group to merge with.

    Nearly all unions that violate t-closeness are ruled out by bounds.
    """
    cost, left = unions.costs(group), unions.left
    near = _smallest(np.where(unions.surely_far(group), np.inf, cost), NEAR)
    near = near[unions.least_violation(group, near) <= SURELY]
    for other in left[near].tolist():
        if groups.satisfy(_union(groups, group, other))[0]:
            return int(other)
    if groups.limits.t_closeness is None:
        return int(left[_smallest(cost, 1)[0]])
    near = _smallest(cost, TRIED)
    return _best_value(groups, group, left[near], cost[near], unions.least_violation(group, near))


def _best_value(
    groups: ConstrainedGroups, group: int, near: Rows, cost: Floats, least_left: Floats
) -> int:
    """Return the group whose union costs least for the violation it removes, or else the nearest.

    The nearest come first. The union has at least the violation `least_left`, so it removes at most the
    rest: only unions that could then be the cheapest are evaluated.
    """
    most = groups.violation[group] - least_left + SURELY
    least_price = np.where(cost > 0.0, cost / np.where(most > LEAST, most, LEAST), -np.inf)
    best, best_price = 0, np.inf
    for at in np.argsort(least_price, kind="stable").tolist():
        if least_price[at] > best_price:
            break
        left = groups.violation_of(_union(groups, group, int(near[at])))[0]
        removed = groups.violation[group] - left
        price = cost[at] / removed if removed > LEAST else np.inf
        if price < best_price or (price == best_price and at < best):
            best, best_price = at, price
    return int(near[best])


def _union(groups: ConstrainedGroups, group: int, other: int) -> Rows:
    """Return the records of two groups as the only row of a matrix."""
    rows: Rows = np.concatenate([groups.members[group], groups.members[other]])[None, :]
    return rows


def _smallest(cost: Floats, width: int) -> Rows:
    """Return the places of the `width` smallest that are not infinite, the smallest first."""
    few = np.argpartition(cost, width - 1)[:width] if cost.size > width else np.arange(cost.size)
    few = few[np.argsort(cost[few], kind="stable")]
    return few[np.isfinite(cost[few])]
