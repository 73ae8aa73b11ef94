"""The checker of proven optima lists every group, passes the kept certificate and no false one."""

import re
import runpy
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from benchmarks.quality.check_labels import LABELS, stated
from benchmarks.quality.runs import read_results
from benchmarks.quality.table import RESULTS

QUALITY = Path(__file__).parents[2] / "benchmarks" / "quality"
CHECKER = QUALITY / "check_optimal.py"
CERTIFICATE = [str(QUALITY / "census-k3.csv"), str(QUALITY / "census-k3-cuts.csv")]


@pytest.mark.parametrize("size", [3, 4])
@pytest.mark.parametrize("seed", range(5))
def test_it_lists_every_group_within_the_threshold(size, seed):
    checker = runpy.run_path(str(CHECKER))
    rng = np.random.default_rng(seed)
    Z, prices = rng.normal(size=(12, 2)), rng.uniform(-0.2, 1, 12)
    lines = np.array([[0.3, 2, 0, 1, 1, 1, 2, 1, -1, 0], [0.1, 3, 1, 1, 4, 2, 7, 1, 9, 1]])
    cuts = [(line[0], line[1], dict(zip(line[2::2], line[3::2], strict=True))) for line in lines]
    expected = {}
    for rows in combinations(range(12), size):
        part = Z[list(rows)]
        cost = ((part - part.mean(axis=0)) ** 2).sum() - prices[list(rows)].sum()
        expected[rows] = cost + sum(
            charge * (sum(weights.get(row, 0) for row in rows) // modulus)
            for charge, modulus, weights in cuts
        )
    expected = {rows: cost for rows, cost in expected.items() if cost < 0.5}
    sets, _, costs = checker["groups_within"](Z, prices, checker["cuts_of"](lines, 12), size, 0.5)
    assert dict(zip(map(tuple, sets.tolist()), costs, strict=True)) == pytest.approx(expected)


def test_the_certificate_of_census_holds(benchmark, tmp_path, monkeypatch, capsys):
    data = tmp_path / "census.csv"
    X = np.asarray(benchmark("census"))
    np.savetxt(data, X, delimiter=",", header=",".join("abcdefghijklm"), comments="")
    monkeypatch.setattr(sys, "argv", ["check_optimal.py", str(data), *CERTIFICATE])
    runpy.run_path(str(CHECKER), run_name="__main__")
    said = capsys.readouterr().out
    assert "4.667935850 %" in said
    assert "LB 654.88647" in said


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("name", "k"),
    [
        ("tarragona", 3),
        ("tarragona", 4),
        ("tarragona", 5),
        ("census", 4),
        ("census", 5),
        ("eia", 5),
    ],
)
def test_the_kept_bounds_hold(benchmark, tmp_path, monkeypatch, capsys, name, k):
    data = tmp_path / f"{name}.csv"
    X = np.asarray(benchmark(name))
    np.savetxt(data, X, delimiter=",", header=",".join("abcdefghijklm"), comments="")
    files = [str(data), str(QUALITY / f"{name}-k{k}.csv"), str(QUALITY / f"{name}-k{k}-cuts.csv")]
    monkeypatch.setattr(sys, "argv", ["check_optimal.py", *files, "-k", str(k), "--bound"])
    runpy.run_path(str(CHECKER), run_name="__main__")
    bound = float(re.search(r"LB [0-9.]+, ([0-9.]+) %", capsys.readouterr().out)[1])
    # The certificate proves what the page says that it proves, or more.
    stated_bounds = [
        result.bound
        for result in read_results([RESULTS])
        if (result.run.data, result.run.k, result.run.method) == (name, k, "certificate")
    ]
    assert max(stated_bounds, default=0.0) <= bound + 1e-9
    assert bound <= stated(LABELS)[name, k]


# Two groups of three on a line, 0 1 2 and 10 11 12: before scaling they lose 4, and scaled `SSE`.
POINTS = np.array([0.0, 1.0, 2.0, 10.0, 11.0, 12.0])
SSE = 4 / POINTS.var()
GOOD = [(label, SSE / 6) for label in (0, 0, 0, 1, 1, 1)]
FREE = [(0.0, 2, 0, 1, 1, 1, 2, 1)]


def checked(folder, certificate=GOOD, cuts=FREE, points=POINTS, flags=()):
    """Run the checker in a process of its own on files with these lines."""
    rows = {"data": [(x,) for x in points], "certificate": certificate, "cuts": cuts}
    heads = {
        "data": "x",
        "certificate": "label,price",
        "cuts": "charge,modulus,record1,weight1,record2,weight2,record3,weight3",
    }
    for name, lines in rows.items():
        text = "".join(",".join(map(str, line)) + "\n" for line in lines)
        (folder / name).write_text(f"{heads[name]}\n{text}")
    files = [str(folder / name) for name in rows]
    run = [sys.executable, *flags, str(CHECKER), *files, "-k", "3"]
    return subprocess.run(run, capture_output=True, text=True, timeout=60, check=False)


def test_a_true_certificate_passes(tmp_path):
    passed = checked(tmp_path)
    assert passed.returncode == 0, passed.stderr
    assert f"LB {SSE:.6f}" in passed.stdout


def price(value):
    return [(label, value) for label, _ in GOOD]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"certificate": price(9)}, "costs less than its prices"),
        ({"certificate": price(SSE / 6 * 1.001)}, "costs less than its prices"),
        ({"certificate": price("nan")}, "a price is no finite number"),
        ({"certificate": price("inf")}, "a price is no finite number"),
        ({"certificate": [*GOOD[:5], ("nan", 0.1)]}, "a label is no finite number"),
        ({"certificate": [*GOOD[:5], (1.5, SSE / 6)]}, "a label is no whole number"),
        ({"certificate": [*GOOD[:5], (0, SSE / 6)]}, "a group has fewer than 3 records"),
        ({"certificate": GOOD[:5]}, "6 records have 5 labels"),
        ({"cuts": [(-1.0, 2, 0, 1, 1, 1, 2, 1)]}, "a charge is below 0"),
        ({"cuts": [("nan", 2, 0, 1, 1, 1, 2, 1)]}, "a cut is no finite number"),
        ({"cuts": [(0.1, 2, 0, 1, 1, 1, 6, 1)]}, "a cut is on something that is no record"),
        ({"cuts": [(0.1, 2, 0, 1, 1, 1, 1, 1)]}, "a cut names a record twice"),
        ({"cuts": [(0.1, 2, 0, 0.5, 1, 1, 2, 1)]}, "a part of a cut is no whole number"),
        ({"cuts": [(0.1, 2, 0, -1, 1, 1, 2, 1)]}, "a weight is below 0"),
        ({"cuts": [(0.1, 0, 0, 1, 1, 1, 2, 1)]}, "a modulus is below 1"),
        ({"cuts": [(0.1, 2, 0)]}, "a cut is not a charge, a modulus, records and weights"),
        ({"points": [*POINTS[:5], "inf"]}, "a datum is no finite number"),
        ({"points": [1.0] * 6}, "a column of the data has one value alone"),
    ],
)
def test_a_false_certificate_is_rejected(tmp_path, given, sentence):
    rejected = checked(tmp_path, **given, flags=["-O"])
    assert rejected.returncode == 1
    assert rejected.stderr.startswith("The certificate does not hold: ")
    assert sentence in rejected.stderr
    assert "LB" not in rejected.stdout


def test_sets_are_told_apart_whatever_their_size():
    sets_below = runpy.run_path(str(CHECKER))["sets_below"]
    n = 1024  # 1024^7 is more than a number of 64 bits can be, and the first record is lost in it
    W = np.full((n, n), 100.0)
    rows = np.array([0, 16, 100, 200, 300, 400, 500, 600])
    W[np.ix_(rows, rows)] = -1.0
    found = sets_below(W, 7)
    assert len(found) == 8
    assert set(map(tuple, found.tolist())) == set(combinations(rows.tolist(), 7))
