"""`assess`: time as a ratio to MDAV on the same data, and memory.

python -m benchmarks.speed.assess

Goals: 100,000 x 10 in less than 3 times the time of MDAV with a spatial index and under 1 GB; RLD over
all subsets of 7 keys on 10,000 records in less than a minute. Set `MICROAGG_THREADS=1` for one thread.
"""

from __future__ import annotations

import resource
import sys
import time
from typing import Any

import numpy as np
import pyarrow as pa

import microagg as ma
from microagg.assess import assess
from microagg.measure.pair import pair_of
from microagg.measure.registry import evaluate


def table(values: Any) -> pa.Table:
    """Return columns as a table."""
    return pa.table({f"v{j}": column for j, column in enumerate(values.T)})


def seconds(call: Any) -> float:
    """Return how long a call takes."""
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def main() -> None:
    """Print the ratios."""
    rng = np.random.default_rng(0)
    assess(table(rng.normal(size=(50, 3))), table(rng.normal(size=(50, 3))))  # compile
    X = rng.normal(size=(10_000, 7))
    files = {
        "mdav": ma.protect(
            table(X), k=3, quasi_identifiers=table(X).column_names, method="mdav"
        ).data,
        "noise": table(X + 0.1 * rng.normal(size=X.shape)),
    }
    for name, released in files.items():
        pair = pair_of(table(X), released)
        taken = seconds(lambda pair=pair: evaluate(pair, ["rld"]))
        sys.stdout.write(f"rld, 10,000 x 7, {name}: {taken:.1f} s\n")
    X = rng.normal(size=(100_000, 10))
    indexed = "index" in next(m for m in ma.methods() if m.name == "mdav").parameters
    ways = {"mdav": {"index": "brute"}, "mdav, indexed": {"index": "tree"}} if indexed else {}
    mdav = {
        name: seconds(lambda how=how: ma.partition(X, k=3, method="mdav", parameters=how))
        for name, how in (ways or {"mdav": {}}).items()
    }
    names = table(X).column_names
    released = ma.protect(table(X), k=3, quasi_identifiers=names, method="mdav").data
    pair = pair_of(table(X), released)
    for one in ma.measures():
        took = seconds(lambda one=one: evaluate(pair, [one.name]))
        if took > 0.5:
            sys.stdout.write(f"  {one.name}: {took:.1f} s\n")
    taken = seconds(lambda: assess(table(X), released))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    sys.stdout.write(f"assess, 100,000 x 10: {taken:.1f} s; {memory:.2f} GB at most\n")
    for name, each in mdav.items():
        sys.stdout.write(f"  {name}: {each:.1f} s, assess takes {taken / each:.1f} times as long\n")


if __name__ == "__main__":
    main()
