"""The share of records with a unique combination of keys, before and after protection."""

from __future__ import annotations

import numpy as np

from microagg.measure.pair import Pair
from microagg.measure.registry import measure
from microagg.typing import Codes

_SOURCE = "Fayyoumi 2008, section 2.4.1 (uniqueness)"
_FORMULA = "100/n times the number of combinations that exactly one {} record has"


@measure(
    "uniqueness-before",
    "Unique records before protection",
    kind="risk",
    summary="the share of original records that are unique on the quasi-identifiers",
    formula=_FORMULA.format("original"),
    source=_SOURCE,
    any_order=True,
    compares_values=False,
    sums=True,
)
def uniqueness_before(pair: Pair) -> float:
    """Return the percentage of unique original records; a missing value is a value like any other."""
    return _unique(pair.original_classes)


@measure(
    "uniqueness-after",
    "Unique records after protection",
    kind="risk",
    summary="the share of released records that are unique on the quasi-identifiers",
    formula=_FORMULA.format("released"),
    source=_SOURCE,
    any_order=True,
    compares_values=False,
    sums=True,
)
def uniqueness_after(pair: Pair) -> float:
    """Return the percentage of unique released records; a missing value is a value like any other."""
    return _unique(pair.released_classes)


@measure(
    "uniques-released",
    "Combinations unique in both files",
    kind="risk",
    summary="the share of records whose combination of quasi-identifiers is unique in the original and in "
    "the release",
    formula="100/n times the number of combinations that exactly one original and one released record "
    "have; rows need not be matched",
    source="microagg",
    any_order=True,
    compares_values=False,
    sums=True,
)
def uniques_released(pair: Pair) -> float:
    """Return the number of combinations that are unique in both files, in percent of the records."""
    before, after = pair.joint_classes
    size = int(max(before.max(), after.max())) + 1
    alone = (np.bincount(before, minlength=size) == 1) & (np.bincount(after, minlength=size) == 1)
    return float(100 * np.count_nonzero(alone) / pair.n)


def _unique(classes: Codes) -> float:
    return float(100 * np.count_nonzero(np.bincount(classes) == 1) / classes.size)
