"""The tree against scans over all records: ratios in one run, the same labels, growth with n.

    python -m benchmarks.speed.index            measures all; a million records of 20 columns take long
    python -m benchmarks.speed.index --records 10000 --columns 2,20 --k 3 --others no    some of it
    python -m benchmarks.speed.index --write    measures nothing: the page and picture of what is kept

Each row is kept in a file as soon as it is measured (`--results`), and what is kept is not measured
again: a run that was ended goes on when it is started again. Remove the file to measure anew.

One thread. Both take turns and the best processor time of some repeats counts. Beyond 100,000 records the
scans are not run on all: 100,000 of the same records are scanned in the same process, before
the tree and after it, and the better time is extrapolated by n^2. A fitted exponent is the slope of log
time over log n.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.page import table_of, write_part
from benchmarks.results import keep, kept
from microagg.kernels.fixed import fixed_size
from microagg.kernels.space.records import KEEPERS
from microagg.partition.rules.index import on_records

Floats = NDArray[np.float64]

SCANNED = 100_000
"""The most records that are scanned; more are extrapolated."""

RESULTS = Path(__file__).with_name("index.jsonl")
PICTURE = Path(__file__).parents[2] / "docs" / "img" / "speed.png"
HEAD = ("data", "size", "k", "speed-up", "identical labels", "target")
BARS = {
    (100_000, 2): 10,
    (100_000, 4): 8,
    (100_000, 10): 4,
    (1_000_000, 4): 50,
    (1_000_000, 10): 12,
}
HOW = (
    f'"by n^2": the scans ran on {SCANNED:,} of the records, in the same process, before and after the '
    "run with the tree. The shorter time is extrapolated, and the labels are not compared."
)


@dataclass(frozen=True)
class Row:
    """One data set, both ways: processor seconds, and whether the labels are the same."""

    what: str
    n: int
    d: int
    k: int
    tree: float
    brute: float
    same: bool | None
    date: str

    @property
    def key(self) -> tuple[str, int, int, int]:
        return self.what, self.n, self.d, self.k

    @property
    def extrapolated(self) -> bool:
        return self.n > SCANNED

    @property
    def ratio(self) -> float:
        return self.brute / self.tree

    def cells(self) -> tuple[str, ...]:
        bar = BARS.get((self.n, self.d)) if self.what == "normal" and self.k == 3 else None
        same = {True: "yes", False: "NO", None: "not scanned"}[self.same]
        about = " by n^2" if self.extrapolated else ""
        met = "-" if bar is None else f">= {bar} x: {'yes' if self.ratio >= bar else 'NO'}"
        size = f"{self.n:,} x {self.d}"
        return self.what, size, str(self.k), f"{self.ratio:.1f} x{about}", same, met


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare MDAV with the tree and with scans.")
    parser.add_argument("--repeats", type=int, default=3, help="how many rounds; the best counts")
    parser.add_argument("--records", default="10000,31623,100000,1000000", help="how many records")
    parser.add_argument("--columns", default="2,4,10,20", help="numbers of columns")
    parser.add_argument("--k", default="3,10", help="group sizes")
    parser.add_argument("--others", choices=["yes", "no"], default="yes", help="clusters and files")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where rows are kept")
    parser.add_argument("--write", action="store_true", help="write the page of what is kept")
    options = parser.parse_args()
    if not options.write:
        measure_missing(options)
    rows = found(options.results)
    lines = list(exponents(rows))
    print("\n".join(lines))
    if options.write:
        write(rows, lines)


def found(results: Path) -> list[Row]:
    """Return what runs have kept, normal data first; of a row that is there twice, the last."""
    rows = {row.key: row for row in (Row(**line) for line in kept(results))}
    return sorted(rows.values(), key=lambda r: (r.what != "normal", r.what, r.k, r.d, r.n))


def measure_missing(options: argparse.Namespace) -> None:
    """Measure what is asked for and not kept yet; each row is printed and kept at once."""
    sizes, columns, ks = (
        [int(word) for word in words.split(",")]
        for words in (options.records, options.columns, options.k)
    )
    for kind in KEEPERS:  # compiles
        run(kind, _scaled(np.random.default_rng(0).normal(size=(100, 2))), 3)
    before = {row.key: row for row in found(options.results)}
    for what, records in data_sets(sizes, columns, others=options.others == "yes"):
        d, n = records.shape
        for k in ks:
            row = before.get((what, n, d, k))
            if row is None:
                row = measure(what, records, k, options.repeats)
                keep(options.results, asdict(row))
            print("  ".join(f"{cell:<14}" for cell in row.cells()), flush=True)


def data_sets(
    sizes: list[int], columns: list[int], *, others: bool
) -> Iterator[tuple[str, Floats]]:
    """Yield normal data, clusters, and the real files where they are at hand."""
    for d in columns:
        for n in sizes:
            yield "normal", _scaled(np.random.default_rng(0).normal(size=(n, d)))
    if not others:
        return
    rng = np.random.default_rng(1)
    centres = 20 * rng.normal(size=(50, 4))
    yield (
        "50 clusters",
        _scaled(centres[rng.integers(0, 50, 50_000)] + rng.normal(size=(50_000, 4))),
    )
    yield from real_data()


def real_data() -> Iterator[tuple[str, Floats]]:
    """Adult's numbers, where most distances are ties, and flights."""
    from microagg.data.datasets import load
    from microagg.errors import MicroaggError

    for name in ("adult", "nycflights"):
        try:
            X = load(name).complete().X
        except MicroaggError:
            print(f"{name} is not at hand")
            continue
        if len(X) > SCANNED:
            yield name, _scaled(X[:SCANNED])
        yield name, _scaled(X)


def _scaled(X: Floats) -> Floats:
    columns = np.ascontiguousarray(((X - X.mean(axis=0)) / X.std(axis=0)).T)
    columns.setflags(write=False)  # as `prepare` gives them: the same compiled kernels
    return columns


def measure(what: str, columns: Floats, k: int, repeats: int) -> Row:
    """Group with the tree and with scans in turns; above SCANNED, the tree once in between."""
    d, n = columns.shape
    some = columns if n <= SCANNED else _first(columns, SCANNED)
    turns = ["tree", "brute"] * repeats if n <= SCANNED else ["brute", "tree", "brute"]
    best: dict[str, float] = {"tree": math.inf, "brute": math.inf}
    labels: dict[str, Any] = {}
    for kind in turns:
        took, labels[kind] = run(kind, columns if kind == "tree" else some, k)
        best[kind] = min(best[kind], took)
    same = bool(np.array_equal(labels["tree"], labels["brute"])) if n <= SCANNED else None
    brute = best["brute"] * max(n / SCANNED, 1) ** 2
    return Row(what, n, d, k, best["tree"], brute, same, time.strftime("%Y-%m-%d"))


def _first(columns: Floats, n: int) -> Floats:
    some = np.ascontiguousarray(columns[:, :n])
    some.setflags(write=False)
    return some


def run(kind: str, columns: Floats, k: int) -> tuple[float, Any]:
    """Return the processor time of MDAV, the index included, and the labels."""
    start = time.process_time()
    ticker = np.zeros(2, dtype=np.int64)
    mdav = on_records(fixed_size.centroid_seeded, kind, threads=1)
    labels = mdav(columns, k, True, 0, 0, ticker)
    return time.process_time() - start, labels


def exponents(rows: list[Row]) -> Iterator[str]:
    """Yield the fitted growth for each number of columns and each k."""
    for d, k in sorted({(r.d, r.k) for r in rows if r.what == "normal"}):
        chosen = [r for r in rows if (r.what, r.d, r.k) == ("normal", d, k)]
        scanned = [r for r in chosen if not r.extrapolated]
        if len(scanned) < 2:
            continue  # one size has no slope
        tree = slope([r.n for r in chosen], [r.tree for r in chosen])
        brute = slope([r.n for r in scanned], [r.brute for r in scanned])
        yield f"d={d}, k={k}: time grows as n^{tree:.2f} with the tree, n^{brute:.2f} with scans"


def slope(sizes: list[int], seconds: list[float]) -> float:
    """Return the exponent of the power of n that fits best."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def write(rows: list[Row], lines: list[str]) -> None:
    """Put the table into the page and draw the picture."""
    dates = sorted({row.date for row in rows})
    notes = [HOW, *lines, f"Measured {' to '.join(dict.fromkeys([dates[0], dates[-1]]))}."]
    table = table_of(HEAD, (row.cells() for row in rows))
    write_part("index", [*table, "", *(f"- {note}" for note in notes)])
    draw(rows)


def draw(rows: list[Row]) -> None:
    """Draw time over n, both ways, for k = 3."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    for d in sorted({r.d for r in rows if r.what == "normal"}):
        chosen = [r for r in rows if (r.what, r.d, r.k) == ("normal", d, 3)]
        (line,) = axes.loglog(
            [r.n for r in chosen], [r.tree for r in chosen], "o-", label=f"{d} columns"
        )
        scans = [r.brute for r in chosen]
        axes.loglog([r.n for r in chosen], scans, "x:", color=line.get_color())
    axes.set_xlabel("records")
    axes.set_ylabel("processor seconds, MDAV with k = 3")
    axes.set_title("Solid: tree. Dotted: scans (extrapolated above 100,000)", fontsize=9)
    axes.legend(frameon=False)
    figure.savefig(PICTURE, dpi=110)


if __name__ == "__main__":
    main()
