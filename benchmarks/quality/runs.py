"""Runs of the table of quality: which there are, one of them in its own process, and the file of results.

python -m benchmarks.quality.runs census 3 lns 10 0        one run; prints a line of JSON

The processors a run may use are those of its process; `table` pins them before it starts one.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import sys
import time
import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import microagg as ma
from benchmarks.quality.check_labels import loss, scaled
from benchmarks.results import kept
from microagg.threads import workers

DATA = ("tarragona", "census", "eia")
SIZES = (3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 50)

WARM_RECORDS = 40
"""Records of the run that loads or compiles everything before the clock starts."""


@dataclass(frozen=True)
class Run:
    """One method on one data set with one k, one limit in seconds and one seed."""

    data: str
    k: int
    method: str
    seconds: float
    seed: int


@dataclass(frozen=True)
class Result:
    """What a run gave: the loss of its groups in percent, and a bound where it proves one."""

    run: Run
    loss: float | None
    bound: float | None
    stopped: str
    wall: float
    cores: int
    date: str
    labels: str

    def groups(self) -> NDArray[np.int64]:
        """Return the label of each record."""
        packed = zlib.decompress(base64.b64decode(self.labels))
        return np.frombuffer(packed, dtype="<u2").astype(np.int64)

    def line(self) -> str:
        """Return it as one line of JSON."""
        return json.dumps(asdict(self))


def best_seconds(k: int) -> float:
    """Return what `best` has unless told otherwise."""
    return 120.0 if k <= 5 else 60.0


def planned(
    cells: Iterable[tuple[str, int]], methods: Iterable[str], seeds: int, best_seeds: int
) -> list[Run]:
    """Return all runs, seed by seed: stopped early, every cell has as many as any other."""
    cells, limits = list(cells), [_method(method) for method in methods]
    most = {"mdav": 1, "bound": 1, "best": best_seeds, "lns": seeds}
    return [
        Run(data, k, method, best_seconds(k) if seconds is None else seconds, seed)
        for seed in range(max(most.values()))
        for method, seconds in limits
        if seed < most[method]
        for data, k in cells
    ]


def _method(text: str) -> tuple[str, float | None]:
    """Return a method and its limit; `best` has limits of its own."""
    name, _, seconds = text.partition(":")
    return name, float(seconds) if seconds else {"best": None}.get(name, 0.0)


def read_results(files: Iterable[Path]) -> list[Result]:
    """Return the results of some files, of each run the last."""
    found = {}
    for file in files:
        for fields in kept(file):
            run = Run(**fields.pop("run"))
            found[run] = Result(run, **fields)
    return list(found.values())


def keep_without_labels(file: Path, results: Iterable[Result]) -> None:
    """Write all results to a file, their labels left out."""
    beside = file.with_suffix(".part")
    lines = (replace(result, labels="").line() + "\n" for result in results)
    beside.write_text("".join(lines), encoding="utf-8")
    beside.replace(file)


def packed(labels: NDArray[np.integer[Any]]) -> str:
    """Return labels as text, as `Result.groups` reads them."""
    return base64.b64encode(zlib.compress(labels.astype("<u2").tobytes(), 9)).decode()


def measured(run: Run, folder: Path) -> Result:
    """Do one run; what is compiled or loaded for it is not counted."""
    Z = scaled(folder, run.data)
    few = Run(run.data, min(run.k, WARM_RECORDS // 4), run.method, 1.0, 0)
    _run(few, Z[:WARM_RECORDS])
    begun = time.perf_counter()
    labels, details = _run(run, Z)
    wall = time.perf_counter() - begun
    return Result(
        run,
        None if labels is None else loss(Z, labels),
        details.get("lower_bound"),
        details.get("stopped", ""),
        round(wall, 3),
        workers(),
        f"{datetime.now(UTC):%Y-%m-%d}",
        "" if labels is None else packed(labels),
    )


def _run(run: Run, Z: NDArray[np.float64]) -> tuple[NDArray[np.int32] | None, dict[str, Any]]:
    """Return the groups, if any, and what was noted on the way."""
    if run.method == "bound":
        found = ma.lower_bound(Z, run.k, scale="none", time_limit=run.seconds)
        return None, {"lower_bound": found.il, "stopped": found.stopped}
    limits = {} if run.method == "mdav" else {"time_limit": run.seconds}
    if run.method == "lns":
        limits["threads"] = workers()
    part = ma.partition(Z, run.k, run.method, scale="none", seed=run.seed, parameters=limits)
    return part.labels, part.facts.as_dict()


def main() -> None:
    """Do the run that the command line names."""
    parser = argparse.ArgumentParser(description="One run of the table of quality.")
    parser.add_argument("data")
    parser.add_argument("k", type=int)
    parser.add_argument("method")
    parser.add_argument("seconds", type=float)
    parser.add_argument("seed", type=int)
    options = parser.parse_args()
    folder = Path(os.environ["MICROAGG_DATA"])
    sys.stdout.write(measured(Run(**vars(options)), folder).line() + "\n")


if __name__ == "__main__":
    main()
