"""The tree against scans over all records: ratios in one run, the same labels, growth with n.

    python -m benchmarks.speed.index            prints a table; a million records of 20 columns take long
    python -m benchmarks.speed.index --write    and writes the page's section and its picture
    python -m benchmarks.speed.index --records 10000,100000 --columns 2,4 --k 3      some of it
    python -m benchmarks.speed.index --columns 20 --others no --save d20.jsonl       and keeps it
    python -m benchmarks.speed.index --page d4.jsonl d20.jsonl      writes the page from what was kept

Beyond 100,000 records scans are not run: their time is extrapolated by n^2.

One thread. Both take turns and the best processor time of some repeats counts. A fitted exponent is
the slope of log time over log n.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.kernels import fixed_size
from microagg.kernels.records import KEEPERS

Floats = NDArray[np.float64]
SCANNED = 100_000
"""The most records that are scanned; more are extrapolated."""

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"
PICTURE = Path(__file__).parents[2] / "docs" / "img" / "speed.png"
START, END = "<!-- index: begin -->", "<!-- index: end -->"
BARS = {
    (100_000, 2): 10,
    (100_000, 4): 8,
    (100_000, 10): 4,
    (1_000_000, 4): 50,
    (1_000_000, 10): 12,
}


@dataclass(frozen=True)
class Row:
    """One data set, both ways."""

    what: str
    n: int
    d: int
    k: int
    tree: float
    brute: float
    extrapolated: bool
    same: bool | None

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
    parser = argparse.ArgumentParser(description="Measure MDAV on the tree against scans.")
    parser.add_argument("--repeats", type=int, default=3, help="how many rounds; the best counts")
    parser.add_argument("--records", default="10000,31623,100000,1000000", help="how many records")
    parser.add_argument("--columns", default="2,4,10,20", help="numbers of columns")
    parser.add_argument("--k", default="3,10", help="group sizes")
    parser.add_argument("--others", choices=["yes", "no"], default="yes", help="clusters and files")
    parser.add_argument("--save", type=Path, help="add what was measured to this file")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md too")
    parser.add_argument("--page", type=Path, nargs="+", help="only write, from what was saved")
    options = parser.parse_args()
    rows = saved(options.page) if options.page else list(measured(options))
    lines = list(exponents(rows))
    print("\n".join(lines))
    if options.write or options.page:
        write(rows, lines)


def saved(files: list[Path]) -> list[Row]:
    """Return what earlier runs have kept, normal data first."""
    rows = [Row(**json.loads(line)) for file in files for line in file.read_text().splitlines()]
    return sorted(rows, key=lambda r: (r.what != "normal", r.what, r.k, r.d, r.n))


def measured(options: argparse.Namespace) -> Iterator[Row]:
    """Measure what is asked for; each row is printed and kept at once."""
    sizes, columns, ks = (
        [int(word) for word in words.split(",")]
        for words in (options.records, options.columns, options.k)
    )
    for kind in KEEPERS:  # compiles
        run(kind, _scaled(np.random.default_rng(0).normal(size=(100, 2))), 3)
    rows: list[Row] = []
    for what, X in data_sets(sizes, columns, others=options.others == "yes"):
        for k in ks:
            rows.append(measure(what, X, k, options.repeats, rows))
            print("  ".join(f"{cell:<14}" for cell in rows[-1].cells()), flush=True)
            if options.save:
                with options.save.open("a") as file:
                    file.write(json.dumps(asdict(rows[-1])) + "\n")
            yield rows[-1]


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


def measure(what: str, columns: Floats, k: int, repeats: int, before: list[Row]) -> Row:
    """Group on the tree and by scans in turns."""
    d, n = columns.shape
    best: dict[str, float] = {"tree": math.inf, "brute": math.inf}
    labels: dict[str, Any] = {}
    kinds = ["tree", "brute"] if n <= SCANNED else ["tree"]
    for _ in range(repeats if n <= SCANNED else 1):
        for kind in kinds:
            took, labels[kind] = run(kind, columns, k)
            best[kind] = min(best[kind], took)
    if n <= SCANNED:
        same = bool(np.array_equal(labels["tree"], labels["brute"]))
        return Row(what, n, d, k, best["tree"], best["brute"], False, same)
    known = [r for r in before if (r.what, r.d, r.k, r.n) == (what, d, k, SCANNED)]
    brute = known[-1].brute * (n / SCANNED) ** 2 if known else math.nan
    return Row(what, n, d, k, best["tree"], brute, True, None)


def run(kind: str, columns: Floats, k: int) -> tuple[float, Any]:
    """Return the processor time of MDAV, the index included, and the labels."""
    start = time.process_time()
    ticker = np.zeros(2, dtype=np.int64)
    labels = fixed_size.centroid_seeded(KEEPERS[kind](columns), columns, k, True, 0, 0, ticker)
    return time.process_time() - start, labels


def exponents(rows: list[Row]) -> Iterator[str]:
    """Yield the fitted growth for each number of columns and each k."""
    for d, k in sorted({(r.d, r.k) for r in rows if r.what == "normal"}):
        chosen = [r for r in rows if (r.what, r.d, r.k) == ("normal", d, k)]
        if len({r.n for r in chosen if not r.extrapolated}) < 2:
            continue  # one size has no slope
        n = np.log([r.n for r in chosen])
        tree = np.polyfit(n, np.log([r.tree for r in chosen]), 1)[0]
        scanned = [r for r in chosen if not r.extrapolated]
        brute = np.polyfit(np.log([r.n for r in scanned]), np.log([r.brute for r in scanned]), 1)[0]
        yield f"d={d}, k={k}: time grows as n^{tree:.2f} on the tree, n^{brute:.2f} by scans"


def write(rows: list[Row], lines: list[str]) -> None:
    """Put the table into the page, between its two marks, and draw the picture."""
    table = ["| data | size | k | tree faster | same labels | bar |", "| --- " * 6 + "|"]
    table += ["| " + " | ".join(row.cells()) + " |" for row in rows]
    text = PAGE.read_text(encoding="utf-8")
    head, tail = text.split(START)[0], text.split(END)[1]
    middle = "\n".join([START, "", *table, "", *(f"- {line}" for line in lines), "", END])
    PAGE.write_text(head + middle + tail, encoding="utf-8")
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
    axes.set_title("Solid: on the tree. Dotted: by scans (above 100,000 extrapolated)", fontsize=9)
    axes.legend(frameon=False)
    figure.savefig(PICTURE, dpi=110)


if __name__ == "__main__":
    main()
