"""Limits on confidential values: held or refused, and never at the cost of k."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg import partition
from microagg.context import Context
from microagg.errors import ParameterError
from microagg.partition.constrain import merge
from microagg.partition.constrain.column import BINS, ConfidentialColumn
from microagg.partition.constrain.enforce import enforce
from microagg.partition.constrain.exchange import reduce_loss, reduce_many
from microagg.partition.constrain.groups import WIDE, ConstrainedGroups
from microagg.partition.constrain.halve import halve
from microagg.partition.constrain.limits import Limits
from microagg.partition.constrain.swap import swap, swap_many
from microagg.partition.partition import Partition
from microagg.reporter import Reporter
from microagg.settings import Settings
from tests.examples import examples


def earth_mover(inside, everywhere, ordered):
    """The distance by its definition, value by value."""
    values = np.unique(everywhere)
    p = np.array([(inside == v).mean() for v in values])
    q = np.array([(everywhere == v).mean() for v in values])
    if not ordered:
        return np.abs(p - q).sum() / 2
    return np.abs(np.cumsum(p - q)).sum() / max(values.size - 1, 1)


def codes_of(values):
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


@given(st.lists(st.integers(0, 6), min_size=2, max_size=30), st.integers(1, 30), st.booleans())
@settings(max_examples=examples(150), deadline=None)
def test_distances_and_counts_by_their_definition(values, size, ordered):
    codes = codes_of(values)
    column = ConfidentialColumn("c", codes, ordered)
    inside = codes[: min(size, codes.size)]
    rows = np.sort(inside)[None, :]
    assert column.distance(rows)[0] == pytest.approx(earth_mover(inside, codes, ordered), abs=1e-12)
    assert column.distinct(rows)[0] == np.unique(inside).size


@given(st.lists(st.integers(0, 6), min_size=2, max_size=30), st.integers(1, 30), st.booleans())
@settings(max_examples=examples(150), deadline=None)
def test_bounds_on_distances_hold(values, size, ordered):
    codes = codes_of(values)
    column = ConfidentialColumn("c", codes, ordered)
    inside, other = codes[: min(size, codes.size - 1)], codes[-1:]
    before = column.distance(np.sort(inside)[None, :])[0]
    assert column.least_distance(inside.size) <= before + 1e-12
    score = column.scores[: inside.size].mean()
    assert column.distance_at_least(np.array([score]))[0] <= before + 1e-12
    after = column.distance(np.sort(np.append(inside[1:], other))[None, :])[0]
    assert abs(before - after) <= column.most_moved(inside[:1], other, inside.size)[0, 0] + 1e-12


@given(st.lists(st.integers(0, 60), min_size=2, max_size=80), st.integers(1, 80), st.booleans())
@settings(max_examples=examples(150), deadline=None)
def test_bins_bound_distances_more_closely_than_one_number(values, size, ordered):
    codes = codes_of(values)
    column = ConfidentialColumn("c", codes, ordered)
    inside = codes[: min(size, codes.size)]
    means = np.array([each.mean(keepdims=True) for each in column.in_bins(inside)])
    least = column.far_by_bins(means)[0]
    distance = column.distance(np.sort(inside)[None, :])[0]
    by_score = column.distance_at_least(column.scores[: inside.size].mean(keepdims=True))[0]
    assert by_score - 1e-12 <= least <= distance + 1e-12
    if column.values <= BINS:
        assert least == pytest.approx(distance, abs=1e-12)


@st.composite
def tasks(draw):
    k = draw(st.integers(2, 4))
    sizes = draw(st.lists(st.integers(k, 2 * k), min_size=1, max_size=8))
    n = sum(sizes)
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes)).astype(np.int32)
    X = rng.integers(0, 4, (n, draw(st.integers(1, 3)))).astype(float)
    columns = [
        ConfidentialColumn(
            str(c), codes_of(rng.integers(0, draw(st.integers(1, 6)), n)), draw(st.booleans())
        )
        for c in range(draw(st.integers(1, 2)))
    ]
    limits = Limits(
        draw(st.none() | st.integers(2, 5)),
        draw(st.none() | st.floats(0, 1)),
    )
    strata = None
    if draw(st.booleans()):  # whole groups to each stratum
        strata = rng.integers(0, 2, len(sizes))[labels]
    return X, labels, columns, limits, strata, k


@given(tasks())
@settings(max_examples=examples(150), deadline=None)
def test_limits_hold_or_are_refused(task):
    X, labels, columns, limits, strata, k = task
    if not possible(columns, limits, strata, labels.size):
        with pytest.raises(ParameterError, match="the best possible"):
            enforce(X, Partition(labels, k=k), columns, limits, strata)
        return
    met = enforce(X, Partition(labels, k=k), columns, limits, strata)
    assert np.bincount(met.labels).min() >= k
    for group in range(met.labels.max() + 1):
        rows = np.flatnonzero(met.labels == group)
        assert strata is None or np.unique(strata[rows]).size == 1
        for column in columns:
            assert holds(column, column.codes[rows], limits)


def holds(column, inside, limits):
    far = earth_mover(inside, column.codes, column.ordered)
    close = limits.t_closeness is None or far <= limits.t_closeness + 1e-9
    return close and np.unique(inside).size >= limits.fewest(column)


def possible(columns, limits, strata, n):
    strata = np.zeros(n) if strata is None else strata
    return all(
        holds(column, column.codes[strata == stratum], limits)
        for column in columns
        for stratum in np.unique(strata)
    )


def test_an_exchange_keeps_sizes_and_is_preferred_to_a_merge():
    X = np.array([[0.0], [0.1], [0.2], [0.3], [9.0], [9.1]])
    ill = ConfidentialColumn("ill", np.array([0, 0, 1, 1, 0, 1]), ordered=False)
    labels = np.array([0, 0, 1, 1, 2, 2], dtype=np.int32)
    met = enforce(X, Partition(labels, k=2), [ill], Limits(l_diversity=2))
    assert (met.failing, met.swaps, met.merges) == (2, 1, 0)
    assert np.bincount(met.labels).tolist() == [2, 2, 2]


@pytest.mark.parametrize("kind", ["numbers", "rounded", "names", "two columns"])
def test_very_many_groups_exchange_as_few_do(kind):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(900, 2))
    follows = X[:, 0] + rng.normal(size=900)
    names = ConfidentialColumn(
        "n", codes_of(rng.choice(5, 900, p=[0.8, 0.1, 0.05, 0.03, 0.02])), False
    )
    columns = {
        "numbers": [ConfidentialColumn("c", codes_of(follows), ordered=True)],
        "rounded": [ConfidentialColumn("c", codes_of(follows.round()), ordered=True)],
        "names": [names],
        "two columns": [ConfidentialColumn("c", codes_of(follows), ordered=True), names],
    }[kind]
    limits = Limits(t_closeness=0.12, l_diversity=2)
    labels = partition(X, k=5, method="mdav-nc").labels
    one_by_one, compiled = (ConstrainedGroups(X, labels, columns, limits, None) for _ in range(2))
    done = swap(one_by_one, np.zeros(2, dtype=np.int64))
    assert done > 20
    assert swap_many(compiled, np.zeros(2, dtype=np.int64)) == done
    assert compiled.labels().tolist() == one_by_one.labels().tolist()
    assert compiled.violation == pytest.approx(one_by_one.violation, abs=1e-12)
    assert compiled.means == pytest.approx(one_by_one.means)


def test_every_exchange_lowers_what_is_broken():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 2))
    labels = np.repeat(np.arange(40), 3).astype(np.int32)
    column = ConfidentialColumn("c", codes_of(rng.integers(0, 3, 120)), ordered=False)
    groups = ConstrainedGroups(X, labels, [column], Limits(t_closeness=0.3), None)
    before = groups.violation.sum()
    assert swap(groups, np.zeros(2, dtype=np.int64)) > 0
    assert groups.violation.sum() < before
    assert (groups.sizes == 3).all()


def test_tidying_lowers_the_error_and_breaks_nothing():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((120, 2))
    labels = np.repeat(np.arange(40), 3).astype(np.int32)
    column = ConfidentialColumn("c", codes_of(rng.integers(0, 3, 120)), ordered=False)
    groups = ConstrainedGroups(X, labels, [column], Limits(l_diversity=2), None)
    before, violation = error(groups), groups.violation.copy()
    assert reduce_loss(groups, np.arange(40), np.zeros(2, dtype=np.int64)) > 0
    assert error(groups) < before
    np.testing.assert_allclose(groups.violation, violation)
    assert (groups.sizes == 3).all()


def test_very_many_groups_reduce_the_loss_as_few_do():
    rng = np.random.default_rng(4)
    X, codes = rng.normal(size=(900, 2)), codes_of(rng.integers(0, 3, 900))
    labels = rng.permutation(np.repeat(np.arange(60), 15)).astype(np.int32)
    column = ConfidentialColumn("c", codes, ordered=False)
    one_by_one, compiled = (
        ConstrainedGroups(X, labels, [column], Limits(l_diversity=2), None) for _ in range(2)
    )
    done = reduce_loss(one_by_one, np.arange(60), np.zeros(2, dtype=np.int64))
    assert done > 100
    assert reduce_many(compiled, np.arange(60), np.zeros(2, dtype=np.int64)) == done
    assert compiled.labels().tolist() == one_by_one.labels().tolist()
    assert compiled.means == pytest.approx(one_by_one.means)


def error(groups):
    return sum(
        ((groups.X[rows] - groups.X[rows].mean(axis=0)) ** 2).sum() for rows in groups.members
    )


def test_the_cost_of_an_exchange_and_of_a_union_are_those_of_the_error():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((7, 2))
    column = ConfidentialColumn("c", codes_of(np.arange(7)), ordered=False)
    labels = np.array([0, 0, 0, 1, 1, 1, 1], dtype=np.int32)
    groups = ConstrainedGroups(X, labels, [column], Limits(l_diversity=2), None)
    before = error(groups)
    cost = groups.exchange_cost(0, np.array([1]), np.array([5]), np.array([1]))[0, 0]
    union = groups.union_cost(0, np.array([1]))[0]
    assert ((X - X.mean(axis=0)) ** 2).sum() - before == pytest.approx(union)
    groups.exchange(0, 1, 1, 5)
    assert error(groups) - before == pytest.approx(cost)


@pytest.mark.parametrize("limits", [{"l_diversity": 2}, {"t_closeness": 0.1}], ids=str)
def test_an_offset_of_numbers_that_are_not_scaled_costs_nothing(limits):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(200, 2))
    codes = codes_of(rng.choice(["n", "n", "y"], 200))
    column = ConfidentialColumn("ill", codes, ordered=False)
    part = partition(points, k=4, method="mdav-nc")
    errors = []
    for offset in (0.0, 1e9):
        met = enforce(points + offset, part, [column], Limits(**limits))
        means = pd.DataFrame(points).groupby(met.labels).transform("mean")
        errors.append(((points - means) ** 2).to_numpy().sum())
    assert errors[1] == pytest.approx(errors[0], rel=0.02)


def test_groups_that_hold_already_stay_as_they_are():
    labels = np.array([1, 0, 1, 0], dtype=np.int32)
    ill = ConfidentialColumn("ill", np.array([0, 0, 1, 1]), ordered=False)
    met = enforce(np.arange(4.0)[:, None], Partition(labels, k=2), [ill], Limits(l_diversity=2))
    assert met.labels.tolist() == labels.tolist()


@pytest.mark.parametrize(
    "limits", [{"l_diversity": 1}, {"t_closeness": 1.5}, {"l_diversity": 2.5}, {"l_diversity": "3"}]
)
def test_limits_are_checked_with_the_settings(limits):
    with pytest.raises(ParameterError, match=next(iter(limits))):
        Settings.create(k=2, quasi_identifiers=["a"], **limits)


def test_a_confidential_column_is_needed():
    with pytest.raises(ParameterError, match="none is named"):
        enforce(
            np.zeros((4, 1)), Partition(np.zeros(4, dtype=np.int32), k=2), [], Limits(l_diversity=2)
        )


def test_merged_groups_are_halved_where_both_halves_hold():
    """Two pairs of groups that lack a value each: merged for it, and cut again with both values."""
    X = np.array([[0.0], [0.1], [8.0], [8.1], [0.2], [0.3], [8.2], [8.3]])
    ill = ConfidentialColumn("ill", np.array([0, 0, 0, 0, 1, 1, 1, 1]), ordered=False)
    labels = np.zeros(8, dtype=np.int32)
    groups = ConstrainedGroups(X, labels, [ill], Limits(t_closeness=0.1), None)
    assert halve(groups, np.array([0]), 2, np.zeros(2, dtype=np.int64)) == 3
    found = groups.labels()
    assert np.bincount(found).tolist() == [2, 2, 2, 2]
    assert (groups.violation == 0).all()
    assert {frozenset(np.flatnonzero(found == g) // 2 % 2) for g in range(4)} == {
        frozenset({0}),
        frozenset({1}),
    }


@pytest.mark.parametrize("values", [4, 600])
def test_groups_are_halved_alike_together_and_one_by_one(values):
    rng = np.random.default_rng(5)
    X, labels = rng.normal(size=(600, 2)), np.repeat(np.arange(6), 100).astype(np.int32)
    codes = codes_of(rng.integers(0, values, 600))
    limits = Limits(t_closeness=0.1)
    column = ConfidentialColumn("c", codes, ordered=True)
    together, apart = (ConstrainedGroups(X, labels, [column], limits, None) for _ in range(2))
    cuts = halve(together, np.arange(6), 5, np.zeros(2, dtype=np.int64))
    assert cuts > 6
    assert cuts == sum(
        halve(apart, np.array([g]), 5, np.zeros(2, dtype=np.int64)) for g in range(6)
    )
    assert together.labels().tolist() == apart.labels().tolist()
    assert (together.violation <= 0).all()


def test_a_rare_value_that_cannot_be_halved_is_cut_with_its_share_of_the_others():
    X = np.arange(24.0)[:, None]
    rare = np.zeros(24, dtype=np.int64)
    rare[[0, 11, 23]] = 1  # 1 and 2 of them with 7 and 14 others keep their share of 1/8
    column = ConfidentialColumn("rare", rare, ordered=False)
    groups = ConstrainedGroups(
        X, np.zeros(24, dtype=np.int32), [column], Limits(t_closeness=0.01), None
    )
    assert halve(groups, np.array([0]), 4, np.zeros(2, dtype=np.int64)) == 2
    assert sorted(groups.sizes.tolist()) == [8, 8, 8]


def test_each_step_says_what_it_does():
    class Heard(Reporter):
        titles = ()

        def begin(self, what, total):
            self.titles = (*self.titles, what)

    ill = ConfidentialColumn("ill", np.array([0, 0, 1, 1]), ordered=False)
    part, heard = Partition([0, 0, 1, 1], k=2), Heard()
    enforce(np.arange(4.0)[:, None], part, [ill], Limits(l_diversity=2), context=Context.of(heard))
    assert [what.split()[0] for what in heard.titles] == [
        "Exchanging",
        "Merging",
        "Splitting",
        "Reducing",
    ]


def test_large_groups_offer_their_foremost_records_of_every_class():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (300, 1)), rng.normal(5, 1, (300, 1))])
    rare = (np.arange(600) % 100 == 0).astype(np.int64)
    column = ConfidentialColumn("rare", rare, ordered=False)
    labels = np.repeat([0, 1], 300).astype(np.int32)
    groups = ConstrainedGroups(X, labels, [column], Limits(l_diversity=2), None)
    ours, theirs, home = groups.candidates(0, np.array([1]))
    assert ours.size == theirs.size == WIDE
    assert (home == 1).all()
    assert rare[ours].sum() == rare[theirs].sum() == 3
    common = ours[rare[ours] == 0]
    assert X[common].min() > np.median(X[:300])


@pytest.mark.slow
@pytest.mark.parametrize("t", [0.02, 0.1])
def test_the_work_for_many_broken_groups_grows_no_faster_than_their_number(t, monkeypatch):
    calls = {}
    of = ConstrainedGroups.violation_of

    def counted(self, rows):
        calls[n] = calls.get(n, 0) + len(rows)
        return of(self, rows)

    monkeypatch.setattr(ConstrainedGroups, "violation_of", counted)
    for n in (4_000, 8_000):
        X = np.random.default_rng(0).normal(size=(n, 2))
        codes = np.argsort(np.argsort(X.sum(axis=1)))
        secret = ConfidentialColumn("secret", codes, ordered=True)
        part = Partition((np.argsort(np.argsort(X[:, 0])) // 4).astype(np.int32), k=4)
        labels = enforce(X, part, [secret], Limits(t_closeness=t)).labels
        assert np.bincount(labels).min() >= 4
        after = ConstrainedGroups(X, labels, [secret], Limits(t_closeness=t), None)
        assert after.failing().size == 0
    assert calls[8_000] < 3 * calls[4_000]


def test_rounds_of_merging_stay_within_strata(monkeypatch):
    rounds = []
    join = ConstrainedGroups.join

    def counted(self, pairs):
        rounds.append(len(pairs))
        join(self, pairs)

    monkeypatch.setattr(ConstrainedGroups, "join", counted)
    monkeypatch.setattr(merge, "MANY", 20)
    monkeypatch.setattr(merge, "MANY_PAIRS", 1_000)
    n = 400
    X = np.random.default_rng(0).normal(size=(n, 2))
    secret = ConfidentialColumn("secret", np.argsort(np.argsort(X[:, 0])), ordered=True)
    strata = np.arange(n) % 2
    labels = (np.arange(n) // 8 * 2 + strata).astype(np.int32)
    met = enforce(X, Partition(labels, k=4), [secret], Limits(t_closeness=0.05), strata)
    assert len(rounds) > 1
    assert met.merges > sum(rounds) > 50
    for group in range(met.labels.max() + 1):
        assert np.unique(strata[met.labels == group]).size == 1


def test_a_group_merges_with_the_nearest_one_that_balances_its_values():
    X = np.concatenate([np.arange(20), 50 + np.arange(20)])[:, None].astype(float)
    ill = ConfidentialColumn("ill", (X[:, 0] >= 50).astype(np.int64), ordered=False)
    labels = (np.arange(40) // 2).astype(np.int32)
    groups = ConstrainedGroups(X, labels, [ill], Limits(t_closeness=0.1), None)
    assert merge.merge(groups, np.zeros(2, dtype=np.int64)) == 10
    assert np.bincount(groups.labels()).tolist() == [4] * 10


def test_of_groups_that_do_not_satisfy_t_the_one_that_helps_most_for_its_cost_is_merged_with():
    X = np.array([0.0, 0.0, 1.0, 1.0, 3.0, 3.0, 20.0, 20.0])[:, None]
    pay = ConfidentialColumn("pay", np.array([0, 0, 0, 0, 1, 1, 3, 3]), ordered=True)
    labels = np.repeat(np.arange(4, dtype=np.int32), 2)
    groups = ConstrainedGroups(X, labels, [pay], Limits(t_closeness=0.05), None)
    assert merge._partner(groups, 0, merge._Unions(groups)) == 2


@pytest.mark.parametrize("kind", ["numbers", "rounded", "names", "two columns"])
def test_bounds_save_most_work_and_do_not_change_which_groups_merge(kind, monkeypatch):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 2))
    follows = X[:, 0] + 0.3 * rng.normal(size=600)
    numbers = ConfidentialColumn("c", codes_of(follows), ordered=True)
    names = ConfidentialColumn("n", codes_of((4 * follows).round()), ordered=False)
    columns = {
        "numbers": [numbers],
        "rounded": [ConfidentialColumn("c", codes_of((9 * follows).round()), ordered=True)],
        "names": [names],
        "two columns": [numbers, names],
    }[kind]
    limits = Limits(t_closeness=0.1, l_diversity=2)
    labels = partition(X, k=5, method="mdav-nc").labels
    bounded, evaluated = merged_with_calls(X, labels, columns, limits, monkeypatch)
    nothing_known = lambda unions, group, places: np.full(places.size, -np.inf)  # noqa: E731
    monkeypatch.setattr(merge._Unions, "least_violation", nothing_known)
    unbounded, evaluated_without = merged_with_calls(X, labels, columns, limits, monkeypatch)
    assert bounded.tolist() == unbounded.tolist()
    assert 2 * evaluated < evaluated_without


def merged_with_calls(X, labels, columns, limits, monkeypatch):
    """Merge groups; return the labels and how many violations were computed."""
    groups, calls = ConstrainedGroups(X, labels, columns, limits, None), []
    of = groups.violation_of
    monkeypatch.setattr(groups, "violation_of", lambda rows: calls.append(1) or of(rows))
    merge.merge(groups, np.zeros(2, dtype=np.int64))
    return groups.labels(), len(calls)
