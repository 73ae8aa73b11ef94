"""Where records tie, kernels and twins must settle it alike: equal sums come out equal in both."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from microagg.kernels.refine import refine
from microagg.kernels.refine.decompose import ORDERS
from microagg.kernels.refine.split import RULES
from microagg.partition.refine.swap_shift import NEAR_GROUPS
from tests.examples import examples
from tests.twins import refine as plain


@st.composite
def tied(draw):
    """Return columns of few values in tenths, groups in any order, and k."""
    n, d, k = draw(st.integers(4, 36)), draw(st.integers(1, 3)), draw(st.integers(2, 4))
    columns = draw(arrays(np.float64, (d, n), elements=st.integers(-9, 9))) / 10
    columns.setflags(write=False)  # as `prepare` gives them: the same compiled kernels
    sizes = np.minimum(np.arange(n) // k, max(n // k - 1, 0)).astype(np.int32)
    return columns, np.array(draw(st.permutations(sizes.tolist())), dtype=np.int32), k


def ticker():
    return np.zeros(2, dtype=np.int64)


@pytest.mark.parametrize("order", sorted(ORDERS))
@pytest.mark.parametrize("split", ["cbfs", "scatter"])
@settings(max_examples=examples(60), deadline=None)
@given(case=tied())
def test_decompose_and_shrink(order, split, case):
    columns, labels, k = case
    rules = ORDERS[order], RULES[split]
    found = refine.refine_decompose_shrink(columns, labels, k, *rules, ticker())
    np.testing.assert_array_equal(found, plain.decompose_shrink(columns, labels, k, order, split))


@settings(max_examples=examples(100), deadline=None)
@given(case=tied())
def test_decompose_by_the_rules_of_tfrp(case):
    columns, labels, k = case
    rules = ORDERS["error"], 4 * k - 1, RULES["tfrp"]
    found = refine.refine_decompose(columns, labels, k, *rules, ticker())
    np.testing.assert_array_equal(found, plain.decompose_2007(columns, labels, k))


@settings(max_examples=examples(150), deadline=None)
@given(case=tied())
def test_swap_shift(case):
    columns, labels, k = case
    found = refine.refine_swap_shift(columns, labels, k, NEAR_GROUPS, ticker())
    np.testing.assert_array_equal(found, plain.swap_shift(columns, labels, k))


@settings(max_examples=150, deadline=None)
@given(case=tied())
def test_pairwise_means(case):
    columns, labels, k = case
    found = refine.refine_pairwise_means(columns, labels, k, NEAR_GROUPS, ticker())
    np.testing.assert_array_equal(found, plain.pairwise_means(columns, labels, k))
