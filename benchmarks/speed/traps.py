"""Awkward data and settings against random records of the same size: none may be a trap.

    python -m benchmarks.speed.traps                 runs all, prints a table
    python -m benchmarks.speed.traps --only strata   those whose name contains a word
    python -m benchmarks.speed.traps --write         and writes the table to docs/benchmarks.md

Each trap runs `protect` in a process of its own with a limit of time. Its reference is `protect` with
k = 5 on normal records of as many rows and columns. Processor time in one thread counts, the lesser of two
runs in which no kernel is compiled or loaded; a ratio above 3 is a trap.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.page import table_of, write_part
from microagg.threads import VARIABLE

Floats = NDArray[np.float64]
Columns = dict[str, NDArray[Any]]

MOST = 3.0
"""The largest ratio of a trap to its reference."""

RUNS = 2
"""Runs of which the one with the least time counts."""

HEAD = ("data", "size", "k", "seconds", "reference", "ratio", "at most 3")


@dataclass(frozen=True)
class Trap:
    """Data of an awkward shape, and how it is protected."""

    name: str
    n: int
    d: int
    make: Callable[[np.random.Generator, int, int], Columns]
    k: int = 5
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def size(self) -> str:
        return f"{self.n:,} x {self.d}"


def normal(rng: np.random.Generator, n: int, d: int) -> Columns:
    """Return normal records, which no method has trouble with."""
    return named(rng.normal(size=(n, d)))


def named(X: NDArray[Any]) -> Columns:
    """Return the columns of a matrix by name."""
    return {f"v{j}": np.ascontiguousarray(X[:, j]) for j in range(X.shape[1])}


def equal(rng: np.random.Generator, n: int, d: int) -> Columns:
    return named(np.full((n, d), 7.0))


def equal_names(rng: np.random.Generator, n: int, d: int) -> Columns:
    return named(np.full((n, d), "one", dtype=object))


def mostly_equal(rng: np.random.Generator, n: int, d: int) -> Columns:
    X = np.zeros((n, d))
    X[rng.choice(n, 100, replace=False)] = rng.normal(size=(100, d))
    return named(X)


def small_integers(rng: np.random.Generator, n: int, d: int) -> Columns:
    return named(rng.integers(0, 100, size=(n, d)))


def binary(rng: np.random.Generator, n: int, d: int) -> Columns:
    return named(rng.integers(0, 2, size=(n, d)))


def sparse(rng: np.random.Generator, n: int, d: int) -> Columns:
    """Return counts that are nearly all zero, as of rare events."""
    return named(rng.poisson(0.05, size=(n, d)))


def outlier(rng: np.random.Generator, n: int, d: int) -> Columns:
    X = rng.normal(size=(n, d))
    X[n // 2, 0] = 1e140
    return named(X)


def heavy_tails(rng: np.random.Generator, n: int, d: int) -> Columns:
    return named(rng.standard_cauchy(size=(n, d)))


def many_scales(rng: np.random.Generator, n: int, d: int) -> Columns:
    return named(10.0 ** rng.uniform(-8, 8, size=(n, d)))


def two_points(rng: np.random.Generator, n: int, d: int) -> Columns:
    return named(np.repeat([[0.0] * d, [1.0] * d], n // 2, axis=0))


def in_fours(rng: np.random.Generator, n: int, d: int) -> Columns:
    """Return records that each occur four times: one too few for k = 5."""
    return named(rng.permutation(np.repeat(rng.normal(size=(n // 4, d)), 4, axis=0)))


def sphere(rng: np.random.Generator, n: int, d: int) -> Columns:
    """Return records that are all as far from the centroid."""
    X = rng.normal(size=(n, d))
    return named(X / np.sqrt((X**2).sum(axis=1, keepdims=True)))


def straight_line(rng: np.random.Generator, n: int, d: int) -> Columns:
    return named(np.outer(np.arange(n), np.arange(1, d + 1)))


def names_of_their_own(rng: np.random.Generator, n: int, d: int) -> Columns:
    """Return a category that no two records share, and numbers."""
    own = np.array([f"c{i}" for i in rng.permutation(n)], dtype=object)
    return {"own": own, **named(rng.normal(size=(n, d - 1)))}


def in_strata(count: int) -> Callable[[np.random.Generator, int, int], Columns]:
    def make(rng: np.random.Generator, n: int, d: int) -> Columns:
        return {**normal(rng, n, d), "where": rng.integers(0, count, n).astype(str).astype(object)}

    return make


def in_equal_strata(count: int) -> Callable[[np.random.Generator, int, int], Columns]:
    def make(rng: np.random.Generator, n: int, d: int) -> Columns:
        where = np.repeat(np.arange(count), n // count)
        return {**normal(rng, n, d), "where": where.astype(str).astype(object)}

    return make


def following(rng: np.random.Generator, n: int, d: int) -> Columns:
    """Return a confidential number that follows the quasi-identifiers."""
    X = rng.normal(size=(n, d))
    return {**named(X), "secret": X.sum(axis=1) + 0.1 * rng.normal(size=n)}


def weakly_following(rng: np.random.Generator, n: int, d: int) -> Columns:
    """Return a confidential number that follows a quasi-identifier, with much noise."""
    X = rng.normal(size=(n, d))
    return {**named(X), "secret": X[:, 0] + 3 * rng.normal(size=n)}


def rare_names(rng: np.random.Generator, n: int, d: int) -> Columns:
    """Return a confidential category of which nine in ten records have the same value."""
    names = rng.choice(list("abcdefgh"), n, p=[0.9, 0.05, 0.02, 0.01, 0.01, 0.005, 0.003, 0.002])
    return {**normal(rng, n, d), "secret": names.astype(object)}


def near_equal_columns(rng: np.random.Generator, n: int, d: int) -> Columns:
    return named(np.repeat(rng.normal(size=(n, 1)), d, axis=1) + 1e-9 * rng.normal(size=(n, d)))


def few_values(rng: np.random.Generator, n: int, d: int) -> Columns:
    return named(rng.integers(0, 4, size=(n, d)))


def with_weights(rng: np.random.Generator, n: int, d: int) -> Columns:
    return {**normal(rng, n, d), "weight": rng.integers(1, 9, n)}


def with_units(rng: np.random.Generator, n: int, d: int) -> Columns:
    """Return people of about twenty records each."""
    return {**normal(rng, n, d), "person": rng.integers(0, n // 20, n)}


def eight_names(rng: np.random.Generator, n: int, d: int) -> Columns:
    """Return a number, and columns of eight categories that are about equally frequent."""
    names = {f"c{j}": rng.choice(list("abcdefgh"), n).astype(object) for j in range(d - 1)}
    return {**names, **named(rng.normal(size=(n, 1)))}


def skewed_names(rng: np.random.Generator, n: int, d: int) -> Columns:
    """Return categories of which few are frequent and very many are rare, and numbers."""
    ranks = [rng.zipf(1.4, n).clip(0, 5_000) for _ in range(2)]
    names = {
        f"c{j}": np.char.add("r", each.astype(str)).astype(object) for j, each in enumerate(ranks)
    }
    return {**names, **named(rng.normal(size=(n, d - 2)))}


def with_blanks(rng: np.random.Generator, n: int, d: int) -> Columns:
    X = rng.normal(size=(n, d))
    X[rng.random((n, d)) < 0.2] = np.nan
    return named(X)


SECRET = {"confidential": ["secret"]}

MERGED = {"strata": ["where"], "small_strata": "merge"}

TRAPS = (
    *(Trap("large k", 100_000, 5, normal, k) for k in (100, 1_000, 33_333, 50_000)),
    *(Trap("large k", 20_000, 3, normal, k) for k in (500, 5_000)),
    *(Trap("large k", 2_000, 3, normal, k) for k in (20, 50, 100, 200)),
    *(Trap("large k", 5_000, 5, normal, k) for k in (20, 50)),
    Trap("all equal", 200_000, 5, equal),
    Trap("all equal, nominal", 200_000, 3, equal_names),
    Trap("all but 100 equal", 200_000, 5, mostly_equal),
    Trap("integers 0 to 99", 1_000_000, 1, small_integers),
    Trap("integers 0 to 99", 1_000_000, 2, small_integers),
    Trap("integers 0 to 99", 200_000, 3, small_integers),
    Trap("binary", 200_000, 10, binary),
    Trap("sparse counts", 200_000, 10, sparse),
    Trap("each record four times", 100_000, 5, in_fours),
    Trap("two points, mdav", 200_000, 2, two_points, 5, {"method": "mdav"}),
    Trap("outlier of 1e140", 100_000, 5, outlier),
    Trap("Cauchy", 100_000, 5, heavy_tails),
    Trap("scales from 1e-8 to 1e8", 100_000, 5, many_scales),
    Trap("on a sphere", 100_000, 5, sphere),
    Trap("on a line", 100_000, 5, straight_line),
    Trap("as many categories as records", 100_000, 1, names_of_their_own),
    Trap("as many categories as records", 100_000, 3, names_of_their_own),
    Trap("20,000 strata, merge", 200_000, 5, in_strata(20_000), 5, MERGED),
    Trap("1,000 strata of 20", 20_000, 3, in_equal_strata(1_000), 5, {"strata": ["where"]}),
    *(
        Trap(f"t-closeness {t}", n, 3, following, 5, {**SECRET, "t_closeness": t})
        for n, t in ((5_000, 0.02), (5_000, 0.1), (20_000, 0.02), (20_000, 0.1), (100_000, 0.02))
    ),
    *(
        Trap("t-closeness 0.07, weakly", n, 3, weakly_following, 5, {**SECRET, "t_closeness": 0.07})
        for n in (5_000, 20_000, 50_000)
    ),
    *(
        Trap("l-diversity 3, rare values", n, 3, rare_names, 5, {**SECRET, "l_diversity": 3})
        for n in (5_000, 20_000, 50_000)
    ),
    Trap("near-equal columns", 50_000, 5, near_equal_columns),
    Trap("four values a column", 50_000, 5, few_values),
    Trap("people of 20 records", 50_000, 3, with_units, 5, {"unit": "person"}),
    Trap("weights", 50_000, 3, with_weights, 5, {"weights": "weight"}),
    Trap("eight equal categories", 50_000, 3, eight_names),
    Trap("categories of unequal frequency", 50_000, 3, skewed_names),
    Trap("missing values", 50_000, 3, with_blanks, 5, {"missing": "group"}),
)  # fmt: skip


def protected(trap: Trap) -> float:
    """Return the least processor seconds of `protect` on a trap, once its kernels are compiled."""
    import pandas as pd

    import microagg as ma
    from microagg.budget import CLOCK

    columns = trap.make(np.random.default_rng(0), trap.n, trap.d)
    frame = pd.DataFrame(columns)
    others = {"where", "secret", "weight", "person"}
    names = [name for name in columns if name not in others]
    times: list[float] = []
    while len(times) < RUNS:
        compiled, start = CLOCK.compile_seconds(), time.process_time()
        ma.protect(frame, trap.k, quasi_identifiers=names, **trap.options)
        if CLOCK.compile_seconds() == compiled:
            times.append(time.process_time() - start)
    return min(times)


def reference(trap: Trap) -> Trap:
    """Return random records of the same size, with k = 5."""
    return Trap("reference", trap.n, trap.d, normal)


def in_a_child(number: int, *, as_reference: bool, limit: float) -> float | None:
    """Return the seconds of a trap or its reference in a process of its own; None beyond the limit."""
    which = "reference" if as_reference else "trap"
    command = [sys.executable, "-m", "benchmarks.speed.traps", "--one", which, str(number)]
    try:
        done = subprocess.run(
            command,
            timeout=limit,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, VARIABLE: "1"},
        )
    except subprocess.TimeoutExpired:
        return None
    return float(json.loads(done.stdout)) if done.returncode == 0 else None


def rows(only: str, limit: float) -> Iterator[tuple[str, ...]]:
    """Yield a row of the table for each trap whose name contains a word."""
    references: dict[str, float | None] = {}
    for number, trap in enumerate(TRAPS):
        if only not in trap.name:
            continue
        if trap.size not in references:
            references[trap.size] = in_a_child(number, as_reference=True, limit=limit)
        base = references[trap.size]
        took = in_a_child(number, as_reference=False, limit=limit)
        ratio = None if took is None or base is None else took / base
        yield (
            trap.name,
            trap.size,
            f"{trap.k:,}",
            f"over {limit:.0f} s" if took is None else f"{took:.2f} s",
            "-" if base is None else f"{base:.2f} s",
            "-" if ratio is None else f"{ratio:.2f} x",
            "yes" if ratio is not None and ratio <= MOST else "NO",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Run traps against random records.")
    parser.add_argument("--one", nargs=2, help="one run, for the table's own use")
    parser.add_argument("--only", default="", help="traps whose name contains this")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds of a run")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md too")
    options = parser.parse_args()
    if options.one:
        trap = TRAPS[int(options.one[1])]
        print(json.dumps(protected(reference(trap) if options.one[0] == "reference" else trap)))
        return
    table = []
    for row in rows(options.only, options.limit):
        table.append(row)
        print("  ".join(f"{cell:<16}" for cell in row), flush=True)
    if options.write:
        write_part("traps", table_of(HEAD, table))


if __name__ == "__main__":
    main()
