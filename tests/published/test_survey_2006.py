"""Table I of the survey of 2006: sums of squares of MD and MDAV within 1 %."""

import pytest

import microagg as ma
from tests.examples import sample


@pytest.mark.parametrize("name", ["MD", "MDAV"])
@pytest.mark.parametrize("data", sample(["census", "eia"]))
def test_sse(benchmark, printed_figures, data, name):
    X = benchmark(data)
    rows = [
        row
        for row in printed_figures
        if row["method"] == name and row["data"] == data and "survey-2006" in row["source"]
    ]
    assert len(rows) == 4
    for row in rows:
        sse = ma.information_loss(X, ma.partition(X, int(row["k"]), name)).sse
        assert sse == pytest.approx(float(row["value"]), rel=0.01)
