"""Write the quality page and the label files from the results of the runs."""

from __future__ import annotations

import csv
import gzip
import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality.check_labels import LABELS, loss, read_labels, scaled, stated
from benchmarks.quality.gaps import Gaps, gaps_of
from benchmarks.quality.runs import DATA, Result, best_seconds
from benchmarks.reproduce.figures import BEST_KNOWN
from microagg.partition.bounds.proven import rounded_down, rounded_up

PAGE = Path(__file__).parents[2] / "docs" / "quality.md"

LIMITS = (1.0, 10.0, 60.0)
"""Seconds of `lns` that the page shows."""

Cell = tuple[str, int]

HEAD = """\
# Quality

How close are the losses of microagg to the smallest possible loss? The table compares them with the
lowest published losses and with proven lower bounds, for three benchmark files and k from 3 to 50.

- **Published losses**: {published}
- **Smallest possible loss**: {possible}
  A gap of 1 % means that no grouping can lower the loss by more than a hundredth of its value.
- **Time**: in one second, `lns` removes most of the difference between MDAV and the lowest loss.

## How to read the table

Losses are in percent; lower is better.

- **published** is the lowest published loss, or the loss of published groups.
- **below** is the share by which the median of `best` is below the published loss.
- **lowest** is the lowest loss of all runs. Its groups are in `benchmarks/quality/labels`.
- **bound** is a proven lower bound: no partition into groups of at least k records loses less.
- **gap** is the largest possible improvement, as a share of *lowest*.
- **proved by** is the run that proved the bound, and its time. GPU is the semidefinite relaxation on one
  H200 GPU that two to four runs shared. A certificate is column generation with more cuts. Its prices and
  cuts are kept, and can be [checked](optimal.md#certificates-of-bounds) with NumPy alone. A search is
  branch and bound over all groups that a better partition [can contain](optimal.md#branch-and-bound).

One proof is not in the table: by an integer program, the *lowest* loss of Census with k = 3 is
[optimal](optimal.md).

"""

MEASURED = """
## How it was measured

- **Dates**: {dates}.
- **Processors**: each run had its own, {lns_cores} for `lns`, {best_cores} for `best`, and {bound_cores}
  for `bound`. `best` and `bound` ran on two kinds of processors. Some runs of `bound` shared their
  processors with other programs: EIA 3, Tarragona 3 and Tarragona 4 had 89, 27 and 69 s of processor time.
  The certificates of Census 4, Census 5, Tarragona 3 and EIA 5 took 130, 158, 43 and 94 s of processor
  time. The searches of Tarragona 3 and 4 took 64 and 101 s of processor time, after 43 and 90 s for their
  prices, and that of Census 3 took 30 s from its kept prices.
- **Time limits**: `best` had 120 s up to k = 5 and 60 s above. One run with 80 s raised a bound.
  Compilation does not count towards the limits.
- **Seeds**: the losses of `lns` and `best` are medians over seeds. Number of seeds for `lns`: {seeds}.
  Number of seeds for `best`: {best_seeds}.
- **Lowest losses by other means**: integer programs over the groups of the column generation, run
  separately, lowered the losses of Tarragona 5, Census 4 and Census 5. Since then, `best` also
  uses these groups; its column shows earlier runs. Branch and bound in regions of 200 to 500 records
  (`python -m benchmarks.quality.regions`) lowered the losses of Census 4 and 5 further, to the *lowest*.
  An integer program for the groups that lose least (`python -m benchmarks.quality.windows`) lowered the
  loss of Tarragona 5 to the *lowest*. Branch and bound lowered the loss of Tarragona 3.
"""

COLUMNS = (
    "data",
    "k",
    "published",
    "MDAV",
    *(f"`lns` {seconds:g} s" for seconds in LIMITS),
    "`best`",
    "below",
    "lowest",
    "bound",
    "gap",
    "proved by",
)

GPU = "semidefinite"
"""The method of runs of the semidefinite relaxation on a GPU."""

CERTIFICATE = "certificate"
"""The method of bounds whose prices and cuts are kept in this folder."""

SEARCH = "search"
"""The method of bounds by branch and bound."""

TINY = 0.001
"""A gap in percent below which the page states only that it is below."""

TAIL = """
![the proven gap over k for each data set, in version 0.1 and now](img/gaps.png)

The picture shows the *gap* of the table, and that of version 0.1 where it had a bound. Both axes are
logarithmic.
"""


REPEAT = """
## Repeat the measurement

`python benchmarks/quality/check_labels.py FOLDER` recomputes every *lowest* from the labels and the
data in a folder, and needs only NumPy. `python -m benchmarks.quality.table` repeats the runs, and
`python -m benchmarks.quality.table --write` updates this page and the picture. The bounds of the GPU come
from `python -m benchmarks.quality.gpu_bounds`, which can also prove them without a GPU.
"""


def write_page(results: list[Result]) -> None:
    """Write the labels of the best groups of each cell, their losses, and the page."""
    by_cell: dict[Cell, list[Result]] = defaultdict(list)
    for result in results:
        by_cell[result.run.data, result.run.k].append(result)
    cells = sorted(by_cell, key=lambda cell: (DATA.index(cell[0]), cell[1]))
    lowest = _write_labels({cell: by_cell[cell] for cell in cells})
    published = best_published()
    rows = [_line(COLUMNS), _line(["---", *["---:"] * (len(COLUMNS) - 1)])]
    rows += [_row(cell, published.get(cell), by_cell[cell], lowest.get(cell)) for cell in cells]
    head = HEAD.format(
        published=_beside_published(by_cell, published),
        possible=_widest_gaps(gaps_of(results, lowest)),
    )
    text = [head, *rows, TAIL, _measured(results), REPEAT]
    PAGE.write_text("".join(text), encoding="utf-8")


def best_published() -> dict[Cell, float]:
    """Return the best published losses."""
    with BEST_KNOWN.open(encoding="utf-8", newline="") as lines:
        return {(row["data"], int(row["k"])): float(row["il"]) for row in csv.DictReader(lines)}


def _write_labels(by_cell: dict[Cell, list[Result]]) -> dict[Cell, float]:
    """Keep the best groups of each cell, of the runs or kept before; returns their losses."""
    LABELS.mkdir(exist_ok=True)
    lowest = stated(LABELS) if (LABELS / "losses.csv").exists() else {}
    folder = Path(os.environ["MICROAGG_DATA"])
    for (data, k), results in by_cell.items():
        Z, file = scaled(folder, data), LABELS / f"{data}-k{k}.csv.gz"
        candidates = [result.groups() for result in results if result.labels]
        if file.exists():
            candidates.insert(0, read_labels(file))
        if candidates:
            labels = min(candidates, key=lambda labels: loss(Z, labels))
            _write(file, labels)
            lowest[data, k] = loss(Z, labels)
    _write_losses(lowest)
    return lowest


def keep_labels(data: str, k: int, labels: NDArray[np.integer[Any]]) -> None:
    """Keep the groups of a cell and their loss, in place of those kept before."""
    Z = scaled(Path(os.environ["MICROAGG_DATA"]), data)
    _write(LABELS / f"{data}-k{k}.csv.gz", labels)
    _write_losses(stated(LABELS) | {(data, k): loss(Z, labels)})


def _write_losses(lowest: dict[Cell, float]) -> None:
    """Write the loss of the best groups of each cell."""
    with (LABELS / "losses.csv").open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(["data", "k", "loss"])
        writer.writerows([data, k, f"{lost:.8f}"] for (data, k), lost in sorted(lowest.items()))


def _write(file: Path, labels: NDArray[np.integer[Any]]) -> None:
    """Write one label a line; the same labels give the same bytes."""
    text = "\n".join(["label", *map(str, labels.tolist())]) + "\n"
    file.write_bytes(gzip.compress(text.encode(), mtime=0))


def _beside_published(by_cell: dict[Cell, list[Result]], published: dict[Cell, float]) -> str:
    """Return in how many cells `best` loses less than what is published, and by how much."""
    medians = {cell: _median(runs, "best", best_seconds(cell[1])) for cell, runs in by_cell.items()}
    shares = [
        100 * (1 - lost / published[cell])
        for cell, lost in medians.items()
        if lost is not None and cell in published
    ]
    if not shares:
        return "`best` was not compared with published losses."
    lower, cases = sum(share > 0 for share in shares), len(shares)
    return (
        "`best` loses less than the best published groups in "
        f"{'all' if lower == cases else f'{lower} of'} {cases} cases, by up to\n  {max(shares):.2f} %."
    )


def _widest_gaps(gaps: Gaps) -> str:
    """Return the widest gap of each set of data."""
    widest: dict[str, float] = defaultdict(float)
    for (data, _), gap in gaps.items():
        widest[data] = max(widest[data], gap)
    if not widest:
        return "no bound was computed."
    texts = [f"{rounded_up(gap, '.2f')} % on `{data}`" for data, gap in sorted(widest.items())]
    return "the proven gap is at most\n  " + ", ".join(texts) + "."


def _measured(results: list[Result]) -> str:
    dates = sorted({result.date for result in results})
    return MEASURED.format(
        dates=dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}",
        lns_cores=_cores(results, "lns"),
        best_cores=_cores(results, "best"),
        bound_cores=_cores(results, "bound"),
        seeds=_seeds(results, "lns"),
        best_seeds=_seeds(results, "best"),
    )


def _cores(results: list[Result], method: str) -> str:
    """Return how many processors a run had."""
    cores = sorted({result.cores for result in results if result.run.method == method})
    return " or ".join(map(str, cores)) or "none"


def _seeds(results: list[Result], method: str) -> str:
    """Return how many seeds the cells have, for each limit in seconds where there are several."""
    counts: dict[float, dict[Cell, int]] = defaultdict(lambda: defaultdict(int))
    for run in (result.run for result in results if result.run.method == method):
        counts[run.seconds][run.data, run.k] += 1
    texts = {seconds: _range(of_cells.values()) for seconds, of_cells in sorted(counts.items())}
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return ", ".join(f"{seeds} with {seconds:g} s" for seconds, seeds in texts.items()) or "0"


def _range(counts: Iterable[int]) -> str:
    few, many = min(counts), max(counts)
    return str(few) if few == many else f"{few} to {many}"


def _row(cell: Cell, published: float | None, results: list[Result], lowest: float | None) -> str:
    best = _median(results, "best", best_seconds(cell[1]))
    below = None if published is None or best is None else 100 * (1 - best / published)
    proofs = [result for result in results if result.bound is not None]
    proof = max(proofs, key=lambda result: result.bound or 0.0, default=None)
    bound = None if proof is None else proof.bound
    gap = None if bound is None or lowest is None else 100 * (1 - bound / lowest)
    losses = [published, _median(results, "mdav", 0.0)]
    losses += [_median(results, "lns", seconds) for seconds in LIMITS]
    shown = [_shown(number) for number in (*losses, best)]
    shown += [_shown(below, ".2f", " %"), _shown(lowest)]
    shown.append("-" if bound is None else rounded_down(bound, ".4f"))
    shown.append("-" if gap is None else _gap_shown(gap))
    shown.append("-" if proof is None else _proved_by(proof))
    return _line([cell[0], str(cell[1]), *shown])


def _gap_shown(gap: float) -> str:
    """Return a gap in percent, rounded up.

    Examples
    --------
    >>> _gap_shown(0.0123), _gap_shown(0.0002)
    ('0.02 %', '< 0.001 %')
    """
    return f"< {TINY} %" if gap < TINY else f"{rounded_up(gap, '.2f')} %"


def _proved_by(proof: Result) -> str:
    """Return the run that proved a bound, and its time.

    Examples
    --------
    >>> _proved_by(Result(Run("eia", 5, "bound", 600.0, 0), None, 0.64, "", 59.6, 1, "", ""))
    '`bound`, 60 s'
    """
    names = {GPU: "GPU", CERTIFICATE: "certificate", SEARCH: "search"}
    name = names.get(proof.run.method, f"`{proof.run.method}`")
    return f"{name}, {proof.wall:.0f} s"


def _line(words: Iterable[str]) -> str:
    return f"| {' | '.join(words)} |\n"


def _median(results: Iterable[Result], method: str, seconds: float) -> float | None:
    losses = [
        result.loss
        for result in results
        if (result.run.method, result.run.seconds) == (method, seconds) and result.loss is not None
    ]
    return median(losses) if losses else None


def _shown(number: float | None, form: str = ".4f", unit: str = "") -> str:
    return "-" if number is None else f"{number:{form}}{unit}"
