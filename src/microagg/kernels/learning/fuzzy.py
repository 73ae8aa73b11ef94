"""Fuzzy clusters: each record belongs to every cluster by a degree, and the degrees add up to 1."""

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import kernel
from microagg.kernels.space.scan import FARTHER_THAN_ALL

FORMS = {"means": 0, "entropy": 1}


@kernel
def degrees(records, row, centres, form, sharpness, out):
    """Membership of a record in each cluster. OUT: out float64[c].

    Form 0: proportional to gap^-sharpness, sharpness = 1 / (m - 1); form 1: to e^(-sharpness gap),
    where a gap is a squared distance. Both are taken relative to the nearest, so nothing overflows.
    A record at a centre belongs to the clusters there alone.
    """
    nearest = FARTHER_THAN_ALL
    for cluster in range(centres.shape[0]):
        gap = 0.0
        for j in range(records.shape[1]):
            t = records[row, j] - centres[cluster, j]
            gap += t * t
        out[cluster] = gap
        nearest = smaller(nearest, gap)
    total = 0.0
    for cluster in range(out.size):
        if form == 1:
            out[cluster] = np.exp(-sharpness * (out[cluster] - nearest))
        elif nearest == 0.0:
            out[cluster] = 1.0 if out[cluster] == 0.0 else 0.0
        else:
            out[cluster] = (nearest / out[cluster]) ** sharpness
        total += out[cluster]
    for cluster in range(out.size):
        out[cluster] /= total


@kernel
def memberships(columns, centres, form, sharpness):
    """Membership of every record in every cluster, as float64[n, c]."""
    records = np.ascontiguousarray(columns.T)
    out = np.empty((records.shape[0], centres.shape[0]))
    for row in range(records.shape[0]):
        degrees(records, row, centres, form, sharpness, out[row])
    return out


@kernel
def cluster(columns, start, least, form, power, sharpness, iterations, close, ticker):
    """Move centres until they stay, then give up clusters lighter than `least`, and go on.

    The mass of a cluster is the sum of its memberships. A step puts each centre at the mean of the
    records, weighted by membership^power. When no coordinate moves by more than `close`, or after
    `iterations`, the lighter half of the clusters below `least` goes. ticker[0] counts steps. When
    ticker[1] is set, after one step at least, the clusters weighed last come back, less all below
    `least`: their own masses only grow by that.
    Returns centres float64[c, d], masses float64[c], the number of steps, and whether they stay.
    """
    records = np.ascontiguousarray(columns.T)
    centres, step, stays = start.copy(), 0, False
    weighed, masses = start, np.zeros(start.shape[0])
    while True:
        ended = step >= iterations
        before, new_masses = centres.copy(), np.zeros(centres.shape[0])
        moved = 0.0
        if ticker[1] == 0 or step == 0:
            moved = move_centres(
                records, centres, new_masses, form, power, sharpness, not ended, step > 0, ticker
            )
        if ticker[1] != 0 and step > 0:
            last, own = without_light(weighed, masses, least, records.shape[0])
            return last, own, step, False
        weighed, masses = before, new_masses
        step += not ended
        ticker[0] = step
        stays = not ended and moved <= close
        if not (ended or stays):
            continue
        light = np.count_nonzero(masses < least)
        if light == 0 or masses.size == 1:
            return centres, masses, step, stays
        keep = np.sort(np.argsort(masses, kind="mergesort")[(light + 1) // 2 :])
        if keep.size == 0:
            keep = np.full(1, masses.argmax())
        centres, weighed, masses = centres[keep], weighed[keep], masses[keep]


@kernel
def without_light(centres, masses, least, n):
    """Centres and masses of the clusters of `least` or more; the heaviest alone if there is none."""
    keep = np.flatnonzero(masses >= least)
    if keep.size == 0:
        return centres[masses.argmax() :][:1].copy(), np.full(1, np.float64(n))
    return centres[keep], masses[keep]


@kernel
def move_centres(records, centres, masses, form, power, sharpness, moving, stopping, ticker):
    """Weigh the clusters, move their centres if `moving`, return how far. IN/OUT: centres, masses.

    When ticker[1] is set it moves nothing, and if `stopping` it ends early, too.
    """
    (n, d), c = records.shape, masses.size
    totals, weights, out = np.zeros((c, d)), np.zeros(c), np.empty(c)
    masses[:] = 0.0
    for row in range(n):
        if ticker[1] != 0:
            if stopping:
                return 0.0
            moving = False  # to weigh takes half the time
        degrees(records, row, centres, form, sharpness, out)
        for i in range(c):
            masses[i] += out[i]
            if moving:
                weight = out[i] if power == 1.0 else out[i] ** power
                weights[i] += weight
                for j in range(d):
                    totals[i, j] += weight * records[row, j]
    moved = 0.0
    if moving:
        for i in range(c):
            if weights[i] > 0.0:
                for j in range(d):
                    mean = totals[i, j] / weights[i]
                    moved = larger(moved, abs(mean - centres[i, j]))
                    centres[i, j] = mean
    return moved


@kernel
def choose(columns, centres, form, sharpness, by_membership, least, draws, ticker):
    """Draw a cluster for each record and each row of `draws`, float64[m, n] from 0 to 1.

    By membership, or else each alike of those where it is `least` or more (or the largest).
    ticker[0] counts records. Returns int64[m, n].
    """
    records = np.ascontiguousarray(columns.T)
    out = np.empty(centres.shape[0])
    chosen = np.zeros(draws.shape, dtype=np.int64)
    for row in range(records.shape[0]):
        if ticker[1] != 0:
            break
        degrees(records, row, centres, form, sharpness, out)
        if not by_membership:
            enough = smaller(least, out.max())
            for i in range(out.size):
                out[i] = 1.0 if out[i] >= enough else 0.0
        upto = np.cumsum(out)
        for draw in range(draws.shape[0]):
            mark = draws[draw, row] * upto[-1]
            place = np.searchsorted(upto, mark, side="right")
            chosen[draw, row] = smaller(place, out.size - 1)
        ticker[0] = row + 1
    return chosen


@kernel
def mean_gap_to_nearest(columns, centres, ticker):
    """Mean squared distance of the records to the centre nearest to each. ticker[0] counts records."""
    total = 0.0
    for row in range(columns.shape[1]):
        if ticker[1] != 0:
            break
        ticker[0] = row
        nearest = FARTHER_THAN_ALL
        for i in range(centres.shape[0]):
            gap = 0.0
            for j in range(columns.shape[0]):
                t = columns[j, row] - centres[i, j]
                gap += t * t
            nearest = smaller(nearest, gap)
        total += nearest
    return total / columns.shape[1]
