"""The kernels of the bounds in plain NumPy: every group and every pair written out."""

from itertools import combinations

import numpy as np

from microagg.kernels.bounds.pricing import Prices
from microagg.kernels.bounds.separation import RAISED, TRIES
from microagg.partition.bounds.cuts import Kind
from tests.twins.splitmix import Stream


def groups_below(
    points: np.ndarray, prices: Prices, size: int, limit: float
) -> dict[tuple[int, ...], float]:
    """Return every group of `size` records with a reduced cost below the limit, and that cost."""
    costs = {
        rows: reduced_cost(points, prices, rows) for rows in combinations(range(len(points)), size)
    }
    return {rows: cost for rows, cost in costs.items() if cost < limit}


def reduced_cost(points: np.ndarray, prices: Prices, rows: tuple[int, ...]) -> float:
    """Return a group's error less the prices of its records plus the charges of the cuts it meets."""
    values = points[list(rows)]
    weights = np.zeros(len(prices.levels), dtype=np.int64)
    for row in rows:
        own = slice(prices.first[row], prices.first[row + 1])
        weights[prices.cuts[own]] += prices.weights[own]
    charges = prices.levels[np.arange(len(weights)), weights]
    error = np.sum((values - values.mean(axis=0)) ** 2)
    return float(error - prices.records[list(rows)].sum() + charges.sum())


def prices_of_values(points: np.ndarray, values: np.ndarray, k: int) -> np.ndarray:
    """Return the prices that values of the records stand for, by all pairs; see `degrees`."""
    squared = np.sum((points[:, np.newaxis] - points[np.newaxis]) ** 2, axis=2)
    over = np.maximum(values[:, np.newaxis] + values[np.newaxis] - squared, 0.0)
    np.fill_diagonal(over, 0.0)
    prices: np.ndarray = ((k - 1) * values - over.sum(axis=1) / 2) / k
    return prices


class SetSearch:
    """The local search for a violated cut, with lists and dictionaries."""

    def __init__(self, groups: list[list[int]], shares: list[float], kind: Kind) -> None:
        self.groups, self.shares, self.kind = groups, shares, kind

    def near(self, row: int) -> list[int]:
        """Return the records that some group joins with one."""
        return sorted({other for group in self.groups if row in group for other in group} - {row})

    def total(self, rows: list[int]) -> float:
        """Return the sum over groups of share times quotient."""
        weights: dict[int, int] = {}
        for row, weight in zip(rows, self.kind.weights, strict=True):
            for number, group in enumerate(self.groups):
                if row in group:
                    weights[number] = weights.get(number, 0) + weight
        total = 0.0
        for number, weight in weights.items():
            total += self.shares[number] * (weight // self.kind.modulus)
        return total

    def draw(self, start: int, stream: Stream) -> list[int]:
        """Return records that groups join, too few where none was drawn in time."""
        rows = [start]
        while len(rows) < len(self.kind.weights):
            for _ in range(TRIES):
                near = self.near(rows[stream.below(len(rows))])
                row = near[stream.below(len(near))]
                if row not in rows:
                    rows.append(row)
                    break
            else:
                return []
        return rows

    def search(self, start: int, stream: Stream) -> tuple[list[int], float]:
        """Return the set that the search ends with, and its sum."""
        rows = self.draw(start, stream)
        total, last = self.total(rows) if rows else 0.0, -1.0
        while rows and total > last:
            last = total
            rows, total = self.change_records(*self.change_places(rows, total))
        return rows, total

    def change_places(self, rows: list[int], total: float) -> tuple[list[int], float]:
        """Return the set after records of different weights have changed places."""
        for a, b in [(high, low) for high in range(len(rows)) for low in range(high)]:
            if self.kind.weights[a] != self.kind.weights[b]:
                changed = rows.copy()
                changed[a], changed[b] = rows[b], rows[a]
                if self.total(changed) > total + RAISED:
                    rows, total = changed, self.total(changed)
        return rows, total

    def change_records(self, rows: list[int], total: float) -> tuple[list[int], float]:
        """Return the set after the best record near the others has taken each place."""
        for place in range(len(rows)):
            best = rows
            for other in (row for at, row in enumerate(rows) if at != place):
                for row in self.near(other):
                    changed = [*rows[:place], row, *rows[place + 1 :]]
                    if row in rows or self.total(changed) <= total + RAISED:
                        continue
                    best, total = changed, self.total(changed)
            rows = best
        return rows, total
