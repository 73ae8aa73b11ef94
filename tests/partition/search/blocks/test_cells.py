"""Cells that are overfull are halved, in whole groups, and repaired half by half."""

import numpy as np
import pytest

import microagg as ma
from microagg.context import Context
from microagg.partition.search.blocks import block
from microagg.partition.search.blocks.block import repaired_cell
from microagg.partition.search.blocks.borders import repaired, upper_half
from microagg.prepare.prepared import prepare


@pytest.fixture
def cell():
    """Return 600 records, and groups of five that are far from the best."""
    X = np.random.default_rng(0).normal(size=(600, 2))
    labels = np.argsort(np.argsort(X[:, 0] + X[:, 1])) // 5 * 3 + 7  # numbers with gaps
    return prepare(list(X.T), ["x", "y"], scale="none"), labels


def test_halves_are_of_whole_groups_and_about_equal(cell):
    records, labels = cell
    upper = upper_half(records.columns, labels)
    assert not set(labels[upper]) & set(labels[~upper])
    assert abs(int(upper.sum()) - 300) <= 5
    sums = records.columns.sum(axis=0)
    assert sums[upper].mean() > sums[~upper].mean()


def test_a_single_group_has_no_upper_half():
    assert not upper_half(np.arange(6.0)[None, :], np.full(6, 3)).any()


def test_a_group_of_most_records_is_parted_from_the_others():
    labels = np.array([0] * 20 + [1] * 3)
    for sign in (1, -1):
        upper = upper_half(sign * np.arange(23.0)[None, :], labels)
        assert set(labels[upper]) in ({0}, {1})


@pytest.mark.parametrize(("block_size", "most"), [(240, 600), (100, 260), (40, 104)])
def test_an_overfull_cell_is_repaired_in_parts(cell, monkeypatch, block_size, most):
    records, labels = cell
    looked_at = []

    def watched(records, *others):
        looked_at.append(records.n)
        return repaired(records, *others)

    monkeypatch.setattr(block, "repaired", watched)
    better = repaired_cell(records, labels, 5, block_size, Context.of())
    assert sum(looked_at) == 600
    assert max(looked_at) <= most
    assert np.array_equal(np.unique(better), np.unique(labels))
    assert np.bincount(better)[np.unique(better)].min() >= 5
    both = [np.unique(found, return_inverse=True)[1] for found in (labels, better)]
    losses = [ma.information_loss(records.columns.T, found).il for found in both]
    assert losses[1] < losses[0]
