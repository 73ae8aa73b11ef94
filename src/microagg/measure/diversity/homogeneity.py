"""Homogeneity: records whose confidential value is shared by their whole group.

If all records of an equivalence class share a confidential value, anyone who finds a person's class
learns the value. The worst class alone says little about a file of thousands of records, so this counts
the records.
"""

from __future__ import annotations

import numpy as np

from microagg.measure.pair import Pair
from microagg.measure.registry import NotApplicable, measure
from microagg.typing import Codes


def homogeneous(classes: Codes, values: Codes) -> int:
    """Return the number of records in classes that share a single value.

    Examples
    --------
    >>> homogeneous(np.array([0, 0, 1, 1, 1]), np.array([7, 7, 7, 8, 7]))
    2
    """
    low = np.full(int(classes.max()) + 1, np.iinfo(np.int64).max)
    high = np.full(low.size, np.iinfo(np.int64).min)
    np.minimum.at(low, classes, values)
    np.maximum.at(high, classes, values)
    return int(np.count_nonzero((low == high)[classes]))


@measure(
    "homogeneity",
    "Records whose group shares a confidential value",
    kind="anonymity",
    summary="the share of records in groups whose records all have the same value of a confidential "
    "column, for the column with the most such records",
    formula="100 / n x the records of classes with one value, max over confidential columns",
    source="Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam 2007 (homogeneity attack)",
    any_order=True,
    compares_values=False,
    sums=True,
)
def homogeneity(pair: Pair) -> float:
    """Return the share for the worst column, in percent."""
    if not pair.confidential:
        raise NotApplicable("no confidential column is named")
    counts = pair.homogeneous or {
        name: homogeneous(pair.released_classes, codes)
        for name, (codes, _) in pair.confidential.items()
    }
    return 100 * max(counts.values()) / pair.n
