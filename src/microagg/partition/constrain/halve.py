"""Halve large groups as long as both halves satisfy the limits; this never increases the error.

A merge makes a group that is larger than the limits require. Its records are cut in two across the
direction in which they differ most: at the median of all records or, if a half then violates a limit, at
the median of the records with the same confidential values, so that each half has the values of the whole.
If the rarest of these values occurs an odd number of times, the cut is at a share near a half. The cut by
values is what t-closeness-first does with a whole file (Soria-Comas et al. 2015, third algorithm: every
group takes its share of each section of confidential values).

All groups of the same size are cut at once. After a merge of nearly all groups, thousands of separate cuts
took longer than everything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from microagg.context import Ticker
from microagg.partition.constrain.groups import ConstrainedGroups
from microagg.typing import Codes, Floats, Rows

TURNS = 3
"""The number of steps towards the direction in which records differ most (power iteration)."""

Bools = NDArray[np.bool_]


def halve(groups: ConstrainedGroups, some: Rows, k: int, ticker: Ticker) -> int:
    """Cut some groups into parts of at least k; returns how often. IN/OUT: groups."""
    parts = [groups.members[group] for group in some.tolist()]
    halves: dict[int, tuple[int, int]] = {}
    waiting = list(range(len(parts)))
    while waiting and ticker[1] == 0:
        after: list[int] = []
        for same in _of_equal_size(parts, waiting):
            cuts = _cut(groups, np.stack([parts[part] for part in same]), k)
            for at, stays, leaves in cuts:
                halves[same[at]] = (len(parts), len(parts) + 1)
                after += halves[same[at]]
                parts += [stays, leaves]
        waiting = after
    numbers = iter(groups.new_numbers(len(halves)))
    for root, group in enumerate(some.tolist()):
        if root in halves:
            for number, part in _numbered(group, root, halves, numbers):
                groups.members[number], groups.stratum[number] = parts[part], groups.stratum[group]
    groups.update_sizes()
    ticker[0] += some.size
    return len(halves)


def _of_equal_size(parts: list[Rows], some: list[int]) -> Iterable[list[int]]:
    """Return those of the same number of records together."""
    by_size: dict[int, list[int]] = {}
    for part in some:
        by_size.setdefault(parts[part].size, []).append(part)
    return by_size.values()


def _numbered(
    group: int, root: int, halves: dict[int, tuple[int, int]], numbers: Iterator[int]
) -> Iterator[tuple[int, int]]:
    """Yield the parts of a group that are not cut themselves, each after a number of its own."""
    waiting = [(group, root)]
    while waiting:
        number, part = waiting.pop()
        if part in halves:
            stays, leaves = halves[part]
            waiting += [(number, stays), (next(numbers), leaves)]
        else:
            yield number, part


def _cut(groups: ConstrainedGroups, rows: Rows, k: int) -> Iterator[tuple[int, Rows, Rows]]:
    """Yield where in `rows`, one row per group, there is a group to cut, and both of its parts."""
    if not groups.in_reach(range(rows.shape[1] // 2, k - 1, -1)):
        return
    left, place = np.arange(len(rows)), _along(groups.X[rows])
    for way in (_halves, _halves_of_classes, _lower_shares, _upper_shares):
        upper = way(place[left], groups.classes[rows[left]])
        done = np.zeros(left.size, dtype=bool)
        for at, stays, leaves in _that_hold(groups, rows[left], upper, k):
            done[at] = True
            yield int(left[at]), stays, leaves
        left = left[~done]
        if not left.size:
            return


def _that_hold(
    groups: ConstrainedGroups, rows: Rows, upper: Bools, k: int
) -> Iterator[tuple[int, Rows, Rows]]:
    """Yield the groups of which both parts satisfy the limits, and the parts."""
    counts = upper.sum(axis=1)
    for count in np.unique(counts).tolist():
        sizes = (rows.shape[1] - count, count)
        if min(sizes) < k:
            continue
        same = np.flatnonzero(counts == count)
        for which, size in ((~upper, sizes[0]), (upper, sizes[1])):
            parts = rows[same][which[same]].reshape(-1, size)
            same = same[groups.satisfy(parts)]
        for at in same.tolist():
            yield at, rows[at][~upper[at]], rows[at][upper[at]]


def _along(X: Floats) -> Floats:
    """Return where records lie along the direction in which those of a group differ most, about."""
    X = X - X.mean(axis=1, keepdims=True)
    farthest = np.argmax((X**2).sum(axis=2), axis=1)
    direction = X[np.arange(len(X)), farthest][:, :, None]
    for _ in range(TURNS):
        direction = X.transpose(0, 2, 1) @ (X @ direction)
        length = np.sqrt((direction**2).sum(axis=1, keepdims=True))
        direction = direction / np.where(length == 0, 1.0, length)
    place: Floats = (X @ direction)[:, :, 0]
    return place


def _halves(place: Floats, classes: Codes) -> Bools:
    """Tell which records are in the upper half of their group; of those at the same place, the last are.

    Examples
    --------
    >>> _halves(np.array([[3.0, 1.0, 1.0, 1.0]]), np.zeros((1, 4), dtype=np.int64))
    array([[ True, False, False,  True]])
    """
    half = place.shape[1] // 2
    middle = np.partition(place, half, axis=1)[:, half : half + 1]
    above, level = place > middle, place == middle
    wanted = place.shape[1] - half - above.sum(axis=1, keepdims=True)
    from_last = np.cumsum(level[:, ::-1], axis=1)[:, ::-1]
    upper: Bools = above | (level & (from_last <= wanted))
    return upper


def _halves_of_classes(place: Floats, classes: Codes) -> Bools:
    """Tell which records are in the upper half of their class; of the middle ones every other is.

    Examples
    --------
    >>> _halves_of_classes(np.array([[3.0, 1.0, 2.0, 9.0, 7.0]]), np.array([[0, 0, 0, 1, 2]]))
    array([[ True, False, False,  True,  True]])
    """
    runs = _Runs(place, classes)
    half = runs.first + runs.counts // 2
    upper = np.arange(place.size) >= np.repeat(half, runs.counts)
    middle = half[runs.counts % 2 == 1]  # these go in pairs, by where they lie
    group = middle // place.shape[1]
    turn = np.arange(middle.size) - np.searchsorted(group, group)
    one = np.flatnonzero((turn[:-1] % 2 == 0) & (group[:-1] == group[1:]))
    lower, other = middle[one], middle[one + 1]
    first_above = runs.places[lower] > runs.places[other]
    upper[lower], upper[other] = first_above, ~first_above
    return runs.in_rows(upper)


def _lower_shares(place: Floats, classes: Codes) -> Bools:
    """Tell which records are not among the lower share of their class that is a half, rounded down.

    An odd number of a rare class cannot be halved; then the others are cut in the same proportion.
    """
    return _above_share(place, classes, 0)


def _upper_shares(place: Floats, classes: Codes) -> Bools:
    """Tell the same for a half of the rarest class that is rounded up."""
    return _above_share(place, classes, 1)


def _above_share(place: Floats, classes: Codes, more: int) -> Bools:
    runs = _Runs(place, classes)
    group = runs.first // place.shape[1]
    fewest = np.minimum.reduceat(runs.counts, np.searchsorted(group, np.arange(len(place))))
    share = (fewest + more) // 2 / fewest
    lower = np.rint(runs.counts * share[group]).astype(np.int64)
    return runs.in_rows(np.arange(place.size) >= np.repeat(runs.first + lower, runs.counts))


class _Runs:
    """The records of groups of the same size, sorted by group, class and place.

    Attributes
    ----------
    first, counts : int64[runs]
        Where the records of each class of each group begin, and how many they are.
    places : float64[records]
        The place of each record.
    """

    def __init__(self, place: Floats, classes: Codes) -> None:
        by_place = np.argsort(place, axis=1, kind="stable")
        sorted_so = np.take_along_axis(classes, by_place, axis=1)
        by_class = np.argsort(sorted_so, axis=1, kind="stable")
        self._order = np.take_along_axis(by_place, by_class, axis=1)
        new = np.diff(np.take_along_axis(sorted_so, by_class, axis=1), axis=1, prepend=-1) != 0
        self.first = np.flatnonzero(new)
        self.counts = np.diff(self.first, append=place.size)
        self.places = np.take_along_axis(place, self._order, axis=1).reshape(-1)

    def in_rows(self, flags: Bools) -> Bools:
        """Return what is told of each record in the order in which the records came."""
        flags_of = np.empty(self._order.shape, dtype=bool)
        np.put_along_axis(flags_of, self._order, flags.reshape(self._order.shape), axis=1)
        return flags_of
