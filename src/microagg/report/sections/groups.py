"""The groups: their sizes, and a plot of their records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from microagg.measure.pair import Pair, standardised
from microagg.report.audience import Audience
from microagg.report.charts import groups as charts
from microagg.report.content import Content, Figure, Figures, Paragraph
from microagg.report.section import section

MOST_LINES = 700
MOST_SIZES = 16


@section("The groups", place=80)
def groups(pair: Pair, reader: Audience) -> Iterator[Content]:
    """Yield the numbers of records with equal values; charts only for the internal audience."""
    by_size = sorted(pair.anonymity.class_sizes.items())
    sizes = np.repeat([s for s, _ in by_size], [c for _, c in by_size])
    classes = pair.anonymity.n_classes
    yield Paragraph(
        f"The release contains {classes:,} distinct combination{'' if classes == 1 else 's'} of "
        f"quasi-identifiers. The rarest occurs in {counted(pair.anonymity.k)}, and the median one in "
        f"{counted(int(np.median(sizes)))}."
    )
    if reader.inside:
        caption = (
            "The number of classes of each size. A class is a set of released records with the same "
            "quasi-identifiers."
        )
        pictures = (Figure(charts.sizes(binned(by_size)), caption), _cloud(pair))
        yield Figures([picture for picture in pictures if picture is not None])


def binned(by_size: Sequence[tuple[int, int]]) -> list[tuple[str, int]]:
    """Return counts by size, individually or, if there are many sizes, by growing ranges.

    Examples
    --------
    >>> binned([(3, 40), (5, 2)])
    [('3', 40), ('4', 0), ('5', 2)]
    >>> binned([(3, 40), (8, 2), (70, 1)])
    [('3-4', 40), ('5-9', 2), ('10-19', 0), ('20-49', 0), ('50-99', 1)]
    """
    first, last = by_size[0][0], by_size[-1][0]
    starts = list(range(first, last + 2))
    if last - first >= MOST_SIZES:
        steps = (m * 10**e for e in range(len(str(last)) + 1) for m in (1, 2, 5))
        starts = [first, *(step for step in steps if step > first)]
        starts = starts[: 1 + sum(start <= last for start in starts)]
    counts = np.zeros(len(starts) - 1, dtype=np.int64)
    for size, count in by_size:
        counts[np.searchsorted(starts, size, "right") - 1] += count
    ends = [start - 1 for start in starts[1:]]
    labels = [f"{a:,}" if a == b else f"{a:,}-{b:,}" for a, b in zip(starts, ends, strict=False)]
    return list(zip(labels, counts.tolist(), strict=True))


def counted(records: int) -> str:
    """Return a number of records in words.

    Examples
    --------
    >>> counted(1), counted(1200)
    ('1 record', '1,200 records')
    """
    return f"{records:,} record{'' if records == 1 else 's'}"


def _cloud(pair: Pair) -> Figure | None:
    """Return records and their representatives on the first two principal components."""
    if len(pair.names) < 2:
        return None
    before, after = (standardised(v, pair.original) for v in (pair.original, pair.released))
    complete = ~(np.isnan(before) | np.isnan(after)).any(axis=0)
    rows = _whole_groups(pair.released_classes[complete])
    before, after = before[:, complete], after[:, complete]
    if before.shape[1] < 3:
        return None
    vectors = np.linalg.eigh(np.cov(before))[1][:, ::-1][:, :2]
    ends = np.vstack([vectors.T @ before[:, rows], vectors.T @ after[:, rows]])
    lines = [(float(a), float(b), float(c), float(d)) for a, b, c, d in ends.T]
    n = pair.sample_of or pair.n
    share = "" if rows.size == n else f" The chart shows {rows.size:,} of {n:,} records."
    return Figure(
        charts.cloud(lines), f"Dots are records, and squares are their representatives.{share}"
    )


def _whole_groups(classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows of evenly spaced groups, as many as a chart can show."""
    count = np.unique(classes).size
    wanted = max(1, round(count * min(1.0, MOST_LINES / classes.size)))
    numbers = np.unique(classes, return_inverse=True)[1]
    chosen = np.zeros(count, dtype=bool)
    chosen[np.linspace(0, count - 1, wanted).round().astype(np.int64)] = True
    return np.flatnonzero(chosen[numbers])
