"""The kernels of the bounds in plain NumPy: every group and every pair written out."""

from itertools import combinations

import numpy as np

from microagg.kernels.bounds.pricing import Prices


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
    met = np.zeros(prices.charges.size)
    for row in rows:
        met[prices.cuts[prices.first[row] : prices.first[row + 1]]] += 1
    error = np.sum((values - values.mean(axis=0)) ** 2)
    return float(error - prices.records[list(rows)].sum() + prices.charges[met >= 2].sum())


def prices_of_values(points: np.ndarray, values: np.ndarray, k: int) -> np.ndarray:
    """Return the prices that values of the records stand for, by all pairs; see `degrees`."""
    squared = np.sum((points[:, np.newaxis] - points[np.newaxis]) ** 2, axis=2)
    over = np.maximum(values[:, np.newaxis] + values[np.newaxis] - squared, 0.0)
    np.fill_diagonal(over, 0.0)
    prices: np.ndarray = ((k - 1) * values - over.sum(axis=1) / 2) / k
    return prices
