"""Where sorted values are cut: at their gaps, or where the squares within groups are least."""

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import inlined, kernel
from microagg.kernels.line.optimal_1d import labels_of

SLIGHT = 1 + 1e-12
"""A cut moves only for more than rounding."""

SWEEPS = 10_000
"""Sweeps over all cuts, at most; a few dozen are usual."""


@kernel
def cut_widest_gaps(order, n, k, ticker):
    """Cut n sorted values before each position of `order` in turn, where both sides keep k.

    What is too near to a cut stays so, hence the widest gaps first is the same as cutting each part
    again at its widest gap.
    """
    labels, near = np.zeros(n, dtype=np.int32), np.zeros(n + 1, dtype=np.bool_)
    near[:k] = True
    near[n - k + 1 :] = True
    for cut in order:
        if ticker[1] != 0:
            break
        if not near[cut]:
            labels[cut] = 1
            near[larger(cut - k + 1, 0) : smaller(cut + k, n)] = True
    for i in range(1, n):
        labels[i] += labels[i - 1]
    return labels


@kernel
def cut_widest_sum(values, k, ticker):
    """Cut sorted values into groups of k to 2k-1 so that the gaps cut are widest together.

    The best of a window of starts is kept in a queue whose sums fall. Ties to the lowest start.
    """
    n = values.size
    total, start = np.zeros(n + 1), np.zeros(n + 1, dtype=np.int64)
    queue = np.empty(n + 1, dtype=np.int64)
    head = tail = 0
    for end in range(2 * k, n + 1):
        i = end - k
        total[i] += values[i] - values[i - 1]  # from here on with the gap before i
        while tail > head and total[queue[tail - 1]] < total[i]:
            tail -= 1
        queue[tail] = i
        tail += 1
        if queue[head] < end - 2 * k + 1:
            head += 1
        total[end] = total[queue[head]]
        start[end] = queue[head]
    return labels_of(start)


@kernel
def settle(values, k, cuts, ticker):
    """Move each cut to where the two groups beside it lose least, until none moves; returns the SSE.

    Sizes stay between k and 2k-1; after `SWEEPS`, or when ticker[1] is set, cuts stay where they are.
    IN/OUT: cuts, from 0 to n.
    """
    moved, sweeps = True, 0
    while moved and sweeps < SWEEPS and ticker[1] == 0:
        moved, sweeps = False, sweeps + 1
        for i in range(1, cuts.size - 1):
            cut = best_cut(values, k, cuts[i - 1], cuts[i], cuts[i + 1])
            moved |= cut != cuts[i]
            cuts[i] = cut
    sse = 0.0
    for i in range(cuts.size - 1):
        sse += squares(values, cuts[i], cuts[i + 1])
    return sse


@inlined
def best_cut(values, k, begin, now, end):
    """The cut between begin and end that explains most; the one there is unless another does more."""
    low, high = larger(begin + k, end - 2 * k + 1), smaller(end - k, begin + 2 * k - 1)
    origin, total = values[begin], 0.0
    for i in range(begin, end):
        total += values[i] - origin
    below = there = 0.0
    for i in range(begin, now):
        there += values[i] - origin
    best, best_at = explained(there, total, now - begin, end - now), now
    for i in range(begin, high):
        cut = i + 1
        below += values[i] - origin
        if cut >= low:
            gain = explained(below, total, cut - begin, end - cut)
            if gain > best * SLIGHT:
                best, best_at = gain, cut
    return best_at


@inlined
def explained(below, total, size, rest):
    """Squares between two groups, from the sum of the first and of both."""
    apart = (total - below) / rest - below / size
    return size * rest / (size + rest) * (apart * apart)


@inlined
def squares(values, begin, end):
    """Sum of squared differences from the mean of values begin..end-1; 0 where all are equal."""
    total = sse = 0.0
    for i in range(begin, end):
        total += values[i] - values[begin]
    mean = values[begin] + total / (end - begin)
    for i in range(begin, end):
        sse += (values[i] - mean) * (values[i] - mean)
    return sse
