"""Benchmarks of speed: what is kept is not measured again, and large data is extrapolated."""

import sys

import numpy as np
import pytest

from benchmarks.results import keep, kept
from benchmarks.speed import index, side_by_side


def test_a_result_that_was_cut_off_is_left_out(tmp_path):
    path = tmp_path / "new" / "results.jsonl"
    assert kept(path) == []
    keep(path, {"n": 1})
    path.write_text(path.read_text() + '{"n": ')
    keep(path, {"n": 2})
    assert kept(path) == [{"n": 1}, {"n": 2}]


@pytest.fixture
def calls(monkeypatch):
    """Return which of both ran on how many records; a scan takes n^2, the tree n."""
    found = []

    def run(kind, columns, k):
        n = columns.shape[1]
        found.append((kind, n))
        return float(n if kind == "tree" else n**2), np.zeros(n)

    monkeypatch.setattr(index, "run", run)
    monkeypatch.setattr(index, "SCANNED", 300)
    return found


def measured(monkeypatch, path, *options):
    arguments = ["index", "--others", "no", "--columns", "2", "--k", "3", "--results", str(path)]
    monkeypatch.setattr(sys, "argv", [*arguments, *options])
    index.main()


def test_what_is_kept_is_not_measured_again(calls, tmp_path, monkeypatch, capsys):
    path = tmp_path / "results.jsonl"
    measured(monkeypatch, path, "--records", "200", "--repeats", "1")
    first = len(calls)
    measured(monkeypatch, path, "--records", "200,250", "--repeats", "1")
    assert [n for _, n in calls[first:] if n != 100] == [250, 250]  # 100 compile
    assert len(kept(path)) == 2
    assert "n^1.00 with the tree, n^2.00 with scans" in capsys.readouterr().out


def test_scans_are_extrapolated_from_the_same_process(calls):
    row = index.measure("normal", np.zeros((2, 900)), 3, repeats=3)
    assert calls == [("brute", 300), ("tree", 900), ("brute", 300)]
    assert (row.tree, row.brute, row.same, row.extrapolated) == (900, 900**2, None, True)
    assert row.cells()[3] == "900.0 x by n^2"


def test_other_tools_are_measured_once_each(tmp_path, monkeypatch):
    asked = []

    def measure(name, n, d):
        asked.append((name, n))
        return None if name == "anonypyx" else [2.0 * len(asked), 100.0, 9.0, 5]

    monkeypatch.setattr(side_by_side, "measure", measure)
    monkeypatch.setattr(side_by_side, "RUNS", [(20, 2, ["mdav", "sdcMicro", "anonypyx"])])
    for _ in range(2):
        side_by_side.measure_missing(tmp_path / "peers.jsonl", most=20)
    assert asked == [("mdav", 20), ("sdcMicro", 20), ("anonypyx", 20), ("anonypyx", 20)]
    lines = side_by_side.table(tmp_path / "peers.jsonl")
    assert lines[3] == "| 20 x 2 | sdcMicro | 2.0 x | 100 MB | 9.000 % | 5 |"
    assert "not installed" in lines[4]
