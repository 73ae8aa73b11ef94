"""The work on keys and records of awkward shapes, counted: none may be a trap."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.kernels.space.index import (
    compact_index,
    farthest_from_mean,
    nearest_in_index,
    new_index,
    remove_from_index,
)
from microagg.kernels.space.leaves import select
from tests.examples import examples


class Counted(np.ndarray):
    """An array that counts how often one of its values is read."""

    reads = 0

    def __getitem__(self, place):
        Counted.reads += 1
        return super().__getitem__(place)


def organ_pipe(n):
    return np.minimum(np.arange(n), np.arange(n)[::-1])


SHAPES = {
    "rising": np.arange,
    "falling": lambda n: -np.arange(n),
    "rises and falls": organ_pipe,
    "falls and rises": lambda n: -organ_pipe(n),
    "saw": lambda n: np.arange(n) % 7,
    "equal": np.zeros,
    "two values": lambda n: np.arange(n) % 2,
    "halves in turn": lambda n: np.concatenate([np.arange(0, n, 2), np.arange(1, n, 2)]),
    "one outlier": lambda n: np.where(np.arange(n) == n // 2, 1e140, np.arange(n)),
}


@settings(max_examples=examples(100), deadline=None)
@given(st.sampled_from(sorted(SHAPES)), st.integers(2, 2_000), st.floats(0, 1))
def test_quickselect_reads_each_key_a_few_times_whatever_their_order(shape, n, share):
    keys = SHAPES[shape](n).astype(float).view(Counted)
    middle, items, before = int(share * (n - 1)), np.arange(n), np.sort(keys).view(np.ndarray)
    Counted.reads = 0
    with np.errstate(over="ignore"):
        select.py_func(keys, items, middle)
    assert Counted.reads <= 30 * n + 300
    sorted_keys = keys.view(np.ndarray)
    assert np.array_equal(np.sort(sorted_keys), before)
    assert middle == 0 or sorted_keys[:middle].max() <= sorted_keys[middle:].min()


def line(n, rng):
    return np.outer(np.arange(1.0, 4.0), np.arange(n))


def sphere(n, rng):
    X = rng.normal(size=(3, n))
    return X / np.sqrt((X**2).sum(axis=0))


def two_clusters(n, rng):
    return rng.normal(size=(3, n)) + 100.0 * (np.arange(n) % 2)


def grid(n, rng):
    side = round(n**0.5)
    return np.stack([np.arange(n) % side, np.arange(n) // side, np.zeros(n)]).astype(float)


def spiral(n, rng):
    angle = np.linspace(0, 40, n)
    return np.stack([angle * np.cos(angle), angle * np.sin(angle), angle])


@pytest.mark.slow  # compiles the parts of the index on their own
@pytest.mark.parametrize("shape", [line, sphere, two_clusters, grid, spiral])
def test_the_farthest_from_the_mean_is_found_by_few_looks(shape):
    n, k = 3_000, 5
    columns = np.ascontiguousarray(shape(n, np.random.default_rng(0)))
    index = new_index(columns)
    looks, gaps, rows = 0, np.empty(k - 1), np.empty(k - 1, dtype=np.int64)
    while index.left[0] >= k:
        compact_index(index)
        before = index.rim.state[2]
        seed = farthest_from_mean(index, index.total / index.left[0])
        sorted_again = index.rim.state[2] < before
        looks += index.tree.sizes[2] if sorted_again else index.rim.state[2] - before
        remove_from_index(index, seed)
        nearest_in_index(index, columns[:, seed].copy(), gaps, rows)
        for row in rows:
            remove_from_index(index, row)
    assert looks <= 250 * n  # comparing all of them in each round takes 300 * n
