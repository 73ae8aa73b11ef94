"""Records of numbers and categories, with blanks and weights, and their sums.

The distance is the squared one of an embedding (numbers as they are, each category a corner, or a
point by a table of distances), but categories stay codes: what a column adds to the distance of a
record to a query depends on the record's code alone, so it is looked up in a table that is made
once for each query. Columns with few codes share one table of all their combinations (a block).

Over what is present, with f_a the share of category a in the query (1 and 0 for a single record):

    number      (x - mean)^2                                  Gower: |x - mean|
    category a  strength / 2 (1 - 2 f_a + sum_b f_b^2)        Gower: strength (1 - f_a)
    by a table  sum_b f_b T_ab - 1/2 sum_bc f_b f_c T_bc      Gower: sum_b f_b T_ab

the sum is divided by the share of the columns' weights that record and query both have; where they
have nothing in common the distance is `apart`.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.jit import borrowing, inlined, kernel

MANY_SLOTS = 1024
"""Columns of more categories have no table by category: writing one for each query would take longer than
all distances to it. What they add is computed from the sums of the query."""

TOUCHED = 2048
"""Slots of such columns that are noted as changed; of more, all are cleared."""


class Mixture(NamedTuple):
    """Records as the kernels see them. Columns are the d numbers, then the c categories.

    Attributes
    ----------
    numbers : float64[d, n]
        Scaled and weighted; 0 where blank.
    mask_at : int64[d], masks : float64[., n]
        Which row of `masks` tells 1 where the number is present; -1 for a column without blanks.
    codes : int32[c, n]
        The category of each record; the last slot of the column where blank.
    starts : int64[c + 1]
        Where the slots of each column start in a table of all columns.
    strengths : float64[c]
        What two different categories add to a distance.
    tables : float64[.], table_at : int64[c]
        Distances between the slots of a column, row by row, and where they start; -1 for none.
    weights : float64[n]
        Of the records.
    patterns : int32[n], known : bool[p, d + c]
        Which pattern of present columns each record has, and the patterns.
    blanks : bool
        Whether a record lacks a column at all.
    shares : float64[d + c]
        The weight of each column in the distance, 1 together.
    blocks : int64[b + 1], block_codes : int32[b, n], widest : int
        The first column of each block, the joint codes, and the size of the largest joint table.
    gower : bool
        Whether distances are Gower's.
    apart : float
        The distance of records that have no column in common.
    """

    numbers: np.ndarray
    mask_at: np.ndarray
    masks: np.ndarray
    codes: np.ndarray
    starts: np.ndarray
    strengths: np.ndarray
    tables: np.ndarray
    table_at: np.ndarray
    weights: np.ndarray
    patterns: np.ndarray
    known: np.ndarray
    blanks: bool
    shares: np.ndarray
    blocks: np.ndarray
    block_codes: np.ndarray
    widest: int
    gower: bool
    apart: float


class Sums(NamedTuple):
    """What some records have together: enough for their mean and their shares of categories.

    Attributes
    ----------
    totals : float64[d], counts : float64[slots]
        Weighted sums of the numbers, and weights of the categories.
    masses : float64[d + c], present : int64[d + c]
        Weight and number of the records that have the column.
    squares : float64[c]
        Of a column of many slots, the sum of the squares of `counts`.
    touched : int64[TOUCHED], n_touched : int64[1]
        The slots of such columns that may not be 0, and how often one was noted or would have been.
    """

    totals: np.ndarray
    counts: np.ndarray
    masses: np.ndarray
    present: np.ndarray
    squares: np.ndarray
    touched: np.ndarray
    n_touched: np.ndarray


@inlined
def has_many_slots(mix, column):
    """Tell whether a nominal column has too many categories for a table of what each adds."""
    return mix.table_at[column] < 0 and mix.starts[column + 1] - mix.starts[column] > MANY_SLOTS


@kernel
def new_sums(mix):
    """Return the sums of no record."""
    d, c = mix.numbers.shape[0], mix.codes.shape[0]
    return Sums(
        np.zeros(d),
        np.zeros(mix.starts[c]),
        np.zeros(d + c),
        np.zeros(d + c, dtype=np.int64),
        np.zeros(c),
        np.empty(TOUCHED, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )


@borrowing
def add_record(mix, row, sign, sums):
    """Add a record to the sums, or take it away with sign -1. IN/OUT: sums."""
    d = mix.numbers.shape[0]
    known = mix.known[mix.patterns[row]]
    weight = sign * mix.weights[row]
    for j in range(known.size):
        if known[j]:
            sums.masses[j] += weight
            sums.present[j] += sign
            if j < d:
                sums.totals[j] += weight * mix.numbers[j, row]
            else:
                slot = mix.starts[j - d] + mix.codes[j - d, row]
                if has_many_slots(mix, j - d):
                    note_change(sums, j - d, slot, weight)
                sums.counts[slot] += weight


@inlined
def note_change(sums, column, slot, weight):
    """Keep the squares and the touched slots of a column of many slots. IN/OUT: sums."""
    sums.squares[column] += weight * (2.0 * sums.counts[slot] + weight)
    if sums.n_touched[0] < TOUCHED:
        sums.touched[sums.n_touched[0]] = slot
    sums.n_touched[0] += 1


@borrowing
def clear(mix, sums):
    """Make the sums those of no record. OUT: sums."""
    sums.totals[:] = 0.0
    sums.masses[:] = 0.0
    sums.present[:] = 0
    sums.squares[:] = 0.0
    if sums.n_touched[0] > TOUCHED:
        sums.counts[:] = 0.0
    else:
        for column in range(mix.codes.shape[0]):
            if not has_many_slots(mix, column):
                sums.counts[mix.starts[column] : mix.starts[column + 1]] = 0.0
        for i in range(sums.n_touched[0]):
            sums.counts[sums.touched[i]] = 0.0
    sums.n_touched[0] = 0
