"""How much tables of counts change, for every one, two and three columns of categories.

The thesis counts differences and divides by the number of cells, which mostly empty cells make
small. Ours is the share of records that would have to change cells: 0 when all tables are kept.
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
    "Change of tables of counts",
    kind="loss",
    summary="the mean share of records that would have to change cells to restore the tables of "
    "counts of up to three columns of categories",
    formula="100 mean over tables T of Σ_cells |T - T'| / (2n)",
    source="Domingo-Ferrer and Torra 2001; Fayyoumi 2008, section 2.4.2 (contingency tables)",
    counts="categories",
    any_order=True,
    sums=True,
    share_of_records=True,
)
def contingency(pair: Pair) -> float:
    """Return the change of all tables in percent."""
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
