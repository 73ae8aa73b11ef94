"""Margins: what can be passed over by sums in single precision, without ever missing a point.

Leaves and boxes are screened in single precision (u = 2^-24), about the centre c and by the scale
s. With a = (p - c) / s for the point p that is asked about and D the squared distance of a
point to it, divided by s^2, the distance r of the two rounded points obeys

    sqrt(D) (1 - 2u) - 3u |a|  <=  r  <=  sqrt(D) (1 + 2u) + 3u |a|

because rounding moves either by at most u of its distance to the centre, and the other point is at
most |a| + sqrt(D) from the centre. The sum of squares that is computed for r^2 is off by at most
d + 4 times u. So a point can be passed over once that sum is beyond the limits below. A box is
bounded by sums in the same order: rounding keeps order, so no point in it can have less. What is
not passed over is computed in double precision from the points themselves.
"""

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import inlined
from microagg.kernels.space.lanes import near_leaf
from microagg.kernels.space.scan import FARTHER_THAN_ALL

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
        square += smaller(a * a, FARTHER_THAN_ALL / point.size)
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
    r = np.sqrt(larger(distance - UNDERFLOW, 0.0)) / scale * (1 - 4 * U) - 4 * U * norm
    if not (r > 0 and norm < OUTSIDE):
        return -ANY
    return np.float32((r * r * (1 - (d + 8) * U) - TINY) * (1 - 4 * U))


@inlined
def screen_leaf(tiles, leaf, q, out):
    """Squared distances of a leaf in single precision. OUT: out float32[at least LEAF]."""
    near_leaf(tiles, leaf, q, ANY, out)


@inlined
def screen_boxes(lows, highs, block, m, q, out):
    """Squared distances to the first m boxes of a block. OUT: out."""
    for i in range(m):
        out[i] = ZERO
    for j in range(q.size):
        p = q[j]
        for i in range(m):
            gap = larger(larger(lows[block, j, i] - p, p - highs[block, j, i]), ZERO)
            out[i] += gap * gap


@inlined
def screen_reach(lows, highs, norms, block, m, opposite, square, out):
    """How far from q a point of each box of a block can be. OUT: out.

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


@inlined
def least(values, m):
    """Least of the first m values."""
    low = values[0]
    for i in range(m):
        low = smaller(low, values[i])
    return low


@inlined
def most(values, m):
    """Largest of the first m values."""
    high = values[0]
    for i in range(m):
        high = larger(high, values[i])
    return high


@inlined
def least_of(values, m):
    """Where the least of the first m values stands."""
    low, at = least(values, m), 0
    while at < m - 1 and values[at] > low:
        at += 1
    return at


@inlined
def largest_of(values, m):
    """Where the largest of the first m values stands."""
    high, at = most(values, m), 0
    while at < m - 1 and values[at] < high:
        at += 1
    return at
