"""DBA-1: its rows of comparative-study-2012, tables 5 to 7, to the printed digit."""

import pytest

import microagg as ma


@pytest.mark.parametrize("data", ["tarragona", "census", "eia"])
def test_rows(benchmark, printed_figures, data):
    X = benchmark(data)
    rows = [r for r in printed_figures if r["method"] == "<i>DBA-1</i>" and r["data"] == data]
    assert len(rows) == 4
    for row in rows:
        il = ma.information_loss(X, ma.partition(X, int(row["k"]), "dba-1")).il
        assert round(il, 3) == float(row["value"]), (row["k"], il)
