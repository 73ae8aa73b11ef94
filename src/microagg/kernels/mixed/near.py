"""Which groups of mixed records are near each other: those whose representatives are."""

import numpy as np

from microagg.kernels.jit import borrowing, kernel
from microagg.kernels.mixed.pool import new_mixed_pool
from microagg.kernels.mixed.query import new_query, set_to_row
from microagg.kernels.mixed.records import Mixture, add_record, clear, has_many_slots, new_sums
from microagg.kernels.mixed.search import nearest_mixed
from microagg.kernels.order import first_most


@kernel
def representatives(mix, members, sizes):
    """Return one record a group: the means and modes of its members, with the blanks of the first.

    A group that is gone has the values of record 0; it must be passed over.
    """
    n_groups, d, c = sizes.size, mix.numbers.shape[0], mix.codes.shape[0]
    numbers, codes = np.zeros((d, n_groups)), np.zeros((c, n_groups), dtype=np.int32)
    masks = np.zeros((mix.masks.shape[0], n_groups))
    patterns = np.zeros(n_groups, dtype=np.int32)
    sums = new_sums(mix)
    for group in range(n_groups):
        clear(mix, sums)
        for place in range(sizes[group]):
            add_record(mix, members[group, place], 1, sums)
        first = members[group, 0] if sizes[group] > 0 else 0
        patterns[group] = mix.patterns[first]
        for j in range(d):
            if mix.known[patterns[group], j] and sums.present[j] > 0:
                numbers[j, group] = sums.totals[j] / sums.masses[j]
            if mix.mask_at[j] >= 0:
                masks[mix.mask_at[j], group] = mix.masks[mix.mask_at[j], first]
        for j in range(c):
            codes[j, group] = mix.codes[j, first]
            if mix.known[patterns[group], d + j] and sums.present[d + j] > 0:
                codes[j, group] = mode_of(mix, sums, j, members[group, : sizes[group]])
    return Mixture(
        numbers,
        mix.mask_at,
        masks,
        codes,
        mix.starts,
        mix.strengths,
        mix.tables,
        mix.table_at,
        np.ones(n_groups),
        patterns,
        mix.known,
        mix.blanks,
        mix.shares,
        mix.blocks,
        joined_codes(mix, codes),
        mix.widest,
        mix.gower,
        mix.apart,
    )


@borrowing
def mode_of(mix, sums, column, members):
    """Return the most frequent category of the records of some sums, the first of equals."""
    counts = sums.counts[mix.starts[column] : mix.starts[column + 1]]
    if not has_many_slots(mix, column):
        return first_most(counts)
    mode, most = np.int64(0), -1.0
    for row in members:
        code = np.int64(mix.codes[column, row])
        if mix.known[mix.patterns[row], mix.numbers.shape[0] + column] and (
            counts[code] > most or (counts[code] == most and code < mode)
        ):
            mode, most = code, counts[code]
    return mode


@kernel
def joined_codes(mix, codes):
    """Return the joint codes of each block of columns."""
    out = np.zeros((mix.block_codes.shape[0], codes.shape[1]), dtype=np.int32)
    for block in range(out.shape[0]):
        for j in range(mix.blocks[block], mix.blocks[block + 1]):
            slots = mix.starts[j + 1] - mix.starts[j]
            for i in range(codes.shape[1]):
                out[block, i] = out[block, i] * slots + codes[j, i]
    return out


@kernel
def near_groups(mix, members, sizes, limit, width, ticker):
    """Return for each group of fewer than `limit` records the nearest groups, int64[g, width], -1 for none.

    All other groups have none, and neither have those that are left when ticker[1] is set.
    """
    middles = representatives(mix, members, sizes)
    pool, query = new_mixed_pool(middles), new_query(middles, new_sums(middles))
    wanted = min(width + 1, sizes.size)
    gaps, rows = np.empty(wanted), np.empty(wanted, dtype=np.int64)
    near = np.empty((sizes.size, width), dtype=np.int64)
    near[:] = -1
    for group in range(sizes.size):
        if ticker[1] != 0:
            break
        if sizes[group] == 0 or sizes[group] >= limit:
            continue
        set_to_row(middles, group, query)
        nearest_mixed(middles, pool, query, gaps, rows)
        count = 0
        for row in rows:
            if row >= 0 and row != group and sizes[row] > 0 and count < width:
                near[group, count] = row
                count += 1
    return near
