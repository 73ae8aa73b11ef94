"""No bound is above the best partition, however it is stopped, nor above any that is found."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import microagg as ma
from microagg import threads
from microagg.errors import MicroaggError, MicroaggWarning, ParameterError
from microagg.partition.bounds import (
    bound_search,
    column_generation,
    columns_start,
    pricing,
    semidefinite,
)
from microagg.partition.bounds.column_generation import ColumnGeneration
from microagg.partition.bounds.listed_proof import ListedProof
from microagg.partition.bounds.lower_bound import lower_bound
from microagg.partition.bounds.master import Master
from microagg.partition.bounds.quick import quick_prices
from microagg.reporter import Reporter
from tests.examples import examples, sample


@st.composite
def records(draw, least=0):
    """Draw a few records and k.

    Often equal or on a grid, sometimes of one value in a column, far from 0, or with k equal
    records far from all others.
    """
    k = draw(st.integers(2, 4))
    n, d = draw(st.integers(max(k, least * k), 9)), draw(st.integers(1, 3))
    values = st.one_of(st.integers(-2, 2).map(float), st.floats(-50, 50, width=16))
    X = draw(arrays(np.float64, (n, d), elements=draw(st.sampled_from([values, st.just(3.0)]))))
    if draw(st.booleans()):
        X[:, 0] = draw(arrays(np.float64, n, elements=values))
    if draw(st.booleans()):
        X[:k] = draw(st.sampled_from([1e3, 1e6, 1e9]))
    if draw(st.booleans()):
        X += draw(st.sampled_from([0.1, 1e3 + 0.1, 1e9]))
    return X, k


@settings(max_examples=examples(150), deadline=None)
@given(records())
def test_the_bound_is_at_most_the_best_partition(best_error, case):
    X, k = case
    found = lower_bound(X, k, scale="none", time_limit=None)
    best = best_error(X, k)
    assert found.sse <= best + 1e-12 * best
    assert found.stopped == ("proved" if found.proved_by == "equal records" else "exhausted")


@settings(max_examples=examples(600), deadline=None)
@given(records(least=2), st.integers(0, 1))
def test_no_group_costs_less_than_its_quick_prices(best_error, case, stop):
    points, k = case
    prices = quick_prices(points, k, np.array([0, stop]))
    assert prices.sum() * (1 - 1e-9) <= best_error(points, k) + 1e-12


@pytest.mark.timeout(600)
@settings(max_examples=examples(120), deadline=None)
@given(records(least=2))
def test_the_bound_holds_after_every_step(best_error, case):
    points, k = case
    ticker = np.zeros(2, dtype=np.int64)
    found = ColumnGeneration(points, k, quick_prices(points, k, ticker))
    best, steps, before = best_error(points, k), 0, found.bound
    while (not found.finished or found.look_deeper()) and steps < 60:
        found.step(lambda: np.inf, ticker)
        assert before <= found.bound <= best + 1e-9 * best + 1e-12
        before, steps = found.bound, steps + 1


@settings(max_examples=examples(60), deadline=None)
@given(records(), st.floats(0, 0.03))
def test_stopped_at_any_moment_it_holds(best_error, case, seconds):
    X, k = case
    found = lower_bound(X, k, scale="none", time_limit=seconds)
    best = best_error(X, k)
    assert 0 <= found.sse <= best + 1e-12 * best


def test_on_records_that_fall_into_groups_the_bound_is_the_optimum():
    rng = np.random.default_rng(1)
    X = np.repeat(rng.normal(size=(8, 2)) * 50, 3, axis=0) + rng.normal(size=(24, 2))
    labels = np.repeat(np.arange(8), 3)
    found = lower_bound(X, 3, groups=labels)
    assert found.il == pytest.approx(ma.information_loss(X, labels).il, rel=1e-6)
    assert found.gap == pytest.approx(0, abs=1e-6)
    assert found.stopped == "gap"


@pytest.mark.parametrize("name", ["tarragona", "census", "eia"])
@pytest.mark.parametrize("k", sample([5, 2, 50]))
def test_no_method_goes_below_the_quick_bound_of_a_benchmark(benchmark, name, k):
    X = benchmark(name)
    part = ma.partition(X, k, "mdav", refine="swap-shift")
    points = np.ascontiguousarray((X - X.mean(axis=0)) / X.std(axis=0))
    bound = quick_prices(points, k, np.zeros(2, dtype=np.int64)).sum()
    assert 0.3 < bound / ma.information_loss(X, part).sse < 1


def test_columns_beat_neighbours_and_no_method_beats_columns(benchmark):
    X = benchmark("tarragona")[:90]
    quick, found = (lower_bound(X, 3, time_limit=limit) for limit in (0, None))
    parts = [ma.partition(X, 3, "mdav", refine=refine) for refine in (None, "swap-shift")]
    losses = [ma.information_loss(X, part).il for part in parts]
    assert (found.proved_by in {"columns and cuts", "integer"}, found.stopped) == (
        True,
        "exhausted",
    )
    assert quick.il < found.il < min(losses)


def test_fewer_than_2k_records_have_one_partition():
    X = np.arange(10.0).reshape(5, 2)
    found = lower_bound(X, 3)
    assert (found.il, found.proved_by, found.gap) == (100.0, "one group", None)


def test_many_records_have_a_bound_by_neighbours():
    X = np.random.default_rng(0).normal(size=(20_001, 2))
    found = lower_bound(X, 4, groups=ma.partition(X, 4, "mdav"))
    assert (found.proved_by, found.stopped) == ("neighbours", "size")
    assert 0.4 < found.il / found.groups_il < 1


@pytest.mark.slow
def test_the_same_bound_for_any_number_of_threads(monkeypatch):
    X = np.random.default_rng(0).normal(size=(40, 3))
    bounds = set()
    for many in (1, 2, 5):
        monkeypatch.setattr(threads, "workers", lambda m=many: m)
        bounds.add(lower_bound(X, 3, time_limit=None).sse)
    assert len(bounds) == 1


def test_an_interrupt_keeps_what_there_is():
    class Interrupting(Reporter):
        due = True

        def reach(self, done):
            if self.due:
                self.due = False
                raise KeyboardInterrupt

    X, progress = np.random.default_rng(0).normal(size=(400, 5)), Interrupting()
    with pytest.warns(MicroaggWarning, match="stopped by Ctrl-C"):
        found = lower_bound(X, 4, progress=progress)
    assert (found.proved_by, found.stopped) == ("neighbours", "interrupted")
    assert 0 < found.il < ma.information_loss(X, ma.partition(X, 4, "mdav")).il


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 1}, "The 'k' parameter of lower_bound must be an integer from 2 to n=6"),
        ({"engine": "gpu"}, "The 'engine' parameter must be one of"),
        ({"time_limit": -1}, "The 'time_limit' parameter of lower_bound must be a number"),
        ({"groups": [0, 0]}, "The data has 6 rows, but the groups have 2."),
        ({"groups": [0, 0, 0, 0, 0, 1]}, "1 of 2 groups have fewer than k=3"),
    ],
)
def test_mistakes_are_named(parameters, message):
    with pytest.raises(MicroaggError, match=message):
        lower_bound(np.arange(12.0).reshape(6, 2), **{"k": 3, **parameters})


def test_groups_of_the_pool_come_in_the_order_of_their_reduced_costs():
    points = np.random.default_rng(3).normal(size=(30, 2))
    ticker = np.zeros(2, dtype=np.int64)
    found = ColumnGeneration(points, 3, quick_prices(points, 3, ticker))
    while not found.finished:
        found.step(lambda: np.inf, ticker)
    found.pool.add(found.near_groups(ticker))
    (numbers, costs), (few, _) = found.cheapest(np.inf), found.cheapest(0.1)
    assert len(numbers) == len(found.pool)
    assert (costs >= -1e-6).all()
    assert (np.diff(costs) >= 0).all()
    assert few.tolist() == numbers[costs <= 0.1].tolist()
    assert 0 < len(few) < len(numbers)


def test_the_bound_is_told_while_it_is_looked_for():
    said = []

    class Listening(Reporter):
        def retitle(self, what):
            said.append(what)

    found = lower_bound(np.random.default_rng(0).normal(size=(60, 2)), 3, progress=Listening())
    assert said[-1].startswith(f"No groups lose less than {found.il:.4f}"[:-1])
    bounds = [float(what.split()[-2]) for what in said]
    assert bounds == sorted(bounds)
    assert bounds[0] < bounds[-1]


def test_a_solver_that_gives_up_is_no_proof(monkeypatch):
    monkeypatch.setattr(Master, "solve", lambda *arguments: None)
    found = lower_bound(np.random.default_rng(0).normal(size=(60, 2)), 3)
    assert (found.proved_by, found.stopped) == ("semidefinite and cuts", "solver")


def test_without_time_for_the_relaxation_neighbours_prove(monkeypatch):
    monkeypatch.setattr(bound_search, "is_affordable", lambda *arguments: False)
    monkeypatch.setattr(Master, "solve", lambda *arguments: None)
    found = lower_bound(np.random.default_rng(0).normal(size=(60, 2)), 8)
    assert (found.proved_by, found.stopped) == ("neighbours", "solver")


def test_a_warning_says_that_the_relaxation_needs_more_memory(monkeypatch):
    monkeypatch.setattr(semidefinite, "available_memory", lambda xp: 1000)
    X = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.warns(MicroaggWarning, match=r"60 records needs 0\.\d GB .* Only weaker bounds"):
        found = lower_bound(X, 8, time_limit=1)
    assert "semidefinite" not in found.proved_by


@pytest.mark.parametrize("k", sample([6, 20]))
def test_above_five_the_relaxation_proves_more(monkeypatch, k):
    monkeypatch.setattr(Master, "solve", lambda *arguments: None)
    X = np.random.default_rng(0).normal(size=(60, 3))
    quick, bound = (lower_bound(X, k, time_limit=limit) for limit in (0, None))
    assert (bound.proved_by, bound.stopped) == ("semidefinite and cuts", "solver")
    lost = ma.information_loss(X, ma.partition(X, k, refine="swap-shift")).il
    assert quick.il < 0.97 * bound.il < lost


def test_it_ends_when_groups_are_proved_the_best():
    rng = np.random.default_rng(1)
    X = np.repeat(rng.normal(size=(4, 2)) * 50, 8, axis=0) + rng.normal(size=(32, 2))
    found = lower_bound(X, 8, groups=np.repeat(np.arange(4), 8), time_limit=None)
    assert found.gap < 1e-6
    assert found.stopped == "gap"


def test_cuts_that_are_violated_less_are_looked_for_at_the_end(monkeypatch):
    X = np.random.default_rng(0).normal(size=(60, 3))
    monkeypatch.setattr(bound_search, "prove_listed", lambda generation, *rest: ListedProof(0.0))
    bounds = []
    for violations in ((0.3,), (0.3, 0.02)):
        monkeypatch.setattr(column_generation, "VIOLATIONS", violations)
        bounds.append(lower_bound(X, 3, time_limit=None))
    assert [bound.stopped for bound in bounds] == ["exhausted"] * 2
    assert bounds[0].sse < 0.999 * bounds[1].sse


@pytest.mark.slow
def test_too_many_near_records_end_it_without_a_clock(monkeypatch):
    monkeypatch.setattr(pricing, "WIDEST", 3)
    X = np.random.default_rng(0).normal(size=(60, 2))
    found = lower_bound(X, 3, time_limit=None)
    assert found.stopped == "size"
    assert found.sse >= lower_bound(X, 3, time_limit=0).sse


@pytest.mark.parametrize("size", [1e-120, 1e120])
def test_the_size_of_the_numbers_does_not_matter(size):
    X = np.random.default_rng(0).normal(size=(40, 2))
    found, scaled = lower_bound(X, 3, scale="none"), lower_bound(X * size, 3, scale="none")
    assert scaled.il == pytest.approx(found.il, rel=1e-6)


def test_many_records_are_started_from_parts(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2)) + np.repeat(rng.normal(size=(10, 2)) * 30, 12, axis=0)
    whole = lower_bound(X, 3, time_limit=None)
    monkeypatch.setattr(columns_start, "MANY", 50)
    monkeypatch.setattr(columns_start, "RECORDS", 30)
    starts, start_from = [], ColumnGeneration.start_from

    def noted(generation, parts, ticker):
        start_from(generation, parts, ticker)
        starts.append((len(parts), generation.bound))

    monkeypatch.setattr(ColumnGeneration, "start_from", noted)
    in_parts = lower_bound(X, 3, time_limit=None)
    assert in_parts.il == pytest.approx(whole.il, rel=1e-6)
    ((parts, bound),) = starts
    assert parts > 2
    assert bound == pytest.approx(whole.sse, rel=1e-3)
    grouping = ma.partition(X, 3, method="best", seed=0, parameters={"time_limit": 2.0})
    assert len(starts) == 2
    assert grouping.n_groups == 40


@pytest.mark.slow
def test_parts_that_are_not_far_apart_are_no_start(monkeypatch):
    X = np.random.default_rng(0).normal(size=(120, 3))
    whole = lower_bound(X, 3, time_limit=None)
    monkeypatch.setattr(columns_start, "MANY", 50)
    monkeypatch.setattr(columns_start, "RECORDS", 30)
    monkeypatch.setattr(ColumnGeneration, "start_from", pytest.fail)
    assert lower_bound(X, 3, time_limit=None).sse == whole.sse


def test_the_old_name_of_the_groups_is_refused_with_the_new_one():
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(ParameterError, match="now called groups"):
        lower_bound(X, 3, partition=[0, 0, 0, 1, 1, 1])
    found = lower_bound(X, 3, groups=[0, 0, 0, 1, 1, 1])
    with pytest.raises(AttributeError, match="groups_il"):
        _ = found.partition_il
    assert repr(found).startswith("LowerBound(il=")
    assert len(repr(found)) < 100
