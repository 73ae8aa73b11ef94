"""Benchmarks of speed: what is kept is not measured again, and large data is extrapolated."""

import sys

import numpy as np
import pytest

from benchmarks.page import PAGE
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

    def measure(name, n, d, k):
        asked.append((name, n))
        return None if name == "anonypyx" else [2.0 * len(asked), 100.0, 9.0, 5]

    monkeypatch.setattr(side_by_side, "measure", measure)
    monkeypatch.setattr(side_by_side, "RUNS", [(20, 2, 3, ["mdav", "sdcMicro", "anonypyx"])])
    monkeypatch.setattr(side_by_side, "CURVES", [(20, 2, 3, ["mdav", "sdcMicro"])])
    for _ in range(2):
        side_by_side.measure_missing(tmp_path / "peers.jsonl", most=20)
    assert asked == [("mdav", 20), ("sdcMicro", 20), ("anonypyx", 20), ("anonypyx", 20)]
    lines = side_by_side.table(tmp_path / "peers.jsonl")
    assert lines[3] == "| 20 x 2 | 3 | sdcMicro | 4.000 s | 2.0 x | 100 MB | 9.000 % | 5 |"
    assert "not measured" in lines[4]


def test_the_table_of_other_tools_is_that_of_the_results():
    lines = side_by_side.table(side_by_side.RESULTS)
    assert len(lines) > 20
    assert "\n".join(["", *lines, ""]) in PAGE.read_text(encoding="utf-8")


def test_the_summary_quotes_the_ratios_to_sdcmicro():
    known = side_by_side.found(side_by_side.RESULTS)
    ratios = {20_000: [], 100_000: []}
    for n, d, k, name in known:
        if name == "sdcMicro" and n in ratios:
            ratios[n].append(known[n, d, k, name][0] / known[n, d, k, "mdav"][0])
    page = PAGE.read_text(encoding="utf-8")
    few, many = (f"{min(found):.0f} to {max(found):.0f} times" for found in ratios.values())
    targeted = [
        cells[0] / known[n, d, k, "mdav"][0]
        for (n, d, k, name), cells in known.items()
        if (n, name) == (20_000, "sdcMicro") and d in (4, 10)
    ]
    assert f"{few} as fast with 20,000 records, and {many} with 100,000" in page
    assert (
        f"| 20,000 records: 40 times as fast as sdcMicro | {min(targeted):.0f} to {max(targeted):.0f} times"
        in page
    )


def test_the_picture_of_other_tools_has_a_curve_for_each_tool_and_number_of_columns(
    tmp_path, monkeypatch
):
    plt = pytest.importorskip("matplotlib.pyplot")
    figure, axes = plt.subplots()
    monkeypatch.setattr(plt, "subplots", lambda **_: (figure, axes))
    monkeypatch.setattr(side_by_side, "PICTURE", tmp_path / "peers.png")
    side_by_side.draw(side_by_side.RESULTS)
    curves = {line.get_label(): list(line.get_ydata()) for line in axes.lines}
    assert curves["sdcMicro, 4 columns"] == sorted(curves["sdcMicro, 4 columns"])
    assert {f"{tool}, {d} columns" for tool in side_by_side.DRAWN for d in (4, 10)} <= set(curves)
