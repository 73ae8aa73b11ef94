"""The table of bounds is made cell by cell, goes on where it stood, and writes what the checker passes."""

import gzip
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.quality import bounds

CHECKER = Path(bounds.__file__).with_name("check_semidefinite.py")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with a small set under a known name, and groups of it."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    rows = [",".join(map(str, row)) for row in X.tolist()]
    (tmp_path / "census.csv").write_text("\n".join(["a,b,c", *rows]) + "\n")
    with gzip.open(tmp_path / "census-k8.csv.gz", "wt") as file:
        file.write("\n".join(["label", *(str(i // 8) for i in range(40))]) + "\n")
    (tmp_path / "losses.csv").write_text("data,k,loss\ncensus,8,90.0\n")
    monkeypatch.setattr(bounds.ma.datasets, "load", lambda name: SimpleNamespace(X=X))
    monkeypatch.setattr(bounds, "LABELS", tmp_path)
    return tmp_path


def make(folder, monkeypatch, *options):
    arguments = ["--cells", "census:8", "--seconds", "2", "--out", str(folder / "bounds.csv")]
    monkeypatch.setattr(sys, "argv", ["bounds", *arguments, *options])
    bounds.main()
    return bounds._rows(folder / "bounds.csv")


@pytest.mark.slow
def test_a_cell_is_proved_once(folder, monkeypatch, capsys):
    (row,) = make(folder, monkeypatch)
    assert (row["data"], row["k"], row["engine"]) == ("census", "8", "cpu")
    assert 0 < float(row["bound"]) < 90
    assert float(row["gap"]) == pytest.approx(1 - float(row["bound"]) / 90, abs=1e-4)
    assert make(folder, monkeypatch) == [row]
    assert capsys.readouterr().out.count("census 8: ") == 1


def test_its_certificates_hold(folder, monkeypatch):
    (row,) = make(folder, monkeypatch, "--certificates", str(folder / "kept"))
    command = [sys.executable, str(CHECKER), "census.csv", "kept/census-k8-bound.npz"]
    checked = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert f"at least {float(row['bound']):.6f} %" in checked.stdout


def test_all_cells_of_a_set_are_meant_by_its_name():
    assert len(list(bounds._cells("census"))) == 13
    assert list(bounds._cells("eia:5,eia:50")) == [("eia", 5), ("eia", 50)]
