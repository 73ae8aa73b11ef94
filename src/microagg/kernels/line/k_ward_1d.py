"""k-Ward on sorted values, whole or piece by piece, with groups of 2k and more done again."""

import numpy as np

from microagg.kernels.jit import kernel
from microagg.kernels.line.cuts_1d import squares
from microagg.kernels.line.k_ward_neighbours import merge_neighbours
from microagg.kernels.line.k_ward_pairs import merge_nearest_pairs


@kernel
def k_ward_1d(values, bounds, k, neighbours, ticker):
    """Label sorted values by k-Ward on each of the pieces bounds[i]..bounds[i+1].

    With `neighbours` only these are looked at, else all pairs; the groups are the same.
    ticker[0] counts the values in groups; the loop stops early when ticker[1] is set.
    """
    n = values.size
    rows, owner = np.arange(n), np.zeros(n, dtype=np.int64)
    begins, ends = np.empty(n // k + 2, dtype=np.int64), np.empty(n // k + 2, dtype=np.int64)
    for piece in range(bounds.size - 1):
        begins[0], ends[0] = bounds[piece], bounds[piece + 1]
        waiting = 1
        while waiting > 0 and ticker[1] == 0:
            waiting -= 1
            begin, end = begins[waiting], ends[waiting]
            if end - begin < 2 * k:
                owner[rows[begin:end]] = rows[begin]
                ticker[0] += end - begin
                continue
            part = values[rows[begin:end]]
            if neighbours:
                groups = merge_neighbours(part, k, ticker)
            else:
                groups = merge_nearest_pairs(part, k, ticker)
            inner = begin + gather(groups, rows[begin:end])
            for i in range(inner.size - 1):
                begins[waiting], ends[waiting] = inner[i], inner[i + 1]
                waiting += 1
    return by_first_row(owner)


@kernel
def gather(groups, rows):
    """Bring the rows of each group together, in order; returns where groups begin, and the end."""
    slots = np.flatnonzero(groups.size)
    bounds, owner = np.zeros(slots.size + 1, dtype=np.int64), np.empty(rows.size, dtype=np.int64)
    for g in range(slots.size):
        bounds[g + 1] = bounds[g] + groups.size[slots[g]]
        member = slots[g]
        while member >= 0:
            owner[member] = g
            member = groups.following[member]
    free, before = bounds[:-1].copy(), rows.copy()
    for i in range(rows.size):
        rows[free[owner[i]]] = before[i]
        free[owner[i]] += 1
    return bounds


@kernel
def by_first_row(owner):
    """Labels from the lowest row of each row's group: groups are numbered in that order."""
    labels = np.empty(owner.size, dtype=np.int32)
    count = 0
    for row in range(owner.size):
        if owner[row] == row:
            labels[row] = count
            count += 1
        else:
            labels[row] = labels[owner[row]]
    return labels


@kernel
def pieces(values, k, parts, theta, ticker):
    """Bounds of the pieces that kWR divides sorted values into; `theta` below 0 is the dynamic one.

    A piece of 2k `parts` and more is divided into `parts` of equal size while the sum of their SST is at
    least theta times its own; the dynamic theta is that share of the piece it was divided from.
    """
    n = values.size
    bounds, count = np.zeros(n // (2 * k) + 2, dtype=np.int64), 1
    stack = np.empty((parts * 64 + n // k, 2), dtype=np.int64)
    limits = np.empty(stack.shape[0])
    stack[0, 0], stack[0, 1], limits[0] = 0, n, theta
    waiting = 1
    while waiting > 0:
        waiting -= 1
        begin, end, limit = stack[waiting, 0], stack[waiting, 1], limits[waiting]
        share = -1.0
        if end - begin >= 2 * k * parts and ticker[1] == 0:
            share = share_within(values[begin:end], parts)
        if share < 0 or share < limit:
            bounds[count] = end
            count += 1
            continue
        for part in range(parts - 1, -1, -1):
            stack[waiting, 0] = begin + part * (end - begin) // parts
            stack[waiting, 1] = begin + (part + 1) * (end - begin) // parts
            limits[waiting] = share if theta < 0 else theta
            waiting += 1
    return bounds[:count]


@kernel
def share_within(values, parts):
    """Sum of the SST of equal parts, as a share of the SST of all; -1 when all values are equal."""
    n = values.size
    whole = squares(values, 0, n)
    within = 0.0
    for part in range(parts):
        within += squares(values, part * n // parts, (part + 1) * n // parts)
    return within / whole if whole > 0 else -1.0
