"""Other tools on the same records: time, memory, loss, and the k that pycanon counts on the release.

    pip install anonypyx k-means-constrained microagg1d pycanon     (and sdcMicro in R: see peers.py)
    python -m benchmarks.speed.side_by_side            measures, and prints a table
    python -m benchmarks.speed.side_by_side --most 2000            the small sizes only
    python -m benchmarks.speed.side_by_side --write    measures nothing: the table in docs/benchmarks.md
                                                       and docs/img/peers.png of what is kept

Each row is kept in a file as soon as it is measured (`--results`), and what is kept is not measured
again. Remove the file to measure anew. It is part of the repository, so that the table and the picture can
be written again.

Each contender runs in a process of its own, one thread, after a small run that compiles and warms up. Its
time is processor time; microagg's MDAV and optimal grouping run three times, and the least counts.
Memory is the peak of that process, its interpreter and libraries included. What is not
installed is named as such.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.page import table_of, write_part
from benchmarks.results import keep, kept
from benchmarks.speed.peers import Anonypyx, SdcMicro
from benchmarks.speed.timing import processor_seconds

Floats = NDArray[np.float64]
Masked = tuple[float, Floats]
"""Processor seconds, and the released values."""

RESULTS = Path(__file__).with_name("side_by_side.jsonl")
PICTURE = Path(__file__).parents[2] / "docs" / "img" / "peers.png"
K_DRAWN = 3
COLOURS = {2: "#0072B2", 4: "#E69F00", 10: "#009E73", 20: "#D55E00"}
"""Colours of Okabe and Ito for the numbers of columns."""

HEAD = ("records", "k", "tool", "seconds", "time", "peak memory", "loss", "k counted")


def ours(method: str, times: int = 1, **parameters: object) -> Callable[[Floats, int], Masked]:
    """Return microagg's contender by one method; the least of so many times counts."""

    def mask(X: Floats, k: int) -> Masked:
        import microagg as ma

        parts: list[ma.Partition] = []
        own: dict[str, Any] = {"method": method, "parameters": parameters}
        took = min(
            processor_seconds(lambda: parts.append(ma.partition(X, k, **own))) for _ in range(times)
        )
        return took, means(X, parts[0].labels)

    return mask


def constrained_k_means(X: Floats, k: int) -> Masked:
    """k-means with at least k records a cluster, as many clusters as that allows."""
    from k_means_constrained import KMeansConstrained

    model = KMeansConstrained(n_clusters=len(X) // k, size_min=k, n_init=1, random_state=0)
    took = processor_seconds(lambda: model.fit(X))
    return took, means(X, model.labels_)


def one_column(X: Floats, k: int) -> Masked:
    """microagg1d with its defaults."""
    from microagg1d import univariate_microaggregation

    found: list[NDArray[np.int64]] = []
    took = processor_seconds(lambda: found.append(univariate_microaggregation(X[:, 0].copy(), k)))
    return took, means(X, found[0])


def peer(kind: type[SdcMicro] | type[Anonypyx]) -> Callable[[Floats, int], Masked]:
    """Return a contender of `peers.py`."""

    def mask(X: Floats, k: int) -> Masked:
        contender = kind(X, k)
        took = contender()
        assert contender.released is not None
        return took, contender.released

    return mask


CONTENDERS: dict[str, tuple[str, Callable[[Floats, int], Masked]]] = {
    "mdav": ("microagg", ours("mdav", times=3)),
    "lns-10s": ("microagg", ours("lns", time_limit=10.0)),
    "sdcMicro": ("", peer(SdcMicro)),
    "anonypyx": ("anonypyx", peer(Anonypyx)),
    "k-means-constrained": ("k-means-constrained", constrained_k_means),
    "optimal-1d": ("microagg", ours("optimal-1d", times=3)),
    "microagg1d": ("microagg1d", one_column),
}
"""The package that a contender needs, and how it masks."""

SEARCHED = ["mdav", "lns-10s", "sdcMicro", "anonypyx", "k-means-constrained"]

RUNS = [
    (2_000, 10, 5, SEARCHED),
    *((20_000, d, k, ["mdav", "sdcMicro"]) for d in (4, 10) for k in (3, 5, 10)),
    *((100_000, d, k, ["mdav", "sdcMicro"]) for d in (4, 10) for k in (3, 5, 10)),
    (1_000_000, 1, 5, ["optimal-1d", "microagg1d"]),
]
"""Records, columns, k, contenders."""

DRAWN = ("mdav", "sdcMicro")
CURVES = [(n, d, K_DRAWN, list(DRAWN)) for d in COLOURS for n in (5_000, 20_000, 50_000, 100_000)]
"""The runs of the picture, most of which are not in the table."""


def means(X: Floats, labels: NDArray[np.integer]) -> Floats:
    """Return each record's group mean."""
    sizes = np.bincount(labels)
    columns = [np.bincount(labels, weights=column) / sizes for column in X.T]
    return np.stack([column[labels] for column in columns], axis=1)


def loss(X: Floats, released: Floats) -> float:
    """Return SSE / SST in percent."""
    return float(100 * np.sum((X - released) ** 2) / np.sum((X - X.mean(axis=0)) ** 2))


def one(name: str, n: int, d: int, k: int) -> None:
    """Run a contender in this process and print what it took, for `measure`."""
    mask = CONTENDERS[name][1]
    rng = np.random.default_rng(0)
    mask(rng.normal(size=(200, d)), k)
    X = rng.normal(size=(n, d))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    took, released = mask(X, k)
    who = resource.RUSAGE_CHILDREN if name == "sdcMicro" else resource.RUSAGE_SELF
    peak = resource.getrusage(who).ru_maxrss / 1024
    print(json.dumps([took, peak, loss(X, released), counted_k(released)]))


def counted_k(released: Floats) -> int | None:
    """Return pycanon's k of the released values, to nine digits; None where it is not installed."""
    try:
        import pandas as pd
        from pycanon.anonymity import k_anonymity
    except ImportError:
        return None
    frame = pd.DataFrame(released.round(9), columns=[f"v{j}" for j in range(released.shape[1])])
    return int(k_anonymity(frame, list(frame))) if len(frame) <= 20_000 else None


def measure(name: str, n: int, d: int, k: int) -> list[float] | None:
    """Return seconds, MB, loss and k of a contender in a fresh process; None where it is not there."""
    package = CONTENDERS[name][0]
    try:
        if (SdcMicro.name() is None) if not package else (version(package) is None):
            return None
    except PackageNotFoundError:
        return None
    single = {f"{who}_NUM_THREADS": "1" for who in ("NUMBA", "OMP", "OPENBLAS", "MKL")}
    single["MICROAGG_THREADS"] = "1"
    size = (str(n), str(d), str(k))
    command = [sys.executable, "-m", "benchmarks.speed.side_by_side", "--one", name, *size]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **single}, check=False
    )
    if done.returncode:
        print(done.stderr.splitlines()[-1], file=sys.stderr)
        return None
    found: list[float] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure_missing(results: Path, most: int) -> None:
    """Measure and keep what is not kept yet, up to so many records; what is not there is not kept."""
    known = found(results)
    for n, d, k, names in (*RUNS, *CURVES):
        for name in names:
            if n <= most and (n, d, k, name) not in known:
                cells = measure(name, n, d, k)
                if cells is not None:
                    known[n, d, k, name] = cells
                    keep(results, {"n": n, "d": d, "k": k, "name": name, "cells": cells})


def found(results: Path) -> dict[tuple[int, int, int, str], list[float]]:
    """Return what was measured, by records, columns, k and contender."""
    return {(row["n"], row["d"], row["k"], row["name"]): row["cells"] for row in kept(results)}


def table(results: Path) -> list[str]:
    """Return what is kept; the first contender of each size is what others are compared with."""
    known, rows = found(results), []
    for n, d, k, names in RUNS:
        base = known.get((n, d, k, names[0]), [0.0])[0]
        for name in names if base else ():
            cells = ["not measured", "-", "-", "-", "-"]
            if (n, d, k, name) in known:
                took, peak, lost, k_of_release = known[n, d, k, name]
                counted = "-" if k_of_release is None else f"{k_of_release}"
                ratio = f"{took / base:.1f} x"
                cells = [f"{took:.3f} s", ratio, f"{peak:.0f} MB", f"{lost:.3f} %", counted]
            rows.append([f"{n:,} x {d}", str(k), name, *cells])
    return table_of(HEAD, rows)


def draw(results: Path) -> None:
    """Draw time over the number of records, for the numbers of columns that were measured."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.6, 4.0), layout="constrained")
    known = {key: cells[0] for key, cells in found(results).items()}
    for d, name in product(COLOURS, DRAWN):
        sizes = sorted(n for n, *rest in known if rest == [d, K_DRAWN, name])
        if sizes:
            seconds = [known[n, d, K_DRAWN, name] for n in sizes]
            style = "o-" if name == "mdav" else "s--"
            axes.loglog(sizes, seconds, style, color=COLOURS[d], label=f"{name}, {d} columns")
    drawn = sorted({n for n, _, k, name in known if k == K_DRAWN and name in DRAWN})
    axes.set_xticks(drawn, [f"{n:,}" for n in drawn])
    axes.minorticks_off()
    axes.set_xlabel("records")
    axes.set_ylabel(f"processor seconds, k = {K_DRAWN}")
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    figure.savefig(PICTURE, dpi=110, metadata={"Software": None})
    plt.close(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure other tools side by side.")
    parser.add_argument("--one", nargs=4, help="one contender, for the table's own use")
    parser.add_argument("--most", type=int, default=1_000_000, help="records, at most")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where rows are kept")
    parser.add_argument("--write", action="store_true", help="write the page of what is kept")
    options = parser.parse_args()
    if options.one:
        one(options.one[0], *map(int, options.one[1:]))
        return
    if not options.write:
        measure_missing(options.results, options.most)
    lines = table(options.results)
    print("\n".join(lines))
    if options.write:
        write_part("peers", lines)
        draw(options.results)


if __name__ == "__main__":
    main()
