"""The tree gives the labels of the scans, record for record, whatever the data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from microagg.kernels.space.index import KEPT
from microagg.kernels.space.leaves import BLOCK, LEAF
from microagg.partition.driver import group
from microagg.partition.registry import methods
from microagg.prepare.prepared import prepare
from tests.examples import examples

METHODS = [method.name for method in methods() if "index" in method.parameters]
FAST = {"mdav", "mdav-nc"}
EVERY_METHOD = pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n in FAST else pytest.mark.slow) for n in METHODS]
)


def assert_same_labels(name, X, k, scale="zscore"):
    prepared = prepare(list(X.T), [str(j) for j in range(X.shape[1])], scale=scale)
    brute, tree = (
        group(prepared, k, name, parameters={"index": kind}).labels for kind in ("brute", "tree")
    )
    assert np.array_equal(brute, tree)


def test_all_the_methods_of_the_papers_have_an_index():
    named = {"mdav", "mdav-nc", "cbfs-nn", "cbfs-nc", "tfrp-i", "tfrp-nc", "v-mdav", "md"}
    assert named | {"dbfs-nc", "gsms", "dba-1"} <= set(METHODS)


def data_sets(n):
    """Yield data of different nature, some of it all ties."""
    rng = np.random.default_rng(n)
    yield "normal", rng.normal(size=(n, 3))
    yield "many columns", rng.normal(size=(n, 13))
    yield "one column", rng.normal(size=(n, 1))
    yield "grid", rng.integers(0, 6, size=(n, 3)).astype(float)
    yield "few values", rng.integers(0, 2, size=(n, 2)).astype(float)
    yield "duplicates", rng.normal(size=(n // 7 + 1, 4))[rng.integers(0, n // 7 + 1, size=n)]
    yield (
        "clusters",
        rng.normal(size=(9, 2))[rng.integers(0, 9, size=n)] * 50 + rng.normal(size=(n, 2)),
    )
    yield "constant column", np.column_stack([rng.normal(size=n), np.full(n, 0.1)])
    yield "heavy tails", rng.standard_cauchy(size=(n, 3)) ** 3
    yield "far from zero", rng.normal(size=(n, 2)).round(2) + 1e7
    yield "huge", rng.normal(size=(n, 2)) * 1e140
    yield "minute", rng.normal(size=(n, 2)) * 1e-140


@EVERY_METHOD
@pytest.mark.parametrize("n", [LEAF + 1, pytest.param(700, marks=pytest.mark.slow)])
def test_on_data_of_every_nature(name, n):
    for _, X in data_sets(n):
        for k in (2, 3, 10, n // 3):
            assert_same_labels(name, X, k, "none")


@EVERY_METHOD
def test_on_more_than_one_block(name):
    n = int(BLOCK * LEAF * (1 + KEPT))
    rng = np.random.default_rng(0)
    for X in (rng.normal(size=(n, 4)), rng.integers(0, 9, size=(n, 3)).astype(float)):
        assert_same_labels(name, X, 5)


@EVERY_METHOD
@settings(max_examples=examples(25), deadline=None)
@given(data=st.data())
def test_on_any_grid(name, data):
    n, d = data.draw(st.integers(2, 150)), data.draw(st.integers(1, 6))
    X = data.draw(arrays(np.float64, (n, d), elements=st.integers(0, 3).map(float)))
    scale = data.draw(st.sampled_from(["none", "zscore", "range"]))
    assert_same_labels(name, X, data.draw(st.integers(2, n)), scale)


@EVERY_METHOD
@settings(max_examples=examples(25), deadline=None)
@given(data=st.data())
def test_on_any_numbers(name, data):
    n, d = data.draw(st.integers(2, 80)), data.draw(st.integers(1, 5))
    number = st.floats(-1e6, 1e6).map(lambda x: 0.0 if abs(x) < 1e-100 else x)
    X = data.draw(arrays(np.float64, (n, d), elements=number))
    assert_same_labels(name, X, data.draw(st.integers(2, n)))


@EVERY_METHOD
@settings(max_examples=examples(10), deadline=None)
@given(data=st.data())
def test_on_numbers_whose_squares_vanish_or_overflow(name, data):
    n, seed = data.draw(st.integers(70, 150)), data.draw(st.integers(0, 99))
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)).round(data.draw(st.integers(0, 3)))
    X *= 10.0 ** -rng.integers(0, data.draw(st.integers(1, 12)), size=(n, 1))
    X *= 10.0 ** data.draw(st.sampled_from([-150, -147, -140, 0, 140, 147]))
    X[0] = 0.0
    X[1] = data.draw(st.sampled_from([1e-149, 1e-140, 1e149]))  # enough of a width
    assert_same_labels(name, X, data.draw(st.integers(2, 9)), "none")


def test_records_that_are_as_near_as_underflow():
    X = np.random.default_rng(0).normal(size=(200, 2)) * 1e-152
    X[0] = 1e-149  # enough of a width
    for name in ("mdav", "md"):
        assert_same_labels(name, X, 3, "none")
