"""Prices of parts, put together, prove a bound for all records, whether or not groups cross the parts."""

import numpy as np
import pytest

from benchmarks.quality import joined as module
from benchmarks.quality.joined import joined, lowered, solved_parts
from microagg.partition.bounds.column_generation import ColumnGeneration
from microagg.partition.bounds.cuts import GroupCuts
from microagg.partition.bounds.duals import Duals
from microagg.partition.bounds.pool import CandidateGroups
from microagg.partition.bounds.quick import quick_prices
from tests.partition.conftest import least_error

GO = np.zeros(2, dtype=np.int64)


def solved(X, k, parts):
    """Return the column generation of each part, run to its end."""
    found = []
    for rows in parts:
        part = ColumnGeneration(np.ascontiguousarray(X[rows]), k, quick_prices(X[rows], k, GO))
        while not part.finished:
            part.step(lambda: np.inf, GO)
        found.append((rows, part))
    return found


def test_the_bound_is_at_most_the_best_partition_wherever_parts_meet():
    rng, crossed = np.random.default_rng(0), 0
    for _ in range(30):
        k = int(rng.integers(2, 4))
        n = int(rng.integers(4 * k, 13))
        X, order = rng.normal(size=(n, 2)), rng.permutation(n)
        parts = solved(X, k, [np.sort(order[: n // 2]), np.sort(order[n // 2 :])])
        bound, best = joined(X, k, parts).bound, least_error(X, k)
        alone = sum(part.bound for _, part in parts)
        assert quick_prices(X, k, GO).sum() * (1 - 1e-6) <= bound <= best * (1 + 1e-9)
        crossed += alone > best
    assert crossed > 10  # it can fail: the parts alone would prove too much


def test_parts_that_are_far_apart_prove_as_much_together():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(24, 2)) + np.repeat([[0.0, 0.0], [1e3, 0.0]], 12, axis=0)
    parts = solved(X, 3, [np.arange(12), np.arange(12, 24)])
    alone = sum(part.bound for _, part in parts)
    assert joined(X, 3, parts).bound == pytest.approx(alone, rel=1e-6)


def test_parts_are_near_records_and_light_ones_keep_their_prices(monkeypatch):
    monkeypatch.setattr(module, "RECORDS", 12)
    monkeypatch.setattr(module, "HEAVY", 0.9)
    rng = np.random.default_rng(2)
    X = np.repeat([[0.0], [1e3]], 12, axis=0) + rng.normal(size=(24, 1)) * np.repeat(
        [[1.0], [0.1]], 12, axis=0
    )
    (heavy, first), (light, second) = solved_parts(X, 3, [np.arange(3), np.arange(21, 24)], 1.0)
    assert heavy.tolist() == list(range(12))
    assert light.tolist() == list(range(12, 24))
    prices = quick_prices(X, 3, GO)
    assert first.bound > 1.001 * prices[heavy].sum()
    assert second.bound == pytest.approx(prices[light].sum())


def test_prices_are_lowered_by_least_in_all():
    X = np.array([[0.0], [1.0], [2.0]])
    groups = CandidateGroups(X)
    groups.add([np.array([0, 1]), np.array([1, 2])])  # each has an error of 0.5
    lower = lowered(Duals(np.ones(3), np.empty(0)), GroupCuts.of(0), groups)
    assert lower.prices == pytest.approx([1.0, -0.5, 1.0], abs=1e-5)  # 1.5 from the shared record
