"""Prove that a partition is the best of all, and write the certificate that `check_optimal.py` reads.

MICROAGG_DATA=... python -m benchmarks.quality.optimal census 3

It takes the partition of ``NAME-kK.csv`` in this folder where there is one, else that of `best` after
`--seconds`; solves the linear program with cuts, enumerates all groups that a better partition could
hold, and solves the integer program over them to the end.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

import microagg as ma
from microagg.data.matrix import columns_of
from microagg.partition.bounds.column_generation import ColumnGeneration
from microagg.partition.bounds.pool import Pool
from microagg.partition.bounds.quick import quick_prices
from microagg.partition.error import error_of
from microagg.partition.search.integer import best_of
from microagg.prepare.prepared import prepare

HERE = Path(__file__).parent
MOST, SPARE = 500_000, 1e-4


def main() -> None:
    """Prove, tell and write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("k", type=int)
    parser.add_argument("--seconds", type=float, default=120)
    options = parser.parse_args()
    stem, k, begun = HERE / f"{options.data}-k{options.k}", options.k, time.monotonic()
    X = ma.datasets.load(options.data).X
    prepared = prepare(*columns_of(X), scale="zscore")
    points, ticker = np.ascontiguousarray(prepared.columns.T), np.zeros(2, dtype=np.int64)
    known = stem.with_suffix(".csv")
    if known.exists():
        labels = np.loadtxt(known, delimiter=",", skiprows=1, usecols=0, dtype=np.int32)
    else:
        labels = ma.partition(X, k, "best", time_limit=options.seconds).labels

    def tell(text: str) -> None:
        sys.stdout.write(f"{time.monotonic() - begun:7.1f} s  {text}\n")
        sys.stdout.flush()

    sst, lost = float(np.sum(points**2)), error_of(prepared.columns, labels)
    tell(f"known: {100 * lost / sst:.9f} %")
    found = ColumnGeneration(points, k, quick_prices(points, k, ticker))
    while not found.finished:
        found.step(lambda: np.inf, ticker)
    tell(f"linear program: {100 * found.bound / sst:.9f} %, {found.cuts} cuts")
    listed = found.below((lost - found.bound) * (1 + SPARE), MOST, ticker)
    if listed is None:
        tell(f"more than {MOST} groups: not proved")
        return
    tell(f"groups below {listed.threshold:.9g}: {[len(rows) for rows in listed.groups]}")
    pool = Pool(points)
    pool.add([np.flatnonzero(labels == group) for group in range(labels.max() + 1)])
    start = len(pool)
    for rows in listed.groups:
        pool.add(rows)
    begin_with = np.arange(len(pool)) < start
    chosen = best_of(
        pool.groups, pool.errors, begin_with, found.charged_triples, len(points), 1e6, ticker,
        prove=True,
    )  # fmt: skip
    labels = labels if chosen.labels is None else chosen.labels
    lost = error_of(prepared.columns, labels)
    bound = min(chosen.bound, found.bound + listed.threshold)
    tell(f"best: {100 * lost / sst:.9f} %, no partition below {100 * bound / sst:.9f} %")
    prices, charges = found.proved.prices, found.proved.charges
    with known.open("w") as file:
        file.write("label,price\n")
        file.writelines(
            f"{a},{b!r}\n" for a, b in zip(labels.tolist(), prices.tolist(), strict=True)
        )
    with (stem.parent / f"{stem.name}-cuts.csv").open("w") as file:
        file.write("i,j,h,charge\n")
        for triple, charge in zip(found.charged_triples.tolist(), charges.tolist(), strict=True):
            if charge > 0:
                file.write(f"{triple[0]},{triple[1]},{triple[2]},{charge!r}\n")


if __name__ == "__main__":
    main()
