"""Semidefinite bounds of many records on a GPU, and their proof on a processor.

    export MICROAGG_DATA=...
    python -m benchmarks.quality.gpu_bounds --cells eia:10,eia:20 --seconds 130 --out FOLDER --keep
    python -m benchmarks.quality.gpu_bounds --prove FOLDER/eia-k10-parts.npz --out FOLDER

The first command needs NumPy, SciPy and CuPy, but neither numba nor a solver. For each cell it bounds the
parts, saves their multipliers with `--keep`, and goes on with all records for the rest of the time. It
rounds the solution to groups, which a search can start from. It appends one line
to ``results.jsonl`` in the folder, in the form of the results of `runs`, and one to ``log.txt`` for each
part. The second command counts the bound of saved multipliers on the processor, and writes the certificate
that `check_semidefinite` checks.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.quality.certificates import write_certificate
from benchmarks.quality.check_labels import LABELS, loss, scaled, stated
from benchmarks.quality.part_files import read_parts, write_parts
from benchmarks.quality.runs import Result, Run, packed
from microagg.engine import array_module
from microagg.partition.bounds import parts_start
from microagg.partition.bounds.certificate import half_squared_distances
from microagg.partition.bounds.row_part import row_minima
from microagg.partition.bounds.semidefinite import Semidefinite
from microagg.partition.bounds.semidefinite_run import run_semidefinite

Tell = Callable[[str], None]


def main() -> None:
    """Bound each cell, or prove what has been saved."""
    options = _options()
    options.out.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()

    def tell(text: str) -> None:
        line = f"{time.monotonic() - begun:7.1f} s  {text}"
        print(line, flush=True)
        with (options.out / "log.txt").open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    if options.prove:
        _prove(options.prove, options.out, tell)
        return
    xp = array_module(options.engine)
    if find_spec("scipy") is None:
        parts_start.SMALL = 0  # no part is solved on the processor
    for cell in options.cells.split(","):
        data, _, words = cell.partition(":")
        k, _, seconds = words.partition(":")
        limit = float(seconds) if seconds else options.seconds
        _bound(data, int(k), limit, xp, options.out, tell, keep=options.keep)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cells", default="eia:10", help="DATA:K or DATA:K:SECONDS, with commas")
    parser.add_argument("--seconds", type=float, default=130.0)
    parser.add_argument("--engine", choices=("cpu", "cuda"), default="cuda")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--keep", action="store_true", help="save the multipliers of parts")
    parser.add_argument("--prove", type=Path)
    return parser.parse_args()


def _bound(
    data: str, k: int, seconds: float, xp: ModuleType, out: Path, tell: Tell, *, keep: bool
) -> None:
    """Bound one cell, and keep the result."""
    Z = _records(data)
    share, best, begun = 100 / float((Z**2).sum()), stated(LABELS)[data, k], time.monotonic()
    prices = row_minima(half_squared_distances(Z), k, min(2 * k - 1, len(Z) - k))
    ticker = np.zeros(2, dtype=np.int64)
    state = Semidefinite(Z, k, xp)
    states = []
    if len(Z) > parts_start.MANY:
        states = parts_start.start_in_parts(state, Z, prices, k, seconds, ticker, xp)
    for rows, part in states:
        tell(
            f"{data} {k}: part of {len(rows)} records, estimate {part.estimate * share:.6f} %, "
            f"{part.steps} steps of {part.step_seconds:.4f} s, {part.cuts} cuts, "
            f"finished: {part.finished}"
        )
    if states:
        total = sum(part.estimate for _, part in states) * share
        tell(f"{data} {k}: sum of parts {total:.6f} %, together {state.estimate * share:.6f} %")
    if states and keep:
        write_parts(out / f"{data}-k{k}-parts.npz", k, data, states)
    state.prove()
    tell(
        f"{data} {k}: proved {state.bound * share:.6f} %, gap {1 - state.bound * share / best:.4%}"
    )
    late = run_semidefinite(
        state, lambda: seconds - (time.monotonic() - begun), ticker, lambda bound: False
    )
    tell(
        f"{data} {k}: proved {state.bound * share:.6f} %, gap {1 - state.bound * share / best:.4%}, "
        f"{state.steps} steps of {state.step_seconds:.4f} s, {state.cuts} cuts"
    )
    run = Run(data, k, "semidefinite", seconds, 0)
    wall, stopped = round(time.monotonic() - begun, 1), "time limit" if late else "settled"
    date = datetime.now(UTC).date().isoformat()
    lost, labels = _groups(state, Z)
    tell(f"{data} {k}: groups of the solution lose {lost} %, the best known {best} %")
    result = Result(run, lost, state.bound * share, stopped, wall, 1, date, labels)
    with (out / "results.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(result)) + "\n")


def _groups(state: Semidefinite, Z: Any) -> tuple[float | None, str]:
    """Return the loss of the groups that the solution is rounded to, and these."""
    labels = state.rounded()
    return (None, "") if labels is None else (loss(Z, labels), packed(labels))


def _prove(file: Path, out: Path, tell: Tell) -> None:
    """Count the bound of saved parts on the processor, and write its certificate."""
    data, k, parts = read_parts(file)
    Z = _records(data)
    state = Semidefinite(Z, k)
    state.start_from(parts)
    state.prove()
    share, best = 100 / float((Z**2).sum()), stated(LABELS)[data, k]
    tell(
        f"{data} {k}: proved {state.bound * share:.6f} %, gap {1 - state.bound * share / best:.4%}"
    )
    if state.certificate is not None:
        bound = write_certificate(out / f"{data}-k{k}-bound.npz", state.certificate, Z, k)
        tell(f"{data} {k}: the certificate proves {bound * share:.6f} %")


def _records(data: str) -> Any:
    return np.ascontiguousarray(scaled(Path(os.environ["MICROAGG_DATA"]), data))


if __name__ == "__main__":
    main()
