"""The nearest and second nearest records of many points, with how many records tie for each.

Squared Euclidean distance over some attributes plus one for each category that differs. Records lie
in tiles of neighbours with a bounding box each, so a tile that is too far is not looked at. The
distance to a box is rounded as the distances in it are, term by term and never larger, so nothing
is lost. Distances that are equal in arithmetic, such as those of neighbouring ages, differ in their
last bits: all are rounded to fewer bits before they are compared, so that ties are ties.
"""

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import inlined, kernel

TILE = 256
"""Records a tile: small enough for tight boxes, large enough for vector instructions."""

FARTHER_THAN_ALL = float(np.finfo(np.float64).max)
"""Stands for infinity, which the kernels' flags exclude."""


@kernel
def boxes(values, low, high):
    """Bounds of each tile of ``values`` float64[d, n]. OUT: low, high float64[tiles, d]."""
    d, n = values.shape
    for tile in range(low.shape[0]):
        start, stop = tile * TILE, smaller((tile + 1) * TILE, n)
        for j in range(d):
            least = most = values[j, start]
            for i in range(start + 1, stop):
                least = smaller(least, values[j, i])
                most = larger(most, values[j, i])
            low[tile, j] = least
            high[tile, j] = most


SPLIT = float(2**27 + 1)
"""Leaves 26 of the 53 bits of a number (Veltkamp): about eight digits."""


@inlined
def rounded(distance):
    """Return a distance with half of its bits; of two, the larger never becomes the smaller."""
    wide = SPLIT * distance
    return wide - (wide - distance)


@inlined
def box_distance(low, high, point, columns):
    """Squared distance of `point` to a box, over `columns` in order."""
    total = 0.0
    for j in columns:
        gap = larger(larger(low[j] - point[j], point[j] - high[j]), 0.0)
        total += gap * gap
    return rounded(total)


@kernel
def distances(values, codes, start, stop, point, point_codes, columns, code_columns, out):
    """Distances of records start..stop-1 to a point. OUT: out[0 .. stop-start-1]."""
    m = stop - start
    for i in range(m):
        out[i] = 0.0
    for j in columns:
        p = point[j]
        column = values[j, start:stop]
        for i in range(m):
            t = column[i] - p
            out[i] += t * t
    for j in code_columns:
        code = point_codes[j]
        words = codes[j, start:stop]
        for i in range(m):
            out[i] += 1.0 if words[i] != code else 0.0


@inlined
def note(distance, near, ties):
    """Take one distance into the two smallest so far. IN/OUT: near float64[2], ties int64[2]."""
    if distance < near[0]:
        near[1], ties[1] = near[0], ties[0]
        near[0], ties[0] = distance, 1
    elif distance == near[0]:
        ties[0] += 1
    elif distance < near[1]:
        near[1], ties[1] = distance, 1
    elif distance == near[1]:
        ties[1] += 1


@inlined
def two_below(near, ties, q, distance):
    """Tell whether two records that were noted for a point are nearer than a distance."""
    return near[q, 1] < distance or (near[q, 0] < distance and ties[q, 0] > 1)


@kernel
def two_nearest(
    values,
    codes,
    low,
    high,
    points,
    point_codes,
    home,
    reach,
    enough,
    columns,
    code_columns,
    near,
    ties,
    ticker,
):
    """Two smallest distances of each point to the records, and how many records have them.

    Parameters
    ----------
    values, codes : float64[d, n], int32[c, n]
        The records.
    low, high : float64[tiles, d]
        Bounds of each tile of records.
    points, point_codes : float64[m, d], int32[m, c]
        Whose nearest records are sought.
    home : int64[m]
        A tile that is likely near each point; it is looked at first.
    reach : float64[m]
        A distance within which each point has two records at least.
    enough : float64[m]
        The search for a point ends once two records are nearer than this: the two that are noted then
        need not be the nearest. Below 0, it never ends early.
    columns, code_columns : int64[...]
        The attributes that count.
    near, ties : OUT float64[m, 2], int64[m, 2]
        Where two or more records are nearest, the second place is left out: it does not matter.
    ticker : IN/OUT
        How many points are done, about: several threads may count at once. And whether to stop.
    """
    n = values.shape[1] if values.shape[0] else codes.shape[1]
    out = np.empty(TILE)
    for q in range(points.shape[0]):
        if ticker[1]:
            return
        near[q, :] = FARTHER_THAN_ALL
        ties[q, :] = 0
        for step in range(low.shape[0] + 1):
            tile = home[q] if step == 0 else step - 1
            if step > 0 and tile == home[q]:
                continue
            bound = smaller(near[q, 0] if ties[q, 0] > 1 else near[q, 1], reach[q])
            if box_distance(low[tile], high[tile], points[q], columns) > bound:
                continue
            start, stop = tile * TILE, smaller((tile + 1) * TILE, n)
            distances(
                values, codes, start, stop, points[q], point_codes[q], columns, code_columns, out
            )
            least = FARTHER_THAN_ALL
            for i in range(stop - start):
                out[i] = rounded(out[i])
                least = smaller(least, out[i])
            if least <= bound:
                for i in range(stop - start):
                    note(out[i], near[q], ties[q])
                if two_below(near, ties, q, enough[q]):
                    break
        if ties[q, 0] > 1:
            near[q, 1], ties[q, 1] = FARTHER_THAN_ALL, 0
        ticker[0] += 1


@kernel
def own_distances(
    values, codes, points, point_codes, point_of, columns, code_columns, out, reach, least
):
    """Distance of each record to its own point, rounded as above, and the two smallest of each point.

    OUT: out float64[n]; least float64[m], the smallest; reach float64[m], the second smallest, farther
    than all where a point has one record.
    """
    for q in range(reach.size):
        reach[q] = least[q] = FARTHER_THAN_ALL
    for i in range(point_of.size):
        q = point_of[i]
        total = 0.0
        for j in columns:
            t = values[j, i] - points[q, j]
            total += t * t
        for j in code_columns:
            total += 1.0 if codes[j, i] != point_codes[q, j] else 0.0
        out[i] = rounded(total)
        reach[q] = smaller(reach[q], larger(least[q], out[i]))
        least[q] = smaller(least[q], out[i])
