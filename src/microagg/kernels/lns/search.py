"""Large-neighbourhood search: break up a few near groups, rebuild them, accept by annealing."""

import math
from typing import Any

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import inlined, kernel
from microagg.kernels.lns.groups import choose, gather, look_around, new_slots, put_back
from microagg.kernels.lns.local import (
    descend,
    least_change,
    measure_between,
    new_local,
    restore,
    total_error,
)
from microagg.kernels.lns.pool import keep_group
from microagg.kernels.lns.rebuild import grow, shake
from microagg.kernels.lns.sweep import sweep
from microagg.kernels.splitmix import below, uniform

SHAKEN = 0.3
"""Share of the steps that shake the groups there are instead of growing new ones."""

LOOK_AROUND = 40
"""Steps for each group there can be after which near groups are sought again."""

FEW = 1_000
"""So many groups are compared with each other; for more, a spatial index is compiled and used."""


def anneal(points: Any, labels: Any, k: int, *others: Any) -> Any:
    """Search as `anneal_on` says, on a spatial index where there are many groups."""
    return anneal_on(None if points.shape[0] // k <= FEW else True, points, labels, k, *others)


@kernel
def anneal_on(
    index, points, labels, k, steps, seed, heats, most, width, sweeps, margin, pool, ticker
):
    """Search for `steps` steps from `labels`, int32[n] from 0 with sizes from k to 2k-1.

    First the groups are swept over `sweeps` times. A step then breaks up 2 to `most` groups. A rebuild
    that adds a change c > 0 to the error e of m records is accepted with probability
    exp(-c / (heat e / m)); the heat falls evenly in proportion from heats[0] to heats[1]. Rebuilds
    with c <= margin e / m go to the pool. IN/OUT: pool.

    Returns the labels at the end, the best ones on the way (first found by running sums: exact sums
    are the caller's), the steps done and the rebuilds accepted. With `index` None, no spatial index is
    used, nor compiled.
    """
    slots = new_slots(points, labels, k, width)
    local = new_local(most * (2 * k - 1), most + 1, points.shape[1])
    chosen, stream = np.empty(most + 1, dtype=np.int64), np.full(1, seed, dtype=np.uint64)
    best, is_best = labels.copy(), True
    now = 0.0
    done, accepted = 0, 0
    heat, cooling = heats[0], 1.0
    if heat > 0.0:
        cooling = (heats[1] / heat) ** (1.0 / larger(steps, 1))
    pool_all(pool, slots)
    look_around(slots, index)
    for _ in range(sweeps):
        now += sweep(slots, local, chosen, k, most, ticker)
        pool_all(pool, slots)
    lowest = now
    for step in range(steps):
        if ticker[1] != 0:
            break
        if (step + 1) % (LOOK_AROUND * slots.sizes.size) == 0:
            look_around(slots, index)
        done += 1
        heat *= cooling
        q = choose(slots, below(stream, labels.size), 2 + below(stream, most - 1), chosen, stream)
        m = gather(slots, chosen, q, local)
        measure_between(local, points, m)
        restore(local, m, q)
        old, least = total_error(local, q), least_change(local, m, q)
        g = rebuild(local, m, q, k, stream)
        change = descend(local, m, g, k) - old
        if abs(change) <= least:
            continue
        if change <= margin * old / m:
            pool_rebuilt(pool, local, m, g)
        if change > 0.0 and uniform(stream) >= chance(change, heat * old / m):
            continue
        if change > 0.0 and is_best:
            copy_labels(slots, best)
            is_best = False
        put_back(slots, chosen, q, local, m, g)
        accepted += 1
        now += change
        if now < lowest:
            lowest = now
            is_best = True
    if is_best:
        copy_labels(slots, best)
    return slots.labels, best, done, accepted


@inlined
def copy_labels(slots, out):
    """Write the slot of each record. OUT: out, int32[n]."""
    for row in range(out.size):
        out[row] = slots.labels[row]


@inlined
def chance(change, heat):
    """Probability of accepting a change for the worse."""
    return math.exp(-change / heat) if heat > 0.0 else 0.0


@kernel
def rebuild(local, m, q, k, stream):
    """Make new groups of the m records of q; returns how many. IN/OUT: local, stream."""
    if uniform(stream) < SHAKEN:
        shake(local, m, q, stream)
        return q
    fewest, most = larger((m + 2 * k - 2) // (2 * k - 1), q - 1), smaller(m // k, q + 1)
    g = fewest + below(stream, most - fewest + 1)
    grow(local, m, g, k, stream)
    return g


@kernel
def pool_all(pool, slots):
    """Put the groups of all slots into the pool. IN/OUT: pool."""
    if pool.sizes.size > 0:
        for slot in range(slots.sizes.size):
            if slots.sizes[slot] > 0:
                keep_group(pool, slots.members[slot], slots.sizes[slot])


@kernel
def pool_rebuilt(pool, local, m, g):
    """Put the groups of a rebuild into the pool. IN/OUT: pool."""
    if pool.sizes.size > 0:
        rows = np.empty(pool.members.shape[1], dtype=np.int32)
        for group in range(g):
            size = 0
            for i in range(m):
                if local.labels[i] == group:
                    rows[size] = local.rows[i]
                    size += 1
            keep_group(pool, rows, size)
