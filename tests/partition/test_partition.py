"""Partition: checked when made, and never changed after."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microagg as ma
from microagg.budget import Stop
from microagg.errors import AnonymityError, DataError, ParameterError
from microagg.partition.grouping import Facts

PART = ma.Partition([1, 0, 1, 0, 1], k=2, method="mdav", facts=Facts(stopped=Stop.GAP))


def test_what_it_knows():
    assert (PART.n, PART.k, PART.n_groups, PART.sizes.tolist()) == (5, 2, 2, [2, 3])
    assert [rows.tolist() for rows in PART.groups()] == [[1, 3], [0, 2, 4]]
    assert repr(PART) == "Partition(n=5, k=2, n_groups=2, sizes 2..3, method='mdav')"
    assert PART.labels.dtype == np.int32


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30))
def test_groups_are_the_rows_of_each_label(raw):
    labels = np.unique(raw, return_inverse=True)[1]
    part = ma.Partition(labels, k=1)
    groups = list(part.groups())
    assert [len(rows) for rows in groups] == part.sizes.tolist()
    assert all((labels[rows] == label).all() for label, rows in enumerate(groups))
    assert sorted(np.concatenate(groups)) == list(range(len(raw)))


def test_a_group_that_is_too_small_is_refused():
    with pytest.raises(AnonymityError, match=r"1 of 2 groups .* k=3 records \(the smallest has 2"):
        ma.Partition([1, 0, 1, 0, 1], k=3)


def test_a_record_in_no_group_is_refused():
    with pytest.raises(AnonymityError, match="2 records are in no group"):
        ma.Partition([0, 0, -1, -1], k=2)


@pytest.mark.parametrize(
    "labels",
    [[], 0, [[0, 0]], [0.0, 0.0], ["a", "a"], [True, True], [None, 0], np.array([], dtype=int)],
    ids=repr,
)
def test_what_are_no_labels(labels):
    with pytest.raises(DataError, match="one-dimensional array of integers"):
        ma.Partition(labels, k=1)


@pytest.mark.parametrize("labels", [[0, 0, 2, 2], [1, 1], [0, 0, 2**40, 2**40], [5]], ids=repr)
def test_numbers_with_a_gap_are_refused(labels):
    with pytest.raises(DataError, match="without a gap"):
        ma.Partition(labels, k=1)


@pytest.mark.parametrize("k", [0, -1, 2.0, "2", None, True])
def test_k_must_be_a_whole_number(k):
    with pytest.raises(ParameterError, match="'k' parameter of Partition"):
        ma.Partition([0, 0], k=k)


def test_it_does_not_change():
    given_labels = np.array([0, 0, 1, 1])
    part = ma.Partition(given_labels, k=2)
    given_labels[:] = 0
    assert part.labels.tolist() == [0, 0, 1, 1]
    for array in (part.labels, part.sizes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        part.k = 3


def test_equality_and_hash_go_by_labels_and_k():
    same = ma.Partition(np.array([1, 0, 1, 0, 1], dtype=np.int64), k=np.int64(2), method="other")
    assert same == PART
    assert hash(same) == hash(PART)
    assert len({same, PART}) == 1
    assert ma.Partition([1, 0, 1, 0, 1], k=1) != PART
    assert ma.Partition([0, 1, 0, 1, 0], k=2) != PART
    assert PART != "a partition"


@pytest.mark.parametrize(
    "again", [lambda part: pickle.loads(pickle.dumps(part)), copy.deepcopy, copy.copy]
)
def test_a_copy_is_as_good_as_new(again):
    part = again(PART)
    assert part == PART
    assert (part.method, part.facts) == ("mdav", Facts(stopped=Stop.GAP))
    assert not part.labels.flags.writeable


def test_every_size_is_checked_again_by_validate():
    broken = ma.Partition([0, 0, 1, 1], k=2)
    object.__setattr__(broken, "k", 3)
    with pytest.raises(AnonymityError):
        broken.validate()


def test_the_old_name_of_the_facts_says_the_new_one():
    with pytest.raises(AttributeError, match="it is now called 'facts'"):
        PART.details  # noqa: B018
    assert not hasattr(PART, "nonsense")
