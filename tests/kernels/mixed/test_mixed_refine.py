"""Refinement of mixed records: the labels of the twin, and the loss that a release reports."""

from dataclasses import replace

import numpy as np
import pytest

from microagg.aggregate.by_kind import rules_of
from microagg.kernels.mixed.objective import Objective
from microagg.kernels.mixed.records import Mixture
from microagg.kernels.mixed.refine import Steps, grouped, refine_mixed
from microagg.mask.groups import Replacing, replaced
from microagg.measure.loss.information_loss import loss_of
from microagg.partition.driver import group
from microagg.partition.partition import Partition
from microagg.partition.rules.equal_mixed import combinations, with_equal_groups
from microagg.prepare.column import Column
from microagg.prepare.objective import objective_arrays
from microagg.prepare.records import prepare_records
from tests.examples import sample
from tests.twins import mixed_refine

LINE = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
EXCHANGES = Steps(False, False, False, True)
NONE = np.zeros(0, dtype=np.int64)
CHOICES = [
    {},
    {"blanks": 0.3, "weighted": True},
    {"blanks": 0.3, "keeps": True},
    {"gower": True, "weighted": True, "rules": {"a": "median", "b": "mode"}},
    {"blanks": 0.2, "rules": {"a": "trimmed", "b": "mode"}, "weighted": True},
    {"blanks": 0.2, "gower": True, "keeps": True, "table": True},
    {"table": True, "weighted": True},
]


def some_records(
    n, seed, *, gower=False, blanks=0.0, weighted=False, table=False, keeps=False, rules=None
):
    rng = np.random.default_rng(seed)

    def with_blanks(values):
        return np.where(rng.random(n) < blanks, np.nan, values.astype(float))

    columns = [
        Column("a", "continuous", with_blanks(rng.normal(size=n).round(1))),
        Column("b", "ordinal", with_blanks(rng.integers(0, 4, n)), tuple("abcd")),
        Column("c", "nominal", with_blanks(rng.integers(0, 2, n)), tuple("ab")),
        Column("d", "nominal", with_blanks(rng.integers(0, 4, n)), tuple("abcd"),
               LINE if table else None),
    ]  # fmt: skip
    weights = rng.integers(1, 9, n) / 4 if weighted else None
    records = prepare_records(columns, gower=gower, weights=weights, column_weights={"a": 2.0})
    return replace(records, rules=rules or {}, keeps_blanks=keeps)


def reported(records, labels, seed=0):
    """Return the loss of a release of the groups, column by column as `protect` computes it."""
    columns = {column.name: column for column in records.columns}
    how = Replacing(rules_of(columns, records.rules), {}, seed, keep_blanks=records.keeps_blanks)
    part = Partition(np.unique(labels, return_inverse=True)[1], k=1)
    return loss_of(records, replaced(columns, part, how, records.weights)).sse


@pytest.mark.slow
@pytest.mark.parametrize("choice", CHOICES)
def test_the_loss_of_groups_is_the_one_that_a_release_reports(choice):
    records = some_records(60, 1, **choice)
    labels = np.arange(60) // 7
    ours = grouped(Objective(**objective_arrays(records)), labels, 4, 7).costs.sum()
    if choice.get("table") or "mode" in choice.get("rules", {}).values():
        # Ties of a mode fall at random, and the mean over them is what counts.
        drawn = [reported(records, labels, seed) for seed in range(400)]
        assert min(drawn) * (1 - 1e-9) <= ours <= max(drawn) * (1 + 1e-9)
        assert ours == pytest.approx(np.mean(drawn), rel=0.02)
    else:
        assert ours == pytest.approx(reported(records, labels), rel=1e-9)


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize(("n", "k"), sample([(11, 2), (30, 3), (47, 6)], quick=(0, 1)))
def test_swap_shift_gives_the_labels_of_the_twin(choice, n, k):
    records = some_records(n, n + k, **choice)
    labels = group(records, k, "mdav-nc").labels.astype(np.int64)
    equal = with_equal_groups(labels, combinations(records), k)
    arrays = Mixture(**records.arrays()), Objective(**objective_arrays(records))
    ticker = np.zeros(2, dtype=np.int64)
    ours = refine_mixed(*arrays, labels, equal, NONE, k, EXCHANGES, 5, ticker)
    assert np.array_equal(ours, mixed_refine.swap_shift(records, labels, equal, k, 5))


@pytest.mark.parametrize("choice", CHOICES)
def test_exchanges_within_classes_give_the_labels_of_the_twin(choice):
    records = some_records(40, 5, **choice)
    rng = np.random.default_rng(1)
    labels = np.repeat(np.arange(8), [3, 3, 4, 9, 3, 6, 7, 5])[rng.permutation(40)]
    classes = rng.integers(0, 3, 40)
    arrays = Mixture(**records.arrays()), Objective(**objective_arrays(records))
    ticker = np.zeros(2, dtype=np.int64)
    ours = refine_mixed(*arrays, labels, NONE, classes, 3, EXCHANGES, 5, ticker)
    assert np.array_equal(ours, mixed_refine.exchange_alike(records, labels, classes, 3, 5))
    assert ticker[0] > 0
    for each in range(8):
        before, after = classes[labels == each], classes[ours == each]
        assert np.array_equal(np.sort(before), np.sort(after))


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize(
    ("n", "k", "by_loss"), sample([(30, 3, False), (47, 6, True), (11, 2, True)])
)
@pytest.mark.parametrize("shrinks", [False, True])
def test_decompose_gives_the_labels_of_the_twin(choice, n, k, by_loss, shrinks):
    records = some_records(n, n + k, **choice)
    labels = np.arange(n) % (n // k) if shrinks else group(records, k, "mdav").labels
    labels = labels.astype(np.int64)
    equal = with_equal_groups(labels, combinations(records), k)
    arrays = Mixture(**records.arrays()), Objective(**objective_arrays(records))
    steps, ticker = Steps(True, by_loss, shrinks, False), np.zeros(2, dtype=np.int64)
    ours = refine_mixed(*arrays, labels, equal, NONE, k, steps, 5, ticker)
    twin = mixed_refine.giving_up(records, labels, equal, k, by_loss, shrinks, 5)
    assert np.array_equal(ours, twin)
    assert not shrinks or not np.array_equal(ours, labels)


def test_an_offset_of_numbers_that_are_not_scaled_changes_no_loss():
    rng = np.random.default_rng(0)
    values, codes, labels = rng.normal(size=60), rng.integers(0, 2, 60) * 1.0, np.arange(60) // 5
    costs = []
    for offset in (0.0, 1e9):
        columns = [
            Column("a", "continuous", values + offset),
            Column("b", "nominal", codes, ("x", "y")),
        ]
        records = prepare_records(columns, scale="none")
        costs.append(grouped(Objective(**objective_arrays(records)), labels, 5, 9).costs)
    assert costs[1] == pytest.approx(costs[0], rel=1e-5)


@pytest.mark.parametrize("k", [2, 5, 40, 500])
def test_records_of_rare_values_need_not_be_compared(k):
    rng = np.random.default_rng(k)
    records = some_records(300, 3).subset(rng.integers(0, 60, 300))
    labels = np.arange(300) // k
    every, frequent = combinations(records), combinations(records, k)
    expected = with_equal_groups(labels, every, k)
    assert np.array_equal(with_equal_groups(labels, frequent, k), expected)


def test_equal_records_are_released_unchanged():
    rng = np.random.default_rng(0)
    values = np.repeat(rng.integers(0, 3, (12, 3)), 5, axis=0)[rng.permutation(60)].astype(float)
    kinds = ("continuous", "nominal", "nominal")
    columns = [
        Column(name, kind, column, tuple("abc"))
        for name, kind, column in zip("xyz", kinds, values.T, strict=True)
    ]
    records = prepare_records(columns)
    labels = rng.permutation(np.arange(60) // 5)
    part = group(records, 5, "mdav-nc", refine="swap-shift")
    assert reported(records, part.labels) == 0.0
    arrays = Mixture(**records.arrays()), Objective(**objective_arrays(records))
    equal = with_equal_groups(labels, combinations(records), 5)
    ticker = np.zeros(2, dtype=np.int64)
    refined = refine_mixed(*arrays, labels, equal, NONE, 5, EXCHANGES, 8, ticker)
    assert reported(records, refined) == 0.0


@pytest.mark.parametrize("choice", CHOICES[:3])
@pytest.mark.parametrize(
    "refine", ["swap-shift", "decompose", "decompose-2018", "decompose-shrink"]
)
def test_the_loss_never_rises_and_sizes_stay(choice, refine):
    for seed in range(10):
        records = some_records(30, seed, **choice)
        for k in (2, 4, 9):
            plain = group(records, k, "mdav")
            refined = group(records, k, "mdav", refine=refine)
            assert refined.sizes.max() < max(2 * k, plain.sizes.max() + 1)
            assert reported(records, refined.labels) <= reported(records, plain.labels) + 1e-9
