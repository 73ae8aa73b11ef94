"""ip-style against the IP rows of comparative-study-2012: near, not the same method.

`OURS` pins our own results, so that a change is noticed; no source prints them.
"""

import pytest

import microagg as ma

OURS = {
    ("tarragona", 3): 15.616858,
    ("tarragona", 5): 22.609637,
    ("census", 3): 5.347616,
    ("census", 5): 8.685198,
    ("eia", 3): 0.469885,
    ("eia", 5): 1.533309,
}


@pytest.mark.parametrize(("data", "k"), OURS)
def test_rows(benchmark, printed_figures, data, k):
    X = benchmark(data)
    il = ma.information_loss(X, ma.partition(X, k, "ip-style")).il
    [value] = [
        float(row["value"])
        for row in printed_figures
        if (row["method"], row["data"], row["k"]) == ("<i>IP</i>", data, str(k))
    ]
    assert il == pytest.approx(value, rel=0.01)
    assert il == pytest.approx(OURS[data, k], abs=1e-6)
