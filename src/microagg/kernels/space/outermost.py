"""The point farthest from a centre that moves, by an order made when the centre was elsewhere.

A point is at most as far from the centre now as it was from the centre then, plus the way the
centre has gone. So only the first few in the old order can be farthest now. The order is made anew
when looking at these has cost as much.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.space.queue import Queue, change_key, order_all

ROUNDING = 2.0**-50
"""Per attribute, more than what rounding does to a distance, as a share of what goes into it."""

UNDERFLOW = 1e-150
"""More than what underflow does to a distance."""

PATIENCE = 1.0
"""The order is made anew when so many points have been looked at for each one there is."""


class Outermost(NamedTuple):
    """Points by their distance to a former centre.

    Attributes
    ----------
    queue : Queue
        The points left, farthest first.
    centre : float64[d]
        The centre at the time.
    places : int64[n]
        Room for the places of the queue that are looked at.
    looks : int64[1]
        How many have been looked at since the order was made.
    """

    queue: Queue
    centre: np.ndarray
    places: np.ndarray
    looks: np.ndarray


@kernel
def new_outermost(n, d):
    """Return room for n points, none of them there; `enter` brings them in."""
    empty = Queue(
        np.empty(n), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.zeros(1, np.int64)
    )
    return Outermost(empty, np.empty(d), np.empty(n, dtype=np.int64), np.zeros(1, np.int64))


@kernel
def enter(outer, points, rows, centre):
    """Make an order of `rows` of `points`, float64[n, d]. OUT: outer."""
    outer.queue.size[0] = rows.size
    for place in range(rows.size):
        outer.queue.rows[place] = rows[place]
        outer.queue.places[rows[place]] = place
    order_about(outer, points, centre)


@kernel
def order_about(outer, points, centre):
    """Order the points left by their distance to `centre`. IN/OUT: outer."""
    queue = outer.queue
    outer.centre[:] = centre
    outer.looks[0] = 0
    for place in range(queue.size[0]):
        queue.keys[place] = np.sqrt(square(points, queue.rows[place], centre))
    order_all(queue)


@inlined
def square(points, row, centre):
    """Squared distance of a point, rounded as every kernel does."""
    total = 0.0
    for j in range(centre.size):
        t = points[row, j] - centre[j]
        total += t * t
    return total


@borrowing
def point_moved(outer, points, row):
    """Put a point where it belongs now. IN/OUT: outer."""
    change_key(outer.queue, row, np.sqrt(square(points, row, outer.centre)))


@kernel
def candidates(outer, points, centre, spare):
    """Rows that may be farthest from `centre`; the first is likely to be.

    None that is left out has a squared distance as large as that of the first less `spare`.
    IN/OUT: outer.
    """
    queue, places = outer.queue, outer.places
    if outer.looks[0] > PATIENCE * queue.size[0]:
        order_about(outer, points, centre)
    radius = np.sqrt(larger(square(points, queue.rows[0], centre) - spare, 0.0))
    way = np.sqrt(square(outer.centre.reshape(1, -1), 0, centre))
    least = radius - way - (radius + way) * (centre.size + 8) * ROUNDING - UNDERFLOW
    places[0] = 0
    count, at = 1, 0
    while at < count:
        for below in range(2 * places[at] + 1, smaller(2 * places[at] + 3, queue.size[0])):
            if queue.keys[below] >= least:
                places[count] = below
                count += 1
        at += 1
    outer.looks[0] += count
    for i in range(count):
        places[i] = queue.rows[places[i]]
    return places[:count]
