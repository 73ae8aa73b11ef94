"""`best` finds the best partition of few records, says what it proved, and stops when told."""

import numpy as np
import pytest

import microagg as ma
from microagg.partition.search.dive import dive
from microagg.partition.search.integer import best_of
from microagg.progress import Progress

GO = np.zeros(2, dtype=np.int64)


def records(n, d=2, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_few_records_are_solved_to_a_small_gap(k):
    X = records(45, seed=k)
    part = ma.partition(X, k, "best")
    il = ma.information_loss(X, part).il
    assert il <= ma.information_loss(X, ma.partition(X, k)).il
    assert part.details["lower_bound"] <= il * (1 + 1e-9)
    assert part.details["gap"] == pytest.approx(1 - part.details["lower_bound"] / il, abs=1e-9)
    assert part.details["gap"] < 0.02
    assert part.details["stopped"] in {"gap", "iterations"}


def test_the_bound_is_that_of_lower_bound():
    X = records(40)
    details = ma.partition(X, 3, "best", gap=0, max_iterations=2).details
    assert details["lower_bound"] == pytest.approx(ma.lower_bound(X, 3).il, rel=1e-6)
    assert details["stopped"] in {"gap", "iterations"}


def test_the_same_seed_gives_the_same_labels():
    X = records(70, 3)
    first, again = (ma.partition(X, 3, "best", max_iterations=1, seed=5) for _ in range(2))
    assert first == again


@pytest.mark.parametrize(("n", "k"), [(40, 7), (5, 3)])
def test_where_column_generation_is_of_no_use_there_is_a_bound_too(n, k):
    X = records(n)
    part = ma.partition(X, k, "best", max_iterations=1)
    assert 0 < part.details["lower_bound"] <= ma.information_loss(X, part).il * (1 + 1e-9)


def test_no_time_gives_what_there_is():
    part = ma.partition(records(300, 4), 3, "best", time_limit=0)
    assert part.details["stopped"] == "time limit"
    assert 0 <= part.details["gap"] <= 1


def test_an_interrupt_gives_what_there_is_and_progress_is_told():
    class Interrupting(Progress):
        said = ""

        def retitle(self, what):
            self.said = what

        def reach(self, done):
            if self.said and "stopped" not in self.notes:
                raise KeyboardInterrupt

    progress = Interrupting()
    with pytest.warns(ma.MicroaggWarning, match="stopped by Ctrl-C"):
        part = ma.partition(records(400, 4), 3, "best", time_limit=30, progress=progress)
    assert part.details["stopped"] == "interrupted"
    assert progress.said.startswith("Loss ")


def test_the_integer_program_chooses_the_cheapest_groups():
    groups = [np.array(rows) for rows in ([0, 1], [2, 3], [0, 2], [1, 3])]
    start = np.array([True, True, False, False])
    errors = np.array([5.0, 5.0, 1.0, 2.0])
    assert best_of(groups, errors, start, 4, 10, GO).tolist() == [0, 1, 0, 1]
    assert best_of(groups, errors[::-1].copy(), start, 4, np.inf, GO) is None


def test_a_dive_groups_every_record():
    points = records(30)
    rng = np.random.default_rng(0)
    groups = [rng.choice(30, size=3, replace=False) for _ in range(20)]
    labels = dive(points, groups, rng.random(20), 3)
    assert np.bincount(labels).min() >= 3
