"""Every kernel of the search and the bounds, compiled before a clock starts."""

from __future__ import annotations

from functools import cache

import numpy as np

from microagg.partition.bounds.duals import Duals
from microagg.partition.bounds.enumeration import list_below
from microagg.partition.bounds.pricing import Effort, price
from microagg.partition.bounds.quick import quick_prices
from microagg.partition.search.lns.annealing import Pool, admissible, search
from microagg.progress import all_compiling

FEW, K = 12, 2


@cache
def compile_kernels() -> None:
    """Use each kernel once: no limit of time counts that."""
    with all_compiling():
        points = np.random.default_rng(0).normal(size=(FEW, 2))
        ticker, triples = np.zeros(2, dtype=np.int64), np.array([[0, 1, 2]])
        duals = Duals(quick_prices(points, K, ticker), np.zeros(1))
        sizes = range(K, 2 * K)
        price(points, sizes, duals, triples, Effort(FEW, FEW), ticker)
        list_below(points, sizes, duals, triples, 1.0, FEW, ticker)
        columns = np.ascontiguousarray(points.T)
        labels = admissible(columns, np.zeros(FEW, dtype=np.int32), K)
        search(columns, labels, K, steps=1, seed=0, pool=Pool(FEW, K), ticker=ticker)
