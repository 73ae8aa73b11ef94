"""The change of contingency tables of one, two and three categorical columns.

The thesis divides the differences of counts by the number of cells, which mostly empty cells make
small. microagg uses the share of records that would have to change cells: 0 if all tables are preserved.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from microagg.measure.pair import Category, Pair
from microagg.measure.registry import NotApplicable, measure

LARGEST_TABLE = 3
MOST_TABLES = 5000


@measure(
    "contingency",
    "Change of contingency tables",
    kind="loss",
    summary="the mean share of records that would have to change cells to restore the contingency "
    "tables of up to three categorical columns",
    formula="100 mean over tables T of Σ_cells |T - T'| / (2n)",
    source="Domingo-Ferrer and Torra 2001; Fayyoumi 2008, section 2.4.2 (contingency tables)",
    counts="categories",
    any_order=True,
    sums=True,
    share_of_records=True,
)
def contingency(pair: Pair) -> float:
    """Return the mean change of the tables in percent."""
    columns = list(pair.categories.values())
    tables = [c for size in range(1, LARGEST_TABLE + 1) for c in combinations(columns, size)]
    if len(tables) > MOST_TABLES:
        raise NotApplicable(f"{len(tables):,} tables of up to three columns are too many")
    return float(100 * np.mean([_moved(table, pair) for table in tables]))


def _moved(table: tuple[Category, ...], pair: Pair) -> float:
    cells = np.zeros(2 * pair.n, dtype=np.int64)
    for column in table:
        codes = np.concatenate([column.original, column.released])
        cells = np.unique(cells * column.size + codes, return_inverse=True)[1]
    count = int(cells.max()) + 1
    before, after = (pair.counts(half, count) for half in np.split(cells, 2))
    return float(np.abs(before - after).sum() / (2 * before.sum()))
