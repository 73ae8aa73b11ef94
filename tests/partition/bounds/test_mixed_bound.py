"""Bounds on the loss of mixed records: no partition of any sizes loses less."""

import itertools

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.context import Context
from microagg.errors import DataError, ParameterError
from microagg.partition.bounds.mixed_bound import reported_loss, untimed_bound
from microagg.partition.bounds.mixed_embedding import embedding_of, has_bound, total_of
from microagg.prepare.column import Column
from microagg.prepare.records import prepare_records
from tests.examples import examples
from tests.twins.mixed_refine import Losses

CASES = examples(120)


def partitions(rows, k):
    """Yield all partitions of some rows into groups of at least k."""
    if not rows:
        yield []
        return
    first, others = rows[0], rows[1:]
    for bits in range(1 << len(others)):
        group = [first, *(row for i, row in enumerate(others) if bits >> i & 1)]
        rest = [row for i, row in enumerate(others) if not bits >> i & 1]
        if len(group) >= k and (not rest or len(rest) >= k):
            for more in partitions(rest, k):
                yield [group, *more]


def harder_records(rng, n):
    """Return records as `random_records` does, with weights of columns and a constant column."""
    records = random_records(rng, n)
    constant = Column("e", "nominal", np.zeros(n), ("a", "b"))
    columns = [*records.columns, constant] if rng.integers(4) == 0 else list(records.columns)
    return prepare_records(
        columns,
        gower=bool(rng.integers(2)),
        scale=str(rng.choice(["zscore", "range", "none"])),
        column_weights={column.name: float(rng.choice([0.5, 1.0, 3.0])) for column in columns},
    )


def random_records(rng, n):
    """Return records of few values, so that there are ties, with distances of all kinds."""
    m = int(rng.integers(2, 5))
    kind = rng.integers(0, 4)
    table = rng.integers(1, 9, (m, m)).astype(float)  # seldom a metric
    table = np.triu(table, 1) + np.triu(table, 1).T
    levels = np.floor(np.log2(np.bitwise_xor.outer(np.arange(m), np.arange(m)) + 0.5)) + 1.0
    columns = [
        Column("a", "continuous", rng.integers(0, 4, n) * rng.choice([1.0, 7.0])),
        Column("b", "ordinal", rng.integers(0, 3, n).astype(float), tuple("abc")),
        Column("c", "nominal", rng.integers(0, m, n).astype(float), tuple("abcd"[:m]),
               [None, None, table, np.maximum(levels, 0.0)][kind]),
        Column("d", "nominal", rng.integers(0, 2, n).astype(float), tuple("ab")),
    ]  # fmt: skip
    chosen = rng.permutation(4)[: rng.integers(1, 5)]
    return prepare_records(
        [columns[j] for j in chosen],
        gower=bool(rng.integers(2)),
        scale=str(rng.choice(["zscore", "range"])),
    )


def test_points_lose_no_more_than_any_group_reports():
    rng = np.random.default_rng(1)
    for _ in range(CASES):
        k = int(rng.integers(2, 4))
        n = int(rng.integers(2 * k, 8))
        records = random_records(rng, n)
        points, slack = embedding_of(records, k)
        losses = Losses(records)
        for size in range(k, min(2 * k - 1, n - k) + 1):
            for _ in range(10):
                rows = rng.permutation(n)[:size]
                error = np.sum((points[rows] - points[rows].mean(axis=0)) ** 2)
                assert error <= losses.of(rows.tolist()) * (1 + 1e-9) + slack + 1e-12


def test_no_partition_of_any_sizes_loses_less_than_the_bound():
    rng = np.random.default_rng(2)
    tight = 0
    for _ in range(CASES // 4):
        k = int(rng.integers(2, 4))
        n = int(rng.integers(2 * k, 8))
        records = random_records(rng, n)
        losses = Losses(records)
        least = min(sum(map(losses.of, groups)) for groups in partitions(list(range(n)), k))
        bound = untimed_bound(records, k, Context.of()).loss
        assert 0 <= bound <= least * (1 + 1e-9) + 1e-9
        tight += bound > 0.5 * least > 0
    assert tight > CASES // 40


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_no_partition_loses_less_with_weighted_and_constant_columns(seed):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        n = int(rng.integers(4, 10))
        k = int(rng.integers(2, n // 2 + 1))
        records = harder_records(rng, n)
        losses, cached = Losses(records), {}
        for size in range(k, n + 1):
            for group in itertools.combinations(range(n), size):
                cached[group] = losses.of(group)
        least = min(sum(cached[tuple(g)] for g in p) for p in partitions(list(range(n)), k))
        bound = untimed_bound(records, k, Context.of()).loss
        assert 0 <= bound <= least * (1 + 1e-9) + 1e-9


def test_the_loss_is_the_one_that_is_reported():
    rng = np.random.default_rng(3)
    people = pd.DataFrame({"age": rng.integers(20, 30, 60), "sex": rng.choice(["f", "m"], 60)})
    release = ma.protect(people, 4, quasi_identifiers=["age", "sex"], method="mdav-nc")
    bound = ma.lower_bound(people, 4, groups=release.partition, time_limit=2)
    assert bound.groups_il == pytest.approx(release.measures["il"])
    assert 0 < bound.il <= bound.groups_il
    assert 0 <= bound.gap < 1
    best = ma.protect(
        people, 4, quasi_identifiers=["age", "sex"], method="best",
        parameters={"time_limit": None, "max_iterations": 1},
    )  # fmt: skip
    assert 0 < best.measures["lower_bound"] <= best.measures["il"] <= release.measures["il"]
    assert "Proved" in best.summary()


def test_gower_and_kinds_and_equal_records():
    people = pd.DataFrame({"code": [1, 1, 2, 2, 3, 3, 3, 9], "x": [0.0, 1, 0, 1, 5, 6, 7, 8]})
    options = {"kinds": {"code": "nominal"}, "distance": "gower"}
    release = ma.protect(people, 2, quasi_identifiers=["code", "x"], method="lns", **options)
    bound = ma.lower_bound(people, 2, groups=release.partition, **options)
    assert 0 < bound.il <= bound.groups_il == pytest.approx(release.measures["il"])
    twice = pd.DataFrame({"name": ["a", "b", "a", "b"]})
    assert ma.lower_bound(twice, 2).proved_by == "equal records"
    one = ma.lower_bound(people, 5, groups=[0] * 8, **options)
    assert one.proved_by == "one group"
    assert one.il == 100.0 <= one.groups_il


@pytest.mark.parametrize("distance", ["gower", "euclidean"])
def test_one_group_whose_mode_is_a_tie_loses_no_less_than_the_bound(distance):
    people = pd.DataFrame({"c": list("dbccdab"), "g": list("yxyyyxy")})
    table = {"a": {"b": 3, "c": 1, "d": 7}, "b": {"c": 7, "d": 4}, "c": {"d": 2}}
    options = {"distance": distance, "distance_tables": {"c": table}}
    bound = ma.lower_bound(people, 4, **options)
    for method in ("mdav-nc", "best"):
        released = [
            ma.protect(
                people, 4, quasi_identifiers=["c", "g"], method=method, seed=seed, **options
            ).measures
            for seed in range(8)
        ]
        assert len({round(measures["il"], 6) for measures in released}) > 1  # ties fall at random
        for measures in released:
            assert bound.il <= measures["il"] + 1e-9
            assert measures.get("lower_bound", 0.0) <= measures["il"] + 1e-9


def test_what_has_no_bound_is_refused():
    blank = pd.DataFrame({"name": ["a", None, "a", "b"]})
    with pytest.raises(DataError, match="missing value"):
        ma.lower_bound(blank, 2)
    with pytest.raises(ParameterError, match="'kinds' parameter applies to the columns"):
        ma.lower_bound([[1.0], [2.0]], 2, kinds={"0": "nominal"})
    columns = [Column("x", "nominal", np.array([0.0, 1.0]), ("a", "b"))]
    assert has_bound(prepare_records(columns))
    assert not has_bound(prepare_records(columns, weights=np.array([1.0, 2.0])))


def test_fewer_than_2k_records_with_a_missing_value_have_no_bound():
    people = pd.DataFrame({"name": ["a", None, "b"], "age": [1.0, 2.0, 5.0]})
    options = {"quasi_identifiers": ["name", "age"], "missing": "group"}
    release = ma.protect(people, 2, method="best", **options)  # a warning would be an error here
    assert release.partition.n_groups == 1
    assert "lower_bound" not in release.measures


def test_the_total_is_that_of_the_release():
    rng = np.random.default_rng(4)
    records = random_records(rng, 20)
    everything = np.zeros(20, dtype=np.int32)
    assert reported_loss(records, everything, 20) >= total_of(records) * (1 - 1e-9)
