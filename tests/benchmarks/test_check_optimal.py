"""The checker of proven optima lists every group, and passes the certificate that is kept."""

import runpy
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

QUALITY = Path(__file__).parents[2] / "benchmarks" / "quality"
CERTIFICATE = [str(QUALITY / "census-k3.csv"), str(QUALITY / "census-k3-cuts.csv")]


@pytest.mark.parametrize("size", [3, 4])
@pytest.mark.parametrize("seed", range(5))
def test_it_lists_every_group_within_the_threshold(size, seed):
    groups_within = runpy.run_path(str(QUALITY / "check_optimal.py"))["groups_within"]
    rng = np.random.default_rng(seed)
    Z, prices = rng.normal(size=(12, 2)), rng.uniform(-0.2, 1, 12)
    triples, charges = np.array([[0, 1, 2], [1, 4, 7]]), np.array([0.3, 0.1])
    expected = {}
    for rows in combinations(range(12), size):
        part = Z[list(rows)]
        cost = ((part - part.mean(axis=0)) ** 2).sum() - prices[list(rows)].sum()
        held = [len(set(rows) & set(triple)) >= 2 for triple in triples.tolist()]
        expected[rows] = cost + charges[held].sum()
    expected = {rows: cost for rows, cost in expected.items() if cost < 0.5}
    sets, _, costs = groups_within(Z, prices, triples, charges, size, 0.5)
    assert dict(zip(map(tuple, sets.tolist()), costs, strict=True)) == pytest.approx(expected)


def test_the_certificate_of_census_holds(benchmark, tmp_path, monkeypatch, capsys):
    data = tmp_path / "census.csv"
    X = np.asarray(benchmark("census"))
    np.savetxt(data, X, delimiter=",", header=",".join("abcdefghijklm"), comments="")
    monkeypatch.setattr(sys, "argv", ["check_optimal.py", str(data), *CERTIFICATE])
    runpy.run_path(str(QUALITY / "check_optimal.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert "4.667935850 %" in said
    assert "LB 654.88647" in said
