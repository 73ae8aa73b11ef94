"""A first sweep: each group and those nearest to it descend, before any is broken up."""

from microagg.kernels.jit import kernel
from microagg.kernels.lns.groups import gather, put_back
from microagg.kernels.lns.local import descend, least_change, measure_between, restore, total_error


@kernel
def sweep(slots, local, chosen, k, most, ticker):
    """Shift and swap records among each group and the most-1 nearest to it, one group after the other.

    Returns how much that adds to the error, at most 0. IN/OUT: slots, local; OUT: chosen.
    """
    change = 0.0
    for slot in range(slots.sizes.size):
        if ticker[1] != 0:
            break
        if slots.sizes[slot] > 0:
            q = nearest_slots(slots, slot, most, chosen)
            m = gather(slots, chosen, q, local)
            measure_between(local, slots.points, m)
            restore(local, m, q)
            old, least = total_error(local, q), least_change(local, m, q)
            more = descend(local, m, q, k) - old
            if more < -least:
                put_back(slots, chosen, q, local, m, q)
                change += more
    return change


@kernel
def nearest_slots(slots, slot, most, chosen):
    """Choose a slot and up to most-1 nearest to it; returns how many. OUT: chosen."""
    chosen[0] = slot
    q = 1
    for i in range(slots.near.shape[1]):
        if q < most and slots.near[slot, i] >= 0:
            chosen[q] = slots.near[slot, i]
            q += 1
    return q
