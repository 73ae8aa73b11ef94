"""group_means: exact where it can be, and the same bits for all of a group."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.aggregate.mean import group_means
from microagg.partition.partition import Partition
from tests.examples import examples

THREES = Partition([0, 1, 0, 1, 0, 1], k=3)


@pytest.mark.parametrize("value", [0.1, 1.0, -999.0, 1e9 + 0.1, 1e150, 5e-324, 1 / 3])
def test_a_constant_stays_exactly_what_it_is(value):
    assert (group_means(np.full(6, value), THREES) == value).all()


def test_a_large_offset_costs_no_digits():
    spread = np.array([-1.0, 0.0, 1.0, 0.5, 0.0, -0.5])
    found = group_means(1e9 + spread, THREES)
    assert (found == 1e9).all()
    uneven = group_means(1e9 + np.array([0.0, 0, 0, 0, 1, 1]), THREES)
    assert np.abs(uneven - 1e9 - np.array([1, 1, 1, 1, 1, 1]) / 3).max() < 1.2e-7  # one last bit


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40), st.data())
def test_means_are_those_of_exact_arithmetic_and_totals_are_kept(values, data):
    n = len(values)
    cut = data.draw(st.integers(1, n - 1))
    labels = np.array(data.draw(st.permutations([0] * cut + [1] * (n - cut))))
    column = np.array(values)
    found = group_means(column, Partition(labels, k=1))
    for group in (0, 1):
        members = column[labels == group]
        mean = math.fsum(members) / members.size
        assert np.unique(found[labels == group]).size == 1
        assert found[labels == group][0] == pytest.approx(mean, abs=1e-8)
    assert math.fsum(found) == pytest.approx(math.fsum(column), abs=1e-6)


def test_the_mean_of_zeros_of_either_sign_is_one_zero():
    found = group_means(np.array([-0.0, 0.0, 0.0, -0.0, -0.0, -0.0]), THREES)
    assert not np.signbit(found).any()
