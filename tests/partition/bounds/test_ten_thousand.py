"""No bound of `lower_bound` is above the best partition of few records, whichever proof it comes from."""

from collections import Counter

import numpy as np
import pytest

from microagg.partition.bounds import bound_search
from microagg.partition.bounds.lower_bound import lower_bound
from tests.examples import examples
from tests.partition.bounds.few_records import records


def holds(case, X, k, best):
    """Bound the loss of some records within a random time; return the proof, and whether it is tight."""
    limit = case.choice([0.0, 0.05 * case.random(), 0.5], p=[0.1, 0.3, 0.6])
    found = lower_bound(X, k, scale="none", time_limit=limit)
    assert 0 <= found.sse <= best + 1e-12 * best, (X, k, limit)
    return str(found.proved_by), best > 0 and found.sse > (1 - 2e-6) * best


def all_hold(best_error, monkeypatch, count, seed):
    """Bound the losses of so many draws of few records; return how often each proof was the best."""
    rng, proofs, tight = np.random.default_rng(seed), Counter(), 0
    for _ in range(count):
        X, k = records(rng, 14 if rng.random() < 0.05 else 10)
        # Either of the stronger proofs comes first, for any k.
        monkeypatch.setattr(bound_search, "COLUMNS_FIRST", int(rng.choice([0, 5, 14])))
        proof, is_tight = holds(rng, X, k, best_error(X, k))
        proofs[proof] += 1
        tight += is_tight
    assert tight > count // 4  # it can fail: many bounds are the optimum
    return proofs


def test_bounds_are_at_most_the_best_partition(best_error, monkeypatch):
    all_hold(best_error, monkeypatch, examples(400), 22)


@pytest.mark.exhaustive
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("part", range(5))
def test_ten_thousand_bounds_are_at_most_the_best_partition(best_error, monkeypatch, part):
    assert len(all_hold(best_error, monkeypatch, 2_000, part)) >= 4  # bounds of several proofs
