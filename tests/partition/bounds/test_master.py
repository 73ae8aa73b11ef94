"""The master problem is solved, or says that it was stopped; bounds do not depend on the search."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from microagg.partition.bounds import master
from microagg.partition.bounds.master import Master
from microagg.partition.bounds.pool import CandidateGroups
from microagg.partition.bounds.quick import quick_prices

GO = np.zeros(2, dtype=np.int64)


def test_the_mixture_holds_every_record_once_and_a_stop_gives_none():
    points = np.array([[0.0], [1.0], [5.0], [6.0]])
    pool = CandidateGroups(points)
    pool.add([np.array([0, 1]), np.array([2, 3]), np.array([1, 2]), np.array([0, 3])])
    problem, every = Master(pool, 4), np.arange(4)
    found = problem.solve(every, np.zeros(4), 100.0, np.inf, np.zeros(2, dtype=np.int64))
    assert np.allclose(found.shares, [1, 1, 0, 0], atol=1e-6)
    assert np.isclose(found.value, 1.0)
    assert np.isclose(found.duals.total(), 1.0)
    assert problem.solve(every, np.zeros(4), 100.0, np.inf, np.array([0, 1])) is None


def test_bounds_import_nothing_of_the_search():
    for file in Path(master.__file__).parent.glob("*.py"):
        if file.name != "lower_bound.py":  # which searches for groups to begin with
            assert "partition.search" not in file.read_text(encoding="utf-8"), file.name


def test_the_prices_are_worth_as_much_as_the_mixture():
    rng, k = np.random.default_rng(0), 2
    for _ in range(40):
        X = rng.normal(size=(12, 2)) ** rng.choice([1, 3])
        pool = CandidateGroups(X)
        groups = [np.array(rows) for size in (2, 3) for rows in combinations(range(12), size)]
        pool.add([rows for rows in groups if rng.random() < 0.2])
        centre = quick_prices(X, k, GO)
        solution = Master(pool, 12).solve(np.arange(len(pool)), centre, 1.0, np.inf, GO)
        prices, reach = solution.duals.prices, np.maximum(np.abs(centre), np.abs(centre).mean())
        assert pool.costs(prices).min() > -1e-6 * np.abs(prices).max()
        beyond = np.maximum(np.abs(prices - centre) - reach, 0.0).sum()  # of boxes, once a record
        assert prices.sum() - beyond == pytest.approx(solution.value, rel=1e-6)
