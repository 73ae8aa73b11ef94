"""The information loss on a GPU is that of the processor."""

import numpy as np
import pytest

import microagg as ma
from microagg import engine
from microagg.cuda import loss
from microagg.engine import has_gpu
from microagg.measure.loss import information_loss as module

needs_gpu = pytest.mark.skipif(not has_gpu(), reason="needs CuPy and a CUDA device")


@pytest.fixture
def stand_in(monkeypatch):
    """A GPU that is the processor; yields the shapes of the columns that were summed on it."""
    shapes = []

    def squared_errors(columns, labels):
        shapes.append(columns.shape)
        means = np.stack([np.bincount(labels, column) for column in columns]) / np.bincount(labels)
        around = columns - columns.mean(axis=1, keepdims=True)
        return ((columns - means[:, labels]) ** 2).sum(axis=1), (around**2).sum(axis=1)

    monkeypatch.setattr(engine, "array_module", lambda engine: np)
    monkeypatch.setattr(loss, "squared_errors", squared_errors)
    return shapes


def records(n=60, d=2, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def labels(n=60, k=3):
    return np.minimum(np.arange(n) // k, n // k - 1)


def assert_same(ours, theirs):
    assert ours.sse == pytest.approx(theirs.sse, rel=1e-12)
    assert ours.sst == pytest.approx(theirs.sst, rel=1e-12)
    assert ours.by_column == pytest.approx(dict(theirs.by_column), rel=1e-12)


def test_the_engine_is_chosen(stand_in, monkeypatch):
    expected = ma.information_loss(records(), labels())
    assert_same(ma.information_loss(records(), labels(), engine="cuda"), expected)
    assert stand_in == [(2, 60)]
    assert ma.information_loss(records(), labels(), engine="auto") == expected
    monkeypatch.setattr(module, "MANY_VALUES", 100)
    assert_same(ma.information_loss(records(), labels(), engine="auto"), expected)
    monkeypatch.setenv(engine.VARIABLE, "cuda")
    assert_same(ma.information_loss(records(), labels()), expected)
    assert len(stand_in) == 3


@pytest.mark.skipif(has_gpu(), reason="there is a GPU")
def test_a_missing_gpu_is_an_error():
    with pytest.raises(ma.ParameterError, match="CuPy with a CUDA device is not available"):
        ma.information_loss(records(), labels(), engine="cuda")
    with pytest.raises(ma.ParameterError, match="must be one of cpu, cuda, auto"):
        ma.information_loss(records(), labels(), engine="tpu")


@needs_gpu
@pytest.mark.parametrize("k", [2, 3, 5, 40, 3000])
@pytest.mark.parametrize("offset", [0, 1e9])
def test_the_loss_on_a_gpu_is_that_of_the_processor(k, offset):
    X, groups = records(9_000, 7) + offset, labels(9_000, k)
    assert_same(
        ma.information_loss(X, groups, engine="cuda"), ma.information_loss(X, groups, engine="cpu")
    )
