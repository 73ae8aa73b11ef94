"""The distance between original and released categories, record by record."""

from __future__ import annotations

import numpy as np

from microagg.measure.pair import Category, Pair
from microagg.measure.registry import measure
from microagg.typing import Floats


@measure(
    "categories-changed",
    "Change of categories",
    kind="loss",
    summary="the mean distance of released categories from the original ones: 0 or 1 for nominal "
    "columns, steps between categories over all steps for ordinal ones",
    formula="100/(nc) Σ_ij d(x_ij, x'_ij), d = [x ≠ x'] or |rank x - rank x'| / (categories - 1)",
    source="Domingo-Ferrer and Torra 2001; Fayyoumi 2008, section 2.4.2 (direct comparison)",
    counts="categories",
    sums=True,
    share_of_records=True,
)
def categories_changed(pair: Pair) -> float:
    """Return the mean distance between categories in percent."""
    return 100 * pair.mean(np.stack([_distances(column) for column in pair.categories.values()]))


def _distances(column: Category) -> Floats:
    """Return the distance of each record, which is largest if the value is missing in one file only."""
    differ: Floats = (column.original != column.released).astype(np.float64)
    if not column.ordinal:
        return differ
    blank = (column.original == column.blank) | (column.released == column.blank)
    last = column.size - (column.blank >= 0) - 1
    steps = np.abs(column.original - column.released) / max(last, 1)
    return np.where(blank, differ, steps)
