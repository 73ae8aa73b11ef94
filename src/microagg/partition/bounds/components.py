"""Components: listed groups that share no record with any other ones, chosen from independently.

Where few groups are left that a better partition can hold, their records often fall into sets that no group
joins. The least error of all records is then the sum of those of the sets, and an integer program for each
set is far smaller than one for all of them: a search tree for two sets together has about as many nodes as
the product of two trees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from microagg.budget import CLOCK
from microagg.context import Ticker
from microagg.partition.bounds.cuts import GroupCuts
from microagg.partition.bounds.integer import Chosen, best_of
from microagg.typing import Floats, Labels, Rows


def components_of(groups: Sequence[Rows], n: int) -> list[Rows]:
    """Return the numbers of the groups of each component, the component with the fewest groups first.

    Parameters
    ----------
    groups : sequence of int64[s]
        Groups of n records.
    n : int
        The number of records.

    Examples
    --------
    >>> groups = [np.array([0, 1]), np.array([3, 4]), np.array([1, 2]), np.array([5, 6])]
    >>> [numbers.tolist() for numbers in components_of(groups, 7)]
    [[1], [3], [0, 2]]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    firsts = np.array([rows[0] for rows in groups])
    members, sizes = np.concatenate(groups), [rows.size for rows in groups]
    joined = coo_array((np.ones(members.size), (np.repeat(firsts, sizes), members)), shape=(n, n))
    _, labels = connected_components(joined, directed=False)
    owners = labels[firsts]
    order = np.argsort(owners, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(owners[order])) + 1)
    return sorted(parts, key=len)


def best_of_components(
    groups: Sequence[Rows],
    errors: Floats,
    start: NDArray[np.bool_],
    cuts: GroupCuts,
    n: int,
    floor: Callable[[Rows], float],
    seconds: float,
    ticker: Ticker,
) -> Chosen:
    """Choose the cheapest partition made of given groups, component by component.

    Parameters
    ----------
    groups, errors, start, cuts, n, ticker
        As for `best_of`. The start is a partition of all records.
    floor : function of int64[m]
        What a partition of the records of a component costs at least, from the numbers of its groups: for
        components that are not solved in time.
    seconds : float
        How long to look at most. A component has a share of what is left in proportion to its groups.
    """
    begun, left_over = CLOCK.now(), len(groups)
    labels, total, is_better = np.full(n, -1, dtype=np.int32), 0.0, False
    for numbers in components_of(groups, n):
        left = (seconds - (CLOCK.now() - begun)) * len(numbers) / left_over
        left_over -= len(numbers)
        own = [groups[number] for number in numbers]
        if len(own) == 1:
            chosen = Chosen(None, float(errors[numbers[0]]))
        elif left > 0 and ticker[1] == 0:
            chosen = best_of(
                own, errors[numbers], start[numbers], cuts, n, left, ticker, prove=True
            )
        else:
            chosen = Chosen(None, 0.0)
        total += max(chosen.bound, floor(numbers))
        is_better |= chosen.labels is not None
        _join(labels, chosen.labels, [groups[number] for number in numbers[start[numbers]]])
    return Chosen(labels if is_better else None, total)


def _join(labels: Labels, better: Labels | None, start: Sequence[Rows]) -> None:
    """Give the records of a component new labels: those of a better partition, or of the start."""
    following = int(labels.max()) + 1
    if better is not None:
        own = better >= 0
        labels[own] = following + better[own]
        return
    for number, rows in enumerate(start):
        labels[rows] = following + number
