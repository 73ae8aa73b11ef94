"""Cuts: every record has a leaf of the right size, whatever is equal among the records."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from microagg.partition.search.blocks.block import Layout
from microagg.partition.search.blocks.cuts import ASIDE, MIDDLE, cut
from microagg.partition.search.blocks.sample import Sample, ties_of
from tests.examples import examples

# Few different values, so that most are equal; a column may be constant or have one far value.
RECORDS = st.tuples(st.integers(1, 4), st.integers(1, 300)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.sampled_from([0.0, 1.0, 2.0, 7.5, 1e9]))
)


def cuts_of(columns, block_size, place=MIDDLE):
    ties = ties_of(np.arange(columns.shape[1]))
    return cut(columns, ties, columns.shape[1], block_size, place), ties


@settings(max_examples=examples(100), deadline=None)
@given(RECORDS, st.integers(8, 90), st.sampled_from([MIDDLE, ASIDE]))
def test_leaves_are_neither_too_large_nor_too_small(columns, block_size, place):
    cuts, ties = cuts_of(columns, block_size, place)
    counts = np.bincount(cuts.route(columns, ties), minlength=cuts.n_leaves)
    assert counts.size == cuts.n_leaves
    assert counts.max() <= block_size
    if columns.shape[1] > block_size:
        assert counts.min() > block_size // 5 - 1


@settings(max_examples=examples(50), deadline=None)
@given(RECORDS, st.integers(8, 90))
def test_records_lie_in_the_box_of_their_leaf(columns, block_size):
    cuts, ties = cuts_of(columns, block_size)
    lows, highs = cuts.boxes(columns.shape[0])
    leaves = cuts.route(columns, ties)
    assert (columns >= lows[leaves].T).all()
    assert (columns <= highs[leaves].T).all()


@settings(max_examples=examples(100), deadline=None)
@given(RECORDS, st.integers(8, 40), st.integers(2, 30), st.randoms())
def test_joined_leaves_have_enough_records(columns, block_size, least, random):
    cuts, _ = cuts_of(columns, block_size)
    counts = np.array([random.randint(0, 40) for _ in range(cuts.n_leaves)])
    starts = cuts.joined(counts, least)
    assert (starts[0], starts[-1]) == (0, cuts.n_leaves)
    sizes = np.add.reduceat(counts, starts[:-1])
    assert sizes.min() >= min(least, counts.sum())
    if counts.min() >= least:
        assert starts.size == cuts.n_leaves + 1


def test_equal_records_are_cut_by_their_ties_alone():
    columns = np.ones((2, 1000))
    cuts, ties = cuts_of(columns, 100)
    assert cuts.n_leaves == 16
    assert np.bincount(cuts.route(columns, ties)).min() >= 62


def test_a_cut_falls_between_two_values_where_one_is_near():
    columns = np.repeat([0.0, 1.0], [450, 550])[None, :]
    cuts, ties = cuts_of(columns, 600)
    assert np.bincount(cuts.route(columns, ties)).tolist() == [450, 550]


def test_records_outside_the_sample_find_a_leaf_too():
    rng = np.random.default_rng(0)
    sample, columns = rng.normal(size=(3, 500)), rng.normal(size=(3, 5000)) * 10
    cuts = cut(sample, ties_of(np.arange(500)), 5000, 1000)
    counts = np.bincount(cuts.route(columns, ties_of(np.arange(5000))), minlength=cuts.n_leaves)
    assert cuts.n_leaves == 8
    assert counts.sum() == 5000


def test_no_cut_is_one_leaf():
    cuts, ties = cuts_of(np.arange(10.0)[None, :], 10)
    assert cuts.n_leaves == 1
    assert cuts.route(np.arange(10.0)[None, :], ties).tolist() == [0] * 10
    assert cuts.joined(np.array([10]), 3).tolist() == [0, 1]


@pytest.mark.parametrize("pieces", [[40], [1, 39], [7, 7, 7, 7, 12]])
def test_the_sample_does_not_depend_on_the_pieces(pieces):
    columns = np.random.default_rng(0).normal(size=(2, 40))
    sample, done = Sample(15), 0
    for size in pieces:
        sample.add(columns[:, done : done + size], np.arange(done, done + size))
        done += size
    expected = np.sort(np.argsort(ties_of(np.arange(40)))[:15])
    assert np.array_equal(sample.rows, expected)
    assert np.array_equal(sample.columns, columns[:, expected])


def test_cells_cross_the_cuts_between_blocks():
    columns = np.random.default_rng(0).uniform(size=(2, 4000))
    rows = np.arange(4000)
    layout = Layout.of(columns, rows, 4000, 1000)
    blocks = layout.blocks.route(columns, ties_of(rows))
    cells = layout.cells_of(columns, rows, rows)  # each record a group of its own
    assert all(np.unique(blocks[cells == cell]).size >= 2 for cell in np.unique(cells))
