"""Halve large groups as long as both halves hold the limits; that never adds error.

A merge makes a group that is larger than the limits need. Its records are cut in two across the
direction in which they differ most: at the median of all, and where a half then breaks a limit, at the
median of those with the same confidential values, so that each half has the values of the whole (or at
a share near a half that the rarest of these values can be cut at). The latter is what
t-closeness-first does with a whole file (Soria-Comas et al. 2015, third algorithm: every group takes
its part of each stretch of confidential values).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from microagg.context import Ticker
from microagg.partition.constrain.groups import ConstrainedGroups
from microagg.typing import Floats, Rows

TURNS = 3
"""How often the direction is turned towards that in which records differ most."""


def halve(groups: ConstrainedGroups, some: Rows, k: int, ticker: Ticker) -> int:
    """Cut some groups into parts of at least k; returns how often. IN/OUT: groups."""
    done = 0
    for group in some.tolist():
        waiting = [group]
        while waiting and ticker[1] == 0:
            one = waiting.pop()
            other = _cut(groups, one, k)
            if other is not None:
                waiting += [one, other]
                done += 1
        ticker[0] += 1
    return done


def _cut(groups: ConstrainedGroups, group: int, k: int) -> int | None:
    """Cut a group where that can be done; returns the number of the part that leaves it."""
    rows = groups.members[group]
    if rows.size < 2 * k:
        return None
    for upper in _ways(_along(groups.X[rows]), groups.classes[rows]):
        stays, leaves = rows[~upper], rows[upper]
        if min(stays.size, leaves.size) < k:
            continue
        if all(groups.violation_of(part[None, :])[0] <= 0 for part in (stays, leaves)):
            groups.set_members(group, stays)
            return groups.add(leaves, int(groups.stratum[group]))
    return None


def _ways(place: Floats, classes: Rows) -> Iterator[NDArray[np.bool_]]:
    """Yield the records of an upper part, by each way to cut in turn."""
    yield _upper_halves(place, np.zeros_like(classes))
    yield _upper_halves(place, classes)
    fewest = int(np.unique(classes, return_counts=True)[1].min())
    for share in sorted({fewest // 2 / fewest, (fewest + 1) // 2 / fewest}):
        yield _upper_shares(place, classes, share)


def _along(X: Floats) -> Floats:
    """Return where records lie along the direction in which they differ most, about."""
    X = X - X.mean(axis=0)
    direction = X[np.argmax((X**2).sum(axis=1))]
    for _ in range(TURNS):
        direction = X.T @ (X @ direction)
        length = np.sqrt((direction**2).sum())
        if length == 0:
            break
        direction = direction / length
    place: Floats = X @ direction
    return place


def _upper_halves(place: Floats, classes: Rows) -> NDArray[np.bool_]:
    """Tell which records are in the upper half of their class; of the middle ones every other is.

    Examples
    --------
    >>> _upper_halves(np.array([3.0, 1.0, 2.0, 9.0, 7.0]), np.array([0, 0, 0, 1, 2]))
    array([ True, False, False,  True,  True])
    """
    order = np.lexsort((place, classes))
    first = np.flatnonzero(np.diff(classes[order], prepend=-1))
    counts = np.diff(first, append=order.size)
    half = np.repeat(first + counts // 2, counts)
    upper = np.arange(order.size) >= half
    middle = (first + counts // 2)[counts % 2 == 1]  # these go in pairs, by where they lie
    pairs = middle[: middle.size // 2 * 2].reshape(-1, 2)
    first_above = place[order[pairs[:, 0]]] > place[order[pairs[:, 1]]]
    upper[pairs[:, 0]], upper[pairs[:, 1]] = first_above, ~first_above
    in_rows = np.empty(order.size, dtype=bool)
    in_rows[order] = upper
    return in_rows


def _upper_shares(place: Floats, classes: Rows, share: float) -> NDArray[np.bool_]:
    """Tell which records are not among a lower share of their class.

    An odd number of a rare class cannot be halved; then the others are cut in the same proportion.
    """
    order = np.lexsort((place, classes))
    first = np.flatnonzero(np.diff(classes[order], prepend=-1))
    counts = np.diff(first, append=order.size)
    lower = np.rint(counts * share).astype(np.int64)
    upper = np.empty(order.size, dtype=bool)
    upper[order] = np.arange(order.size) >= np.repeat(first + lower, counts)
    return upper
