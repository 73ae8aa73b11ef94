"""Within a time limit there are steps while they fit, proofs on the way, and an end when told to."""

import numpy as np
import pytest

from microagg.partition.bounds import semidefinite
from microagg.partition.bounds.semidefinite import Semidefinite
from microagg.partition.bounds.semidefinite_run import is_affordable, run_semidefinite

GO = np.zeros(2, dtype=np.int64)


@pytest.fixture
def state():
    return Semidefinite(np.random.default_rng(0).normal(size=(40, 3)), 6)


def never(bound):
    return False


def test_it_goes_on_until_more_steps_are_of_no_use(state):
    bounds = []
    assert not run_semidefinite(state, lambda: np.inf, GO, lambda bound: bool(bounds.append(bound)))
    assert state.finished
    assert bounds == sorted(bounds)
    assert bounds[-1] == state.bound > 0
    assert state.bound == pytest.approx(state.estimate, rel=1e-6)


def test_without_time_there_is_no_step(state):
    assert run_semidefinite(state, lambda: -1.0, GO, never)
    assert (state.steps, state.bound) == (0, 0.0)


def test_a_step_that_does_not_fit_is_not_begun(state):
    left = iter([1.0] * 8)  # seconds; then none are left
    assert run_semidefinite(state, lambda: next(left, 0.0), GO, never)
    assert state.steps == 8
    assert state.bound > 0  # what there is was proved before the end


def test_the_ticker_stops_it(state):
    ticker = np.zeros(2, dtype=np.int64)

    def stop(bound):
        ticker[1] = 1
        return False

    assert not run_semidefinite(state, lambda: np.inf, ticker, stop)
    assert state.steps == 5
    assert state.bound > 0


def test_enough_is_enough(state):
    assert not run_semidefinite(state, lambda: np.inf, GO, lambda bound: bound > 0)
    assert state.steps < 20


def test_no_more_steps_than_allowed(state):
    assert not run_semidefinite(state, lambda: np.inf, GO, never, most_steps=17)
    assert state.steps == 17
    assert state.bound == pytest.approx(state.estimate, rel=1e-6)


def test_what_does_not_fit_into_memory_is_not_affordable(monkeypatch):
    assert is_affordable(30, 60.0)
    monkeypatch.setattr(semidefinite, "available_memory", lambda xp: 1000)
    assert not is_affordable(30, 60.0)
