"""The univariate methods: what their parameters do, and that none beats the exact one."""

import numpy as np
import pytest

import microagg as ma
from microagg.errors import ParameterError

OTHERS = [m.name for m in ma.methods() if m.family == "univariate" and m.name != "optimal-1d"]


def column(*values):
    return np.array(values, dtype=float)[:, None]


def loss(X, k, method, **parameters):
    return ma.information_loss(X, ma.partition(X, k, method, parameters=parameters)).il


@pytest.mark.parametrize("method", OTHERS)
def test_no_method_beats_the_exact_one_on_a_column(method):
    rng = np.random.default_rng(0)
    for X in (rng.normal(size=(150, 1)), rng.lognormal(size=(150, 1)), rng.integers(0, 9, (90, 1))):
        for k in (2, 3, 7):
            assert loss(X, k, "optimal-1d") <= loss(X, k, method) * (1 + 1e-12)


@pytest.mark.parametrize("method", OTHERS)
def test_none_is_far_from_it(method):
    X = np.random.default_rng(1).normal(size=(300, 1))
    assert loss(X, 3, method) < 2 * loss(X, 3, "optimal-1d")


@pytest.mark.parametrize(
    ("extra", "sizes"), [("last", [3, 3, 5]), ("median", [3, 5, 3]), ("modal", [5, 3, 3])]
)
def test_where_extra_values_go(extra, sizes):
    X = column(1, 1, 2, 4, 7, 9, 12, 16, 20, 25, 31)
    assert ma.partition(X, 3, "fixed-1d", parameters={"extra": extra}).sizes.tolist() == sizes


def test_without_repeated_values_the_densest_are_modal():
    X = column(0, 10, 20, 30, 31, 32, 40, 50)
    assert ma.partition(X, 3, "fixed-1d").sizes.tolist() == [3, 5]


def test_the_widest_gap_that_leaves_k():
    X = column(0, 1, 5, 6, 11, 12, 16, 17)
    assert ma.partition(X, 3, "gap-width").labels.tolist() == [0] * 4 + [1] * 4


def test_the_middle_gap_is_left_when_two_together_are_wider():
    X = column(0, 1, 5, 10, 14, 15)
    assert ma.partition(X, 2, "gap-width", parameters={"form": "recursive"}).labels.tolist() == [
        0,
        0,
        0,
        1,
        1,
        1,
    ]
    assert ma.partition(X, 2, "gap-width", parameters={"form": "optimal"}).labels.tolist() == [
        0,
        0,
        1,
        1,
        2,
        2,
    ]


def test_weights_of_the_moving_average():
    X = np.random.default_rng(2).lognormal(size=(200, 1))
    assert ma.partition(
        X, 3, "moving-average", parameters={"a": 0, "b": 100, "c": 0}
    ) == ma.partition(X, 3, "optimal-1d")
    assert ma.partition(X, 3, "moving-average") != ma.partition(X, 3, "optimal-1d")
    with pytest.raises(ParameterError, match=r"add up to 100\. Got 90"):
        ma.partition(X, 3, "moving-average", parameters={"a": 15})


@pytest.mark.parametrize("method", ["hanani", "genetic-1d"])
def test_the_seed_decides(method):
    X = np.random.default_rng(3).normal(size=(200, 1))
    first = ma.partition(X, 4, method, seed=1)
    assert first == ma.partition(X, 4, method, seed=1)
    assert first != ma.partition(X, 4, method, seed=2)


def test_more_search_loses_no_more():
    X = np.random.default_rng(4).normal(size=(300, 1))
    assert loss(X, 4, "hanani", restarts=20) <= loss(X, 4, "hanani", restarts=2)
    assert loss(X, 4, "genetic-1d", generations=60) <= loss(X, 4, "genetic-1d", generations=3)


def test_probabilities_end_at_one():
    with pytest.raises(
        ParameterError, match="'crossover' parameter of genetic-1d must be a number"
    ):
        ma.partition(column(1, 2, 3, 4), 2, "genetic-1d", parameters={"crossover": 1.5})


@pytest.mark.parametrize("axis", ["pc1", "zsum", "sugeno", "b"])
@pytest.mark.parametrize("method", ["optimal-1d", "kwdr", "gap-width"])
def test_groups_are_consecutive_on_the_axis(method, axis):
    import pyarrow as pa

    rng = np.random.default_rng(5)
    table = pa.table({name: rng.normal(size=100) for name in "abc"})
    part = ma.partition(table, 4, method, parameters={"axis": axis})
    assert part.sizes.max() < 8
    if axis == "b" and method != "kwdr":
        order = np.argsort(table["b"].to_numpy())
        assert (np.diff(part.labels[order]) >= 0).all()


def test_an_unknown_axis():
    import pyarrow as pa

    table = pa.table({"age": [1.0, 2, 3, 4], "income": [4.0, 3, 2, 9]})
    with pytest.raises(ParameterError, match="'axis' parameter must be 'pc1', 'zsum', 'sugeno' or"):
        ma.partition(table, 2, "optimal-1d", parameters={"axis": "incme"})
    with pytest.raises(ParameterError, match="Did you mean 'income'"):
        ma.partition(table, 2, "optimal-1d", parameters={"axis": "incme"})
    with pytest.raises(ParameterError, match="'axis' parameter of optimal-1d"):
        ma.partition(table, 2, "optimal-1d", parameters={"axis": 3})
