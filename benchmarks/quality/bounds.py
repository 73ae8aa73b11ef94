"""The table of bounds: what `lower_bound` proves for every cell, and which proof it is.

    export MICROAGG_DATA=...
    python -m benchmarks.quality.bounds --seconds 600                 all 39 cells: 6.5 hours
    python -m benchmarks.quality.bounds --cells census:10,tarragona --seconds 60
    python -m benchmarks.quality.bounds --cells eia:5,eia:10 --seconds 3600 --engine cuda
    python -m benchmarks.quality.bounds --cells census:10 --seconds 600 --certificates FOLDER

One line of CSV for each cell, written as soon as it is proved. A cell that the file has with the same
seconds and engine is not done again: stopped, it goes on where it stood. The gap is the one to the best
groups that are kept in `labels`. With --certificates only the semidefinite relaxation runs, and writes for
each cell what `check_semidefinite` checks. Run it on a quiet machine.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import microagg as ma
from benchmarks.quality.cell import scaled_columns
from benchmarks.quality.certificates import write_certificate
from benchmarks.quality.check_labels import LABELS, read_labels, stated
from benchmarks.quality.runs import DATA, SIZES
from microagg.engine import array_module
from microagg.partition.bounds.lower_bound import lower_bound
from microagg.partition.bounds.semidefinite import Semidefinite
from microagg.partition.bounds.semidefinite_run import run_semidefinite

OUT = Path(__file__).with_name("bounds.csv")

FIELDS = (
    "data", "k", "seconds", "engine", "cores", "bound", "proved_by", "stopped", "best_loss", "gap",
    "wall", "date",
)  # fmt: skip


def main() -> None:
    """Prove what is left to prove."""
    options = _options()
    done = {
        (row["data"], int(row["k"]), float(row["seconds"]), row["engine"])
        for row in _rows(options.out)
    }
    for data, k in _cells(options.cells):
        if (data, k, options.seconds, options.engine) in done:
            continue
        if options.certificates:
            row = _certified(data, k, options.seconds, options.engine, options.certificates)
        else:
            row = _proved(data, k, options.seconds, options.engine)
        _keep(options.out, row)
        sys.stdout.write(
            f"{data} {k}: {row['bound']} % by {row['proved_by']}, gap {row['gap']}, {row['wall']} s\n"
        )
        sys.stdout.flush()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cells", default=",".join(DATA), help="data or data:k, with commas")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--engine", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--certificates", type=Path)
    return parser.parse_args()


def _cells(text: str) -> Iterator[tuple[str, int]]:
    for cell in text.split(","):
        data, _, k = cell.partition(":")
        for size in [int(k)] if k else SIZES:
            yield data, size


def _proved(data: str, k: int, seconds: float, engine: Any) -> dict[str, Any]:
    """Return what `lower_bound` proves of a cell, with the best groups kept to judge."""
    X = ma.datasets.load(data).X
    labels = read_labels(LABELS / f"{data}-k{k}.csv.gz")
    lower_bound(np.arange(40.0).reshape(20, 2), 3)  # compiles, or loads what is compiled
    begun = time.monotonic()
    found = lower_bound(X, k, groups=labels, time_limit=seconds, engine=engine)
    wall = time.monotonic() - begun
    return _row(data, k, seconds, engine, found.il, found.proved_by, found.stopped, wall)


def _certified(data: str, k: int, seconds: float, engine: Any, folder: Path) -> dict[str, Any]:
    """Return what the semidefinite relaxation proves of a cell, and write its certificate."""
    points = np.ascontiguousarray(scaled_columns(data).T)
    begun = time.monotonic()
    state = Semidefinite(points, k, array_module(engine))
    late = run_semidefinite(
        state,
        lambda: seconds - (time.monotonic() - begun),
        np.zeros(2, dtype=np.int64),
        lambda bound: False,
    )
    wall, bound = time.monotonic() - begun, 0.0
    if state.certificate is not None:
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{data}-k{k}-bound.npz"
        bound = write_certificate(file, state.certificate, points, k)
    proof = "semidefinite and cuts" if state.cuts else "semidefinite"
    stopped = "time limit" if late else "settled"
    il = 100 * bound / float((points**2).sum())
    return _row(data, k, seconds, engine, il, proof, stopped, wall)


def _row(
    data: str, k: int, seconds: float, engine: str, il: float, proof: str, stopped: str, wall: float
) -> dict[str, Any]:
    best = stated(LABELS)[data, k]
    values = (
        data, k, seconds, engine, len(os.sched_getaffinity(0)), f"{il:.6f}", proof, stopped,
        f"{best:.6f}", f"{1 - il / best:.5f}", f"{wall:.1f}", datetime.now(UTC).date().isoformat(),
    )  # fmt: skip
    return dict(zip(FIELDS, values, strict=True))


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _keep(path: Path, row: dict[str, Any]) -> None:
    new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if new:
            writer.writeheader()
        writer.writerow(row)


if __name__ == "__main__":
    main()
