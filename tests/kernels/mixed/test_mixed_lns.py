"""The search on mixed records: the labels of the twin, and what a search promises."""

import numpy as np
import pytest

from microagg.kernels.mixed.lns import anneal_mixed
from microagg.kernels.mixed.objective import Objective
from microagg.partition.driver import group
from microagg.prepare.objective import objective_arrays
from tests.examples import sample
from tests.kernels.mixed.test_mixed_refine import CHOICES, reported, some_records
from tests.twins import mixed_lns


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize(("n", "k", "steps"), sample([(31, 5, 8), (24, 3, 25), (13, 2, 60)]))
def test_the_search_gives_the_labels_of_the_twin(choice, n, k, steps):
    records = some_records(n, n + k, **choice)
    labels = np.random.default_rng(n).permutation(np.arange(n) % (n // k))
    objective, heats = Objective(**objective_arrays(records)), (1.0, 0.05)
    ticker = np.zeros(2, dtype=np.int64)
    limits = steps, np.uint64(7), np.array(heats), 4, 6
    ours = anneal_mixed(objective, labels, k, *limits, ticker)
    last, best, accepted, lost = mixed_lns.anneal(records, labels, k, steps, 7, heats, 4, 6)
    assert np.array_equal(ours[0], last)
    assert np.array_equal(ours[1], best)
    assert ours[2:4] == (steps, accepted)
    assert ours[4] == pytest.approx(lost, rel=1e-9)
    assert accepted > 0


@pytest.mark.parametrize("choice", CHOICES[:3])
def test_a_search_is_never_worse_than_its_start_and_repeats(choice):
    for seed in range(5):
        records = some_records(60, seed, **choice)
        for k in (2, 5):
            start = group(records, k, "mdav-nc", refine=["decompose", "swap-shift"])
            options = {"max_iterations": 300}
            found = group(records, k, "lns", seed=seed, parameters=options)
            alone = group(records, k, "lns", seed=seed, parameters={**options, "threads": 1})
            assert found == alone
            assert reported(records, found.labels) <= reported(records, start.labels) + 1e-9
            assert k <= found.sizes.min() <= found.sizes.max() < 2 * k
            facts = found.facts
            assert facts.loss_end <= facts.loss_start
            assert facts.steps == 300
            if not choice.get("table"):
                assert facts.loss_end == pytest.approx(reported(records, found.labels), rel=1e-9)
