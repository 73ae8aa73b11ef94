"""A short round trip through all points: 2-opt and Or-opt moves to near neighbours.

The trip stands in an array with the place of each point beside it. A move that makes it shorter is
done at once, and the points at its ends are looked at again.
"""

import numpy as np

from microagg.kernels.jit import inlined, kernel

LONGEST = 3
"""Points of a stretch that Or-opt moves elsewhere, at most."""

GAIN = 1e-9
"""The smallest gain that counts, as a share of all the edges that come and go.

Far above what rounding of their sum can amount to: a move that counts makes the trip really shorter,
so that no trip comes twice.
"""

MOVES = 100
"""Moves a point, at most: a second lock, should rounding ever count as a gain."""


@kernel
def shorten(points, order, near, ticker):
    """Return the trip `order`, int64[n], made shorter; `near` are near points, int64[n, m].

    ticker[0] counts the points that need no second look; the loop ends early, with what there
    is, when ticker[1] is set.
    """
    n = order.size
    tour, places = order.copy(), np.empty(n, dtype=np.int64)
    for i in range(n):
        places[tour[i]] = i
    waiting, is_waiting = tour.copy(), np.ones(n, dtype=np.bool_)
    first, count, moves = 0, n, 0
    ends = np.empty(6, dtype=np.int64)
    while count > 0 and ticker[1] == 0:
        point = waiting[first]
        first, count = (first + 1) % n, count - 1
        is_waiting[point] = False
        while moves < MOVES * n and improve(points, tour, places, near, point, ends):
            moves += 1
            for end in ends:
                if end >= 0 and not is_waiting[end]:
                    waiting[(first + count) % n] = end
                    is_waiting[end] = True
                    count += 1
        ticker[0] = n - count
    return tour


@inlined
def length(points, a, b):
    """Distance of two points."""
    total = 0.0
    for j in range(points.shape[1]):
        t = points[a, j] - points[b, j]
        total += t * t
    return np.sqrt(total)


@kernel
def improve(points, tour, places, near, a, ends):
    """Do the first move found that brings `a` next to a near point. OUT: ends; IN/OUT: the trip."""
    n = tour.size
    for step in (1, -1):
        b = tour[(places[a] + step) % n]
        gone = length(points, a, b)
        for c in near[a]:
            new = length(points, a, c)
            if new >= gone:
                break
            d = tour[(places[c] + step) % n]
            goes, comes = gone + length(points, c, d), new + length(points, b, d)
            if goes - comes > GAIN * (goes + comes):
                if step == 1:
                    reverse(tour, places, places[b], places[c])
                else:
                    reverse(tour, places, places[a], places[d])
                ends[:] = -1
                ends[0], ends[1], ends[2], ends[3] = a, b, c, d
                return True
            if move_stretch(points, tour, places, a, b, c, step, gone, new, ends):
                return True
    return False


@kernel
def move_stretch(points, tour, places, a, b, c, step, gone, new, ends):
    """Or-opt: put `a` and up to two points behind it between `c` and a neighbour, if that gains.

    `b` is the neighbour that `a` leaves, `gone` and `new` are its distances to b and to c. OUT: ends.
    """
    n = tour.size
    for size in range(1, LONGEST + 1):
        e = tour[(places[a] - step * (size - 1)) % n]
        f = tour[(places[a] - step * size) % n]
        if e == c or f == b:  # c is in the stretch, or hardly anything is outside
            return False
        goes_here, comes_here = gone + length(points, e, f), new + length(points, b, f)
        for side in (1, -1):
            g = tour[(places[c] + side) % n]
            if g == e:  # that edge goes anyway
                continue
            goes, comes = goes_here + length(points, c, g), comes_here + length(points, e, g)
            if goes - comes > GAIN * (goes + comes):
                start = places[e] if step == 1 else places[a]
                before = places[c] if side == 1 else places[g]
                # a must come next to c: first if c stands before the gap, else last
                flip = (step == 1) == (side == 1)
                shift(tour, places, start, size, before, flip)
                ends[0], ends[1], ends[2], ends[3], ends[4], ends[5] = a, b, c, e, f, g
                return True
    return False


@kernel
def reverse(tour, places, start, stop):
    """Turn the stretch from place `start` to `stop` around, or the rest: the same round trip."""
    n = tour.size
    inside = (stop - start) % n + 1
    if 2 * inside > n:
        start, stop = (stop + 1) % n, (start - 1) % n
        inside = n - inside
    for _ in range(inside // 2):
        u, v = tour[start], tour[stop]
        tour[start], places[v] = v, start
        tour[stop], places[u] = u, stop
        start, stop = (start + 1) % n, (stop - 1) % n


@kernel
def shift(tour, places, start, size, before, flip):
    """Move the `size` points from place `start` to behind the point at place `before`."""
    n = tour.size
    stretch = np.empty(size, dtype=np.int64)
    for t in range(size):
        at = size - 1 - t if flip else t
        stretch[at] = tour[(start + t) % n]
    ahead = (before - (start + size - 1)) % n
    behind = n - size - ahead
    if ahead <= behind:
        for t in range(ahead):
            put(tour, places, (start + t) % n, tour[(start + size + t) % n])
        first = start + ahead
    else:
        for t in range(behind):
            put(tour, places, (start + size - 1 - t) % n, tour[(start - 1 - t) % n])
        first = before + 1
    for t in range(size):
        put(tour, places, (first + t) % n, stretch[t])


@inlined
def put(tour, places, place, point):
    """Put a point at a place. IN/OUT: tour, places."""
    tour[place] = point
    places[point] = place


@kernel
def open_at_longest(points, tour):
    """The trip as a path: opened at its longest edge, the first of equals."""
    n = tour.size
    longest, at = -1.0, 0
    for i in range(n):
        edge = length(points, tour[i - 1], tour[i])
        if edge > longest:
            longest, at = edge, i
    return np.concatenate((tour[at:], tour[:at]))
