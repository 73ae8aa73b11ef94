"""Nearest and farthest points for several points at once, in one pass over all leaves.

If boxes exclude little, as in many columns, a search visits every leaf anyway. A pass loads each leaf once
for several query points. With y relative to the centre, as in a leaf, and the query point q,

    |y - q|^2 = |q|^2 + (|y|^2 - 2 q y),

so one multiplication and addition for each attribute screens y as near and as far.

Rounding: the sum in brackets is off by less than (2 d + 8) u (2 |y|^2 + |q|^2), whether a product is fused
with its addition or not; the limits allow for (2 d + 40) u. The distances of points within the limits are
computed from the points themselves, as in `search.py`.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.space.lanes import first_bit
from microagg.kernels.space.leaves import LEAF
from microagg.kernels.space.near_list import offer, sort_nearest
from microagg.kernels.space.outermost import square
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.space.screen import ANY, OUTSIDE, U, frame_point, highest, lowest
from microagg.kernels.space.sweep_lanes import QUERIES, sample_leaf, sweep_leaf

NONE, ONE, ABOVE = np.uint64(0), np.uint64(1), np.uint64(LEAF)
NEAR = np.uint64((1 << LEAF) - 1)
"""The bits of sums that are small enough; those of sums that are large enough stand above them."""

MOST = 256
"""The number of points within the limits that are listed before their distances are computed."""

SAMPLED, TURNS = 8, 2
"""Every eighth leaf is visited first, to set the limits; these leaves are dealt out in two turns."""

ONE_SIDE, OTHER_SIDE = np.float32(1.0), np.float32(-1.0)
"""The signs of sums of near and of far points: small ones are better."""


class Queries(NamedTuple):
    """The query points of a pass over the leaves.

    Attributes
    ----------
    points : float64[m, d]
        The points.
    norms, owns, margins : float64[m]
        Distance to the centre by the scale; its square, of the rounded point; what rounding may do to sums.
    directions : float32[d, QUERIES]
        The rounded points times -2, as columns.
    near_limits, far_limits : float32[QUERIES]
        A sum above the first and below the second can be passed over.
    """

    points: np.ndarray
    norms: np.ndarray
    owns: np.ndarray
    margins: np.ndarray
    directions: np.ndarray
    near_limits: np.ndarray
    far_limits: np.ndarray


class Finds(NamedTuple):
    """The points within the limits, for each query point.

    Attributes
    ----------
    best : float32[m, a]
        The sums of the best so far, best first, with a minus for far points.
    sums : float32[m, MOST], places : int64[m, MOST]
        The sums of points that have passed since they were last computed, and where these stand.
    counts : int64[m]
        How many these are.
    distances : float64[m, a], rows : int64[m, a]
        The best of those that have been computed, with a minus for far points.
    """

    best: np.ndarray
    sums: np.ndarray
    places: np.ndarray
    counts: np.ndarray
    distances: np.ndarray
    rows: np.ndarray


@kernel
def sweep(tree, points, near_distances, near_rows, far_distances, far_rows):
    """Find the rows nearest to and farthest from each of `points`, float64[at most QUERIES, d].

    OUT: near_distances float64[m, a], near_rows int64[m, a], nearest first, ties to the lowest row;
    far_distances float64[m, b], far_rows int64[m, b], farthest first, with a minus before distances. Rows
    are -1 where fewer are left. No point of the tree may ever have been moved.
    """
    m, d = points.shape
    queries = Queries(
        points,
        np.empty(m),
        np.zeros(m),
        np.empty(m),
        np.zeros((d, QUERIES), dtype=np.float32),
        np.full(QUERIES, -ANY),
        np.full(QUERIES, ANY),
    )
    queries.near_limits[:m] = ANY if near_rows.shape[1] > 0 else -ANY
    queries.far_limits[:m] = -ANY if far_rows.shape[1] > 0 else ANY
    near, far = new_finds(near_distances, near_rows), new_finds(far_distances, far_rows)
    place_all(tree, queries, np.empty(d, dtype=np.float32))
    sums, bits = np.empty((QUERIES, LEAF), dtype=np.float32), np.empty(QUERIES, dtype=np.uint64)
    lows, highs = np.full((TURNS, QUERIES, LEAF), ANY), np.full((TURNS, QUERIES, LEAF), -ANY)
    sample(tree, queries, lows, highs, near, far)
    pass_over(tree, queries, near, far, sums, bits)
    for g in range(m):
        compute(tree, queries, near, g, ONE_SIDE)
        compute(tree, queries, far, g, OTHER_SIDE)
        sort_nearest(near_distances[g], near_rows[g])
        sort_nearest(far_distances[g], far_rows[g])


@kernel
def new_finds(distances, rows):
    """Return room for what passes. OUT: distances, rows."""
    m = rows.shape[0]
    distances[:], rows[:] = FARTHER_THAN_ALL, -1
    return Finds(
        np.full(rows.shape, ANY),
        np.empty((m, MOST), dtype=np.float32),
        np.empty((m, MOST), dtype=np.int64),
        np.zeros(m, dtype=np.int64),
        distances,
        rows,
    )


@borrowing
def place_all(tree, queries, q):
    """Round the points as those of leaves are. IN/OUT: queries; OUT: q."""
    d, outer = q.size, 0.0
    for block in range(tree.sizes[1]):
        outer = larger(outer, tree.block_norms[0, block])
    for g in range(queries.norms.size):
        queries.norms[g] = frame_point(tree, queries.points[g], q)
        for j in range(d):
            queries.owns[g] += np.float64(q[j]) * np.float64(q[j])
            queries.directions[j, g] = np.float32(-2.0) * q[j]
        queries.margins[g] = (2 * d + 40) * U * (2 * outer + queries.owns[g])


@borrowing
def sample(tree, queries, lows, highs, near, far):
    """Set limits by some of the leaves. IN/OUT: queries; OUT: the rest.

    The best sums at each place of the leaves of each turn belong to different points, so the a-th best of
    them is no better than the a-th best of all.
    """
    tiles, squares, directions = tree.tiles, tree.squares, queries.directions
    for leaf in range(0, tree.sizes[0], SAMPLED):
        turn = leaf // SAMPLED % TURNS
        sample_leaf(tiles, squares, leaf, tree.counts[leaf], directions, lows[turn], highs[turn])
    for g in range(queries.norms.size):
        set_limit_by(tree, queries, lows, near.best, g, ONE_SIDE)
        set_limit_by(tree, queries, highs, far.best, g, OTHER_SIDE)


@inlined
def set_limit_by(tree, queries, extremes, best, g, side):
    """Set a limit by the best sums at each place. IN/OUT: queries, best, which is empty again."""
    size = best.shape[1]
    if 0 < size <= TURNS * LEAF:
        for turn in range(TURNS):
            for i in range(LEAF):
                enter(best, g, side * extremes[turn, g, i])
        set_limit(tree, queries, g, best[g, size - 1], side)
        for i in range(size):
            best[g, i] = ANY


@borrowing
def pass_over(tree, queries, near, far, sums, bits):
    """Look at all leaves. OUT: sums, bits; IN/OUT: queries, near, far."""
    tiles, squares, directions = tree.tiles, tree.squares, queries.directions
    low, high = queries.near_limits, queries.far_limits
    for leaf in range(tree.sizes[0]):
        if sweep_leaf(tiles, squares, leaf, directions, low, high, sums, bits) == NONE:
            continue
        for g in range(queries.norms.size):
            note(tree, queries, near, leaf, g, bits[g] & NEAR, sums, ONE_SIDE)
            note(tree, queries, far, leaf, g, bits[g] >> ABOVE, sums, OTHER_SIDE)


@inlined
def note(tree, queries, finds, leaf, g, passing, sums, side):
    """Keep the points of a leaf that pass. IN/OUT: queries, finds."""
    improved = False
    while passing != NONE:
        slot = first_bit(passing)
        passing &= passing - ONE
        value = side * sums[g, slot]
        if slot < tree.counts[leaf] and value <= limit_of(queries, g, side):
            at = finds.counts[g]
            finds.sums[g, at], finds.places[g, at] = value, leaf * LEAF + slot
            finds.counts[g] = at + 1
            improved |= enter(finds.best, g, value)
            if at + 1 == MOST:
                compute(tree, queries, finds, g, side)
    if improved:
        set_limit(tree, queries, g, finds.best[g, finds.best.shape[1] - 1], side)


@inlined
def limit_of(queries, g, side):
    """Return the limit for sums, with a minus for far points."""
    return queries.near_limits[g] if side > 0 else -queries.far_limits[g]


@inlined
def enter(best, g, value):
    """Let a sum enter the best; tells whether the last one has changed. IN/OUT: best."""
    at = best.shape[1] - 1
    if not value < best[g, at]:
        return False
    while at > 0 and best[g, at - 1] > value:
        best[g, at] = best[g, at - 1]
        at -= 1
    best[g, at] = value
    return True


@inlined
def set_limit(tree, queries, g, worst, side):
    """Let only sums pass that may belong to points as good as the worst of the best. IN/OUT: queries.

    The rounded points of the best are at most (far: at least) r away, and the points themselves are off by
    at most 4 u of their distance and of |a|, as `screen.py` says.
    """
    norm, scale, d = queries.norms[g], tree.scale[0], queries.points.shape[1]
    own, margin = queries.owns[g], queries.margins[g]
    if not (abs(worst) < OUTSIDE * OUTSIDE and norm < OUTSIDE):
        return
    if side > 0:
        r = np.sqrt(larger(worst + own + margin, 0.0)) * (1 + 4 * U) + 4 * U * norm
        limit = highest((r * scale) ** 2, scale, norm, d) - own + margin
        queries.near_limits[g] = np.float32(limit)
    else:
        r = np.sqrt(larger(own - worst - margin, 0.0)) * (1 - 4 * U) - 4 * U * norm
        limit = lowest((larger(r, 0.0) * scale) ** 2, scale, norm, d) - own - margin
        queries.far_limits[g] = np.float32(limit)


@inlined
def compute(tree, queries, finds, g, side):
    """Compute the points that have passed, and forget them. IN/OUT: finds."""
    distances, rows, point = finds.distances[g], finds.rows[g], queries.points[g]
    for i in range(finds.counts[g]):
        if finds.sums[g, i] <= limit_of(queries, g, side):
            leaf, slot = divmod(finds.places[g, i], LEAF)
            item = tree.items[leaf, slot]
            distance = side * square(tree.points, item, point)
            row = np.int64(tree.heads[item])
            while row >= 0 and offer(distance, row, distances, rows):
                row = tree.following[row]
    finds.counts[g] = 0
