"""What refinements of MDAV's groups cost: ratios to MDAV itself, with scans and with the tree, in one run.

    python -m benchmarks.speed.refine            prints a table
    python -m benchmarks.speed.refine --write    and writes it to docs/benchmarks.md
    python -m benchmarks.speed.refine --records 10000 --k 3      some of it

Normal records of ten columns, one thread. All take turns and the best processor time of some rounds
counts. Each refinement runs once, with the first of the rules that its paper leaves open.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.page import table_of, write_part
from benchmarks.speed.timing import best_of
from microagg.kernels.fixed import fixed_size
from microagg.kernels.refine import refine
from microagg.kernels.refine.decompose import ORDERS
from microagg.kernels.refine.split import RULES
from microagg.partition.refine.swap_shift import NEAR_GROUPS
from microagg.partition.rules.index import on_records

Floats = NDArray[np.float64]
D = 10
HEAD = ("size", "k", "refinement", "ratio to MDAV, scans", "ratio to MDAV, tree")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure refinements against MDAV.")
    parser.add_argument("--repeats", type=int, default=3, help="how many rounds; the best counts")
    parser.add_argument("--records", default="10000,100000", help="how many records")
    parser.add_argument("--k", default="3,5", help="group sizes")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md too")
    options = parser.parse_args()
    list(measure(1000, 3, 1))  # compiled or loaded, and warm
    rows = []
    for n in map(int, options.records.split(",")):
        for k in map(int, options.k.split(",")):
            for row in measure(n, k, options.repeats):
                rows.append(row)
                print("  ".join(f"{cell:<20}" for cell in row), flush=True)
    if options.write:
        write_part("refine", table_of(HEAD, rows))


def measure(n: int, k: int, repeats: int) -> Iterator[tuple[str, ...]]:
    """Yield a row for each refinement of the MDAV groups of n normal records."""
    X = np.random.default_rng(0).normal(size=(n, D))
    columns = np.ascontiguousarray(((X - X.mean(axis=0)) / X.std(axis=0)).T)
    columns.setflags(write=False)  # as `prepare` gives them: the same compiled kernels
    labels = mdav("tree", columns, k)
    contenders = {
        "scans": lambda: mdav("brute", columns, k),
        "tree": lambda: mdav("tree", columns, k),
        "decompose": lambda: refine.refine_decompose(
            columns, labels, k, ORDERS["error"], 4 * k - 1, RULES["tfrp"], ticker()
        ),
        "decompose-2018": lambda: refine.refine_decompose(
            columns, labels, k, ORDERS["number"], 0, RULES["cbfs"], ticker()
        ),
        "decompose-shrink": lambda: refine.refine_decompose_shrink(
            columns, labels, k, ORDERS["number"], RULES["cbfs"], ticker()
        ),
        "swap-shift": lambda: refine.refine_swap_shift(columns, labels, k, NEAR_GROUPS, ticker()),
    }
    best = best_of({name: timed(call) for name, call in contenders.items()}, repeats)
    for name in list(contenders)[2:]:
        ratios = (f"{best[name] / best[way]:.2f} x" for way in ("scans", "tree"))
        yield f"{n:,} x {D}", str(k), name, *ratios


def mdav(kind: str, columns: Floats, k: int) -> Any:
    """Group by MDAV, the index included."""
    grouping = on_records(fixed_size.centroid_seeded, kind, threads=1)
    return grouping(columns, k, True, 0, 0, ticker())


def ticker() -> NDArray[np.int64]:
    return np.zeros(2, dtype=np.int64)


def timed(call: Callable[[], Any]) -> Callable[[], float]:
    """Return a call that returns its processor time."""

    def run() -> float:
        start = time.process_time()
        call()
        return time.process_time() - start

    return run


if __name__ == "__main__":
    main()
