"""Counts of confidential values within the classes of equal released keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from microagg.measure.pair import Pair
from microagg.measure.registry import NotApplicable
from microagg.typing import Codes


@dataclass(frozen=True)
class Counts:
    """The number of occurrences of each confidential value in each class.

    `everywhere` is how often each value occurs among all records, where these classes are a part of
    them. `classes` and `values` name the class and the value of each count, sorted by both; `starts` says
    where each class begins; `sizes` is the number of records of each class.
    """

    classes: Codes
    values: Codes
    counts: Codes
    starts: Codes
    sizes: Codes
    ordered: bool
    everywhere: Codes | None = None

    @property
    def alike(self) -> int:
        """The number of records in classes that share a single value."""
        width = np.diff(self.starts, append=self.classes.size)
        return int(self.sizes[width == 1].sum())


def confidential_counts(pair: Pair) -> Iterator[Counts]:
    """Return the counts of each confidential column of a pair, or raise if there is none."""
    if not pair.confidential:
        raise NotApplicable("no confidential column is named")
    return counts_within(pair.released_classes, pair.confidential.values())


def counts_within(numbers: Codes, columns: Iterable[tuple[Codes, bool]]) -> Iterator[Counts]:
    """Yield the counts of each column of codes, whose order may be meaningful."""
    sizes = np.bincount(numbers)
    for codes, ordered in columns:
        width = int(codes.max()) + 1
        pairs, counts = np.unique(numbers * width + codes, return_counts=True)
        classes = pairs // width
        starts = np.flatnonzero(np.diff(classes, prepend=-1))
        yield Counts(classes, pairs % width, counts, starts, sizes, ordered)
