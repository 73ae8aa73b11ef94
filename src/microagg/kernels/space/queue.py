"""Records in order of a key that may change: a heap, largest key first, ties to the lowest row."""

from typing import NamedTuple

import numpy as np

from microagg.kernels.jit import borrowing, inlined, kernel


class Queue(NamedTuple):
    """A binary heap that knows where each record stands.

    Attributes
    ----------
    keys : float64[n], rows : int64[n]
        The heap: place i comes before places 2i+1 and 2i+2.
    places : int64[n]
        The place of each row; -1 when it has left.
    size : int64[1]
        How many rows there are.
    """

    keys: np.ndarray
    rows: np.ndarray
    places: np.ndarray
    size: np.ndarray


@kernel
def new_queue(keys):
    """Return a queue of all rows by their keys, float64[n], which stay untouched."""
    n = keys.size
    queue = Queue(keys.copy(), np.arange(n), np.arange(n), np.full(1, n, dtype=np.int64))
    order_all(queue)
    return queue


@kernel
def order_all(queue):
    """Put all rows in order after their keys have been written anew. IN/OUT: queue."""
    for place in range(queue.size[0] // 2 - 1, -1, -1):
        sink(queue, place)


@inlined
def precedes(key, row, other_key, other_row):
    """Tell whether one entry comes before another."""
    return key > other_key or (key == other_key and row < other_row)


@inlined
def put(queue, place, key, row):
    """Write an entry to a place. IN/OUT: queue."""
    queue.keys[place], queue.rows[place], queue.places[row] = key, row, place


@borrowing
def sink(queue, place):
    """Let an entry go down until those below it come after it. IN/OUT: queue."""
    key, row, size = queue.keys[place], queue.rows[place], queue.size[0]
    while 2 * place + 1 < size:
        below = 2 * place + 1
        if below + 1 < size and precedes(
            queue.keys[below + 1], queue.rows[below + 1], queue.keys[below], queue.rows[below]
        ):
            below += 1
        if not precedes(queue.keys[below], queue.rows[below], key, row):
            break
        put(queue, place, queue.keys[below], queue.rows[below])
        place = below
    put(queue, place, key, row)


@borrowing
def rise(queue, place):
    """Let an entry go up until the one above it comes before it. IN/OUT: queue."""
    key, row = queue.keys[place], queue.rows[place]
    while place > 0:
        above = (place - 1) // 2
        if not precedes(key, row, queue.keys[above], queue.rows[above]):
            break
        put(queue, place, queue.keys[above], queue.rows[above])
        place = above
    put(queue, place, key, row)


@borrowing
def change_key(queue, row, key):
    """Give a row another key. IN/OUT: queue."""
    place = queue.places[row]
    queue.keys[place] = key
    sink(queue, place)
    rise(queue, queue.places[row])


@borrowing
def drop(queue, row):
    """Take a row out. IN/OUT: queue."""
    place, last = queue.places[row], queue.size[0] - 1
    queue.size[0] = last
    queue.places[row] = -1
    if place < last:
        moved = queue.rows[last]
        put(queue, place, queue.keys[last], moved)
        sink(queue, place)
        rise(queue, queue.places[moved])
