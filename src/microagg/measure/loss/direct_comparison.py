"""How far categories moved, record by record."""

from __future__ import annotations

import numpy as np

from microagg.measure.pair import Category, Pair
from microagg.measure.registry import NotApplicable, measure


@measure(
    "categories-changed",
    kind="loss",
    summary="the mean distance of released categories to the original ones: 0 or 1 for nominal "
    "columns, steps between categories over all steps for ordinal ones",
    formula="100/(nc) Σ_ij d(x_ij, x'_ij), d = [x ≠ x'] or |rank x - rank x'| / (categories - 1)",
    source="Domingo-Ferrer and Torra 2001; Fayyoumi 2008, section 2.4.2 (direct comparison)",
    good=10.0,
    poor=40.0,
)
def categories_changed(pair: Pair) -> float:
    """Return the mean distance between categories in percent."""
    require_categories(pair)
    return float(100 * np.mean([_distance(column) for column in pair.categories.values()]))


def _distance(column: Category) -> float:
    if column.ordinal:
        steps = np.abs(column.original - column.released)
        return float(steps.mean() / max(column.size - 1, 1))
    return float(np.mean(column.original != column.released))


def require_categories(pair: Pair) -> None:
    """Say that there is no answer when all keys hold numbers."""
    if not pair.categories:
        raise NotApplicable("no key column holds categories")
