"""The twelve MDAV values that the literature agrees on, to six decimals."""

from collections import Counter

import pytest

import microagg as ma

VALUES = [
    ("tarragona", 3, 16.932588, 1835.831150, {3: 278}),
    ("tarragona", 4, 19.545962, 2119.173204, {4: 207, 6: 1}),
    ("tarragona", 5, 22.461860, 2435.314825, {5: 165, 9: 1}),
    ("tarragona", 10, 33.192885, 3598.772567, {10: 82, 14: 1}),
    ("census", 3, 5.692186, 799.182954, {3: 360}),
    ("census", 4, 7.494700, 1052.255856, {4: 270}),
    ("census", 5, 9.088435, 1276.016344, {5: 216}),
    ("census", 10, 14.155930, 1987.492632, {10: 108}),
    ("eia", 3, 0.482939, 217.380379, {3: 1364}),
    ("eia", 4, 0.671345, 302.185875, {4: 1023}),
    ("eia", 5, 1.666675, 750.203824, {5: 817, 7: 1}),
    ("eia", 10, 3.839670, 1728.312362, {10: 408, 12: 1}),
]


@pytest.mark.parametrize(("data", "k", "il", "sse", "sizes"), VALUES)
def test_mdav(benchmark, data, k, il, sse, sizes):
    X = benchmark(data)
    part = ma.partition(X, k, "mdav")
    loss = ma.information_loss(X, part)
    assert round(loss.il, 6) == il
    assert round(loss.sse, 6) == sse
    assert Counter(part.sizes.tolist()) == sizes
