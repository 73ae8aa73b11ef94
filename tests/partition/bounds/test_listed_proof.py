"""An integer program over listed groups raises the bound of column generation, and never above the best."""

import numpy as np
import pytest

import microagg as ma
from microagg.partition.bounds import listed_proof
from microagg.partition.bounds.column_generation import ColumnGeneration
from microagg.partition.bounds.listed_proof import prove_listed
from microagg.partition.bounds.lower_bound import first_groups
from microagg.partition.bounds.quick import quick_prices
from microagg.partition.sum_of_squares import error_of
from tests.examples import examples

GO = np.zeros(2, dtype=np.int64)


def few_steps(X, k, steps):
    """Return a column generation after some steps, and a partition."""
    generation = ColumnGeneration(X, k, quick_prices(X, k, GO))
    groups, labels = first_groups(X, k, GO)
    generation.pool.add(groups)
    for _ in range(steps):
        if not generation.finished:
            generation.step(lambda: np.inf, GO)
    return generation, labels


def test_a_bound_of_listed_groups_is_at_most_the_best_partition(best_error):
    rng, reached, raised = np.random.default_rng(0), 0, 0
    for _ in range(examples(40)):
        n, k = int(rng.integers(6, 11)), int(rng.integers(2, 4))
        X = rng.normal(size=(n, 2))
        generation, labels = few_steps(X, k, int(rng.integers(0, 6)))
        best = best_error(X, k)
        missing = (best - generation.bound) * rng.choice([0.3, 1.0])
        bound = prove_listed(generation, labels, missing, 10.0, GO).bound
        assert generation.bound <= bound <= best * (1 + 1e-9)
        raised += bound > generation.bound
        reached += bound >= best * (1 - 2e-6)
    assert min(raised, reached) > examples(40) // 8  # it can fail: many bounds are raised


def test_the_threshold_is_lowered_where_there_are_too_many_groups(monkeypatch):
    X = np.random.default_rng(3).normal(size=(40, 3))
    generation, labels = few_steps(X, 3, 4)
    missing = 0.2 * generation.bound
    monkeypatch.setattr(listed_proof, "MOST", 300)
    proof = prove_listed(generation, labels, missing, 10.0, GO)
    assert generation.bound <= proof.bound <= error_of(X.T, labels)
    assert sum(map(len, proof.listed.groups)) <= 300
    assert 0.0 < proof.listed.threshold < 0.9 * missing
    monkeypatch.setattr(listed_proof, "MOST", 0)
    assert prove_listed(generation, labels, missing, 10.0, GO).bound == generation.bound


def test_lower_bound_says_that_an_integer_program_proved_it():
    X = np.random.default_rng(105).normal(size=(100, 3))
    bound = ma.lower_bound(X, 3, time_limit=60)
    assert (bound.proved_by, bound.stopped) == ("integer", "exhausted")
    assert bound.proved_by.words == "column generation and an integer program"


@pytest.mark.parametrize("missing", [0.0, -1.0])
def test_where_nothing_is_missing_nothing_is_listed(missing):
    X = np.random.default_rng(0).normal(size=(12, 2))
    generation, labels = few_steps(X, 3, 1)
    assert prove_listed(generation, labels, missing, 10.0, GO).bound == generation.bound
