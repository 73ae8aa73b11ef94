"""Every kernel gives the labels of its plain NumPy twin, ties and tile borders included."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from microagg.kernels.space.scan import TILE
from microagg.partition.driver import group
from microagg.partition.registry import methods
from microagg.prepare.prepared import prepare
from tests.examples import examples, sample
from tests.twins.registry import TWINS


def choices(method):
    """Yield the defaults, and each other word of each parameter that takes words.

    The words of `index` are left out: they change no label, so they share the labels of one twin.
    """
    yield {}
    for name, constraint in method.constraints.items():
        for word in getattr(constraint, "choices", ()):
            if name != "index" and word != method.parameters[name]:
                yield {name: word}


def indexes(method):
    """Yield each word of `index` as parameters, or nothing but the defaults."""
    words = getattr(method.constraints.get("index"), "choices", ())
    yield from ([{"index": word} for word in words] or [{}])


CASES = [
    pytest.param(method, parameters, id="-".join([method.name, *map(str, parameters.values())]))
    for method in methods()
    if method.name in TWINS
    for parameters in choices(method)
]


def twin_labels(method, prepared, k, parameters):
    chosen = {**method.parameters, **parameters}
    return TWINS[method.name](prepared, k, np.random.default_rng(0), **chosen)


def assert_twins_agree(method, parameters, X, k, scale="zscore"):
    prepared = prepare(list(X.T), [str(j) for j in range(X.shape[1])], scale=scale)
    expected = twin_labels(method, prepared, k, parameters)
    for index in indexes(method):
        ours = group(prepared, k, method.name, parameters={**parameters, **index}).labels
        assert np.array_equal(ours, expected), index


ELSEWHERE = {
    "fixed-1d", "imhm",  # no kernel of their own
    "tsp-mhm", "genetic", "genetic-hybrid", "omma", "lns",  # kernels compared one by one
    "auto", "best", "blocks",  # run other methods
}  # fmt: skip


def test_every_method_has_a_twin_or_is_compared_elsewhere():
    assert {method.name for method in methods()} == TWINS.keys() | ELSEWHERE
    assert not TWINS.keys() & ELSEWHERE


@pytest.mark.parametrize(("method", "parameters"), CASES)
@settings(max_examples=examples(25), deadline=None)
@given(data=st.data())
def test_on_a_grid_where_most_distances_are_ties(method, parameters, data):
    n, d = data.draw(st.integers(2, 60)), data.draw(st.integers(1, 9))
    X = data.draw(arrays(np.float64, (n, d), elements=st.integers(0, 2).map(float)))
    scale = data.draw(st.sampled_from(["none", "zscore", "range"]))
    assert_twins_agree(method, parameters, X, data.draw(st.integers(2, n)), scale)


@pytest.mark.parametrize(("method", "parameters"), CASES)
@settings(max_examples=examples(20), deadline=None)
@given(data=st.data())
def test_on_any_numbers(method, parameters, data):
    n, d = data.draw(st.integers(2, 40)), data.draw(st.integers(1, 6))
    number = st.floats(-1e6, 1e6).map(lambda x: 0.0 if abs(x) < 1e-100 else x)
    X = data.draw(arrays(np.float64, (n, d), elements=number))
    assert_twins_agree(method, parameters, X, data.draw(st.integers(2, n)))


@pytest.mark.slow
@pytest.mark.parametrize(("method", "parameters"), CASES)
@pytest.mark.parametrize(
    ("n", "d"),
    [(TILE - 1, 7), (TILE, 2), (TILE + 1, 1), (2 * TILE, 2)],
)
def test_at_the_borders_of_tiles(method, parameters, n, d):
    rng = np.random.default_rng(n + d)
    for X in (rng.integers(0, 6, size=(n, d)).astype(float), rng.normal(size=(n, d))):
        assert_twins_agree(method, parameters, X, 97, "none")


@pytest.mark.parametrize(("method", "parameters"), CASES)
@pytest.mark.parametrize(("n", "k"), sample([(205, 20), (TILE + 5, 100)]))
def test_when_all_records_are_equal_rows_go_in_order(method, parameters, n, k):
    X = np.ones((n, 2))
    assert_twins_agree(method, parameters, X, k)
    labels = twin_labels(method, prepare(list(X.T), ["a", "b"]), 4, parameters)
    assert labels[:4].tolist() == [0, 0, 0, 0]
