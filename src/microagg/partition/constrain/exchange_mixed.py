"""Exchange mixed records of the same class as long as that reduces the reported loss.

A class is a combination of confidential values and the unit. Every group keeps its size and its number of
records of each class, so no limit can be violated.
"""

from __future__ import annotations

import numpy as np

from microagg.context import Context
from microagg.partition.refine.mixed_records import refine_mixed
from microagg.prepare.records import Records
from microagg.typing import Codes, Labels

LARGEST = 10
"""Groups of more than LARGEST times k records do not change: all groups get the memory of the largest."""


def exchanged(records: Records, labels: Labels, classes: Codes, k: int, context: Context) -> Labels:
    """Return the labels of the groups after exchanges that reduce the loss."""
    small = np.bincount(labels)[labels] <= LARGEST * k
    rows = np.flatnonzero(small)
    own, start = np.unique(labels[rows], return_inverse=True)
    if own.size < 2 or np.bincount(classes[rows]).max() == 1:
        return labels
    some = records if rows.size == records.n else records.subset(rows)
    numbers = refine_mixed(
        some,
        start.astype(np.int32),
        k,
        context,
        title="Reducing the loss",
        exchanges=True,
        classes=classes[rows],
    )
    new = labels.copy()
    new[rows] = own[numbers]
    return new
