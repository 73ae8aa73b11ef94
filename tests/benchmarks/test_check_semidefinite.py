"""The checker of semidefinite bounds counts what the package counts, and passes no false certificate."""

import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.quality.certificates import write_certificate
from microagg.partition.bounds.semidefinite import Semidefinite

CHECKER = Path(__file__).parents[2] / "benchmarks" / "quality" / "check_semidefinite.py"


@pytest.fixture(scope="module")
def proof(tmp_path_factory):
    """Write data and a certificate with cuts of both kinds and a charge of the number of groups."""
    folder, rng = tmp_path_factory.mktemp("proof"), np.random.default_rng(0)
    X = rng.normal(size=(64, 3)) + 12 * (np.arange(64) < 8)[:, None]  # a cluster of one group
    X *= [1, 10, 100]
    np.savetxt(folder / "data.csv", X, delimiter=",", header="a,b,c", comments="", fmt="%.17g")
    points = (X - X.mean(axis=0)) / X.std(axis=0)
    state = Semidefinite(points, 5)
    for _ in range(200):
        state.step()
    state.prove()
    write_certificate(folder / "bound.npz", state.certificate, points, 5)
    return folder, state.bound


def checked(folder, **changes):
    parts = dict(np.load(folder / "bound.npz"))
    np.savez(folder / "changed.npz", **{**parts, **changes})
    command = [sys.executable, str(CHECKER), "data.csv", "changed.npz"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_it_counts_the_bound_anew(proof):
    folder, bound = proof
    stated = float(np.load(folder / "bound.npz")["bound"])
    assert stated == pytest.approx(bound, rel=1e-5)  # the matrix is written in single precision
    result = checked(folder)
    assert (result.returncode, result.stderr) == (0, "")
    assert float(result.stdout.split("error below ")[1].split(":")[0]) == pytest.approx(
        stated, rel=1e-6
    )


def test_it_uses_nothing_of_the_package():
    assert "microagg" not in CHECKER.read_text().replace("microaggregation", "")


def test_the_group_charge_counts(proof):
    folder, _ = proof
    assert float(np.load(folder / "bound.npz")["group_charge"]) > 0
    assert "proves" in checked(folder, group_charge=0.0).stderr


def test_the_charges_of_triangles_and_sets_count(proof):
    folder, _ = proof
    parts = np.load(folder / "bound.npz")
    for name in ("charges", "set_charges"):
        assert parts[name].max() > 0
        assert "proves" in checked(folder, **{name: np.zeros_like(parts[name])}).stderr


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bound": 1e9}, "The certificate proves"),
        ({"rest": np.zeros(64 * 65 // 2)}, "The certificate proves"),
        ({"rest": np.zeros(3)}, "The matrix does not fit the data."),
        ({"charges": np.zeros(0)}, "Each triple must have one charge."),
        ({"group_charge": -1.0}, "A charge is negative."),
        ({"group_charge": np.nan}, "A charge is negative."),
        ({"set_charges": np.zeros(0)}, "Each set must have one charge."),
        ({"set_records": np.zeros(3)}, "The sizes of sets do not fit their records."),
        (
            {"set_records": [0, 0], "set_sizes": [2], "set_charges": [0.0]},
            "A set names a record twice.",
        ),
        (
            {"set_records": [99], "set_sizes": [1], "set_charges": [0.0]},
            "A record is not there.",
        ),
        (
            {"set_records": [0], "set_sizes": [1], "set_charges": [-1.0]},
            "A charge is negative.",
        ),
        ({"k": 1}, "k must be a number from 2 to n / 2."),
        ({"k": 6}, "The certificate proves"),
    ],
)
def test_what_proves_nothing_is_refused(proof, changes, message):
    folder, _ = proof
    if "k" in changes and changes["k"] == 6:
        changes = {**changes, "bound": 1e9}  # larger groups lose more: the same multipliers may do
    result = checked(folder, **changes)
    assert result.returncode == 1
    assert message in result.stderr


def test_it_agrees_with_brute_force():
    counted = runpy.run_path(str(CHECKER))["counted"]
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    none = (np.zeros((0, 3), dtype=np.int64), np.zeros(0), 0.0, [], np.zeros(0))
    assert counted(X, 3, np.zeros((6, 6)), *none) == pytest.approx(4.0)
