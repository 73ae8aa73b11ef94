"""The genetic search again in plain Python, with the same random numbers, for small data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tests.twins.splitmix import Stream

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]
Genes = list[int]

GAIN = 1e-12


class Grouping:
    """A chromosome with the sums of its groups, which follow each move as the kernel's do."""

    def __init__(self, X: Floats, genes: Genes, n_groups: int) -> None:
        self.X, self.genes = X, genes
        self.totals, self.sizes = np.zeros((n_groups, X.shape[1])), [0] * n_groups
        for row, group in enumerate(genes):
            self.totals[group] += X[row]
            self.sizes[group] += 1

    def rows(self, group: int) -> list[int]:
        return [row for row, gene in enumerate(self.genes) if gene == group]

    def gap(self, row: int, group: int) -> float:
        return _squared(self.X[row] - self.totals[group] / self.sizes[group])

    def move(self, row: int, group: int) -> None:
        old = self.genes[row]
        self.totals[old] -= self.X[row]
        self.totals[group] += self.X[row]
        self.sizes[old] -= 1
        self.sizes[group] += 1
        self.genes[row] = group

    def give_up(self, group: int) -> None:
        for row in self.rows(group):
            others = [g for g, size in enumerate(self.sizes) if size and g != group]
            self.move(row, min(others, key=lambda g: (self.gap(row, g), g)))

    def fill(self, group: int, k: int) -> None:
        while self.sizes[group] < k:
            spare = [row for row, g in enumerate(self.genes) if self.sizes[g] > k]
            if not spare:
                return self.give_up(group)
            self.move(min(spare, key=lambda row: (self.gap(row, group), row)), group)
        return None

    def split(self, group: int, k: int) -> None:
        empty = self.sizes.index(0)
        seed = max(self.rows(group), key=lambda row: (self.gap(row, group), -row))
        self.move(seed, empty)
        for _ in range(k - 1):
            left = self.rows(group)
            gaps = [(_squared(self.X[row] - self.X[seed]), row) for row in left]
            self.move(min(gaps)[1], empty)

    def error(self) -> float:
        total = 0.0
        for row, group in enumerate(self.genes):
            for t in self.X[row] - self.totals[group] / self.sizes[group]:
                total += float(t * t)
        return total


def _squared(difference: Floats) -> float:
    total = 0.0
    for t in difference:
        total += float(t * t)
    return total


def settle(X: Floats, genes: Genes, k: int, random: Stream) -> float:
    """Make sizes k to 2k-1, number groups as they appear, return the error. IN/OUT: genes."""
    grouping = Grouping(X, genes, max(len(X) // k, 1))
    for group, _ in enumerate(grouping.sizes):
        if 0 < grouping.sizes[group] < k:
            alone = sum(size > 0 for size in grouping.sizes) == 1
            if alone or random.uniform() < 0.5:
                grouping.fill(group, k)
            else:
                grouping.give_up(group)
    for group, _ in enumerate(grouping.sizes):
        while grouping.sizes[group] >= 2 * k:
            grouping.split(group, k)
    error = grouping.error()
    order = list(dict.fromkeys(genes))
    genes[:] = [order.index(gene) for gene in genes]
    return error


def genetic(
    columns: Floats,
    k: int,
    start: Labels,
    population: int,
    crossover: float,
    mutation: float,
    generations: int,
    patience: int,
    seed: int,
) -> Labels:
    """Evolve as the kernel does."""
    X, random, n = columns.T, Stream(seed), columns.shape[1]
    now = _first_population(start, k, population, random)
    best, best_error, since = start.tolist(), np.inf, 0
    for generation in range(generations + 1):
        before = best_error
        fitness = []
        for genes in now:
            error = settle(X, genes, k, random)
            fitness.append(1.0 / (error + 1.0))
            if error < best_error:
                best, best_error = genes.copy(), error
        since = 0 if best_error < before * (1 - GAIN) else since + 1
        if since >= patience or generation == generations:
            break
        upto = np.cumsum(fitness)
        rates = (crossover, mutation, max(n // k, 1))
        now = [best.copy(), *(_child(now, upto, *rates, random) for _ in range(population - 1))]
    return np.array(best, dtype=np.int32)


def _first_population(start: Labels, k: int, population: int, random: Stream) -> list[Genes]:
    n = start.size
    items, drawn = list(range(n)), [start.tolist()]
    for _ in range(population - 1):
        random.shuffle(items)
        genes = [0] * n
        for place, row in enumerate(items):
            genes[row] = place // k if place // k < n // k else random.below(n // k)
        drawn.append(genes)
    return drawn


def _child(
    parents: list[Genes],
    upto: Floats,
    crossover: float,
    mutation: float,
    n_groups: int,
    random: Stream,
) -> Genes:
    mother, father = _spin(upto, random), _spin(upto, random)
    n = len(parents[0])
    point = 1 + random.below(max(n - 1, 1)) if random.uniform() < crossover else n
    child = parents[mother][:point] + parents[father][point:]
    for row in range(n):
        if random.uniform() < mutation:
            child[row] = random.below(n_groups)
    return child


def _spin(upto: Floats, random: Stream) -> int:
    return min(int(np.searchsorted(upto, random.uniform() * upto[-1], side="right")), upto.size - 1)
