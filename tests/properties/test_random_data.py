"""Every method, on data that hypothesis makes up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import microagg as ma
from tests.examples import examples

NAMES = [
    pytest.param(method.name, marks=[pytest.mark.slow] if method.name == "best" else [])
    for method in ma.methods()
]


@st.composite
def matrices(draw):
    n, d = draw(st.integers(2, 40)), draw(st.integers(1, 4))
    values = draw(
        st.sampled_from(
            [
                st.integers(-3, 3).map(float),
                st.floats(-1e9, 1e9, allow_nan=False, width=64),
                st.floats(1e9, 1e9 + 1, width=64),
            ]
        )
    )
    X = draw(arrays(np.float64, (n, d), elements=values))
    return np.where(np.abs(X) < 1e-100, 0.0, X)  # smaller differences are refused


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=examples(60), deadline=None)
@given(X=matrices(), data=st.data())
def test_groups_hold_k_and_the_loss_is_a_share(name, X, data):
    k = data.draw(st.integers(2, len(X)))
    part = ma.partition(X, k, name)
    assert part.n == len(X)
    assert part.sizes.min() >= k
    assert -1e-9 <= ma.information_loss(X, part).il <= 100 + 1e-6
