"""Genetic-hybrid: with k=3 the sums of squares of MDAV fall as far as its authors say, or farther."""

import pytest

import microagg as ma


@pytest.mark.slow
@pytest.mark.parametrize(("data", "mdav", "hybrid"), [("census", 799, 767), ("eia", 217, 186)])
def test_sse_with_k_3(benchmark, data, mdav, hybrid):
    X = benchmark(data)
    assert ma.information_loss(X, ma.partition(X, 3, "mdav")).sse == pytest.approx(mdav, abs=0.5)
    part = ma.partition(X, 3, "genetic-hybrid")
    assert ma.information_loss(X, part).sse <= hybrid
