"""kWDR against k-Ward: time in turns in one run, and loss.

    python -m benchmarks.speed.kwdr

Bar: at least 10 times faster than k-Ward on 10,000 values, with a loss within 0.5 % of its.
"""

from __future__ import annotations

import sys
from functools import partial

import numpy as np

import microagg as ma
from benchmarks.speed.timing import best_of, seconds

METHODS = ("k-ward-1d", "kwd", "kwr", "kwdr")
ROUNDS = 3
K = 3
FASTER, NEAR = 10.0, 0.5


def main() -> None:
    """Print the ratios."""
    rng = np.random.default_rng(0)
    kinds = {"normal": rng.normal(size=(10_000, 1)), "log-normal": rng.lognormal(size=(10_000, 1))}
    for method in METHODS:
        ma.partition(kinds["normal"][:99], K, method)  # compile
    for name, X in kinds.items():
        took = best_of(
            {m: partial(seconds, partial(ma.partition, X, K, m)) for m in METHODS}, ROUNDS
        )
        losses = {m: ma.information_loss(X, ma.partition(X, K, m)).il for m in METHODS}
        for method in METHODS:
            faster = took["k-ward-1d"] / took[method]
            more = 100 * (losses[method] / losses["k-ward-1d"] - 1)
            sys.stdout.write(
                f"{name}, 10,000 values, k={K}: {method} {took[method]:.3f} s, {faster:.1f} x k-ward-1d, "
                f"loss {more:+.4f} %\n"
            )
        met = faster >= FASTER and abs(more) <= NEAR  # of the last, kwdr
        sys.stdout.write(f"kwdr: bar {FASTER:g} x and {NEAR:g} %: {'met' if met else 'missed'}\n")


if __name__ == "__main__":
    main()
