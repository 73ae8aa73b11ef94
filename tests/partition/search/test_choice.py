"""What an integer program may choose from, what it chooses, and what that proves."""

import numpy as np
import pytest

from microagg.partition.bounds import integer
from microagg.partition.bounds.column_generation import ColumnGeneration
from microagg.partition.bounds.gap import PROVED
from microagg.partition.bounds.pool import CandidateGroups
from microagg.partition.bounds.quick import quick_prices
from microagg.partition.search.best import candidates
from microagg.partition.search.best import exact_choice as choice
from microagg.partition.search.best.candidates import cheap_groups, groups_of
from microagg.partition.search.best.exact_choice import ExactChoice
from microagg.partition.search.best.incumbent import Incumbent

GO = np.zeros(2, dtype=np.int64)
K = 2


def choice_of(points, solved):
    """Return a choice that knows a poor partition, with or without a solved linear program."""
    generation = ColumnGeneration(points, K, quick_prices(points, K, GO))
    while solved and not generation.finished:
        generation.step(lambda: np.inf, GO)
    columns = np.ascontiguousarray(points.T)
    labels = np.minimum(np.arange(len(points)) // K, len(points) // K - 1).astype(np.int32)
    incumbent = Incumbent(columns, labels, lambda lost, bound: None)
    incumbent.prove(generation.bound)
    return ExactChoice(generation, incumbent, CandidateGroups(points))


def points_of(seed, n=9):
    return np.random.default_rng(seed).normal(size=(n, 2))


def test_of_the_groups_seen_the_best_partition_is_chosen_and_kept():
    points = np.array([[0.0], [5.0], [0.1], [5.1], [9.0], [9.1]])
    chosen = choice_of(points, solved=False)
    before = chosen.incumbent.bound
    chosen.partitions.add(np.array([[0, 2], [1, 3], [4, 5]]))
    chosen.of_seen(np.inf, GO)
    assert sorted(map(tuple, groups_of(chosen.incumbent.labels))) == [(0, 2), (1, 3), (4, 5)]
    assert chosen.incumbent.bound == before  # the best of some groups proves nothing


@pytest.mark.parametrize("seed", range(10))
def test_where_the_mixture_agrees_groups_stay_and_others_are_chosen_anew(best_error, seed):
    points = np.concatenate([points_of(seed), [[50.0, 0.0], [50.1, 0.0], [90.0, 0.0], [90.1, 0.0]]])
    chosen = choice_of(points, solved=True)
    labels = np.array([0, 1, 2, 3, 0, 1, 2, 3, 3, 4, 4, 5, 5], dtype=np.int32)
    chosen.incumbent.offer(labels)
    assert chosen._settled(0.5)[-4:].all()  # both far pairs are the only groups of their records
    before = chosen.incumbent.bound
    chosen.of_unsettled(np.inf, GO)
    assert chosen.incumbent.lowest == pytest.approx(best_error(points, K), rel=1e-9)
    assert chosen.incumbent.bound == before  # the best of some groups proves nothing


def test_groups_that_the_mixture_holds_are_not_chosen_anew():
    chosen = choice_of(points_of(0), solved=True)
    chosen.of_few(np.inf, GO)  # the best partition, part of which the mixture holds
    settled = chosen._settled(0.5)
    assert settled.any()
    before = chosen.incumbent.labels
    chosen.of_unsettled(np.inf, GO)
    assert np.array_equal(chosen.incumbent.labels, before)


@pytest.mark.parametrize("seed", range(10))
def test_of_all_groups_that_matter_the_best_is_proved(best_error, seed):
    points = points_of(seed)
    chosen = choice_of(points, solved=True)
    assert chosen.of_few(np.inf, GO)
    assert chosen.incumbent.lowest == pytest.approx(best_error(points, K), rel=1e-9)
    assert chosen.incumbent.gap <= PROVED


def test_of_some_groups_no_more_is_proved_than_the_others_allow(monkeypatch, best_error):
    """Where groups are left out, an integer program over the others may be dearer than the best."""
    monkeypatch.setattr(choice, "MOST_LISTED", (12, 12))
    real, solved = integer.best_of, []

    def seen(*arguments, **options):
        found = real(*arguments, **options)
        solved.append(found.bound)
        return found

    monkeypatch.setattr(choice, "best_of", seen)
    too_high = raised = 0
    for seed in range(40):
        points = points_of(seed)
        chosen, best = choice_of(points, solved=False), best_error(points, K)
        chosen.generation.finished = True  # else nothing is enumerated at so large a gap
        before, solved[:] = chosen.incumbent.bound, []
        assert not chosen.of_few(np.inf, GO)
        assert chosen.incumbent.bound <= best * (1 + 1e-9)
        too_high += any(bound > best * (1 + 1e-5) for bound in solved)
        raised += chosen.incumbent.bound > before * (1 + 1e-6)
    assert too_high > 5
    assert raised > 5


def test_a_program_that_was_not_solved_proves_nothing(monkeypatch):
    monkeypatch.setattr(integer, "_has_run", lambda solver: False)
    chosen = choice_of(points_of(0), solved=True)
    before, labels = chosen.incumbent.bound, chosen.incumbent.labels
    chosen.of_few(np.inf, GO)
    assert chosen.incumbent.bound == before
    assert chosen.incumbent.labels is labels


def test_a_solver_without_a_problem_has_not_run():
    from microagg.partition.bounds.solver import new_solver

    solver = new_solver(2, 0, {})
    assert not integer._has_run(solver)


def test_cheap_groups_are_those_that_a_better_partition_may_hold():
    points = points_of(3, n=30)
    generation = choice_of(points, solved=True).generation
    room = 0.02 * generation.reached
    few = cheap_groups(generation, generation.reached + room, 1000, GO)
    pool = CandidateGroups(points)
    pool.add(few)
    assert len(few) > 10
    assert (pool.costs(generation.proved.prices) <= room * (1 + 1e-9)).all()
    for most, count in ((5, 5), (0, 0), (-1, 0)):
        assert len(cheap_groups(generation, generation.reached + room, most, GO)) == count


def test_groups_are_spread_over_all_records(monkeypatch):
    monkeypatch.setattr(candidates, "GROUPS_OF_A_RECORD", 2)
    groups = [np.array(rows) for rows in ([0, 1], [0, 2], [0, 1], [1, 2], [0, 1], [3, 4], [0, 2])]
    chosen = [rows.tolist() for rows in candidates._spread_out(groups, 5)]
    assert chosen == [[0, 1], [0, 2], [0, 1], [1, 2], [3, 4]]
