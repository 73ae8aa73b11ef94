"""The distances of the records of a leaf to a query, as a scan of all records would compute them."""

import numpy as np

from microagg.kernels.jit import borrowing, inlined
from microagg.kernels.mixed.query import has_blanks, part_of
from microagg.kernels.mixed.records import has_many_slots
from microagg.kernels.space.scan import tile_distances


@borrowing
def leaf_distances(mix, pool, leaf, query):
    """Distances of the records of a leaf to the query. OUT: pool.distances."""
    m, start = pool.counts[leaf], pool.starts[leaf]
    stop, out = start + m, pool.distances
    pattern = pool.shared[leaf]
    if not mix.gower and is_whole(mix, pattern, query):
        tile_distances(pool.numbers, start, stop, query.point, out)
    else:
        add_any_numbers(mix, pool, pattern, start, stop, query)
    for b in range(pool.block_codes.shape[0]):
        joint, codes = query.joint[b], pool.block_codes[b, start:stop]
        if has_many_slots(mix, mix.blocks[b]):
            add_names(mix, pool, mix.blocks[b], codes, query)
        elif pool.pure[b, leaf]:
            own = joint[codes[0]]
            for i in range(m):
                out[i] += own
        else:
            for i in range(m):
                out[i] += joint[codes[i]]
    if mix.blanks and pattern >= 0:
        factor, addend = query.factors[pattern], query.addends[pattern]
        for i in range(m):
            out[i] = out[i] * factor + addend
    elif mix.blanks:
        patterns = pool.patterns[start:stop]
        for i in range(m):
            out[i] = out[i] * query.factors[patterns[i]] + query.addends[patterns[i]]


@inlined
def is_whole(mix, pattern, query):
    """Tell whether neither the query nor the records of a pattern lack a number."""
    d = query.point.size
    return query.known[:d].all() and pattern >= 0 and mix.known[pattern, :d].all()


@borrowing
def add_names(mix, pool, column, codes, query):
    """What a column of many slots adds to the distances of some places. IN/OUT: pool.distances."""
    j, out = query.point.size + column, pool.distances
    if not query.known[j]:
        return
    blank = mix.starts[column + 1] - mix.starts[column] - 1 if has_blanks(mix, column) else -1
    if query.own[column] >= 0:
        own, strength = query.own[column] - mix.starts[column], mix.strengths[column]
        for i in range(codes.size):
            out[i] += 0.0 if codes[i] == own or codes[i] == blank else strength
        return
    latest, part = np.int64(-1), 0.0
    for i in range(codes.size):
        if codes[i] != latest:
            latest = np.int64(codes[i])
            part = 0.0 if latest == blank else part_of(mix, query, column, latest)
        out[i] += part


@borrowing
def add_any_numbers(mix, pool, pattern, start, stop, query):
    """What the numbers of places start..stop-1 add to distances. OUT: pool.distances.

    `pattern` is that of all these places, -1 where there are several.
    """
    out = pool.distances
    for i in range(stop - start):
        out[i] = 0.0
    for j in range(query.point.size):
        if not query.known[j] or (pattern >= 0 and not mix.known[pattern, j]):
            continue
        values, mask = pool.numbers[j, start:stop], mix.mask_at[j]
        if mask < 0 or pattern >= 0:
            add_numbers(values, query.point[j], mix.gower, out)
        else:
            add_masked(values, pool.masks[mask, start:stop], query.point[j], mix.gower, out)


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
