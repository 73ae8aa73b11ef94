"""The nearest rows seen so far: a sorted list, or a heap with the farthest on top where they are many.

Rows are ordered by distance, then by number. Places that are not filled yet have the row -1 and come
after all others.
"""

import numpy as np

from microagg.kernels.jit import borrowing, inlined

MOST_SORTED = 64
"""A sorted list has so many places at most: a row that enters it moves all behind it."""


@inlined
def farthest_place(near_rows):
    """Where the farthest of the rows stands."""
    return 0 if near_rows.size > MOST_SORTED else near_rows.size - 1


@borrowing
def offer(distance, row, near_distances, near_rows):
    """Let a row enter, if it belongs among the nearest; tells whether it did. IN/OUT: the list."""
    size = near_rows.size
    if size == 0:
        return False
    top = farthest_place(near_rows)
    if not comes_after(near_distances[top], near_rows[top], distance, row):
        return False
    if size > MOST_SORTED:
        sink(distance, row, near_distances, near_rows, size)
        return True
    at = size - 1
    while at > 0 and comes_after(near_distances[at - 1], near_rows[at - 1], distance, row):
        near_distances[at], near_rows[at] = near_distances[at - 1], near_rows[at - 1]
        at -= 1
    near_distances[at], near_rows[at] = distance, row
    return True


@inlined
def comes_after(distance, row, other_distance, other_row):
    """Tell whether one entry comes after another; -1 is the largest number without a sign."""
    return distance > other_distance or (
        distance == other_distance and np.uint64(row) > np.uint64(other_row)
    )


@borrowing
def sink(distance, row, near_distances, near_rows, size):
    """Put an entry on top of a heap of some size in place of the one there. IN/OUT: the heap."""
    place = 0
    while 2 * place + 1 < size:
        below = 2 * place + 1
        if below + 1 < size and comes_after(
            near_distances[below + 1], near_rows[below + 1], near_distances[below], near_rows[below]
        ):
            below += 1
        if not comes_after(near_distances[below], near_rows[below], distance, row):
            break
        near_distances[place], near_rows[place] = near_distances[below], near_rows[below]
        place = below
    near_distances[place], near_rows[place] = distance, row


@borrowing
def sort_nearest(near_distances, near_rows):
    """Put the nearest first, where they are a heap. IN/OUT: both."""
    if near_rows.size <= MOST_SORTED:
        return
    for last in range(near_rows.size - 1, 0, -1):
        distance, row = near_distances[last], near_rows[last]
        near_distances[last], near_rows[last] = near_distances[0], near_rows[0]
        sink(distance, row, near_distances, near_rows, last)
