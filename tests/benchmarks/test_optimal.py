"""A certificate of an optimum is written where it is one, and says what was proved."""

import json
import runpy
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.quality import optimal

KEPT = Path(optimal.__file__).parent


@pytest.fixture
def proving(tmp_path, monkeypatch):
    """Return a function that proves the best groups of a few records, and the folder of the files."""
    X = np.random.default_rng(0).normal(size=(24, 2))
    np.savetxt(tmp_path / "few.csv", X, delimiter=",", header="a,b", comments="", fmt="%.17g")
    monkeypatch.setattr(optimal.ma.datasets, "load", lambda name: SimpleNamespace(X=X))
    monkeypatch.setattr(optimal, "HERE", tmp_path)
    monkeypatch.setattr(sys, "argv", ["optimal", "few", "3", "--seconds", "0.5"])
    return optimal.main, tmp_path


def test_what_it_writes_is_a_certificate(proving, monkeypatch, capsys):
    prove, folder = proving
    prove()
    proof = json.loads((folder / "few-k3-proof.json").read_text())
    assert optimal.is_proved(proof)
    files = [str(folder / name) for name in ("few.csv", "few-k3.csv", "few-k3-cuts.csv")]
    monkeypatch.setattr(sys, "argv", ["check_optimal.py", *files])
    capsys.readouterr()
    runpy.run_path(str(KEPT / "check_optimal.py"), run_name="__main__")
    assert f"SSE {proof['loss']:.9f}" in capsys.readouterr().out


def test_what_is_not_proved_is_not_written(proving, monkeypatch):
    prove, folder = proving
    prove_listed = optimal.prove_listed

    def stopped_early(*arguments):
        found = prove_listed(*arguments)
        return replace(found, bound=0.99 * found.bound)

    monkeypatch.setattr(optimal, "prove_listed", stopped_early)
    with pytest.raises(SystemExit, match="nothing is proved, and nothing was written"):
        prove()
    assert [path.name for path in folder.iterdir()] == ["few.csv"]


def test_the_proof_that_is_kept_is_one():
    proof = json.loads((KEPT / "census-k3-proof.json").read_text())
    assert optimal.is_proved(proof)
    assert proof["loss_percent"] == pytest.approx(4.667935850, abs=1e-9)
    assert proof["bound_percent"] <= proof["loss_percent"]
