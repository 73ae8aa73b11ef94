"""The picture of proven gaps over k: what version 0.1 proved, and what is proved now.

python -m benchmarks.quality.gaps

`bounds-0.1.csv` has the lowest losses and the bounds of version 0.1 as its quality page printed them.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from benchmarks.quality.check_labels import LABELS, stated
from benchmarks.quality.runs import DATA, Result, read_results

PICTURE = Path(__file__).parents[2] / "docs" / "img" / "gaps.png"
EARLIER = Path(__file__).with_name("bounds-0.1.csv")
RESULTS = Path(__file__).with_name("results.jsonl")

Gaps = dict[tuple[str, int], float]


def main() -> None:
    """Draw the picture from the results that are kept."""
    draw(earlier_gaps(), gaps_of(read_results([RESULTS]), stated(LABELS)))


def earlier_gaps() -> Gaps:
    """Return the gaps of version 0.1 in percent, where it had a bound."""
    with EARLIER.open(encoding="utf-8", newline="") as lines:
        return {
            (row["data"], int(row["k"])): 100 * (1 - float(row["bound"]) / float(row["lowest"]))
            for row in csv.DictReader(lines)
        }


def gaps_of(results: Iterable[Result], lowest: dict[tuple[str, int], float]) -> Gaps:
    """Return the gap in percent between the highest bound of a cell and its lowest loss."""
    bounds: Gaps = defaultdict(float)
    for result in results:
        cell = result.run.data, result.run.k
        bounds[cell] = max(bounds[cell], result.bound or 0.0)
    return {cell: 100 * (1 - bounds[cell] / lost) for cell, lost in lowest.items() if bounds[cell]}


def draw(before: Gaps, now: Gaps, path: Path = PICTURE) -> None:
    """Draw one panel for each set of data."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 3, figsize=(9.6, 3.6), sharey=True, layout="constrained")
    for data, axes in zip(DATA, panels, strict=True):
        for gaps, style, label in ((before, "x:", "0.1"), (now, "o-", "now")):
            cells = sorted((k, gap) for (name, k), gap in gaps.items() if name == data)
            axes.loglog([k for k, _ in cells], [gap for _, gap in cells], style, label=label)
        axes.set_title(data, fontsize=10)
        axes.set_xlabel("k")
        axes.set_xticks([3, 5, 10, 20, 50], ["3", "5", "10", "20", "50"])
        axes.minorticks_off()
    panels[0].set_yticks(
        [0.03, 0.1, 0.3, 1, 3, 10, 30], ["0.03", "0.1", "0.3", "1", "3", "10", "30"]
    )
    panels[0].set_ylabel("proven gap in percent")
    panels[0].legend(frameon=False)
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)


if __name__ == "__main__":
    main()
