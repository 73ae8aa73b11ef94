"""Pricing: find the groups that cost less than the prices of their records.

A group S of s records costs its error and earns the prices p of its records; cuts charge a group by
the weight of the records of theirs that it holds. Its reduced cost is the sum over its pairs of

    w_ij = d_ij^2 / s - (p_i + p_j) / (s - 1)

plus what the cuts charge. All groups of s records below a limit are listed, each once:

- Taking away the record with the largest sum of weights to the others leaves no larger a mean
  weight of pairs. So a group below the limit is reached from a pair, record by record, through
  groups whose sums are below the limit in proportion to their pairs; charges only grow on the way,
  so the limit less the charges so far does as well. A record joins only where it would be the one to
  be taken away, so that every group has one way.
- r records that join P add at least the sum of the r smallest of (sum of weights of v to P) + (half
  the r-1 smallest weights of v to any other). Where this does not come below the limit, nothing
  that holds P does; and a record with which it does not need not be looked at again.

Rounding: the caller gives a limit that is below zero by much more than sums can be wrong by, and
allows for it in what is concluded. Which record is to be taken away must not depend on the order of
a sum, or a group might be passed over on all its ways. So sums within TIE of each other are equal, and
the higher row goes; a row leads to a higher one and so on, s - 1 times at most, which ends at a record
that no such row is above and whose sum is within s TIE of the largest. It may join: only a sum larger
by more than 2 s TIE forbids it. Taking such a record away loses at most that, s times at most: the
proportion is relaxed by 2 s^2 TIE. At worst a group is found twice.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import inlined, kernel
from microagg.kernels.space.scan import FARTHER_THAN_ALL

TIE = 0.01
"""What counts as equal, in units of the limit."""


class Prices(NamedTuple):
    """What records earn and cuts charge.

    Attributes
    ----------
    records : float64[n]
        The price of each record, of any sign.
    levels : float64[cuts, weights + 1]
        What each cut charges a group by the weight of its records that the group holds. It is 0 for
        none, and never less for more.
    first, cuts, weights : int64[n + 1], int64[...], int64[...]
        The cuts that each record is in, and its weight there: [first[i] : first[i + 1]] of both.
    """

    records: np.ndarray
    levels: np.ndarray
    first: np.ndarray
    cuts: np.ndarray
    weights: np.ndarray


class PricedGroups(NamedTuple):
    """Groups found from each root, the cheapest of them, in no order.

    Attributes
    ----------
    rows : int64[roots, kept, s], costs : float64[roots, kept]
        The records of each group and its reduced cost.
    counts : int64[roots]
        How many are kept.
    least : float64[n]
        The smallest reduced cost of the groups a record is in, divided by their size.
    exhausted : bool[roots]
        Whether all groups of a root have been seen.
    """

    rows: np.ndarray
    costs: np.ndarray
    counts: np.ndarray
    least: np.ndarray
    exhausted: np.ndarray


class Walk(NamedTuple):
    """The way from a root to the group that is looked at, one row of each array a size.

    Attributes
    ----------
    weights : float64[m, m]
        Weights between the records near the root, which is number 0.
    halves : float64[m, s]
        Half the sum of the t smallest weights of each record to others than the root.
    members : int64[s + 1]
        The record that joined last.
    totals, charges : float64[s + 1]
        Sum of the weights of all pairs, and of what the cuts charge.
    degrees : float64[s + 1, s]
        Sum of the weights of each member to the others.
    near : int64[s + 1, m], sums : float64[s + 1, m]
        The records that may join, and the sum of their weights to all members.
    n_near, cursor : int64[s + 1]
        How many may join, and which is next.
    """

    weights: np.ndarray
    halves: np.ndarray
    members: np.ndarray
    totals: np.ndarray
    charges: np.ndarray
    degrees: np.ndarray
    near: np.ndarray
    sums: np.ndarray
    n_near: np.ndarray
    cursor: np.ndarray


@kernel
def price(points, prices, halves, roots, size, limit, width, work, priced, ticker):
    """List groups of `size` records below `limit`, which is below 0, from each root.

    A group's root is the lower of the two records that its way begins with. Only the `width` most
    promising records near a root are looked at, and no more than `work` of them over and over; a
    root is exhausted when neither kept anything from being seen. `halves` is of `half_sums`.
    OUT: priced, whose `least` only goes down.
    """
    met = np.zeros(prices.levels.shape[0], dtype=np.int64)
    rows, own = np.empty(points.shape[0], dtype=np.int64), np.empty(points.shape[0])
    for turn in range(roots.size):
        root = roots[turn]
        priced.counts[turn] = 0
        priced.exhausted[turn] = False
        if ticker[1] != 0:
            continue
        m, whole = near_root(points, prices, halves, root, size, limit, width, rows, own)
        if m < size:
            priced.exhausted[turn] = whole
            continue
        walk = new_walk(points, prices, rows[:m], size)
        keep(walk, 1, size, limit)
        done = walk_all(walk, prices, rows[:m], size, limit, work, met, priced, turn, ticker)
        priced.exhausted[turn] = whole and done


@kernel
def half_sums(points, prices, roots, size, out, ticker):
    """Half the sum of the t smallest weights of each root to any record. OUT: out[root, t].

    Stopped, it leaves the rest as it was: `price` will not use it.
    """
    smallest = np.empty(size - 1)
    for root in roots:
        if ticker[1] != 0:
            return
        smallest[:] = FARTHER_THAN_ALL
        for other in range(points.shape[0]):
            if other != root:
                offer(weight(points, prices.records, root, other, size), smallest)
        prefix_halves(smallest, out[root])


@inlined
def weight(points, prices, i, j, size):
    """The weight of a pair of records in a group of `size`."""
    squared = 0.0
    for a in range(points.shape[1]):
        t = points[i, a] - points[j, a]
        squared += t * t
    return squared / size - (prices[i] + prices[j]) / (size - 1)


@inlined
def offer(value, smallest):
    """Put a value into a sorted list of the smallest, if it is one. IN/OUT: smallest."""
    at = smallest.size
    if value < smallest[at - 1]:
        at -= 1
        while at > 0 and smallest[at - 1] > value:
            smallest[at] = smallest[at - 1]
            at -= 1
        smallest[at] = value


@inlined
def prefix_halves(smallest, out):
    """Half the sums of the first t values. OUT: out[t], t = 0 .. smallest.size."""
    out[0] = 0.0
    for t in range(smallest.size):
        out[t + 1] = out[t] + 0.5 * smallest[t]


@kernel
def near_root(points, prices, halves, root, size, limit, width, rows, own):
    """Records that a group with `root` below the limit may hold, the root first.

    Returns how many, and whether `width` left none out. OUT: rows; own holds what each adds.
    """
    n = points.shape[0]
    smallest = np.full(size - 1, FARTHER_THAN_ALL)
    for v in range(n):
        if v != root:
            own[v] = weight(points, prices.records, root, v, size) + halves[v, size - 2]
            offer(own[v], smallest)
    rest = np.sum(smallest[:-1])
    rows[0], m = root, 1
    for v in range(n):
        if v != root and larger(own[v], smallest[-1]) + rest < limit:
            rows[m] = v
            m += 1
    if m - 1 <= width:
        return m, True
    order = np.argsort(own[rows[1:m]], kind="mergesort")
    rows[1 : width + 1] = np.sort(rows[1:m][order[:width]])
    return width + 1, False


@kernel
def new_walk(points, prices, rows, size):
    """Stand at the root rows[0], with all the others able to join."""
    m = rows.size
    weights = np.empty((m, m))
    for i in range(m):
        weights[i, i] = FARTHER_THAN_ALL
        for j in range(i):
            weights[i, j] = weight(points, prices.records, rows[i], rows[j], size)
            weights[j, i] = weights[i, j]
    halves, smallest = np.empty((m, size)), np.empty(size - 1)
    for i in range(m):
        smallest[:] = FARTHER_THAN_ALL
        for j in range(1, m):
            if j != i:
                offer(weights[i, j], smallest)
        prefix_halves(smallest, halves[i])
    walk = Walk(
        weights,
        halves,
        np.zeros(size + 1, dtype=np.int64),
        np.zeros(size + 1),
        np.zeros(size + 1),
        np.zeros((size + 1, size)),
        np.empty((size + 1, m), dtype=np.int64),
        np.empty((size + 1, m)),
        np.zeros(size + 1, dtype=np.int64),
        np.zeros(size + 1, dtype=np.int64),
    )
    for i in range(1, m):
        walk.near[1, i - 1] = i
        walk.sums[1, i - 1] = weights[0, i]
    walk.n_near[1] = m - 1
    return walk


@kernel
def keep(walk, j, size, limit):
    """Keep only the records with which j members can still come below the limit. IN/OUT: walk."""
    need = size - j
    near, sums, m = walk.near[j], walk.sums[j], walk.n_near[j]
    smallest = np.full(need, FARTHER_THAN_ALL)
    for at in range(m):
        offer(sums[at] + walk.halves[near[at], need - 1], smallest)
    rest = walk.totals[j] + walk.charges[j]
    for t in range(need - 1):
        rest += smallest[t]
    kept = 0
    if m >= need and rest + smallest[need - 1] < limit:
        for at in range(m):
            if (
                larger(sums[at] + walk.halves[near[at], need - 1], smallest[need - 1]) + rest
                < limit
            ):
                near[kept] = near[at]
                sums[kept] = sums[at]
                kept += 1
    walk.n_near[j] = kept if kept >= need else 0
    walk.cursor[j] = 0


@kernel
def walk_all(walk, prices, rows, size, limit, work, met, priced, turn, ticker):
    """Walk to every group below the limit; returns whether the work allowed was enough."""
    change_met(met, prices, rows[0], 1)
    j, done = 1, True
    while j > 0:
        if walk.cursor[j] == walk.n_near[j]:
            change_met(met, prices, rows[walk.members[j]], -1)
            j -= 1
            continue
        at = walk.cursor[j]
        walk.cursor[j] += 1
        if work < 0 or ticker[1] != 0:
            walk.cursor[j] = walk.n_near[j]
            done = False
            continue
        if not may_join(walk, rows, j, walk.near[j, at], walk.sums[j, at], size, limit):
            continue
        if j + 1 == size:
            report(walk, prices, rows, j, at, size, limit, met, priced, turn)
            continue
        join(walk, prices, rows, j, at, met)
        j += 1
        work -= walk.n_near[j]
        keep(walk, j, size, limit)
    return done


@inlined
def change_met(met, prices, row, by):
    """Count the weight of a record that joins or leaves in its cuts. IN/OUT: met."""
    for at in range(prices.first[row], prices.first[row + 1]):
        met[prices.cuts[at]] += by * prices.weights[at]


@inlined
def charge(met, prices, row):
    """What the cuts charge more when `row` joins."""
    total = 0.0
    for at in range(prices.first[row], prices.first[row + 1]):
        cut = prices.cuts[at]
        weight_before = met[cut]
        more = prices.levels[cut, weight_before + prices.weights[at]]
        total += more - prices.levels[cut, weight_before]
    return total


@inlined
def may_join(walk, rows, j, v, own, size, limit):
    """Tell whether v may be the next: below the limit in proportion, and first to be taken away."""
    share, tie = (j + 1) * j / (size * (size - 1)), -TIE * limit
    relaxed = (limit - walk.charges[j]) * share + 2.0 * size * size * tie
    if walk.totals[j] + own >= relaxed:
        return False
    if j == 1:
        return rows[v] > rows[0]
    for i in range(j):
        member = walk.members[i + 1]
        ahead = walk.degrees[j, i] + walk.weights[member, v] - own
        if ahead > 2.0 * size * tie or (abs(ahead) <= tie and rows[member] > rows[v]):
            return False
    return True


@inlined
def join(walk, prices, rows, j, at, met):
    """Let a record join the j members. IN/OUT: walk, met."""
    v = walk.near[j, at]
    walk.members[j + 1] = v
    walk.totals[j + 1] = walk.totals[j] + walk.sums[j, at]
    walk.charges[j + 1] = walk.charges[j] + charge(met, prices, rows[v])
    change_met(met, prices, rows[v], 1)
    for i in range(j):
        walk.degrees[j + 1, i] = walk.degrees[j, i] + walk.weights[walk.members[i + 1], v]
    walk.degrees[j + 1, j] = walk.sums[j, at]
    kept = 0
    for i in range(walk.n_near[j]):
        u = walk.near[j, i]
        if u != v:
            walk.near[j + 1, kept] = u
            walk.sums[j + 1, kept] = walk.sums[j, i] + walk.weights[v, u]
            kept += 1
    walk.n_near[j + 1] = kept


@kernel
def report(walk, prices, rows, j, at, size, limit, met, priced, turn):
    """Keep a group if it is below the limit, in place of the dearest where there is no room."""
    last = rows[walk.near[j, at]]
    cost = walk.totals[j] + walk.sums[j, at] + walk.charges[j] + charge(met, prices, last)
    if cost >= limit:
        return
    priced.least[last] = smaller(priced.least[last], cost / size)
    for i in range(j):
        row = rows[walk.members[i + 1]]
        priced.least[row] = smaller(priced.least[row], cost / size)
    slot = priced.counts[turn]
    if slot < priced.costs.shape[1]:
        priced.counts[turn] += 1
    else:
        slot = np.argmax(priced.costs[turn])
        if priced.costs[turn, slot] <= cost:
            return
    priced.costs[turn, slot] = cost
    priced.rows[turn, slot, j] = last
    for i in range(j):
        priced.rows[turn, slot, i] = rows[walk.members[i + 1]]
