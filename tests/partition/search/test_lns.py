"""`lns`: never worse than its start, the same for any threads, near the best there is."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microagg as ma
from microagg.errors import ParameterError
from microagg.partition.search.lns.annealing import GroupPool, admissible, renumbered, search
from microagg.partition.search.lns.regions import cut, n_regions
from microagg.partition.sum_of_squares import error_of
from microagg.reporter import Reporter
from tests.examples import examples


def normal(n, d, seed=0):
    return np.random.default_rng(seed * 10_000 + n * 100 + d).normal(size=(n, d))


def least_loss(X, k):
    """Loss of the best partition, by dynamic programming over sets of records."""
    n = len(X)
    groups = [
        (
            sum(1 << i for i in rows),
            float(np.sum((X[list(rows)] - X[list(rows)].mean(axis=0)) ** 2)),
        )
        for size in range(k, min(2 * k, n + 1))
        for rows in combinations(range(n), size)
    ]
    by_first = [[g for g in groups if g[0] & -g[0] == 1 << i] for i in range(n)]
    best = {0: 0.0}
    for done in range(2**n - 1):
        if done in best:
            first = (~done & (done + 1)).bit_length() - 1
            for rows, error in by_first[first]:
                if rows & done == 0:
                    value = best[done] + error
                    best[done | rows] = min(value, best.get(done | rows, value))
    return best[2**n - 1]


@pytest.mark.slow
def test_finds_the_best_partition_of_a_few_records_nearly_always():
    found, cases = 0, 0
    for n in range(6, 13):
        for k in (2, 3, 4):
            for seed in range(2 if n > 10 else 4):
                if n < 2 * k:
                    continue
                X = normal(n, 1 + seed % 3, seed)
                part = ma.partition(X, k, "lns", scale="none", parameters={"max_iterations": 300})
                ours, best = error_of(np.ascontiguousarray(X.T), part.labels), least_loss(X, k)
                assert ours >= best * (1 - 1e-9)
                found += ours <= best * (1 + 1e-9)
                cases += 1
    assert cases > 60
    assert found >= 0.97 * cases


@settings(max_examples=examples(30), deadline=None)
@given(
    st.integers(4, 60),
    st.integers(2, 6),
    st.integers(0, 2**32),
    st.integers(0, 100),
    st.sampled_from(["mdav", "v-mdav"]),
)
def test_is_never_worse_than_its_start(n, k, seed, steps, initial):
    n = max(n, k)
    X = np.random.default_rng(seed).integers(0, 6, size=(n, 2)).astype(float)
    start = ma.partition(X, k, initial)
    part = ma.partition(
        X, k, "lns", seed=seed, parameters={"initial": initial, "max_iterations": steps}
    )
    assert part.sizes.max() < 2 * k
    assert part.sizes.min() >= k
    before, after = ma.information_loss(X, start).sse, ma.information_loss(X, part).sse
    assert after <= before * (1 + 1e-12) + 1e-12


def test_same_labels_for_any_number_of_threads_with_many_regions():
    X = normal(1000, 3)
    first = ma.partition(X, 3, "lns", parameters={"threads": 1, "max_iterations": 8000})
    assert n_regions(first.n_groups) > 4
    assert ma.partition(X, 3, "lns", parameters={"threads": 2, "max_iterations": 8000}) == first
    assert ma.partition(X, 3, "lns", parameters={"threads": 7, "max_iterations": 8000}) == first
    assert (
        ma.partition(X, 3, "lns", seed=1, parameters={"threads": 2, "max_iterations": 8000})
        != first
    )


def test_same_labels_for_any_number_of_threads_with_few_large_groups():
    X = normal(400, 3)
    first = ma.partition(X, 20, "lns", parameters={"threads": 1, "max_iterations": 1000})
    assert n_regions(first.n_groups) == 2
    assert ma.partition(X, 20, "lns", parameters={"threads": 2, "max_iterations": 1000}) == first


def test_details_say_what_was_done():
    X = normal(200, 3)
    part = ma.partition(X, 3, "lns", parameters={"max_iterations": 777})
    assert part.facts.stopped == "iterations"
    assert part.facts.steps == 777
    assert 0 < part.facts.accepted <= 777
    assert part.facts.loss_end == pytest.approx(ma.information_loss(X, part).sse)
    start = ma.information_loss(X, ma.partition(X, 3, "mdav-nc")).sse
    assert part.facts.loss_end < part.facts.loss_start == pytest.approx(start)


def test_a_time_limit_stops_it():
    part = ma.partition(normal(300, 3), 3, "lns", parameters={"time_limit": 0.3})
    assert part.facts.stopped == "time limit"
    assert part.facts.steps > 0
    none = ma.partition(normal(300, 3), 3, "lns", parameters={"time_limit": 0})
    assert none.sizes.min() >= 3


def test_a_clock_that_stands_still_is_no_error(monkeypatch):
    monkeypatch.setattr("time.monotonic", lambda: 0.0)
    part = ma.partition(
        normal(60, 2), 3, "lns", parameters={"time_limit": 1e6, "max_iterations": 500}
    )
    assert part.facts.steps == 500


def test_a_sweep_takes_a_third_of_the_gain_at_once():
    X = normal(3000, 4)
    losses = [
        ma.partition(X, 3, "lns", parameters={"max_iterations": steps}).facts
        for steps in (1, 15 * 3000)
    ]
    start = losses[0].loss_start
    assert start - losses[0].loss_end > (1 / 3) * (start - losses[1].loss_end) > 0


def test_an_interrupt_gives_the_best_so_far():
    class Interrupting(Reporter):
        def begin(self, what, total):
            self.ready = what == "Searching"

        def reach(self, done):
            if self.ready and done > 0:
                self.ready = False
                raise KeyboardInterrupt

    X = normal(400, 3)
    with pytest.warns(ma.MicroaggWarning, match="stopped by Ctrl-C"):
        part = ma.partition(
            X, 3, "lns", progress=Interrupting(), parameters={"max_iterations": 10**7}
        )
    assert part.facts.stopped == "interrupted"
    assert part.facts.loss_end <= part.facts.loss_start


@pytest.mark.parametrize("initial", ["lns", "LNS", "mdva", 3])
def test_a_start_that_is_no_other_method_is_refused(initial):
    with pytest.raises(ParameterError):
        ma.partition(normal(20, 2), 3, "lns", parameters={"initial": initial})


def test_search_goes_on_from_any_labels_and_fills_a_pool():
    columns, k = np.ascontiguousarray(normal(120, 3).T), 4
    pool = GroupPool(5000, k)
    labels = np.arange(120) // k
    losses, counts = [error_of(columns, labels)], []
    for seed in range(4):
        labels = search(columns, labels, k, steps=400, seed=seed, pool=pool)
        losses.append(error_of(columns, labels))
        counts.append(pool.count)
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.5 * losses[0]
    assert counts == sorted(set(counts))
    kept = {tuple(row[row >= 0]) for row in pool.members[: pool.count]}
    assert {tuple(np.flatnonzero(labels == g)) for g in range(labels.max() + 1)} <= kept


def test_search_gives_the_same_again():
    columns, labels = np.ascontiguousarray(normal(90, 2).T), np.arange(90) // 3
    first, again = (search(columns, labels, 3, steps=500, seed=5) for _ in range(2))
    assert np.array_equal(first, again)


def test_large_groups_are_cut():
    columns = np.ascontiguousarray(normal(50, 2).T)
    labels = np.repeat([0, 1, 2], [3, 40, 7]).astype(np.int32)
    parts = admissible(columns, labels, 3)
    sizes = np.bincount(parts)
    assert 3 <= sizes.min() <= sizes.max() <= 5
    assert error_of(columns, parts) <= error_of(columns, labels)


def test_regions_hold_every_group_once_and_are_alike_in_number():
    means = normal(333, 4)
    parts = cut(means, 8, np.random.default_rng(0))
    assert sorted(np.concatenate(parts).tolist()) == list(range(333))
    assert {len(part) for part in parts} <= {41, 42}


def test_labels_are_numbered_in_the_order_of_first_records():
    assert renumbered(np.array([4, 4, 0, 9, 0])).tolist() == [0, 0, 1, 2, 1]


@pytest.mark.slow
@pytest.mark.parametrize("initial", ["genetic", "omma", "best"])
def test_a_start_that_searches_is_searched_from_in_time(initial):
    X = np.random.default_rng(0).normal(size=(60, 2))
    details = ma.partition(X, 3, "lns", parameters={"initial": initial, "time_limit": 2}).facts
    assert details.steps > 0
    assert details.stopped == "time limit"
    assert details.loss_end <= details.loss_start


@pytest.mark.parametrize("method", ["lns", "best"])
def test_the_search_is_compiled_once_for_one_column_and_for_several(method):
    from microagg.kernels.lns.search import anneal_on

    compiled = []
    for d in (2, 1):
        X = np.random.default_rng(d).normal(size=(30, d))
        ma.partition(X, 3, method, parameters={"max_iterations": 1})
        compiled.append(set(anneal_on.overloads))
    assert compiled[0] == compiled[1]
