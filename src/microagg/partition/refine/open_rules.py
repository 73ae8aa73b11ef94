"""What the paper of 2018 leaves open is tried in turn, and the best result is kept.

Khomnotai et al. 2018 do not say in which order groups are decomposed. Their text and their
algorithm 3 also differ about the records that remain when a large group is split. The text
continues "until k or fewer are left" and adds these to any near groups, which can undo the split;
forming a last group of k of them cannot. Each choice is better on some data, so up to `MOST`
records all six combinations are run and the one with the least error is kept; above that, only the
first.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from microagg.partition.sum_of_squares import error_of
from microagg.typing import Labels

RULES = tuple(product(("number", "reverse", "error"), ("cbfs", "scatter")))
"""Pairs of an order of `kernels.decompose` and a split of `kernels.split`."""

MOST = 20_000
"""The maximum number of records for which all pairs are tried."""

LESS = 1 - 1e-12
"""Smaller changes of the error are attributed to rounding."""

Refine = Callable[[str, str], Labels]


def best_of_open_rules(
    columns: NDArray[np.float64], refine: Refine, stopped: Callable[[], bool]
) -> Labels:
    """Return the labels of least error that `refine(order, split)` gives; the first of equals."""
    best = refine(*RULES[0])
    least = error_of(columns, best)
    for rules in RULES[1:] if columns.shape[1] <= MOST else ():
        if stopped():
            break
        labels = refine(*rules)
        error = error_of(columns, labels)
        if error < least * LESS:
            best, least = labels, error
    return best
