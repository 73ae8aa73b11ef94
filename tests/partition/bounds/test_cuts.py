"""Every partition meets every cut, and the cuts that are looked for are violated."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.partition.bounds.cuts import KINDS, SMALL_KINDS, GroupCuts, entries_of
from microagg.partition.bounds.separation import VIOLATIONS, most_violated, violated_sets
from tests.examples import examples
from tests.some_cuts import cuts_of

GO = np.zeros(2, dtype=np.int64)


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.integers(0, 4), min_size=5, max_size=12), st.data())
def test_every_partition_meets_every_cut(labels, data):
    cuts = data.draw(cuts_of(len(labels), 8))
    groups = [np.flatnonzero(np.array(labels) == label) for label in set(labels)]
    entries = entries_of(groups, cuts, len(labels)).toarray()
    assert (entries[:, : len(labels)].sum(axis=0) == 1).all()
    assert (entries[:, len(labels) :].sum(axis=0) <= 1).all()


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_the_right_hand_side_is_what_one_group_of_all_records_adds(kind):
    size = len(KINDS[kind].weights)
    entries = entries_of([np.arange(size)], GroupCuts.of(kind, [np.arange(size)]), size).toarray()
    assert entries[0, -1] == 1.0


@settings(max_examples=examples(15), deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 4))
def test_cuts_of_a_mixture_are_violated_by_it(seed, size):
    rng, n = np.random.default_rng(seed), 9
    every = [np.array(rows) for rows in combinations(range(n), size)]
    groups = [every[number] for number in rng.permutation(len(every))[:20]]
    shares = rng.uniform(0.0, 0.6, len(groups))
    cuts = most_violated(groups, shares, GroupCuts.of(0), n, GO)
    totals = shares @ entries_of(groups, cuts, n).toarray()[:, n:]
    assert (totals > 1 + VIOLATIONS[0] - 1e-9).all()
    assert len(set(cuts.keys())) == len(cuts)
    assert not set(cuts.keys()) & set(most_violated(groups, shares, cuts, n, GO).keys())


def test_five_records_that_triples_do_not_cut_are_cut():
    pairs = [np.array(rows) for rows in combinations(range(5), 2)]
    shares = np.full(10, 0.25)  # each record once, each triple 3/4
    assert violated_sets(pairs, shares, 5, SMALL_KINDS, 0, GO) == [(-0.25, 6, [0, 1, 2, 3, 4])]
    assert len(most_violated(pairs, shares, GroupCuts.of(0), 5, GO)) == 1


def test_seven_records_that_small_sets_do_not_cut_are_cut():
    pairs = [np.array(rows) for rows in combinations(range(7), 2)]
    shares = np.full(21, 1 / 6)  # each record once, each five records 5/3 of at most 2
    assert violated_sets(pairs, shares, 7, SMALL_KINDS, 0, GO) == []
    cuts = most_violated(pairs, shares, GroupCuts.of(0), 7, GO)
    assert (cuts.kinds == 9).all()
    assert cuts.rows[0, :7].tolist() == list(range(7))


def test_only_cuts_that_are_violated_enough_are_taken():
    pairs = [np.array(rows) for rows in combinations(range(3), 2)]
    shares, none = np.full(3, 0.35), GroupCuts.of(0)  # one group holds two of the three: 1.05
    assert len(most_violated(pairs, shares, none, 3, GO, 0.04)) == 1
    assert len(most_violated(pairs, shares, none, 3, GO, 0.06)) == 0


def test_whole_groups_and_a_stop_leave_nothing_to_cut():
    pairs = [np.array(rows) for rows in combinations(range(5), 2)]
    assert len(most_violated(pairs, np.ones(10), GroupCuts.of(0), 5, GO)) == 0
    stopped = np.array([0, 1])
    assert violated_sets(pairs, np.full(10, 0.25), 5, SMALL_KINDS, 0, stopped) == []


def test_cuts_of_a_part_keep_their_records():
    cuts = GroupCuts.of(0, [[0, 1, 2]]).plus(GroupCuts.of(2, [[0, 1, 2, 3, 4]]))
    moved = cuts.among(np.array([9, 7, 5, 3, 1]))
    assert moved.rows[:, :5].tolist() == [[9, 7, 5, -1, -1], [9, 7, 5, 3, 1]]
    assert (moved.rows[:, 5:] == -1).all()
    assert moved.kinds.tolist() == [0, 2]
