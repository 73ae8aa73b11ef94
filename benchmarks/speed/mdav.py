"""MDAV: speed as ratios against named peers, memory, and the time to start.

    python -m benchmarks.speed.mdav            prints a table
    python -m benchmarks.speed.mdav --write    and writes it to docs/benchmarks.md

One thread. Contenders take turns and the best of some repeats counts, so ratios mean
something on a shared machine; seconds mean little. Peers that are not installed are named as such.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import microagg as ma
from benchmarks.page import PAGE, table_of, write_part
from benchmarks.speed.footprint import compiled_functions, memory_growth, start_times
from benchmarks.speed.peers import Anonypyx, SdcMicro
from benchmarks.speed.timing import best_of, processor_seconds
from microagg.aggregate.mean import group_means
from microagg.kernels.fixed import fixed_size
from microagg.kernels.space.pool import new_pool
from microagg.prepare.prepared import prepare
from microagg.threads import VARIABLE
from tests.twins import fixed

Floats = NDArray[np.float64]
K, D = 3, 10


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    measured: str
    bar: str
    met: bool | None

    def cells(self) -> tuple[str, str, str, str]:
        verdict = {True: "yes", False: "NO", None: "-"}[self.met]
        return self.what, self.measured, self.bar, verdict


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure MDAV side by side with named peers.")
    parser.add_argument("--repeats", type=int, default=5, help="how many rounds; the best counts")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md too")
    options = parser.parse_args()
    os.environ[VARIABLE] = "1"
    rows = []
    with threadpool_limits(limits=1):
        for row in measure(options.repeats):
            rows.append(row)
            print(
                "  ".join(
                    f"{cell:<{w}}" for cell, w in zip(row.cells(), (58, 36, 8, 3), strict=True)
                )
            )
    if options.write:
        write_part("mdav", part(rows, options.repeats))
        print(f"Written to {PAGE.name}.")


def measure(repeats: int) -> Iterator[Row]:
    """Yield each line as soon as it is known."""
    yield against_reference(_normal(20_000), repeats)
    yield against("sdcMicro", SdcMicro, 20_000, repeats, bar=8)
    yield against("anonypyx", Anonypyx, 5_000, repeats)
    yield from growth(repeats)
    yield memory()
    yield from starting(repeats)


def against_reference(X: Floats, repeats: int) -> Row:
    """Kernel against its twin in vectorised NumPy, on the same prepared columns."""
    columns = prepare(list(X.T), [str(j) for j in range(D)]).columns
    rules = {"opposite": True, "growth": "nn", "leftovers": "group"}

    def kernel() -> object:
        ticker = np.zeros(2, dtype=np.int64)
        return fixed_size.centroid_seeded(new_pool(columns), columns, K, True, 0, 0, ticker)

    kernel()
    best = best_of(
        {
            "kernel": lambda: processor_seconds(kernel),
            "twin": lambda: processor_seconds(lambda: fixed.centroid_seeded(columns, K, **rules)),
        },
        repeats,
    )
    ratio = best["twin"] / best["kernel"]
    return Row(
        f"kernel and NumPy reference, {len(X):,} x {D}", f"{ratio:.1f} x", ">= 10 x", ratio >= 10
    )


def against(
    label: str,
    peer: type[SdcMicro] | type[Anonypyx],
    n: int,
    repeats: int,
    bar: float | None = None,
) -> Row:
    """Groups and means, ours against a peer's, from the same matrix."""
    wanted = f">= {bar:g} x" if bar else "-"
    name = peer.name()
    if name is None:
        return Row(f"{label}, {n:,} x {D}", "not installed here", wanted, None)
    X = _normal(n)
    theirs = peer(X, K)
    ours = _release(X)
    best = best_of(
        {"ours": lambda: processor_seconds(lambda: _release(X)), "theirs": theirs}, repeats
    )
    ratio = best["theirs"] / best["ours"]
    assert theirs.released is not None
    losses = f"loss {_loss(X, ours):.3f} %, theirs {_loss(X, theirs.released):.3f} %"
    what = f"{name}, {n:,} x {D}"
    return Row(what, f"{ratio:.1f} x ({losses})", wanted, None if bar is None else ratio >= bar)


def growth(repeats: int) -> Iterator[Row]:
    """How the time grows with the number of records."""
    sizes = (10_000, 20_000, 50_000, 100_000)
    contenders = {str(n): partial(_grouping, _normal(n)) for n in sizes}
    best = best_of(contenders, repeats)
    for n in sizes:
        took, ratio = best[str(n)], best[str(n)] / best["10000"]
        yield Row(f"groups, {n:,} x {D}", f"{took:.2f} s, {ratio:.1f} x that of 10,000", "-", None)


def memory() -> Row:
    """Peak growth of memory in a fresh process, in sizes of the input."""
    n = 100_000
    found = memory_growth(n, D, K)
    what = f"memory in addition to the input, {n:,} x {D}"
    if found is None:
        return Row(what, "not measured here", "< 3 x", None)
    return Row(what, f"{found:.2f} x the input", "< 3 x", found < 3)


def starting(repeats: int) -> Iterator[Row]:
    """Seconds of whole processes, and what the second one compiles."""
    best = start_times(2 * repeats)
    bare = f"bare Python {best['nothing']:.2f} s"
    yield _start("import microagg", best["import"], bare, 0.3)
    yield _start("microagg --help", best["help"], bare, 0.7)
    first, second = compiled_functions()
    what = "kernels compiled by the second process"
    yield Row(what, f"{second} (first: {first})", "0", second == 0)


def _start(what: str, took: float, bare: str, bar: float) -> Row:
    return Row(f"python: {what}", f"{took:.2f} s ({bare})", f"< {bar} s", took < bar)


def part(rows: list[Row], repeats: int) -> list[str]:
    """Return the lines of docs/benchmarks.md: how the table was measured, and the table."""
    packages = [f"{name} {version(name)}" for name in ("microagg", "numpy", "numba")]
    machine = f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}"
    versions = ", ".join([*packages, f"Python {platform.python_version()}"])
    date = datetime.now(UTC).date().isoformat()
    return [
        f"Measured on {date}: {machine}, shared with other processes. {versions}. One thread, k = {K},",
        f"independent normal columns. All contenders take turns, and the best of {repeats} rounds counts.",
        "The seconds of groups and the ratio to the NumPy reference are processor times.",
        "The ratios to peers and the start times are elapsed times.",
        "",
        *table_of(["what", "measured", "target", "met"], [row.cells() for row in rows]),
    ]


def _normal(n: int) -> Floats:
    return np.random.default_rng(0).normal(size=(n, D))


def _grouping(X: Floats) -> float:
    return processor_seconds(lambda: ma.partition(X, K, "mdav"))


def _release(X: Floats) -> Floats:
    part = ma.partition(X, K, "mdav")
    return np.stack([group_means(column, part) for column in X.T], axis=1)


def _loss(X: Floats, released: Floats) -> float:
    spread = X.std(axis=0)
    error = np.sum(((X - released) / spread) ** 2)
    return float(100 * error / np.sum(((X - X.mean(axis=0)) / spread) ** 2))


if __name__ == "__main__":
    main()
