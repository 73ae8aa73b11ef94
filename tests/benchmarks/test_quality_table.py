"""The runs of the table of quality are planned, kept, shown and checked."""

import runpy
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.quality import check_labels, page
from benchmarks.quality.runs import Run, keep_without_labels, measured, planned, read_results

CHECKER = Path(check_labels.__file__)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with a small set under a known name, the best published, and room for labels."""
    rng = np.random.default_rng(0)
    rows = [",".join(map(str, row)) for row in rng.normal(size=(40, 3)).tolist()]
    (tmp_path / "census.csv").write_text("\n".join(["a,b,c", *rows]) + "\n")
    (tmp_path / "best_known.csv").write_text("data,k,il,source\ncensus,3,50.0,nobody\n")
    monkeypatch.setenv("MICROAGG_DATA", str(tmp_path))
    monkeypatch.setattr(page, "BEST_KNOWN", tmp_path / "best_known.csv")
    monkeypatch.setattr(page, "LABELS", tmp_path / "labels")
    monkeypatch.setattr(page, "PAGE", tmp_path / "quality.md")
    return tmp_path


def test_every_cell_has_a_seed_before_any_has_two():
    cells = [("census", 3), ("eia", 6)]
    runs = planned(cells, ["mdav", "best", "lns:1"], seeds=2, best_seeds=1)
    assert runs == [
        *(Run(data, k, "mdav", 0.0, 0) for data, k in cells),
        Run("census", 3, "best", 120.0, 0),
        Run("eia", 6, "best", 60.0, 0),
        *(Run(data, k, "lns", 1.0, seed) for seed in (0, 1) for data, k in cells),
    ]


@pytest.mark.slow
def test_results_are_read_back_written_and_checked(folder, monkeypatch, capsys):
    runs = [Run("census", 3, method, seconds, 0) for method, seconds in RUNS]
    results = [measured(run, folder) for run in runs]
    kept = folder / "quality.jsonl"
    kept.write_text("".join(result.line() + "\n" for result in results))
    assert read_results([kept, folder / "nothing"]) == results
    page.write_page(results)
    rows = (folder / "quality.md").read_text().splitlines()
    (row,) = (row for row in rows if row.startswith("| census | 3 | 50.0000 | "))
    assert f"{results[0].loss:.4f}" in row
    monkeypatch.setattr(sys, "argv", ["check", str(folder), str(folder / "labels")])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(CHECKER), run_name="__main__")
    assert ended.value.code == 0
    assert f"{min(r.loss for r in results if r.loss):.8f},True" in capsys.readouterr().out


@pytest.mark.slow
def test_once_written_the_results_need_no_labels(folder):
    runs = [Run("census", 3, method, seconds, 0) for method, seconds in RUNS]
    results = [measured(run, folder) for run in runs]
    page.write_page(results)
    before = (folder / "quality.md").read_text()
    keep_without_labels(folder / "quality.jsonl", results)
    lean = read_results([folder / "quality.jsonl"])
    assert [result.loss for result in lean] == [result.loss for result in results]
    assert not any(result.labels for result in lean)
    page.write_page(lean)
    assert (folder / "quality.md").read_text() == before


def test_a_line_cut_off_is_no_result(folder):
    result = measured(Run("census", 3, "mdav", 0.0, 0), folder)
    (folder / "quality.jsonl").write_text(result.line() + "\n" + result.line()[:50])
    assert read_results([folder / "quality.jsonl"]) == [result]


def test_a_bound_is_rounded_down_and_a_gap_up(folder):
    found = replace(measured(Run("census", 3, "bound", 0.1, 0), folder), bound=8.51636)
    assert "| 8.5170 | 8.5163 | 0.01 % |" in page._row(("census", 3), None, [found], 8.51697)


RUNS = (("mdav", 0.0), ("lns", 0.1), ("bound", 0.5))


@pytest.mark.slow
def test_better_labels_that_are_kept_stay(folder):
    lns, mdav = (measured(Run("census", 3, method, 0.2, 0), folder) for method in ("lns", "mdav"))
    page.write_page([lns])
    page.write_page([mdav])
    stated = check_labels.stated(folder / "labels")
    assert stated["census", 3] == pytest.approx(lns.loss)


def test_labels_with_a_small_group_do_not_hold(folder, monkeypatch):
    page.write_page([measured(Run("census", 3, "mdav", 0.0, 0), folder)])
    file = folder / "labels" / "census-k3.csv.gz"
    labels = check_labels.read_labels(file)
    labels[0] = labels.max() + 1
    page._write(file, labels)
    monkeypatch.setattr(sys, "argv", ["check", str(folder), str(folder / "labels")])
    with pytest.raises(SystemExit, match="1 of the files"):
        runpy.run_path(str(CHECKER), run_name="__main__")
