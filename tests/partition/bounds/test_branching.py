"""Branch and bound over listed groups finds the best partition, and its bound never passes it."""

import math
from itertools import combinations

import numpy as np
import pytest

from microagg.partition.bounds import branching, listed_program
from microagg.partition.bounds.branching import Branching
from microagg.partition.bounds.cuts import GroupCuts
from microagg.partition.bounds.duals import Duals
from microagg.partition.bounds.listed_program import ListedProgram
from microagg.partition.bounds.pool import CandidateGroups
from microagg.partition.sum_of_squares import error_of
from tests.examples import examples

GO = np.zeros(2, dtype=np.int64)


def program_of(X, k, cuts=()):
    """Return the program of all groups of k to 2k-1 records, with prices that are far from good."""
    n, pool = len(X), CandidateGroups(X)
    sizes = range(k, min(2 * k - 1, n) + 1)
    pool.add(np.array(rows) for s in sizes for rows in combinations(range(n), s))
    duals = Duals(np.full(n, pool.errors.mean() / k), np.zeros(len(cuts)))
    return ListedProgram(pool.groups, pool.errors, GroupCuts.of(0, cuts), duals, n)


def case(rng):
    """Return some records, of which some are equal, and k."""
    n, k = int(rng.integers(6, 11)), int(rng.integers(2, 4))
    return np.round(rng.normal(size=(n, 2)), int(rng.integers(0, 4))), k


def whole_error(program, X, numbers):
    labels = np.full(len(X), -1, dtype=np.int32)
    for label, number in enumerate(numbers):
        labels[program.groups[number]] = label
    assert labels.min() >= 0
    return error_of(X.T, labels)


def test_the_tree_has_the_best_partition_of_all_and_proves_it(best_error):
    rng, divided = np.random.default_rng(0), 0
    for _ in range(examples(60)):
        X, k = case(rng)
        best = best_error(X, k)
        tree = Branching(program_of(X, k), 2 * best + 1.0, lambda: 60.0, GO)
        tree.run()
        assert tree.target == pytest.approx(best, abs=1e-9)
        assert whole_error(tree._program, X, tree.chosen) == pytest.approx(best, abs=1e-9)
        assert best - 1e-6 * (1 + best) <= tree.bound <= best + 1e-9
        divided += tree.nodes
    assert divided > 0  # some trees have more than a root


def test_a_bound_holds_whenever_the_tree_is_stopped(best_error, monkeypatch):
    monkeypatch.setattr(branching, "DIVES", 0)
    rng, open_ones = np.random.default_rng(1), 0
    for _ in range(examples(100)):
        X, k = rng.normal(size=(10, 4)), 2
        best, looks = best_error(X, k), iter(range(1, int(rng.integers(2, 12))))
        tree = Branching(
            program_of(X, k), 3 * best + 1.0, lambda looks=looks: 60.0 * (next(looks, 0) > 0), GO
        )
        tree.run()
        assert 0.0 <= tree.bound <= best + 1e-9
        open_ones += tree._is_open()
    assert open_ones > 0  # it can fail: some are stopped halfway


def test_where_no_partition_is_below_the_target_the_bound_is_the_target(best_error):
    rng = np.random.default_rng(2)
    for _ in range(examples(20)):
        X, k = case(rng)
        target = 0.9 * best_error(X, k) - 1e-6
        tree = Branching(program_of(X, k), target, lambda: 60.0, GO)
        tree.run()
        assert (tree.chosen, tree.bound) == (None, tree.target)
        assert tree.target == target


def test_a_solution_under_cuts_bounds_every_partition(best_error):
    rng, raised = np.random.default_rng(3), 0
    for _ in range(examples(40)):
        X, k = case(rng)
        triples = [rng.choice(len(X), 3, replace=False) for _ in range(20)]
        every = np.ones(len(program_of(X, k).groups), dtype=bool)
        plain, cut = (program_of(X, k, cuts).solve(every, None, 60.0) for cuts in ((), triples))
        assert plain.bound - 1e-6 <= cut.bound <= best_error(X, k) + 1e-9
        raised += cut.bound > plain.bound + 1e-6
    assert raised > 0


def test_a_stop_leaves_no_solution():
    X = np.random.default_rng(4).normal(size=(8, 2))
    program = program_of(X, 2)
    assert program.solve(np.ones(len(program.groups), dtype=bool), None, 0.0) is None
    tree = Branching(program, 1e9, lambda: 60.0, np.array([0, 1]))
    tree.run()
    assert tree.nodes == 0
    tree = Branching(program, 1e9, lambda: 0.0, GO)
    tree.run()
    assert (tree.bound, tree.chosen) == (0.0, None)


def test_records_that_no_group_holds_have_no_partition():
    groups = [np.array([0, 1]), np.array([1, 2])]
    errors, prices = np.ones(2), Duals(np.ones(3), np.empty(0))
    program = ListedProgram(groups, errors, GroupCuts.of(0), prices, 3)
    tree = Branching(program, 5.0, lambda: 60.0, GO)
    tree.run()
    assert (tree.chosen, tree.bound) == (None, 5.0)


def test_groups_that_cost_too_little_join_the_program(monkeypatch):
    monkeypatch.setattr(listed_program, "FIRST", 3)
    monkeypatch.setattr(listed_program, "NEW", 2)
    X = np.random.default_rng(5).normal(size=(9, 2))
    few, every = program_of(X, 3), np.ones(len(program_of(X, 3).groups), dtype=bool)
    monkeypatch.undo()
    assert few.solve(every, None, 60.0).bound == pytest.approx(
        program_of(X, 3).solve(every, None, 60.0).bound, rel=1e-6
    )


def test_without_a_time_limit_there_is_a_limit_of_nodes(best_error, monkeypatch):
    monkeypatch.setattr(branching, "DIVES", 0)
    monkeypatch.setattr(branching, "MOST_NODES", 1)
    rng, most = np.random.default_rng(1), 0
    for _ in range(examples(60)):
        points = rng.normal(size=(10, 4))
        best = best_error(points, 2)
        tree = Branching(program_of(points, 2), 3 * best, lambda: math.inf, GO)
        tree.run()
        assert tree.bound <= best + 1e-9
        most = max(most, tree.nodes)
    assert most == 1


def test_a_node_that_the_solver_gives_up_stays_open(best_error, monkeypatch):
    monkeypatch.setattr(branching, "DIVES", 0)
    given_up = 0
    for seed in range(12):
        points = np.random.default_rng(seed).normal(size=(10, 4))
        best, program = best_error(points, 2), program_of(points, 2)
        tree = Branching(program, 3 * best, lambda: 60.0, GO)
        solve, calls = program.solve, iter(range(100))
        monkeypatch.setattr(
            program,
            "solve",
            lambda *a, solve=solve, calls=calls: (next(calls) < 1 and solve(*a)) or None,
        )
        tree.run()
        assert 0.0 < tree.bound <= best + 1e-9
        given_up += tree.bound < best - 1e-6
    assert given_up > 0
