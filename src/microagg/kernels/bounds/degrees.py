"""A bound of the error by degrees: what near neighbours alone say, for any n and k.

In a group every record is joined to at least k-1 others. Give each record a value y_i >= 0. For a
group G of s >= k records, with the pairs of G weighted (k-1) / (s-1),

    k SSE(G)  >=  (k-1) / (s-1) sum of d_ij^2                  since (k-1) s / (s-1) <= k
              >=  sum of (k-1) y_i  -  sum of max(0, y_i + y_j - d_ij^2)

over the records and over the pairs of G; the last sum only grows when it takes in all pairs of the
data, half to each of the two records. So p_i = ((k-1) y_i - half of i's sum) / k are prices that no
group costs less than, and their sum is a bound for every partition.

Only near neighbours are known: the pairs of each record's list. With y_i at most half the squared
distance to the last of i's list, every pair in no list has y_i + y_j <= d_ij^2 and adds nothing.
"""

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import kernel
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.space.search import nearest_points


@kernel
def near_lists(tree, points, rows, gaps, near, ticker):
    """The nearest other records of some records. OUT: gaps, near, one row per record; -1 for none."""
    for row in rows:
        if ticker[1] != 0:
            return
        nearest_points(tree, points[row], row, FARTHER_THAN_ALL, gaps[row], near[row])


@kernel
def once(near):
    """Tell of each entry of the lists whether it is the one that stands for its pair."""
    n, m = near.shape
    stands = np.zeros((n, m), dtype=np.bool_)
    for i in range(n):
        for t in range(m):
            j = near[i, t]
            stands[i, t] = j >= 0
            if 0 <= j < i:
                for u in range(m):
                    if near[j, u] == i:
                        stands[i, t] = False
    return stands


@kernel
def prices_of_values(values, k, gaps, near, stands, prices, surplus):
    """The prices of the values, and how many pairs too few each record has.

    OUT: prices, surplus float64[n]: (k-1) less the pairs with y_i + y_j > d_ij^2.
    """
    for i in range(values.size):
        prices[i] = (k - 1) * values[i]
        surplus[i] = k - 1.0
    for i in range(values.size):
        for t in range(near.shape[1]):
            if stands[i, t]:
                j = near[i, t]
                over = values[i] + values[j] - gaps[i, t]
                if over > 0.0:
                    prices[i] -= 0.5 * over
                    prices[j] -= 0.5 * over
                    surplus[i] -= 1.0
                    surplus[j] -= 1.0
    for i in range(values.size):
        prices[i] /= k


@kernel
def ascend(k, gaps, near, largest, steps, ticker):
    """Raise the values of records with too few pairs and lower the others'; returns best prices.

    A subgradient ascent in steps that shrink, each record's in its own unit: its distance to the
    neighbour number k-1. largest float64[n] is what each value may be at most.
    """
    n = near.shape[0]
    unit = np.minimum(0.5 * gaps[:, k - 2], largest)
    stands = once(near)
    values, prices, surplus = unit.copy(), np.empty(n), np.empty(n)
    best, best_total = np.zeros(n), 0.0
    for step in range(steps):
        if ticker[1] != 0:
            break
        prices_of_values(values, k, gaps, near, stands, prices, surplus)
        total = prices.sum()
        if total > best_total:
            best_total = total
            best[:] = prices
        length = 0.5 / (1.0 + 0.1 * step)
        for i in range(n):
            moved = values[i] + length * unit[i] * surplus[i] / k
            values[i] = smaller(larger(moved, 0.0), largest[i])
    return best
