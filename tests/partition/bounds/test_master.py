"""The master problem is solved, or says that it was stopped; bounds do not depend on the search."""

from pathlib import Path

import numpy as np

from microagg.partition.bounds import master
from microagg.partition.bounds.master import Master
from microagg.partition.bounds.pool import CandidateGroups


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
