"""optimal-1d: time as a ratio to NumPy's sort of the same values, and loss against microagg1d.

    python -m benchmarks.speed.optimal_1d

Bar: a million values in less than 5 times numpy.sort of them, for k from 2 to 10,000. "whole" is from
unsorted values to labels (stable argsort, partition, back to the rows), "sorted" the partition alone.

microagg1d is measured where it is installed; MICROAGG1D_PYTHON names the Python that has it, this one
if it is not set. It is timed in a process of its own around the call alone, which takes unsorted values
and returns labels, as "whole" does. None of its code is in this repository.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.timing import best_of, seconds
from microagg.kernels.line.optimal_1d import optimal_1d
from microagg.partition.rules.along_axis import along_axis
from microagg.prepare.prepared import prepare

Floats = NDArray[np.float64]

MANY = (2, 3, 5, 10, 20, 50, 100, 1_000, 10_000)
ROUNDS = 5
BAR = 5.0

_PEER = """
import sys, time
import numpy as np
from microagg1d import univariate_microaggregation
values, rounds = np.load(sys.argv[1]), int(sys.argv[3])
found = {}
for k in map(int, sys.argv[4].split(",")):
    for method in sys.argv[5].split(","):
        univariate_microaggregation(values[:4 * k], k, method=method)
        best = float("inf")
        for _ in range(rounds):
            start = time.perf_counter()
            labels = univariate_microaggregation(values, k, method=method)
            best = min(best, time.perf_counter() - start)
        found[f"{method} {k}"] = labels
        print(method, k, best, flush=True)
np.savez(sys.argv[2], **found)
"""


def peer(
    values: Floats, many: tuple[int, ...], methods: str, rounds: int
) -> dict[tuple[str, int], tuple[float, NDArray[np.int64]]] | None:
    """Return microagg1d's seconds and labels by method and k, or None where it is not there."""
    with tempfile.TemporaryDirectory() as folder:
        given, back = Path(folder) / "values.npy", Path(folder) / "labels.npz"
        np.save(given, values)
        python = os.environ.get("MICROAGG1D_PYTHON", sys.executable)
        ks = ",".join(map(str, many))
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(
            [python, "-c", _PEER, str(given), str(back), str(rounds), ks, methods],
            capture_output=True,
            text=True,
            env=clean,
            check=False,
        )
        if done.returncode:
            return None
        labels = np.load(back)
        rows = [line.split() for line in done.stdout.splitlines()]
        return {(name, int(k)): (float(took), labels[f"{name} {k}"]) for name, k, took in rows}


def sse(values: Floats, labels: NDArray[np.int64]) -> float:
    """Sum of squares within groups."""
    means = np.bincount(labels, values) / np.bincount(labels)
    return float(np.sum((values - means[labels]) ** 2))


def whole(values: Floats, k: int) -> NDArray[np.int32]:
    """From unsorted values to labels."""
    ticker = np.zeros(2, dtype=np.int64)
    return along_axis(prepare([values], ["v"]), "v", lambda ranked: optimal_1d(ranked, k, ticker))


def show_time(values: Floats) -> None:
    """Print the ratios to NumPy's sort, in turns."""
    ranked, ticker = np.sort(values), np.zeros(2, dtype=np.int64)
    prepared = prepare([values], ["v"])
    for k in MANY:
        best = best_of(
            {
                "sort": partial(seconds, lambda: np.sort(values)),
                "sorted": partial(seconds, lambda k=k: optimal_1d(ranked, k, ticker)),
                "whole": partial(
                    seconds,
                    lambda k=k: along_axis(prepared, "v", lambda v: optimal_1d(v, k, ticker)),
                ),
            },
            ROUNDS,
        )
        ratio = best["whole"] / best["sort"]
        sys.stdout.write(
            f"n={values.size:,} k={k}: sort {best['sort']:.3f} s, sorted "
            f"{best['sorted'] / best['sort']:.2f} x, whole {ratio:.2f} x "
            f"(bar {BAR:g} x, {'met' if ratio < BAR else 'missed'})\n"
        )


def show_peer(values: Floats, many: tuple[int, ...], methods: str) -> None:
    """Print how much more microagg1d loses than the optimum, and its time against ours."""
    found = peer(values, many, methods, rounds=2)
    if found is None:
        sys.stdout.write("microagg1d is not there: set MICROAGG1D_PYTHON\n")
        return
    for (name, k), (took, labels) in found.items():
        ours = whole(values, k)
        time = best_of({"ours": partial(seconds, partial(whole, values, k))}, 2)["ours"]
        excess = 100 * (sse(values, labels) / sse(values, ours) - 1)
        sys.stdout.write(
            f"n={values.size:,} k={k}: microagg1d {name} {excess:+.4f} % SSE, "
            f"{took / time:.2f} x our time\n"
        )


def main() -> None:
    """Print everything."""
    rng = np.random.default_rng(0)
    optimal_1d(np.arange(9.0), 2, np.zeros(2, dtype=np.int64))  # compile
    whole(np.zeros(9), 2)
    show_time(rng.normal(size=1_000_000))
    sys.stdout.write("with ties:\n")
    show_time(rng.integers(0, 1000, 1_000_000).astype(np.float64))
    for name, values in (
        ("normal", rng.normal(size=10_000)),
        ("log-normal", rng.lognormal(size=10_000)),
    ):
        sys.stdout.write(f"{name} values:\n")
        show_peer(values, (2, 3, 4, 5, 7, 10, 15, 20, 21, 22, 50, 100), "auto,galil_park")
    sys.stdout.write("a million normal values:\n")
    show_peer(rng.normal(size=1_000_000), (3, 10, 100, 1_000), "auto")


if __name__ == "__main__":
    main()
