"""Records of numbers and categories, with blanks and weights: sums, queries and scans.

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

from microagg.kernels.jit import inlined, kernel
from microagg.kernels.scan import FARTHER_THAN_ALL, TILE, farthest_in_tile, insert


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
    """

    totals: np.ndarray
    counts: np.ndarray
    masses: np.ndarray
    present: np.ndarray


class Query(NamedTuple):
    """A record or the centre of some records, ready to be compared with all others.

    Attributes
    ----------
    point : float64[d], known : bool[d + c]
        The means of the numbers, and which columns there are.
    slots : float64[slots], joint : float64[b, widest]
        What each category adds to a distance, by column and by block.
    factors, addends : float64[p]
        By pattern, what the sum is multiplied by, and what is added.
    """

    point: np.ndarray
    known: np.ndarray
    slots: np.ndarray
    joint: np.ndarray
    factors: np.ndarray
    addends: np.ndarray


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
def new_sums(mix):
    """Return the sums of no record."""
    d, c = mix.numbers.shape[0], mix.codes.shape[0]
    counts = np.zeros(mix.starts[c])
    return Sums(np.zeros(d), counts, np.zeros(d + c), np.zeros(d + c, dtype=np.int64))


@kernel
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
                sums.counts[mix.starts[j - d] + mix.codes[j - d, row]] += weight


@kernel
def clear(sums):
    """Make the sums those of no record. OUT: sums."""
    sums.totals[:] = 0.0
    sums.counts[:] = 0.0
    sums.masses[:] = 0.0
    sums.present[:] = 0


@kernel
def new_query(mix):
    """Return a query that has yet to be set."""
    d, c = mix.numbers.shape[0], mix.codes.shape[0]
    joint = np.zeros((mix.block_codes.shape[0], mix.widest))
    patterns = mix.known.shape[0]
    known = np.zeros(d + c, dtype=np.bool_)
    slots = np.zeros(mix.starts[c])
    return Query(np.zeros(d), known, slots, joint, np.ones(patterns), np.zeros(patterns))


@kernel
def set_to_row(mix, row, sums, query):
    """Set the query to a record. OUT: sums, query."""
    clear(sums)
    add_record(mix, row, 1, sums)
    set_to_sums(mix, sums, query)


@kernel
def set_to_sums(mix, sums, query):
    """Set the query to the centre of some records. OUT: query."""
    d = query.point.size
    for j in range(query.known.size):
        query.known[j] = sums.present[j] > 0
        if j < d:
            query.point[j] = sums.totals[j] / sums.masses[j] if query.known[j] else 0.0
        else:
            set_slots(mix, j - d, sums, query)
    for b in range(query.joint.shape[0]):
        set_joint(mix, b, query)
    if mix.known.shape[0] > 1 or not mix.known.all():
        set_factors(mix, query)


@kernel
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
        f = counts[a] / sums.masses[j]
        squares += f * f
    for a in range(counts.size):
        f = counts[a] / sums.masses[j]
        if mix.gower:
            slots[a] = mix.strengths[column] * (1.0 - f)
        else:
            slots[a] = mix.strengths[column] * (0.5 * (1.0 - 2.0 * f + squares))
    clear_blank(mix, column, slots)


@kernel
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
        slots[a] = max(slots[a] - half, 0.0)
    clear_blank(mix, column, slots)


@kernel
def clear_blank(mix, column, slots):
    """A blank adds nothing; it has the last slot of a column that has blanks. IN/OUT: slots."""
    j = mix.numbers.shape[0] + column
    for p in range(mix.known.shape[0]):
        if not mix.known[p, j]:
            slots[slots.size - 1] = 0.0
            return


@kernel
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


@kernel
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


@kernel
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


@kernel
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
        stop = min(start + TILE, pool.left[0])
        mixed_distances(mix, pool, start, stop, query, distances)
        low = top = distances[0]
        for i in range(1, stop - start):
            low = min(low, distances[i])
            top = max(top, distances[i])
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


@kernel
def distance_to(mix, row, query):
    """Distance of one record to the query, in the pool or not: the same sum in the same order."""
    d, total = query.point.size, 0.0
    pattern = mix.patterns[row]
    for j in range(d):
        if query.known[j] and mix.known[pattern, j]:
            t = mix.numbers[j, row] - query.point[j]
            total += abs(t) if mix.gower else t * t
    for b in range(mix.block_codes.shape[0]):
        total += query.joint[b, mix.block_codes[b, row]]
    return total * query.factors[pattern] + query.addends[pattern]
