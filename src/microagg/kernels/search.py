"""Nearest and farthest points of a tree, exactly as a scan over all points would find them.

Leaves and boxes are screened in single precision (u = 2^-24), about the centre c and by the scale
s. With a = (p - c) / s for the point p that is asked about and D the squared distance of a
point to it, divided by s^2, the distance r of the two rounded points obeys

    sqrt(D) (1 - 2u) - 3u |a|  <=  r  <=  sqrt(D) (1 + 2u) + 3u |a|

because rounding moves either by at most u of its distance to the centre, and the other point is at
most |a| + sqrt(D) from the centre. The sum of squares that is computed for r^2 is off by at most
d + 4 times u. So a point can be passed over once that sum is beyond the limits below. A box is
bounded by sums in the same order: rounding keeps order, so no point in it can have less. What is
not passed over is computed in double precision from the points themselves.

Arrays are taken out of the tuple before a loop, and indexed rather than cut: numba counts who holds
an array at each call and each cut, which costs more than a leaf does.
"""

import numpy as np

from microagg.kernels.jit import inlined, kernel
from microagg.kernels.scan import FARTHER_THAN_ALL, insert
from microagg.kernels.tree import BLOCK, LEAF

U = 2.0**-24
"""Half the distance of 1 to the next number in single precision."""

TINY = 1e-36
"""More than what underflow in single precision can do to a sum of squares."""

UNDERFLOW = 1e-300
"""More than what underflow in double precision can do to a squared distance."""

ZERO = np.float32(0.0)
BEND = np.float32(0.75)
"""How much the distance to the opposite point counts beside the norm when far points are sought."""

ALONG, ACROSS = np.float32(1 + 0.75), np.float32(1 + 1 / 0.75)
"""The factors of |y|^2 and |q|^2 that go with it."""

ANY = np.float32(3e38)
"""A limit above everything."""

DONE = np.float32(3.3e38)
"""Above every limit."""

EAGER = 6
"""So many blocks are taken in the best order, which makes most of the others fail."""

OUTSIDE = 1e6
"""A point so far from the centre, by the scale, is compared with all points."""


@inlined
def frame_point(tree, point, q):
    """Coordinates of a point as the leaves have them; returns its distance |a| to the centre.

    A point far outside would overflow: it is put at the centre, and the limits let everything pass.
    """
    square = 0.0
    for j in range(point.size):
        a = (point[j] - tree.centre[j]) / tree.scale[0]
        square += min(a * a, FARTHER_THAN_ALL / point.size)
    norm = np.sqrt(square)
    for j in range(point.size):
        a = (point[j] - tree.centre[j]) / tree.scale[0] if norm < OUTSIDE else 0.0
        q[j] = np.float32(a)
    return norm


@inlined
def highest(distance, scale, norm, d):
    """Largest screened sum of a point whose squared distance is at most `distance`."""
    root = np.sqrt(distance + UNDERFLOW) / scale
    if not (root < 1e15 and norm < OUTSIDE):
        return ANY
    r = root * (1 + 4 * U) + 4 * U * norm
    return np.float32((r * r * (1 + (d + 8) * U) + TINY) * (1 + 4 * U))


@inlined
def lowest(distance, scale, norm, d):
    """Smallest screened sum of a point whose squared distance is at least `distance`."""
    r = np.sqrt(max(distance - UNDERFLOW, 0.0)) / scale * (1 - 4 * U) - 4 * U * norm
    if not (r > 0 and norm < OUTSIDE):
        return -ANY
    return np.float32((r * r * (1 - (d + 8) * U) - TINY) * (1 - 4 * U))


@inlined
def screen_leaf(tiles, leaf, q, out):
    """Squared distances of a leaf in single precision. OUT: out float32[LEAF]."""
    d = q.size
    for i in range(LEAF):
        out[i] = ZERO
    j = 0
    while j + 8 <= d:  # many at a time only to spare loads and stores: the sum runs in order
        q0, q1, q2, q3 = q[j], q[j + 1], q[j + 2], q[j + 3]
        q4, q5, q6, q7 = q[j + 4], q[j + 5], q[j + 6], q[j + 7]
        for i in range(LEAF):
            t0, t1 = tiles[leaf, j, i] - q0, tiles[leaf, j + 1, i] - q1
            t2, t3 = tiles[leaf, j + 2, i] - q2, tiles[leaf, j + 3, i] - q3
            t4, t5 = tiles[leaf, j + 4, i] - q4, tiles[leaf, j + 5, i] - q5
            t6, t7 = tiles[leaf, j + 6, i] - q6, tiles[leaf, j + 7, i] - q7
            half = (((out[i] + t0 * t0) + t1 * t1) + t2 * t2) + t3 * t3
            out[i] = (((half + t4 * t4) + t5 * t5) + t6 * t6) + t7 * t7
        j += 8
    if j + 4 <= d:
        q0, q1, q2, q3 = q[j], q[j + 1], q[j + 2], q[j + 3]
        for i in range(LEAF):
            t0, t1 = tiles[leaf, j, i] - q0, tiles[leaf, j + 1, i] - q1
            t2, t3 = tiles[leaf, j + 2, i] - q2, tiles[leaf, j + 3, i] - q3
            out[i] = (((out[i] + t0 * t0) + t1 * t1) + t2 * t2) + t3 * t3
        j += 4
    if j + 2 <= d:
        q0, q1 = q[j], q[j + 1]
        for i in range(LEAF):
            t0, t1 = tiles[leaf, j, i] - q0, tiles[leaf, j + 1, i] - q1
            out[i] = (out[i] + t0 * t0) + t1 * t1
        j += 2
    if j < d:
        q0 = q[j]
        for i in range(LEAF):
            t0 = tiles[leaf, j, i] - q0
            out[i] += t0 * t0


@inlined
def screen_boxes(lows, highs, block, m, q, out):
    """Squared distances to the first m boxes of a block. OUT: out. Returns which is nearest."""
    for i in range(m):
        out[i] = ZERO
    for j in range(q.size):
        p = q[j]
        for i in range(m):
            gap = max(max(lows[block, j, i] - p, p - highs[block, j, i]), ZERO)
            out[i] += gap * gap
    return least_of(out, m)


@inlined
def least_of(values, m):
    """Where the least of the first m values stands."""
    least = values[0]
    for i in range(m):
        least = min(least, values[i])
    at = 0
    while at < m - 1 and values[at] > least:
        at += 1
    return at


@inlined
def largest_of(values, m):
    """Where the largest of the first m values stands."""
    most = values[0]
    for i in range(m):
        most = max(most, values[i])
    at = 0
    while at < m - 1 and values[at] < most:
        at += 1
    return at


@kernel
def nearest_points(tree, point, excluded, limit, near_distances, near_items):
    """Find the points nearest to `point`, at most `limit` away, leaving out `excluded`.

    OUT: near_distances float64[m], near_items int64[m], nearest first, ties to the lowest
    item; items are -1 where fewer are near enough.
    """
    near_distances[:] = limit
    near_items[:] = -1
    n_blocks = tree.sizes[1]
    if n_blocks == 0:
        return
    q, gaps = np.empty(point.size, dtype=np.float32), np.empty(n_blocks, dtype=np.float32)
    room = np.empty(BLOCK + LEAF, dtype=np.float32)
    norm = frame_point(tree, point, q)
    bound = highest(limit, tree.scale[0], norm, point.size)
    screen_boxes(tree.block_lows, tree.block_highs, 0, n_blocks, q, gaps)
    for turn in range(-EAGER, n_blocks):
        block = least_of(gaps, n_blocks) if turn < 0 else turn
        if gaps[block] <= bound:
            gaps[block] = DONE
            bound = search_block(
                tree, block, point, q, norm, excluded, bound, room, near_distances, near_items
            )


@kernel
def search_block(tree, block, point, q, norm, excluded, bound, room, near_distances, near_items):
    """Offer the points of a block to the list of the nearest; returns the limit for sums then.

    IN/OUT: the list; OUT: room.
    """
    points, tiles, items, counts = tree.points, tree.tiles, tree.items, tree.counts
    scale, d, last = tree.scale[0], point.size, near_items.size - 1
    gaps, sums = room[:BLOCK], room[BLOCK:]
    nearest = screen_boxes(tree.lows, tree.highs, block, BLOCK, q, gaps)
    for turn in range(-1, min(BLOCK, tree.sizes[0] - block * BLOCK)):
        i = nearest if turn < 0 else turn
        if gaps[i] > bound or turn == nearest:
            continue
        leaf = block * BLOCK + i
        screen_leaf(tiles, leaf, q, sums)
        least = sums[0]
        for slot in range(LEAF):
            least = min(least, sums[slot])
        if least > bound:
            continue
        for slot in range(counts[leaf]):
            if sums[slot] <= bound and items[leaf, slot] != excluded:
                distance = 0.0
                for j in range(d):
                    t = points[items[leaf, slot], j] - point[j]
                    distance += t * t
                if distance <= near_distances[last]:
                    insert(distance, items[leaf, slot], near_distances, near_items)
                    bound = highest(near_distances[last], scale, norm, d)
    return bound


@inlined
def screen_reach(lows, highs, norms, block, m, opposite, square, out):
    """How far from q a point of each box of a block can be. OUT: out. Returns the farthest.

    With w = `BEND` and o = -q / w, `opposite`, every point y has

        |y - q|^2 = (1 + w) |y|^2 + (1 + 1/w) |q|^2 - w |y - o|^2,

    where |y|^2 is at most the norm of the box, |q|^2 is `square`, and y is no nearer to o than its
    box. With w near 0 the box alone counts, with w large the norm alone.

    Rounding: o is off by 2u of itself; a norm, a sum of squares or a box's distance by at most
    (d + 4) u of itself, and each of these is at most twice the first two terms together. All in all
    less than (6 d + 60) u of the first two terms, which `slack` adds.
    """
    d = opposite.size
    slack = np.float32(1 + (6 * d + 60) * U)
    screen_boxes(lows, highs, block, m, opposite, out)
    own = ACROSS * square
    for i in range(m):
        out[i] = (ALONG * norms[block, i] + own) * slack - BEND * out[i]
    return largest_of(out, m)


@kernel
def farthest_point(tree, point):
    """Point left that is farthest from `point`, and its squared distance; ties to the lowest item.

    The item is -1 when none is left. Boxes must not have grown: no point has ever been moved.
    """
    d, n_blocks = point.size, tree.sizes[1]
    if n_blocks == 0:
        return np.int64(-1), -1.0
    q, reaches = np.empty(d, dtype=np.float32), np.empty(n_blocks, dtype=np.float32)
    opposite, room = np.empty(d, dtype=np.float32), np.empty(BLOCK + LEAF, dtype=np.float32)
    norm = frame_point(tree, point, q)
    for j in range(d):
        opposite[j] = -q[j] / BEND
    square = np.float32(norm * norm) if norm < OUTSIDE else ZERO
    best, best_item, bound = -1.0, np.int64(-1), -ANY
    lows, highs, norms = tree.block_lows, tree.block_highs, tree.block_norms
    screen_reach(lows, highs, norms, 0, n_blocks, opposite, square, reaches)
    for turn in range(-EAGER, n_blocks):
        block = largest_of(reaches, n_blocks) if turn < 0 else turn
        if reaches[block] >= bound:
            reaches[block] = -DONE
            best, best_item, bound = search_far(
                tree, block, point, q, opposite, norm, square, bound, best, best_item, room
            )
    return best_item, best


@kernel
def search_far(tree, block, point, q, opposite, norm, square, bound, best, best_item, room):
    """Best of the farthest so far and the points of a block, and the limit for sums then.

    OUT: room.
    """
    points, tiles, items, counts = tree.points, tree.tiles, tree.items, tree.counts
    scale, d = tree.scale[0], point.size
    reaches, sums = room[:BLOCK], room[BLOCK:]
    farthest = screen_reach(
        tree.lows, tree.highs, tree.norms, block, BLOCK, opposite, square, reaches
    )
    for turn in range(-1, min(BLOCK, tree.sizes[0] - block * BLOCK)):
        i = farthest if turn < 0 else turn
        if reaches[i] < bound or turn == farthest:
            continue
        leaf = block * BLOCK + i
        screen_leaf(tiles, leaf, q, sums)
        most = sums[0]
        for slot in range(LEAF):
            most = max(most, sums[slot])
        if most < bound:
            continue
        for slot in range(counts[leaf]):
            item = items[leaf, slot]
            if sums[slot] >= bound:
                distance = 0.0
                for j in range(d):
                    t = points[item, j] - point[j]
                    distance += t * t
                if distance > best or (distance == best and item < best_item):
                    best, best_item = distance, item
                    bound = lowest(distance, scale, norm, d)
    return best, best_item, bound
