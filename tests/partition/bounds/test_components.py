"""Choosing component by component gives what one integer program over all groups gives."""

from itertools import combinations

import numpy as np
import pytest

from microagg.partition.bounds import components
from microagg.partition.bounds.components import best_of_components, components_of
from microagg.partition.bounds.cuts import GroupCuts
from microagg.partition.bounds.integer import best_of
from microagg.partition.bounds.pool import CandidateGroups
from microagg.partition.sum_of_squares import error_of

GO, CUTS = np.zeros(2, dtype=np.int64), GroupCuts.of(0, [[0, 1, 2], [4, 5, 9]])


def pool_of(points, parts):
    """Return all groups of two or three records of the same part, those of a poor partition first."""
    pool = CandidateGroups(points)
    for rows in parts:
        pool.add([rows[:2], rows[2:]])
    pool.add(np.array(rows) for part in parts for s in (2, 3) for rows in combinations(part, s))
    return pool, np.arange(len(pool)) < 2 * len(parts)


@pytest.mark.parametrize("seed", range(3))
def test_components_have_the_best_partition_of_all_groups(seed):
    points = np.random.default_rng(seed).normal(size=(14, 2))
    pool, start = pool_of(points, [np.arange(4), np.arange(4, 9), np.arange(9, 14)])
    arguments = (pool.groups, pool.errors, start, CUTS, 14)
    whole = best_of(*arguments, 60.0, GO)
    parts = best_of_components(*arguments, lambda numbers: 0.0, 60.0, GO)
    assert parts.bound == pytest.approx(whole.bound, rel=2e-6)
    lost = [error_of(points.T, found.labels) for found in (whole, parts)]
    assert lost[0] == pytest.approx(lost[1])
    assert parts.bound <= lost[1] <= parts.bound * (1 + 2e-6)


def test_groups_that_share_records_are_in_one_component():
    pool, _ = pool_of(np.zeros((9, 1)), [np.arange(4), np.arange(4, 9)])
    found = components_of(pool.groups, 9)
    assert [len(numbers) for numbers in found] == [4 + 6, 10 + 10]
    assert {int(row) for number in found[0] for row in pool.groups[number]} == set(range(4))


def test_a_component_without_time_has_its_floor():
    points = np.random.default_rng(5).normal(size=(8, 2))
    pool, start = pool_of(points, [np.arange(4), np.arange(4, 8)])
    arguments = (pool.groups, pool.errors, start, CUTS, 8)
    found = best_of_components(*arguments, lambda numbers: float(len(numbers)), 0.0, GO)
    assert (found.labels, found.bound) == (None, 20.0)
    stopped = np.array([0, 1])
    assert best_of_components(*arguments, lambda numbers: 1.0, 60.0, stopped).bound == 2.0


def test_a_component_of_one_group_needs_no_program(monkeypatch):
    monkeypatch.delattr(components, "best_of")
    points = np.random.default_rng(5).normal(size=(6, 2))
    pool = CandidateGroups(points)
    pool.add([np.arange(3), np.arange(3, 6)])
    start = np.ones(2, dtype=bool)
    found = best_of_components(
        pool.groups, pool.errors, start, CUTS, 6, lambda numbers: 0.0, 1.0, GO
    )
    assert found.bound == pytest.approx(float(pool.errors.sum()))
