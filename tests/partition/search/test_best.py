"""`best` finds the best partition of few records, says what it proved, and stops when told."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microagg as ma
from microagg import threads
from microagg.partition.bounds.cuts import GroupCuts
from microagg.partition.bounds.integer import best_of
from microagg.partition.bounds.semidefinite import Semidefinite
from microagg.partition.search.best import portfolio, proving
from microagg.partition.search.best.annealing_only import MOST_ROUNDS, Alone
from microagg.partition.search.best.dive import dive
from microagg.partition.sum_of_squares import error_of
from microagg.reporter import Reporter
from tests.examples import examples, sample

GO = np.zeros(2, dtype=np.int64)
NO_CUTS = GroupCuts.of(0)


def records(n, d=2, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.parametrize("k", sample([2, 3, 4]))
def test_few_records_are_solved_to_a_small_gap(k):
    X = records(45, seed=k)
    part = ma.partition(X, k, "best")
    il = ma.information_loss(X, part).il
    assert il <= ma.information_loss(X, ma.partition(X, k, "mdav")).il
    assert part.facts.lower_bound <= il * (1 + 1e-9)
    assert part.facts.gap == pytest.approx(1 - part.facts.lower_bound / il, abs=1e-9)
    assert part.facts.gap < 0.02
    assert part.facts.stopped in {"gap", "iterations"}


@pytest.mark.slow
def test_the_bound_is_that_of_lower_bound():
    X = records(40)
    details = ma.partition(X, 3, "best", parameters={"gap": 0, "max_iterations": 2}).facts
    assert details.lower_bound == pytest.approx(ma.lower_bound(X, 3).il, rel=1e-6)
    assert details.stopped in {"gap", "iterations"}


@pytest.mark.slow
@pytest.mark.parametrize("k", [3, 20])
def test_without_a_clock_the_seed_alone_decides(monkeypatch, k):
    X = records(150, 3)
    found = []
    for many in (1, 2, 4):
        for module in (portfolio, proving, threads):
            monkeypatch.setattr(module, "workers", lambda m=many: m)
        limits = {"time_limit": None, "max_iterations": 1, "gap": 0.0}
        found.append(ma.partition(X, k, "best", seed=5, parameters=limits))
    assert found[0] == found[1] == found[2]
    assert found[0].facts.iterations == 1


@pytest.mark.parametrize(("n", "k"), [(80, 20), (5, 3)])
def test_where_column_generation_is_of_no_use_there_is_a_bound_too(n, k):
    X = records(n)
    part = ma.partition(X, k, "best", parameters={"time_limit": None, "max_iterations": 1})
    assert 0 < part.facts.lower_bound <= ma.information_loss(X, part).il * (1 + 1e-9)


@pytest.mark.parametrize("k", [3, 20])
def test_a_large_gap_is_reached_at_once(k):
    part = ma.partition(records(400, 4), k, "best", parameters={"gap": 0.9})
    assert (part.facts.stopped, part.facts.gap <= 0.9) == ("gap", True)


@pytest.mark.parametrize("gap", [1, 2.0, -0.1])
def test_a_gap_is_a_share(gap):
    with pytest.raises(ma.MicroaggError, match=r"a share from 0 to less than 1 \(0.02 is 2 %\)"):
        ma.partition(records(20), 3, "best", parameters={"gap": gap})


@pytest.mark.slow
def test_few_records_end_before_the_time_is_up():
    part = ma.partition(records(30), 9, "best")
    assert (part.facts.stopped in {"gap", "iterations"}, part.facts.iterations) == (
        True,
        MOST_ROUNDS,
    )


@pytest.mark.slow
def test_above_five_a_relaxation_proves_more_than_neighbours():
    X = records(100, 3)
    part = ma.partition(X, 8, "best", parameters={"time_limit": None, "max_iterations": 1})
    quick = ma.lower_bound(X, 8, time_limit=0).il
    assert 1.02 * quick < part.facts.lower_bound < ma.information_loss(X, part).il
    assert part.facts.gap < 0.12


@pytest.mark.parametrize("seconds", [None, 10])
@pytest.mark.parametrize("is_rounded", [True, False])
def test_the_search_goes_on_from_the_solution_of_the_relaxation(monkeypatch, seconds, is_rounded):
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.repeat(np.arange(6), 8)).astype(np.int32)
    X = rng.normal(size=(48, 2)) + 100 * np.stack((labels % 3, labels // 3), axis=1)
    columns, bad = np.ascontiguousarray(X.T), np.repeat(np.arange(6), 8).astype(np.int32)
    monkeypatch.setattr(Alone, "_anneal", lambda *arguments: 0)  # nothing else finds better groups
    monkeypatch.setattr(proving, "usual_steps", lambda n, k: 0)
    monkeypatch.setattr(proving, "affordable_steps", lambda *arguments: 0)
    monkeypatch.setattr(Semidefinite, "rounded", lambda self: labels if is_rounded else None)
    search = Alone(
        columns, bad, 8, rng, gap=0.0, rounds=1, seconds=seconds, tell=lambda lost, bound: None
    )
    search.run(np.zeros(2, dtype=np.int64))
    best = labels if is_rounded else bad
    assert search.incumbent.lowest == pytest.approx(error_of(columns, best))


@pytest.mark.slow
@pytest.mark.parametrize("k", [6, 8])
def test_the_relaxation_has_its_share_of_the_time(k):
    X = records(100, 3)
    part = ma.partition(X, k, "best", parameters={"time_limit": 6, "gap": 0})
    assert part.facts.lower_bound > 1.02 * ma.lower_bound(X, k, time_limit=0).il
    assert part.facts.stopped in {"time limit", "iterations"}


def test_rounds_that_were_not_done_are_not_counted():
    part = ma.partition(
        records(3000, 4), 20, "best", parameters={"time_limit": 0.2, "max_iterations": 1000}
    )
    assert part.facts.stopped == "time limit"
    assert part.facts.iterations < 1000


def test_no_time_gives_what_there_is():
    X = records(300, 4)
    part, start = (
        ma.partition(X, 3, "best", parameters={"time_limit": 0}),
        ma.partition(X, 3, "mdav-nc"),
    )
    assert part.facts.stopped == "time limit"
    assert (part.facts.lower_bound, part.facts.gap, part.facts.iterations) == (
        0,
        1,
        0,
    )
    assert ma.information_loss(X, part).il == pytest.approx(ma.information_loss(X, start).il)


@pytest.mark.parametrize("k", [3, 20])
def test_an_interrupt_gives_what_there_is_and_progress_is_told(k):
    class Interrupting(Reporter):
        said, due = "", True

        def retitle(self, what):
            self.said = what

        def reach(self, done):
            if self.said and self.due:
                self.due = False
                raise KeyboardInterrupt

    progress = Interrupting()
    with pytest.warns(ma.MicroaggWarning, match="stopped by Ctrl-C"):
        part = ma.partition(
            records(400, 4), k, "best", progress=progress, parameters={"time_limit": 30}
        )
    assert part.facts.stopped == "interrupted"
    assert progress.said.startswith("Loss ")


def test_the_integer_program_chooses_the_cheapest_groups():
    groups = [np.array(rows) for rows in ([0, 1], [2, 3], [0, 2], [1, 3])]
    start = np.array([True, True, False, False])
    errors = np.array([5.0, 5.0, 1.0, 2.0])
    found = best_of(groups, errors, start, NO_CUTS, 4, 10, GO)
    assert found.labels.tolist() == [0, 1, 0, 1]
    assert 3 * (1 - 1e-5) < found.bound <= 3
    again = best_of(groups, errors[::-1].copy(), start, NO_CUTS, 4, np.inf, GO)
    assert again.labels is None
    assert again.bound <= 3


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(2, 4), st.integers(1, 3), st.integers(0, 2**32), st.booleans())
def test_what_is_proved_to_be_the_best_is(best_error, k, d, seed, grid):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2 * k, 11))
    X = rng.normal(size=(n, d))
    X = np.round(X) if grid else X
    part = ma.partition(X, k, "best", scale="none", seed=1)
    best, sse = best_error(X, k), ma.information_loss(X, part, scale="none").sse
    assert part.facts.lower_bound_sse <= best * (1 + 1e-9) + 1e-12
    assert part.facts.stopped in {"gap", "proved"}
    assert sse == pytest.approx(best, rel=3e-6, abs=1e-12)


@pytest.mark.slow
def test_some_sixty_records_are_solved_to_the_end():
    X = records(60, 3)
    part = ma.partition(X, 3, "best", parameters={"gap": 0.0})
    assert (part.facts.stopped, part.facts.gap < 3e-6) == ("gap", True)


def test_a_dive_groups_every_record():
    points = records(30)
    rng = np.random.default_rng(0)
    groups = [rng.choice(30, size=3, replace=False) for _ in range(20)]
    labels = dive(points, groups, rng.random(20), 3)
    assert np.bincount(labels).min() >= 3
    kept = {tuple(np.flatnonzero(labels == label)) for label in range(labels.max() + 1)}
    assert len(kept & {tuple(sorted(rows)) for rows in groups}) > 2
