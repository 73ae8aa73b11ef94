"""Scans of the mixed records that are not yet grouped: the nearest and the farthest to a query."""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.mixed.records import Sums, add_record, new_sums
from microagg.kernels.space.scan import FARTHER_THAN_ALL, TILE, farthest_in_tile, insert


class MixedPool(NamedTuple):
    """Records not yet grouped, packed at the front as in `pool.Pool`; `sums` is theirs."""

    numbers: np.ndarray
    masks: np.ndarray
    block_codes: np.ndarray
    patterns: np.ndarray
    rows: np.ndarray
    places: np.ndarray
    left: np.ndarray
    sums: Sums


@kernel
def new_mixed_pool(mix):
    """Return a pool of all records; the mixture stays untouched."""
    n = mix.numbers.shape[1]
    sums = new_sums(mix)
    for row in range(n):
        add_record(mix, row, 1, sums)
    left = np.full(1, n, dtype=np.int64)
    return MixedPool(
        mix.numbers.copy(),
        mix.masks.copy(),
        mix.block_codes.copy(),
        mix.patterns.copy(),
        np.arange(n),
        np.arange(n),
        left,
        sums,
    )


@borrowing
def take_out(mix, pool, row):
    """Take `row` out of the pool; the last record moves to its place. IN/OUT: pool."""
    add_record(mix, row, -1, pool.sums)
    place, last = pool.places[row], pool.left[0] - 1
    moved = pool.rows[last]
    for j in range(pool.numbers.shape[0]):
        pool.numbers[j, place] = pool.numbers[j, last]
    for j in range(pool.masks.shape[0]):
        pool.masks[j, place] = pool.masks[j, last]
    for b in range(pool.block_codes.shape[0]):
        pool.block_codes[b, place] = pool.block_codes[b, last]
    pool.patterns[place] = pool.patterns[last]
    pool.rows[place], pool.rows[last] = moved, row
    pool.places[moved], pool.places[row] = place, last
    pool.left[0] = last


@inlined
def add_numbers(values, point, gower, out):
    """Add what a column of numbers without blanks contributes. IN/OUT: out."""
    if gower:
        for i in range(values.size):
            out[i] += abs(values[i] - point)
    else:
        for i in range(values.size):
            t = values[i] - point
            out[i] += t * t


@inlined
def add_masked(values, mask, point, gower, out):
    """Add what a column of numbers contributes where it is present. IN/OUT: out."""
    if gower:
        for i in range(values.size):
            out[i] += abs((values[i] - point) * mask[i])
    else:
        for i in range(values.size):
            t = (values[i] - point) * mask[i]
            out[i] += t * t


@borrowing
def mixed_distances(mix, pool, start, stop, query, out):
    """Distances of positions start..stop-1 to the query. OUT: out[0 .. stop-start-1]."""
    m = stop - start
    for i in range(m):
        out[i] = 0.0
    for j in range(query.point.size):
        if not query.known[j]:
            continue
        values, mask = pool.numbers[j, start:stop], mix.mask_at[j]
        if mask < 0:
            add_numbers(values, query.point[j], mix.gower, out)
        else:
            add_masked(values, pool.masks[mask, start:stop], query.point[j], mix.gower, out)
    for b in range(pool.block_codes.shape[0]):
        joint, codes = query.joint[b], pool.block_codes[b, start:stop]
        for i in range(m):
            out[i] += joint[codes[i]]
    if mix.known.shape[0] > 1 or not mix.known.all():
        patterns = pool.patterns[start:stop]
        for i in range(m):
            out[i] = out[i] * query.factors[patterns[i]] + query.addends[patterns[i]]


@kernel
def nearest_mixed(mix, pool, query, near_distances, near_rows):
    """Find the m = near_rows.size records left that are nearest to the query, nearest first.

    OUT: near_distances float64[m], near_rows int64[m]; rows are -1 where fewer are left.
    Returns the row of the farthest record, or -1 when none is left.
    """
    distances = np.empty(TILE)
    near_distances[:] = FARTHER_THAN_ALL
    near_rows[:] = -1
    m = near_rows.size
    best, best_row = -1.0, np.int64(-1)
    for start in range(0, pool.left[0], TILE):
        stop = smaller(start + TILE, pool.left[0])
        mixed_distances(mix, pool, start, stop, query, distances)
        low = top = distances[0]
        for i in range(1, stop - start):
            low = smaller(low, distances[i])
            top = larger(top, distances[i])
        if m > 0 and low <= near_distances[m - 1]:
            for i in range(stop - start):
                if distances[i] <= near_distances[m - 1]:
                    insert(distances[i], pool.rows[start + i], near_distances, near_rows)
        if top >= best:
            best, best_row = farthest_in_tile(pool, start, stop, distances, top, best, best_row)
    return best_row


@kernel
def farthest_mixed(mix, pool, query):
    """Row of the record left that is farthest from the query, or -1 when none is left."""
    return nearest_mixed(mix, pool, query, np.empty(0), np.empty(0, dtype=np.int64))
