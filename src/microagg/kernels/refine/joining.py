"""What it adds to the error when records join groups, one after the other."""

from typing import NamedTuple

import numpy as np

from microagg.kernels.jit import borrowing, kernel


class Joining(NamedTuple):
    """Records about to join groups, which do not know it yet.

    Attributes
    ----------
    targets : int64[m + 1]
        The groups that take some.
    counts : int64[m + 1]
        How many each takes.
    totals : float64[m + 1, d]
        Sum of their differences from the group's mean.
    size : int64[1]
        How many groups there are in the three lists.
    """

    targets: np.ndarray
    counts: np.ndarray
    totals: np.ndarray
    size: np.ndarray


@kernel
def new_joining(m, d):
    """Return room for at most m records."""
    counts = np.zeros(m + 1, dtype=np.int64)  # behind the last stands a group that takes none
    size = np.zeros(1, dtype=np.int64)
    return Joining(np.empty_like(counts), counts, np.zeros((m + 1, d)), size)


@borrowing
def nobody_joins(joining):
    """Begin anew. OUT: joining."""
    for at in range(joining.size[0]):
        joining.counts[at] = 0
        for j in range(joining.totals.shape[1]):
            joining.totals[at, j] = 0.0
    joining.size[0] = 0


@borrowing
def place_of(joining, target):
    """Where a group stands in the lists; behind the last when it takes none."""
    at = 0
    while at < joining.size[0] and joining.targets[at] != target:
        at += 1
    return at


@borrowing
def cost_of(joining, groups, row, target):
    """Error added when a record joins a group after those that have.

    A group of s records and mean c that x joins gains s / (s + 1) |x - c|^2.
    """
    at = place_of(joining, target)
    size, total = groups.sizes[target] + joining.counts[at], 0.0
    for j in range(groups.means.shape[1]):
        mean = groups.means[target, j] + joining.totals[at, j] / size
        t = groups.points[row, j] - mean
        total += t * t
    return total * size / (size + 1)


@borrowing
def join(joining, groups, row, target):
    """Let a record join a group; returns the error that this adds. IN/OUT: joining."""
    cost = cost_of(joining, groups, row, target)
    at = place_of(joining, target)
    if at == joining.size[0]:
        joining.targets[at] = target
        joining.size[0] += 1
    joining.counts[at] += 1
    for j in range(groups.means.shape[1]):
        joining.totals[at, j] += groups.points[row, j] - groups.means[target, j]
    return cost


@kernel
def change_of(groups, rows, targets):
    """Error added when each of `rows` joins its target."""
    joining = new_joining(rows.size, groups.means.shape[1])
    change = 0.0
    for i in range(rows.size):
        change += join(joining, groups, rows[i], targets[i])
    return change
