"""Which groups of a search on mixed records are near each other, by the loss that is reported."""

import numpy as np

from microagg.kernels.jit import inlined, kernel
from microagg.kernels.mixed.objective import gap_of
from microagg.kernels.space.scan import FARTHER_THAN_ALL


@kernel
def look_around(objective, state, near):
    """Find the groups whose representatives are nearest to each group's. OUT: near, int64[g, width]."""
    n_groups, width = near.shape
    gaps = np.empty(width)
    means = np.zeros((n_groups, objective.numbers.shape[1]))
    for group in range(n_groups):
        for j in range(means.shape[1]):
            if state.totals[group, j, 2] > 0.0:
                means[group, j] = state.totals[group, j, 0] / state.totals[group, j, 2]
    for group in range(n_groups):
        near[group] = -1
        gaps[:] = FARTHER_THAN_ALL
        if state.sizes[group] == 0:
            continue
        for other in range(n_groups):
            if other != group and state.sizes[other] > 0:
                apart = distance(objective, state, means, group, other)
                place = width
                while place > 0 and apart < gaps[place - 1]:
                    place -= 1
                for i in range(width - 1, place, -1):
                    gaps[i], near[group, i] = gaps[i - 1], near[group, i - 1]
                if place < width:
                    gaps[place], near[group, place] = apart, other


@inlined
def distance(objective, state, means, group, other):
    """Return how far the representatives of two groups are apart, over the columns that both have."""
    apart = 0.0
    for j in range(means.shape[1]):
        if state.totals[group, j, 2] > 0.0 and state.totals[other, j, 2] > 0.0:
            t = means[group, j] - means[other, j]
            apart += t * t
    for j in range(objective.codes.shape[1]):
        one, two = state.tops[group, j, 1], state.tops[other, j, 1]
        if one != two and one >= 0.0 and two >= 0.0:
            apart += objective.strengths[j]
    for j in range(objective.listed.shape[1]):
        if state.counts[group, j] > 0 and state.counts[other, j] > 0:
            one = state.values[group, j, state.counts[group, j] // 2]
            two = state.values[other, j, state.counts[other, j] // 2]
            apart += gap_of(objective, j, one, two)
    return apart
