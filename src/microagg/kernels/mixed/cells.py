"""Cells: mixed records that agree on categories, cut into leaves of similar numbers."""

import numpy as np

from microagg.kernels.extremes import larger
from microagg.kernels.jit import borrowing, kernel
from microagg.kernels.order import pick, stable_order
from microagg.kernels.space.leaves import LEAF, cut

FREQUENT = 32
"""How many records of a cell must agree on a column to get a cell of their own."""

ROOM = 8
"""How many places, as a multiple of the records, a table of combinations may have."""


@kernel
def leaves_of(mix, rows):
    """Put records in the order of leaves, and return where each leaf starts, and m. IN/OUT: rows."""
    cells = cells_of(mix, rows)
    order = stable_order(cells, 1.0)
    points = np.zeros((rows.size, larger(mix.numbers.shape[0], 1)))
    for i in range(rows.size):
        for j in range(mix.numbers.shape[0]):
            points[i, j] = mix.numbers[j, rows[i]]
    starts, count, first = np.empty(rows.size + 1, dtype=np.int64), 0, 0
    while first < rows.size:
        stop = first + 1
        while stop < rows.size and cells[order[stop]] == cells[order[first]]:
            stop += 1
        n_leaves = (stop - first + LEAF - 1) // LEAF
        if n_leaves > 1:
            cut(points, order[first:stop], n_leaves)
        for leaf in range(n_leaves):
            starts[count] = first + leaf * LEAF
            count += 1
        first = stop
    starts[count] = rows.size
    rows[:] = pick(rows, order)
    return starts[: count + 1].copy()


@kernel
def cells_of(mix, rows):
    """The cell of each record, float64[m]: its pattern and its categories, as far as cells stay large.

    Columns whose categories are far apart and few come first: they part most at least cost.
    """
    worth = np.empty(mix.codes.shape[0])
    for j in range(worth.size):
        size = mix.starts[j + 1] - mix.starts[j]
        worth[j] = mean_distance(mix, j) / np.log2(larger(size, 2))
    cells, codes = np.zeros(rows.size, dtype=np.int64), np.empty(rows.size, dtype=np.int64)
    for i in range(rows.size):
        codes[i] = mix.patterns[rows[i]]
    n_cells = divided(cells, 1, codes, mix.known.shape[0])
    for j in stable_order(worth, -1.0):
        for i in range(rows.size):
            codes[i] = mix.codes[j, rows[i]]
        n_cells = divided(cells, n_cells, codes, mix.starts[j + 1] - mix.starts[j])
    return cells.astype(np.float64)


@kernel
def divided(cells, n_cells, codes, n_codes):
    """Divide cells by codes; those that are rare in a cell stay together. Returns how many there are.

    IN/OUT: cells, codes.
    """
    n_codes = 1 + renumbered(codes, n_codes)
    if n_cells * n_codes > ROOM * cells.size:
        return n_cells
    for i in range(cells.size):
        codes[i] += 1 + cells[i] * n_codes
    count = renumbered(codes, n_cells * n_codes)
    rest = np.full(n_cells, -1, dtype=np.int64)
    for i in range(cells.size):
        if codes[i] < 0:
            if rest[cells[i]] < 0:
                rest[cells[i]] = count
                count += 1
            codes[i] = rest[cells[i]]
        cells[i] = codes[i]
    return count


@kernel
def renumbered(codes, n_codes):
    """Number the frequent codes from 0, and return how many there are; rare ones become -1.

    IN/OUT: codes.
    """
    counts, count = np.zeros(n_codes, dtype=np.int64), 0
    for code in codes:
        counts[code] += 1
    for code in range(n_codes):
        if counts[code] >= FREQUENT:
            counts[code] = count
            count += 1
        else:
            counts[code] = -1
    for i in range(codes.size):
        codes[i] = counts[codes[i]]
    return count


@borrowing
def mean_distance(mix, column):
    """Return about how far different categories of a column are apart."""
    at, size = mix.table_at[column], mix.starts[column + 1] - mix.starts[column]
    if at < 0:
        return mix.strengths[column]
    total = 0.0
    for i in range(at, at + size * size):
        total += mix.tables[i]
    return total / (size * size)
