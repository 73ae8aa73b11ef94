"""Whatever was looked at by halves, what counts as proved holds for every group there is."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.partition.bounds import column_generation, columns_start, steering
from microagg.partition.bounds.cuts import entries_of
from microagg.partition.bounds.pool import errors_of
from microagg.partition.bounds.pricing import Effort
from microagg.partition.bounds.quick import quick_prices
from tests.examples import examples

ROUNDING = 1e-8
STEPS = 20


def least_reduced_cost(generation, groups, errors):
    """Return the least reduced cost of all groups at the duals that are proved, by their scale."""
    duals = generation._proved
    entries = entries_of(groups, generation.charged_cuts, generation.n)
    n = generation.n
    costs = errors - entries[:, :n] @ duals.prices + entries[:, n:] @ duals.charges
    return costs.min() / max(duals.scale(), 1e-9)


@settings(max_examples=examples(60), deadline=None)
@given(
    seed=st.integers(0, 2**32),
    k=st.integers(2, 4),
    rounded=st.booleans(),
    width=st.integers(2, 7),
    works=st.tuples(*[st.sampled_from([2, 10, 60, 1000])] * 3),
)
def test_no_group_costs_less_than_the_prices_that_are_proved(seed, k, rounded, width, works):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(int(rng.integers(2 * k, 13)), int(rng.integers(1, 4))))
    X = np.round(2 * X) if rounded else X
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(steering, "FIRST_EFFORT", Effort(width, works[0]))
        patch.setattr(column_generation, "FIRST_EFFORT", Effort(width, works[0]))
        patch.setattr(steering, "EXACT_WORK", works[1])
        patch.setattr(column_generation, "CLIMB_WORK", works[2])
        patch.setattr(column_generation, "QUICKLY_BOXED", 1.0)
        ticker = np.zeros(2, dtype=np.int64)
        generation = column_generation.ColumnGeneration(X, k, quick_prices(X, k, ticker))
        everyone = range(generation.n)
        groups = [np.array(rows) for s in generation._sizes for rows in combinations(everyone, s)]
        errors = np.array([errors_of(generation._points[rows][None])[0] for rows in groups])
        for step in range(STEPS):
            if step % 2:
                generation.climb(ticker)
            elif not generation.finished:
                generation.step(lambda: np.inf, ticker)
            assert least_reduced_cost(generation, groups, errors) >= -ROUNDING
            assert generation._bound <= generation._proved.total() + ROUNDING


@pytest.mark.parametrize("k", [2, 3])
def test_a_generation_started_from_parts_proves_as_much(k, monkeypatch):
    monkeypatch.setattr(columns_start, "RECORDS", 24)
    rng = np.random.default_rng(k)
    X = rng.normal(size=(72, 2)) + np.repeat(rng.normal(size=(6, 2)) * 40, 12, axis=0)
    X = X[rng.permutation(72)]
    ticker = np.zeros(2, dtype=np.int64)
    prices = quick_prices(X, k, ticker)
    whole, started = (column_generation.ColumnGeneration(X, k, prices) for _ in range(2))
    while not whole.finished:
        whole.step(lambda: np.inf, ticker)
    columns_start.start_columns_in_parts(started, prices, k, np.inf, ticker)
    assert started.bound == pytest.approx(whole.bound, rel=1e-6)
    assert len(started.cuts) >= len(started.charged_cuts)


def test_what_parts_prove_is_proved_for_groups_that_cross_them(best_error):
    rng, ticker, raised = np.random.default_rng(0), np.zeros(2, dtype=np.int64), 0
    for _ in range(examples(30)):
        X = rng.normal(size=(12, 2)) ** rng.choice([1, 3])
        prices = quick_prices(X, 2, ticker)
        generation = column_generation.ColumnGeneration(X, 2, prices)
        states = []
        for rows in np.split(rng.permutation(12), 2):  # near each other: cheap groups cross them
            part = column_generation.ColumnGeneration(X[rows], 2, prices[rows])
            while not part.finished:
                part.step(lambda: np.inf, ticker)
            states.append((rows, part))
        generation.start_from(states, ticker)
        best = best_error(X, 2)
        assert generation.bound <= best * (1 + 1e-9)
        while not generation.finished:
            generation.step(lambda: np.inf, ticker)
        assert generation.bound <= best * (1 + 1e-9)
        raised += generation.bound > prices.sum() * (1 + 1e-6)
    assert raised


def test_it_ends_without_repeating_itself(monkeypatch):
    monkeypatch.setattr(column_generation, "MOST_STALLED", 10**9)
    rng, ticker = np.random.default_rng(0), np.zeros(2, dtype=np.int64)
    for _ in range(10):
        X = rng.normal(size=(12, 2)) ** rng.choice([1, 3])
        generation = column_generation.ColumnGeneration(X, 2, quick_prices(X, 2, ticker))
        steps = 0
        while not generation.finished and steps < 200:  # HiGHS with presolve once ran in circles
            generation.step(lambda: np.inf, ticker)
            steps += 1
        assert generation.finished


def test_a_generation_started_at_a_certificate_proves_as_much():
    X, ticker = np.random.default_rng(105).normal(size=(40, 3)), np.zeros(2, dtype=np.int64)
    first = column_generation.ColumnGeneration(X, 3, quick_prices(X, 3, ticker))
    for _ in range(STEPS):
        if not first.finished:
            first.step(lambda: np.inf, ticker)
    again = column_generation.ColumnGeneration(X, 3, quick_prices(X, 3, ticker))
    begun = again.bound
    again.start_at(first.proved, first.charged_cuts, ticker)
    assert begun < again.bound == pytest.approx(first.bound, rel=1e-9)
    assert len(again.charged_cuts) == len(first.charged_cuts) > 0


def test_prices_that_are_too_high_are_lowered_at_the_start(best_error):
    X, ticker = np.random.default_rng(6).normal(size=(10, 2)), np.zeros(2, dtype=np.int64)
    generation = column_generation.ColumnGeneration(X, 3, quick_prices(X, 3, ticker))
    high = column_generation.Duals(1.05 * generation.proved.prices, np.empty(0))
    generation.start_at(high, generation.cuts, ticker)
    assert 0 < generation.bound <= best_error(X, 3)
