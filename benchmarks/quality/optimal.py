"""Prove that a partition is the best of all, and write the certificate that `check_optimal.py` reads.

MICROAGG_DATA=... python -m benchmarks.quality.optimal census 3

It takes the partition of ``NAME-kK.csv`` in this folder where there is one, else that of ``labels``, else
that of `best` after `--seconds`. It solves the linear program with cuts, lists all groups that a better
partition could hold, and solves the integer program over them to the end. Only where that proves the
partition to be the best are files written: the certificate, and ``NAME-kK-proof.json``, which says what
the solver proved.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import microagg as ma
from benchmarks.quality.check_labels import LABELS, read_labels
from microagg.data.matrix import columns_of
from microagg.partition.bounds.column_generation import ColumnGeneration
from microagg.partition.bounds.cuts import MOST_RECORDS
from microagg.partition.bounds.gap import PROVED
from microagg.partition.bounds.integer import SOLVER_SAFETY
from microagg.partition.bounds.listed_proof import ListedProof, prove_listed
from microagg.partition.bounds.quick import quick_prices
from microagg.partition.sum_of_squares import error_of
from microagg.prepare.prepared import prepare

HERE = Path(__file__).parent

Labels = NDArray[np.int32]
Tell = Callable[[str], None]


def main() -> None:
    """Prove, tell and write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("k", type=int)
    parser.add_argument("--seconds", type=float, default=120)
    options = parser.parse_args()
    stem, begun = HERE / f"{options.data}-k{options.k}", time.monotonic()

    def tell(text: str) -> None:
        sys.stdout.write(f"{time.monotonic() - begun:7.1f} s  {text}\n")
        sys.stdout.flush()

    X = ma.datasets.load(options.data).X
    labels = known_labels(stem, X, options.k, options.seconds)
    columns = prepare(*columns_of(X), scale="zscore").columns
    found, listed = solved(columns, labels, options.k, tell)
    labels = labels if listed.labels is None else listed.labels
    proof = proof_of(columns, labels, listed)
    tell(f"best: {proof['loss_percent']:.9f} %, no partition below {proof['bound_percent']:.9f} %")
    if not is_proved(proof):
        sys.exit("The bound is below the loss: nothing is proved, and nothing was written.")
    write(stem, labels, found, proof)


def known_labels(stem: Path, X: Any, k: int, seconds: float) -> Labels:
    """Return the partition of the certificate or the one of `labels`, or else one of `best`."""
    file, best = stem.with_suffix(".csv"), LABELS / f"{stem.name}.csv.gz"
    if file.exists():
        return np.loadtxt(file, delimiter=",", skiprows=1, usecols=0, dtype=np.int32)
    if best.exists():
        return read_labels(best).astype(np.int32)
    return ma.partition(X, k, "best", parameters={"time_limit": seconds}).labels


def solved(
    columns: NDArray[np.float64], labels: Labels, k: int, tell: Tell
) -> tuple[ColumnGeneration, ListedProof]:
    """Return the linear program, and what the groups within its gap prove."""
    points, ticker = np.ascontiguousarray(columns.T), np.zeros(2, dtype=np.int64)
    sst, lost = float(np.sum(points**2)), error_of(columns, labels)
    tell(f"known: {100 * lost / sst:.9f} %")
    found = ColumnGeneration(points, k, quick_prices(points, k, ticker))
    while not found.finished:
        found.step(lambda: np.inf, ticker)
    tell(f"linear program: {100 * found.bound / sst:.9f} %, {len(found.cuts)} cuts")
    proof = prove_listed(found, labels, lost - found.bound, 1e6, ticker)
    if proof.listed is None:
        sys.exit("Too many groups are within the gap: nothing is proved.")
    tell(
        f"groups below {proof.listed.threshold:.9g}: {[len(rows) for rows in proof.listed.groups]}"
    )
    return found, proof


def proof_of(columns: NDArray[np.float64], labels: Labels, proof: ListedProof) -> dict[str, Any]:
    """Return what was found and proved, in numbers."""
    sst, lost = float(np.sum(columns**2)), error_of(columns, labels)
    groups = proof.listed.groups if proof.listed else []
    return {
        "loss_percent": 100 * lost / sst,
        "bound_percent": 100 * proof.bound / sst,
        "loss": lost,
        "bound": proof.bound,
        "bound_lowered_by": SOLVER_SAFETY,
        "groups": {str(rows.shape[1]): len(rows) for rows in groups},
        "solver": f"HiGHS {version('highspy')}",
        "date": datetime.now(UTC).date().isoformat(),
    }


def is_proved(proof: dict[str, Any]) -> bool:
    """Tell whether the bound is the loss, but for the room that is left for rounding.

    Examples
    --------
    >>> is_proved({"loss": 1.0, "bound": 1 - 1e-6}), is_proved({"loss": 1.0, "bound": 0.999})
    (True, False)
    """
    return bool(proof["bound"] >= proof["loss"] * (1 - PROVED))


def write(stem: Path, labels: Labels, found: ColumnGeneration, proof: dict[str, Any]) -> None:
    """Write the labels and prices, the charges, and what was proved with them."""
    prices, charges = found.proved.prices, found.proved.charges
    with stem.with_suffix(".csv").open("w") as file:
        file.write("label,price\n")
        file.writelines(
            f"{a},{b!r}\n" for a, b in zip(labels.tolist(), prices.tolist(), strict=True)
        )
    cuts, places = found.charged_cuts, range(1, MOST_RECORDS + 1)
    with (stem.parent / f"{stem.name}-cuts.csv").open("w") as file:
        named = [f"record{place},weight{place}" for place in places]
        file.write(",".join(["charge", "modulus", *named]) + "\n")
        for number in np.flatnonzero(charges > 0):
            pairs = np.column_stack([cuts.rows[number], cuts.weights[number]]).ravel().tolist()
            charge = float(charges[number] / cuts.limits[number])
            file.write(",".join(map(str, [repr(charge), cuts.moduli[number], *pairs])) + "\n")
    (stem.parent / f"{stem.name}-proof.json").write_text(json.dumps(proof, indent=2) + "\n")


if __name__ == "__main__":
    main()
