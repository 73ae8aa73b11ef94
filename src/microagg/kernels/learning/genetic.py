"""A genetic search for groups: a chromosome has one gene a record, the number of its group."""

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import kernel
from microagg.kernels.learning.repair import repair
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.splitmix import below, shuffle, uniform

GAIN = 1e-12
"""A best chromosome is better than the last by more than this share of its error."""


@kernel
def genetic(
    columns,
    k,
    start,
    population,
    crossover,
    mutation,
    generations,
    patience,
    seed,
    counting,
    ticker,
):
    """Evolve groups of k to 2k-1 records; `start` is one chromosome of the first population.

    Fitness is 1 / (SSE + 1). A generation is the best chromosome so far and children of parents
    drawn by their fitness, crossed at one point with probability `crossover`; each of their genes
    becomes any with probability `mutation`. Ends after `generations`, after `patience` of them without
    a better best, or when ticker[1] is set and one chromosome is valued; ticker[0] counts generations
    if `counting`.
    Returns int32 labels and the number of generations.
    """
    n = columns.shape[1]
    records = np.ascontiguousarray(columns.T)
    state = np.full(1, seed, dtype=np.uint64)
    totals = np.empty((larger(n // k, 1), columns.shape[0]))
    sizes = np.empty(totals.shape[0], dtype=np.int64)
    now, following = np.empty((population, n), np.int64), np.empty((population, n), np.int64)
    fitness, errors = np.empty(population), np.empty(population)
    first_population(start, k, now, state)
    best, best_error = start.astype(np.int64), FARTHER_THAN_ALL
    valued = False  # whether there is a best: it must come back repaired
    generation, since = 0, 0
    while True:
        before = best_error
        for i in range(population):
            if ticker[1] != 0 and valued:
                break
            errors[i] = settle(records, now[i], k, totals, sizes, state, valued, ticker)
            valued = True
            fitness[i] = 1.0 / (errors[i] + 1.0)
            if errors[i] < best_error:
                best_error = errors[i]
                best[:] = now[i]
        since = 0 if best_error < before * (1 - GAIN) else since + 1
        if counting:
            ticker[0] = generation
        if generation >= generations or since >= patience or ticker[1] != 0:
            break
        breed(now, fitness, best, crossover, mutation, sizes.size, following, state)
        now, following = following, now
        generation += 1
    return best.astype(np.int32), generation


@kernel
def first_population(start, k, population, state):
    """The start, and random groups of k with the records left over in any. OUT: population."""
    n = start.size
    population[0] = start
    items = np.arange(n)
    for i in range(1, population.shape[0]):
        shuffle(state, items)
        for place in range(n):
            group = place // k
            population[i, items[place]] = group if group < n // k else below(state, n // k)


@kernel
def settle(records, labels, k, totals, sizes, state, stopping, ticker):
    """Repair a chromosome, number its groups as they appear, return its error. IN/OUT: labels.

    Group numbers mean nothing of themselves: numbered alike, equal groups of two parents agree.
    If `stopping`, the chromosome is given up, its error that of the worst, when ticker[1] is set.
    """
    repair(records, labels, k, totals, sizes, state, stopping, ticker)
    if stopping and ticker[1] != 0:
        return FARTHER_THAN_ALL
    error = 0.0
    for row in range(labels.size):
        group = labels[row]
        for j in range(records.shape[1]):
            t = records[row, j] - totals[group, j] / sizes[group]
            error += t * t
    numbers = np.full(sizes.size, -1, dtype=np.int64)
    used = 0
    for row in range(labels.size):
        if numbers[labels[row]] < 0:
            numbers[labels[row]] = used
            used += 1
        labels[row] = numbers[labels[row]]
    return error


@kernel
def breed(parents, fitness, best, crossover, mutation, n_groups, children, state):
    """Make the next generation. OUT: children. IN/OUT: state."""
    population, n = parents.shape
    upto = np.cumsum(fitness)
    children[0] = best
    for i in range(1, population):
        mother, father = spin(upto, state), spin(upto, state)
        point = n
        if uniform(state) < crossover:
            point = 1 + below(state, larger(n - 1, 1))
        for row in range(n):
            children[i, row] = parents[mother, row] if row < point else parents[father, row]
            if uniform(state) < mutation:
                children[i, row] = below(state, n_groups)


@kernel
def spin(upto, state):
    """Roulette: a position drawn with probability proportional to its share of `upto`."""
    mark = uniform(state) * upto[-1]
    return smaller(np.searchsorted(upto, mark, side="right"), upto.size - 1)
