"""The mixed records that are not yet grouped, in leaves of similar ones.

The records of a leaf have the same categories in most columns, and a box around their numbers.
`leaf_bounds.py` turns both into bounds on distances, so that most leaves are never looked at.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, kernel
from microagg.kernels.mixed.cells import leaves_of
from microagg.kernels.mixed.records import Sums, add_record, new_sums
from microagg.kernels.space.leaves import LEAF

ANYWHERE = 1e100
"""The end of a box around numbers of which some are missing; its square is finite."""


class MixedPool(NamedTuple):
    """Records not yet grouped. Those of a leaf stand at its start; behind them are those that left.

    Attributes
    ----------
    numbers, masks, block_codes, patterns
        As those of the mixture, by place.
    rows, places, leaves : int64[n]
        The record in each place, the place of each record, and the leaf of each place.
    starts : int64[m + 1], counts : int64[m]
        Where each leaf starts, and how many records are left in it.
    lows, highs : float64[d, m], radii : float64[m]
        The box around the numbers of each leaf, and their largest distance to `centre`.
    slots : int64[c, m]
        The slot of the category of all records of a leaf; one behind all slots where there are several.
    holders : int64[c * n], holder_starts : int64[slots + 1]
        For each slot, the leaves of several categories that have it, one slot after the other.
    pure : bool[b, m]
        Whether all records of a leaf have the same joint code.
    shared : int64[m]
        The pattern of all records of a leaf, -1 where there are several.
    centre : float64[d]
        The mean of the numbers when the leaves were cut.
    bounds, distances, ends : float64[m], float64[LEAF], float64[slots + c]
        Room to work in.
    sizes : int64[3]
        How many records are left, how many there were when leaves were cut, and how many leaves.
    sums : Sums
        Those of the records left.
    """

    numbers: np.ndarray
    masks: np.ndarray
    block_codes: np.ndarray
    patterns: np.ndarray
    rows: np.ndarray
    places: np.ndarray
    leaves: np.ndarray
    starts: np.ndarray
    counts: np.ndarray
    lows: np.ndarray
    highs: np.ndarray
    radii: np.ndarray
    slots: np.ndarray
    holders: np.ndarray
    holder_starts: np.ndarray
    pure: np.ndarray
    shared: np.ndarray
    centre: np.ndarray
    bounds: np.ndarray
    distances: np.ndarray
    ends: np.ndarray
    sizes: np.ndarray
    sums: Sums


@kernel
def new_mixed_pool(mix):
    """Return a pool of all records; the mixture stays untouched."""
    d, n = mix.numbers.shape
    c = mix.codes.shape[0]
    sums = new_sums(mix)
    for row in range(n):
        add_record(mix, row, 1, sums)
    rows = np.arange(n)
    starts = leaves_of(mix, rows)
    m = starts.size - 1
    pool = MixedPool(
        np.empty((d, n)),
        np.empty((mix.masks.shape[0], n)),
        np.empty((mix.block_codes.shape[0], n), dtype=np.int32),
        np.empty(n, dtype=np.int32),
        np.empty(n, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.empty(n, dtype=np.int64),
        np.empty(m + 1, dtype=np.int64),
        np.empty(m, dtype=np.int64),
        np.empty((d, m)),
        np.empty((d, m)),
        np.empty(m),
        np.empty((c, m), dtype=np.int64),
        np.empty(c * n, dtype=np.int64),
        np.empty(mix.starts[c] + 1, dtype=np.int64),
        np.empty((mix.block_codes.shape[0], m), dtype=np.bool_),
        np.empty(m, dtype=np.int64),
        np.zeros(d),
        np.empty(m),
        np.empty(LEAF),
        np.empty(mix.starts[c] + c),
        np.zeros(3, dtype=np.int64),
        sums,
    )
    fill_leaves(mix, pool, rows, starts)
    return pool


@kernel
def cut_again(mix, pool):
    """Cut the records that are left into new leaves, if there is room for these. IN/OUT: pool."""
    rows, count = np.empty(pool.sizes[0], dtype=np.int64), 0
    for leaf in range(pool.sizes[2]):
        first = pool.starts[leaf]
        for place in range(first, first + pool.counts[leaf]):
            rows[count] = pool.rows[place]
            count += 1
    starts = leaves_of(mix, rows)
    if starts.size <= pool.starts.size:
        fill_leaves(mix, pool, rows, starts)
    else:
        pool.sizes[1] = rows.size  # half as many must be left before this is tried again


@kernel
def fill_leaves(mix, pool, rows, starts):
    """Put records into leaves that start at `starts`. OUT: pool."""
    n_leaves = starts.size - 1
    pool.sizes[0], pool.sizes[1], pool.sizes[2] = rows.size, rows.size, n_leaves
    pool.starts[: starts.size] = starts
    for place in range(rows.size):
        row = rows[place]
        pool.rows[place], pool.places[row] = row, place
        for j in range(pool.numbers.shape[0]):
            pool.numbers[j, place] = mix.numbers[j, row]
        for j in range(pool.masks.shape[0]):
            pool.masks[j, place] = mix.masks[j, row]
        for b in range(pool.block_codes.shape[0]):
            pool.block_codes[b, place] = mix.block_codes[b, row]
        pool.patterns[place] = mix.patterns[row]
    for j in range(pool.centre.size):
        pool.centre[j] = np.sum(pool.numbers[j, : rows.size]) / larger(rows.size, 1)
    for leaf in range(n_leaves):
        pool.leaves[starts[leaf] : starts[leaf + 1]] = leaf
        pool.counts[leaf] = starts[leaf + 1] - starts[leaf]
        note_categories(mix, pool, leaf)
        bound_numbers(mix, pool, leaf)
    list_holders(mix, pool)


@kernel
def list_holders(mix, pool):
    """List the leaves of several categories by what they have. OUT: pool.holders, pool.holder_starts."""
    starts = pool.holder_starts
    starts[:] = 0
    visit_holders(mix, pool, True)
    for slot in range(1, starts.size):
        starts[slot] += starts[slot - 1]
    visit_holders(mix, pool, False)


@kernel
def visit_holders(mix, pool, is_counted):
    """Count the leaves of each slot, or list them from the end of its list. IN/OUT: pool.holder_starts."""
    c, starts = pool.slots.shape[0], pool.holder_starts
    latest = np.full(starts.size, -1, dtype=np.int64)
    for leaf in range(pool.sizes[2]):
        for j in range(c):
            if pool.slots[j, leaf] < mix.starts[c]:
                continue
            for place in range(pool.starts[leaf], pool.starts[leaf + 1]):
                slot = mix.starts[j] + mix.codes[j, pool.rows[place]]
                if latest[slot] != leaf:
                    latest[slot] = leaf
                    if is_counted:
                        starts[slot] += 1
                    else:
                        starts[slot] -= 1
                        pool.holders[starts[slot]] = leaf


@borrowing
def note_categories(mix, pool, leaf):
    """Note what all records of a leaf have in common. OUT: pool.shared, pool.slots."""
    first, stop = pool.starts[leaf], pool.starts[leaf + 1]
    pool.shared[leaf] = pool.patterns[first]
    for place in range(first + 1, stop):
        if pool.patterns[place] != pool.patterns[first]:
            pool.shared[leaf] = -1
    for b in range(pool.pure.shape[0]):
        pool.pure[b, leaf] = True
        for place in range(first + 1, stop):
            if pool.block_codes[b, place] != pool.block_codes[b, first]:
                pool.pure[b, leaf] = False
    c = pool.slots.shape[0]
    for j in range(c):
        code = mix.codes[j, pool.rows[first]]
        pool.slots[j, leaf] = mix.starts[j] + code
        for place in range(first + 1, stop):
            if mix.codes[j, pool.rows[place]] != code:
                pool.slots[j, leaf] = mix.starts[c] + j


@borrowing
def bound_numbers(mix, pool, leaf):
    """Bound the numbers that are left in a leaf. OUT: pool."""
    first, count = pool.starts[leaf], pool.counts[leaf]
    if count == 0:
        return
    pattern = pool.shared[leaf]
    squares = pool.distances
    for i in range(count):
        squares[i] = 0.0
    for j in range(pool.numbers.shape[0]):
        if mix.mask_at[j] >= 0 and (pattern < 0 or not mix.known[pattern, j]):
            pool.lows[j, leaf], pool.highs[j, leaf] = -ANYWHERE, ANYWHERE
            continue
        values, centre = pool.numbers[j, first : first + count], pool.centre[j]
        low = high = values[0]
        for i in range(count):
            low, high = smaller(low, values[i]), larger(high, values[i])
            t = values[i] - centre
            squares[i] += t * t
        pool.lows[j, leaf], pool.highs[j, leaf] = low, high
    square = squares[0]
    for i in range(count):
        square = larger(square, squares[i])
    pool.radii[leaf] = np.sqrt(square)


@borrowing
def take_out(mix, pool, row):
    """Take `row` out of the pool; the last record of its leaf moves to its place. IN/OUT: pool."""
    add_record(mix, row, -1, pool.sums)
    place = pool.places[row]
    leaf = pool.leaves[place]
    last = pool.starts[leaf] + pool.counts[leaf] - 1
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
    pool.counts[leaf] -= 1
    pool.sizes[0] -= 1
    bound_numbers(mix, pool, leaf)
