"""Queries: a mixed record, or the centre of some, made ready to be compared with all others."""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.mixed.records import Sums, add_record, clear, has_many_slots


class Query(NamedTuple):
    """A record or the centre of some records, ready to be compared with all others.

    Attributes
    ----------
    sums : Sums
        Of the records, which must not change while the query is used.
    point : float64[d], known : bool[d + c]
        The means of the numbers, and which columns there are.
    slots : float64[slots], joint : float64[b, widest]
        What each category adds to a distance, by column and by block; not of columns of many slots.
    squares : float64[c]
        The sum of the squared shares of a column of many slots.
    own : int64[c]
        The slot of the one category of a column without a table; -1 where there may be several, or none.
    factors, addends : float64[p]
        By pattern, what the sum is multiplied by, and what is added.
    """

    sums: Sums
    point: np.ndarray
    known: np.ndarray
    slots: np.ndarray
    joint: np.ndarray
    squares: np.ndarray
    own: np.ndarray
    factors: np.ndarray
    addends: np.ndarray


@kernel
def new_query(mix, sums):
    """Return a query for the centre of the records of some sums, which has yet to be set."""
    d, c, patterns = mix.numbers.shape[0], mix.codes.shape[0], mix.known.shape[0]
    query = Query(
        sums,
        np.zeros(d),
        np.zeros(d + c, dtype=np.bool_),
        np.zeros(mix.starts[c]),
        np.zeros((mix.block_codes.shape[0], mix.widest)),
        np.zeros(c),
        np.full(c, -1, dtype=np.int64),
        np.empty(patterns),
        np.zeros(patterns),
    )
    query.factors[:] = 1.0
    return query


@borrowing
def set_to_row(mix, row, query):
    """Set the query to a record. OUT: query and its sums."""
    clear(mix, query.sums)
    add_record(mix, row, 1, query.sums)
    set_to_sums(mix, query)
    for j in range(query.own.size):
        if query.known[query.point.size + j] and mix.table_at[j] < 0:
            query.own[j] = mix.starts[j] + mix.codes[j, row]


@borrowing
def set_to_sums(mix, query):
    """Set the query to the centre of the records of its sums. OUT: query."""
    d, sums = query.point.size, query.sums
    query.own[:] = -1
    for j in range(query.known.size):
        query.known[j] = sums.present[j] > 0
        if j < d:
            query.point[j] = sums.totals[j] / sums.masses[j] if query.known[j] else 0.0
        elif not has_many_slots(mix, j - d):
            set_slots(mix, j - d, sums, query)
        elif query.known[j]:
            query.squares[j - d] = sums.squares[j - d] / (sums.masses[j] * sums.masses[j])
    for b in range(query.joint.shape[0]):
        if not has_many_slots(mix, mix.blocks[b]):
            set_joint(mix, b, query)
    if mix.blanks:
        set_factors(mix, query)


@borrowing
def set_slots(mix, column, sums, query):
    """Write what each category of a column adds to a distance. OUT: query.slots."""
    start, stop = mix.starts[column], mix.starts[column + 1]
    slots, counts = query.slots[start:stop], sums.counts[start:stop]
    j = query.point.size + column
    slots[:] = 0.0
    if not query.known[j]:
        return
    if mix.table_at[column] >= 0:
        by_table(mix, column, counts, sums.masses[j], slots)
        return
    squares = 0.0
    for a in range(counts.size):
        if counts[a] != 0.0:
            f = counts[a] / sums.masses[j]
            squares += f * f
    if mix.gower:
        slots[:] = mix.strengths[column]
    else:
        slots[:] = mix.strengths[column] * (0.5 * (1.0 + squares))
    for a in range(counts.size):
        if counts[a] != 0.0:  # most are 0 where there are very many categories
            f = counts[a] / sums.masses[j]
            if mix.gower:
                slots[a] = mix.strengths[column] * (1.0 - f)
            else:
                slots[a] = mix.strengths[column] * (0.5 * (1.0 - 2.0 * f + squares))
    clear_blank(mix, column, slots)


@borrowing
def by_table(mix, column, counts, mass, slots):
    """`set_slots` for a column with a table of distances. OUT: slots."""
    size, at = counts.size, mix.table_at[column]
    for b in range(size):
        if counts[b] != 0.0:
            f = counts[b] / mass
            for a in range(size):
                slots[a] += f * mix.tables[at + b * size + a]
    half = 0.0
    if not mix.gower:
        for a in range(size):
            half += counts[a] / mass * slots[a]
        half *= 0.5
    for a in range(size):
        slots[a] = larger(slots[a] - half, 0.0)
    clear_blank(mix, column, slots)


@borrowing
def clear_blank(mix, column, slots):
    """A blank adds nothing; it has the last slot of a column that has blanks. IN/OUT: slots."""
    if has_blanks(mix, column):
        slots[slots.size - 1] = 0.0


@borrowing
def has_blanks(mix, column):
    """Tell whether a record lacks a nominal column."""
    for p in range(mix.known.shape[0]):
        if not mix.known[p, mix.numbers.shape[0] + column]:
            return True
    return False


@inlined
def part_of(mix, query, column, code):
    """What a category of a column of many slots adds to a distance: the value that a table would have."""
    j = query.point.size + column
    f = query.sums.counts[mix.starts[column] + code] / query.sums.masses[j]
    if mix.gower:
        return mix.strengths[column] * (1.0 - f)
    return mix.strengths[column] * (0.5 * (1.0 - 2.0 * f + query.squares[column]))


@inlined
def most_of(mix, query, column):
    """The most that a category of a column of many slots can add to a distance."""
    if mix.gower:
        return mix.strengths[column]
    return mix.strengths[column] * (0.5 * (1.0 + query.squares[column]))


@borrowing
def set_joint(mix, block, query):
    """Write what each combination of a block's categories adds. OUT: query.joint."""
    joint = query.joint[block]
    size = 1
    joint[0] = 0.0
    for column in range(mix.blocks[block], mix.blocks[block + 1]):
        slots = query.slots[mix.starts[column] : mix.starts[column + 1]]
        for a in range(size - 1, -1, -1):  # from the end: joint[a] is read before it is replaced
            before = joint[a]
            for s in range(slots.size - 1, -1, -1):
                joint[a * slots.size + s] = before + slots[s]
        size *= slots.size


@borrowing
def set_factors(mix, query):
    """Write how sums over what is present become distances, by pattern. OUT: query."""
    for p in range(mix.known.shape[0]):
        common, lacking = 0.0, False
        for j in range(query.known.size):
            if query.known[j] and mix.known[p, j]:
                common += mix.shares[j]
            else:
                lacking = True
        query.factors[p], query.addends[p] = 1.0, 0.0
        if lacking and common > 0.0:
            query.factors[p] = 1.0 / common
        elif lacking:
            query.factors[p], query.addends[p] = 0.0, mix.apart


@borrowing
def distance_to(mix, row, query):
    """Distance of one record to the query, in the pool or not: the same sum in the same order."""
    d, total = query.point.size, 0.0
    pattern = mix.patterns[row]
    for j in range(d):
        if query.known[j] and mix.known[pattern, j]:
            t = mix.numbers[j, row] - query.point[j]
            total += abs(t) if mix.gower else t * t
    for b in range(mix.block_codes.shape[0]):
        column = mix.blocks[b]
        if not has_many_slots(mix, column):
            total += query.joint[b, mix.block_codes[b, row]]
        elif query.known[d + column] and mix.known[pattern, d + column]:
            total += part_of(mix, query, column, mix.codes[column, row])
    return total * query.factors[pattern] + query.addends[pattern]
