"""Bounds and searches of mixed records against brute force: thousands of cases in `make test-slow`.

The losses of `brute_force` are those of the definition. No partition of any sizes may lose less than a
bound, whatever represents a group, and no search may end above the groups that it starts from.
"""

import os

import numpy as np
import pytest

from microagg.context import Context
from microagg.partition.bounds.lower_bound import _bound_of_mixed
from microagg.partition.bounds.mixed_bound import untimed_bound
from microagg.partition.driver import group
from tests.examples import examples
from tests.kernels.mixed.test_mixed_refine import CHOICES, some_records
from tests.partition.bounds.brute_force import least_loss, records_of_all_kinds
from tests.twins.mixed_refine import Losses

MANY = int(os.environ.get("MICROAGG_CASES", "5000"))
PARTS = 10
REFINEMENTS = ("swap-shift", "decompose", "decompose-2018", "decompose-shrink")


def check_bounds(seed, cases):
    """Compare the bounds of random records with the least loss; returns how often each proof was used."""
    rng, proofs = np.random.default_rng(seed), {}
    for _ in range(cases):
        n = int(rng.integers(3, 10))
        k = int(rng.integers(2, n + 1 if rng.integers(3) == 0 else max(n // 2, 2) + 1))
        records = records_of_all_kinds(rng, n)
        least, released = (least_loss(records, k, each) for each in (False, True))
        bound = _bound_of_mixed(records, k, None, np, Context.of().within(5))
        assert least <= released * (1 + 1e-9) + 1e-9
        assert 0 <= bound.sse <= least * (1 + 1e-9) + 1e-9
        proofs[bound.proved_by] = proofs.get(bound.proved_by, 0) + 1
        if n >= 2 * k:
            assert 0 <= untimed_bound(records, k, Context.of()).loss <= least * (1 + 1e-9) + 1e-9
        proofs["tight"] = proofs.get("tight", 0) + (bound.sse > 0.95 * released > 0)
    return proofs


def check_searches(seed, cases):
    """Compare the losses of searches with those of their start; returns how many lost less."""
    rng, lower = np.random.default_rng(seed), 0
    for _ in range(cases):
        n = int(rng.integers(2, 40))
        k = int(rng.integers(2, max(n // 2, 2) + 1))
        records = some_records(n, int(rng.integers(2**31)), **CHOICES[rng.integers(len(CHOICES))])
        losses = Losses(records)

        def lost(labels, losses=losses):
            return sum(losses.of(np.flatnonzero(labels == g)) for g in np.unique(labels))

        start = str(rng.choice(["mdav", "mdav-nc", "v-mdav"]))
        refine = str(rng.choice(REFINEMENTS))
        before = lost(group(records, k, start).labels)
        after = lost(group(records, k, start, refine=refine).labels)
        assert after <= before * (1 + 1e-9) + 1e-9
        begun = lost(group(records, k, start, refine=["decompose", "swap-shift"]).labels)
        steps = {"max_iterations": int(rng.integers(1, 200)), "initial": start}
        ended = lost(group(records, k, "lns", seed=seed, parameters=steps).labels)
        assert ended <= begun * (1 + 1e-9) + 1e-9
        lower += after < before * (1 - 1e-6)
    return lower


def test_no_partition_loses_less_than_a_bound():
    proofs = check_bounds(0, examples(250))
    assert proofs["one group"] > 0
    assert proofs["columns"] > 0
    assert proofs["equal records"] > 0
    assert proofs["tight"] > sum(proofs.values()) // 10


def test_no_search_ends_above_its_start():
    assert check_searches(0, examples(200)) > examples(200) // 4


@pytest.mark.exhaustive
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("part", range(PARTS))
def test_no_partition_loses_less_than_a_bound_in_many_cases(part):
    check_bounds(1 + part, MANY // PARTS)


@pytest.mark.exhaustive
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("part", range(PARTS))
def test_no_search_ends_above_its_start_in_many_cases(part):
    check_searches(1 + part, MANY // PARTS)
