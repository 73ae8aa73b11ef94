"""Moments do not depend on the pieces in which records arrive, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.prepare import moments
from microagg.prepare.moments import CHUNK, Moments
from microagg.prepare.scale import scaling_of, spread_of
from tests.examples import examples


def zscore(column):
    center, scale = scaling_of(spread_of(column), "zscore", "x")
    return center[0], scale[0]


def in_pieces(columns, sizes):
    found, done = Moments(len(columns)), 0
    for size in sizes:
        found.add(columns[:, done : done + size])
        done += size
    found.add(columns[:, done:])
    return found


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(1, 400), st.lists(st.integers(0, 90), max_size=12), st.integers(1, 70))
def test_any_pieces_give_the_same_bits(n, sizes, chunk):
    columns = np.random.default_rng(n).lognormal(0, 3, size=(2, n)).round(2) + 1e5
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(moments, "CHUNK", chunk)
        whole, parts = in_pieces(columns, []), in_pieces(columns, sizes)
        column = np.asfortranarray(np.tile(columns, (3, 1)))[1]  # not contiguous
        if n > 1:
            assert zscore(column) == (whole.mean[1], np.sqrt(whole.squares[1] / n))
    for name in ("n", "low", "high", "mean", "squares"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name))
    assert np.allclose(whole.mean, columns.mean(axis=1))
    assert np.allclose(whole.squares, columns.var(axis=1) * n)


def test_a_large_offset_costs_no_digits():
    column = np.random.default_rng(0).normal(size=3 * CHUNK + 7)
    mean, deviation = zscore(column + 2.0**40)
    assert mean - 2.0**40 == pytest.approx(column.mean(), abs=1e-3)
    assert deviation == pytest.approx(column.std(), rel=1e-6)


def test_up_to_a_chunk_they_are_plain():
    column = np.random.default_rng(0).normal(size=CHUNK)
    mean = column[0] + np.mean(column - column[0])
    assert zscore(column) == (mean, np.sqrt(np.mean((column - mean) ** 2)))
