"""LNS: loss after some seconds, beside MDAV's and the best published.

    python -m benchmarks.quality.lns                                  every cell: hours
    python -m benchmarks.quality.lns --data census -k 3,5 --seconds 1,10 --seeds 0,1,2
    python -m benchmarks.quality.lns --large                          time and loss on large data, k=5
    ... --out FOLDER     writes the table, and the labels of the median seed, into a folder

The best published values are read from best_known.csv in the folder MICROAGG_PUBLISHED. Labels go
into files named DATA-kK-SECONDSs.csv, one number a record in the order of the records.
"""

from __future__ import annotations

import argparse
import csv
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import microagg as ma

Floats = NDArray[np.float64]
DATA = "tarragona,census,eia"
SIZES = "3,4,5,6,7,8,9,10,15,20,25,30,50"


@dataclass(frozen=True)
class Cell:
    """Runs of several seeds on one data set with one k and one limit; `part` is the median's."""

    seconds: float
    losses: tuple[float, ...]
    cpu: float
    part: ma.Partition


def main() -> None:
    """Measure what the command line asks for, print it, and write it when a folder is given."""
    options = _options()
    lines = list(large() if options.large else small(options))
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        name = "lns-large.md" if options.large else "lns.md"
        (options.out / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure the loss of lns after some seconds.")
    parser.add_argument("--data", default=DATA, help="names of data sets, with commas")
    parser.add_argument("-k", default=SIZES, help="smallest sizes of groups, with commas")
    parser.add_argument("--seconds", default="1,10,60", help="time limits, with commas")
    parser.add_argument("--seeds", default="0,1,2,3,4,5,6,7,8,9", help="the median of these")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--large", action="store_true", help="time and loss against mdav, k=5")
    parser.add_argument("--out", type=Path, help="folder for the table and the labels")
    return parser.parse_args()


def small(options: argparse.Namespace) -> Iterator[str]:
    """Yield the lines of the table, each printed as soon as it is there."""
    limits = [float(s) for s in options.seconds.split(",")]
    best = best_known()
    heads = "".join(f" lns {limit:g} s |" for limit in limits)
    yield from _said(
        f"Loss in percent, {datetime.now(UTC):%Y-%m-%d}: median of seeds {options.seeds}, "
        f"{options.threads} threads. Below: the last median against the best published.",
        "",
        f"| data | k | best published | MDAV |{heads} below | CPU s |",
        "| --- | ---: | ---: | ---: |" + " ---: |" * (len(limits) + 2),
    )
    for data in options.data.split(","):
        X = ma.datasets.load(data).X
        for k in map(int, options.k.split(",")):
            seeds = [int(seed) for seed in options.seeds.split(",")]
            cells = [measured(X, k, limit, seeds, options.threads) for limit in limits]
            _write_labels(options.out, data, k, cells)
            yield from _said(_row(data, k, best.get((data, k)), X, cells))


def measured(X: Floats, k: int, limit: float, seeds: list[int], threads: int) -> Cell:
    """Run lns with each seed."""
    begun = time.process_time()
    parts = [
        ma.partition(X, k, "lns", time_limit=limit, threads=threads, seed=seed) for seed in seeds
    ]
    cpu = (time.process_time() - begun) / len(seeds)
    losses = [ma.information_loss(X, part).il for part in parts]
    median = int(np.argsort(losses, kind="stable")[len(losses) // 2])
    return Cell(limit, tuple(losses), cpu, parts[median])


def best_known() -> dict[tuple[str, int], float]:
    """Return the best published loss by data and k; nothing when the folder is not named."""
    folder = os.environ.get("MICROAGG_PUBLISHED")
    if folder is None:
        return {}
    with (Path(folder) / "best_known.csv").open(encoding="utf-8", newline="") as file:
        return {(row["data"], int(row["k"])): float(row["il"]) for row in csv.DictReader(file)}


def _row(data: str, k: int, best: float | None, X: Floats, cells: list[Cell]) -> str:
    mdav = ma.information_loss(X, ma.partition(X, k, "mdav")).il
    medians = [float(np.median(cell.losses)) for cell in cells]
    below = "-" if best is None else f"{100 * (1 - medians[-1] / best):.2f} %"
    printed = "-" if best is None else f"{best:.4f}"
    found = " | ".join(f"{median:.4f}" for median in medians)
    return f"| {data} | {k} | {printed} | {mdav:.4f} | {found} | {below} | {cells[-1].cpu:.0f} |"


def _write_labels(out: Path | None, data: str, k: int, cells: list[Cell]) -> None:
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        for cell in cells:
            file = out / f"{data}-k{k}-{cell.seconds:g}s.csv"
            file.write_text("\n".join(map(str, cell.part.labels.tolist())) + "\n", encoding="utf-8")


def large() -> Iterator[str]:
    """Yield lines that compare time and loss with mdav's on large data, k=5."""
    normal = np.random.default_rng(0).normal(size=(100_000, 10))
    yield from _said(
        f"Against mdav, k=5, {datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores.",
        "",
        "| data | mdav | lns | wall time | CPU time | loss below mdav's |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    )
    for data, X in (("100,000 x 10 normal", normal), ("adult", ma.datasets.load("adult").X)):
        for name in ("mdav", "lns"):
            ma.partition(X[:500], 5, name)  # compiled before the clock starts
        wall, cpu, il = zip(*(_timed(X, name) for name in ("mdav", "lns")), strict=True)
        yield from _said(
            f"| {data} | {il[0]:.4f} | {il[1]:.4f} | {wall[1] / wall[0]:.2f} times | "
            f"{cpu[1] / cpu[0]:.2f} times | {100 * (1 - il[1] / il[0]):.1f} % |"
        )


def _timed(X: Floats, name: str) -> tuple[float, float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    part = ma.partition(X, 5, name)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return wall, cpu, ma.information_loss(X, part).il


def _said(*lines: str) -> Iterator[str]:
    for line in lines:
        print(line, flush=True)
        yield line


if __name__ == "__main__":
    main()
