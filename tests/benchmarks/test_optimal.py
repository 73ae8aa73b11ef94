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
from benchmarks.quality.regions import Regions
from benchmarks.quality.windows import improved
from microagg.data.matrix import columns_of
from microagg.partition.bounds.enumeration import list_below
from microagg.partition.sum_of_squares import error_of
from microagg.prepare.prepared import prepare

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


def test_a_certificate_is_read_as_it_was_written(proving):
    prove, folder = proving
    prove()
    duals, cuts = optimal.read_certificate(folder / "few-k3")
    assert len(cuts) == duals.charges.size > 0
    bound = json.loads((folder / "few-k3-proof.json").read_text())["bound"]
    assert duals.total() == pytest.approx(bound, rel=1e-6)  # here the linear program has no gap
    sizes, none = range(3, 6), np.zeros(2, dtype=np.int64)
    cheap = list_below(_points(), sizes, duals, cuts, 1e-6, 1000, none)
    assert sum(map(len, cheap.groups)) < 100  # without the right charges far more groups are cheap


def test_regions_end_at_the_best_partition(proving):
    prove, folder = proving
    prove()
    poor = np.repeat(np.arange(8, dtype=np.int32), 3)
    regions = Regions(_points(), 3, poor, folder / "few-k3", 5.0)
    errors, rng = [regions.error], np.random.default_rng(0)
    for _ in range(20):
        better = regions.improve(12, 10.0, rng)
        assert better == (regions.error < errors[-1])
        assert np.bincount(regions.labels).min() >= 3
        errors.append(regions.error)
    assert errors[-1] < errors[0]
    assert errors[-1] >= json.loads((folder / "few-k3-proof.json").read_text())["bound"]


def test_a_window_of_groups_is_chosen_anew(proving):
    prove, folder = proving
    prove()
    points, poor = _points(), np.repeat(np.arange(8, dtype=np.int32), 3)
    whole = improved(points, 3, poor, slice(None), 2500, 1.0, 10.0)
    assert np.bincount(whole).min() >= 3
    best = json.loads((folder / "few-k3-proof.json").read_text())["loss"]
    assert error_of(points.T, whole) == pytest.approx(best)  # all groups are in the window
    half = improved(points, 3, poor, slice(4, 8), 2500, 1.0, 10.0)
    assert best < error_of(points.T, half) < error_of(points.T, poor)
    errors = [error_of(points[poor == label].T, np.zeros(3, np.int32)) for label in range(8)]
    for label in np.argsort(errors)[:4]:  # what is outside the window stays as it is
        assert np.unique(half[poor == label]).size == 1
    assert improved(points, 3, whole, slice(2, 6), 2500, 1.0, 10.0) is whole


def test_what_is_saved_on_the_way_is_a_certificate_to_go_on_from(proving, monkeypatch):
    prove, folder = proving
    monkeypatch.setattr(optimal, "is_proved", lambda proof: False)
    monkeypatch.setattr(optimal, "SAVED_EVERY", 0.0)
    words, bounds = list(sys.argv), []
    for flags in (["--minutes", "0.0005"], ["--kept"]):
        monkeypatch.setattr(sys, "argv", [*words, "--bound", *flags])
        with pytest.raises(SystemExit, match="only prices and cuts were written"):
            prove()
        duals, _ = optimal.read_certificate(folder / "few-k3")
        bounds.append(duals.total())
    assert bounds[0] < bounds[1]


def _points():
    columns = columns_of(optimal.ma.datasets.load("few").X)
    return np.ascontiguousarray(prepare(*columns).columns.T)


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


def test_prices_and_cuts_are_written_on_request(proving, monkeypatch, capsys):
    prove, folder = proving
    monkeypatch.setattr(optimal, "is_proved", lambda proof: False)
    monkeypatch.setattr(sys, "argv", [*sys.argv, "--bound"])
    with pytest.raises(SystemExit, match="only prices and cuts were written"):
        prove()
    names = ["few-k3-cuts.csv", "few-k3.csv", "few.csv"]
    assert sorted(path.name for path in folder.iterdir()) == names
    files = [str(folder / name) for name in ("few.csv", "few-k3.csv", "few-k3-cuts.csv")]
    monkeypatch.setattr(sys, "argv", ["check_optimal.py", *files, "--bound"])
    capsys.readouterr()
    runpy.run_path(str(KEPT / "check_optimal.py"), run_name="__main__")
    assert "no partition costs less than" in capsys.readouterr().out


def test_the_proof_that_is_kept_is_one():
    proof = json.loads((KEPT / "census-k3-proof.json").read_text())
    assert optimal.is_proved(proof)
    assert proof["loss_percent"] == pytest.approx(4.667935850, abs=1e-9)
    assert proof["bound_percent"] <= proof["loss_percent"]
