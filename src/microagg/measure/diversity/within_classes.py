"""Counts of confidential values within the classes of equal released keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from microagg.measure.pair import Codes, Pair
from microagg.measure.registry import NotApplicable

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Counts:
    """How often each confidential value occurs in each class, where it does.

    `classes` and `values` name the class and the value of each count, sorted by both; `starts` says
    where each class begins; `sizes` is the number of records of each class.
    """

    classes: Codes
    values: Codes
    counts: Codes
    starts: Codes
    sizes: Codes
    ordered: bool


def confidential_counts(pair: Pair) -> Iterator[Counts]:
    """Yield the counts of each confidential column, or say that there is none."""
    if not pair.confidential:
        raise NotApplicable("no confidential column is named")
    for codes, ordered in pair.confidential.values():
        width = int(codes.max()) + 1
        pairs, counts = np.unique(pair.released_classes * width + codes, return_counts=True)
        classes = pairs // width
        starts = np.flatnonzero(np.diff(classes, prepend=-1))
        sizes = np.bincount(pair.released_classes)
        yield Counts(classes, pairs % width, counts, starts, sizes, ordered)
