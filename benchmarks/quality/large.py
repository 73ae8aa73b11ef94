"""LNS on large data: its time and its loss beside those of MDAV, with and without the index.

    python -m benchmarks.quality.large [--rounds 3] [--threads 2]

100,000 normal records of 10 columns, and the numeric columns of Adult, k = 5. Contenders take turns;
of each the best time of all rounds counts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import microagg as ma

K = 5


def main() -> None:
    """Measure both sets and print the ratios."""
    parser = argparse.ArgumentParser(description="Compare lns with mdav on large data.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    normal = np.random.default_rng(0).normal(size=(100_000, 10))
    print("| data | loss below MDAV's | times MDAV by scans | times MDAV by the tree |")
    print("| --- | ---: | ---: | ---: |")
    for data, X in (("100,000 x 10 normal", normal), ("adult", ma.datasets.load("adult").X)):
        print(f"| {data} | " + " | ".join(_compared(X, options.rounds, options.threads)) + " |")


def _compared(X: NDArray[np.float64], rounds: int, threads: int) -> list[str]:
    """Return how far the loss is below, and the ratios of the times."""
    contenders: dict[str, Callable[[NDArray[np.float64]], ma.Partition]] = {
        "brute": lambda X: ma.partition(X, K, "mdav", parameters={"index": "brute"}),
        "tree": lambda X: ma.partition(X, K, "mdav", parameters={"index": "tree"}),
        "lns": lambda X: ma.partition(X, K, "lns", parameters={"threads": threads}),
    }
    for contender in contenders.values():
        contender(X[:1000])  # compiled before the clock starts
    times, losses = dict.fromkeys(contenders, np.inf), {}
    for _ in range(rounds):
        for name, contender in contenders.items():
            begun = time.perf_counter()
            part = contender(X)
            times[name] = min(times[name], time.perf_counter() - begun)
            losses[name] = ma.information_loss(X, part).il
    below = 100 * (1 - losses["lns"] / losses["tree"])
    return [f"{below:.2f} %", *(f"{times['lns'] / times[name]:.2f}" for name in ("brute", "tree"))]


if __name__ == "__main__":
    main()
