"""Mixed records of every kind, and the least that any groups of them can lose, by brute force.

The loss of a group is computed here from the definition: each column with the representative that loses
least of all, or with the one that is released. Neither uses the code of a search or of a bound.
"""

import numpy as np

from microagg.prepare.column import Column
from microagg.prepare.records import prepare_records


def records_of_all_kinds(rng, n):
    """Return records of few values, so that there are ties, with weights and distances of all kinds."""
    columns = [
        Column("a", "continuous", rng.integers(0, 4, n) * rng.choice([1.0, 7.0])),
        Column("b", "continuous", np.round(rng.normal(size=n), int(rng.integers(0, 3)))),
        Column("c", "ordinal", rng.integers(0, 3, n).astype(float), tuple("abc")),
        _nominal(rng, n, "d", int(rng.integers(2, 6)), None),
        _nominal(rng, n, "e", int(rng.integers(2, 5)), _table),
        _nominal(rng, n, "f", int(rng.integers(2, 5)), _levels),
        Column("g", "nominal", np.zeros(n), ("a", "b")),
    ]
    chosen = [columns[j] for j in rng.permutation(len(columns))[: rng.integers(1, 5)]]
    names = [column.name for column in chosen]
    return prepare_records(
        chosen,
        gower=bool(rng.integers(2)),
        scale=str(rng.choice(["zscore", "range", "none"])),
        weights=np.full(n, float(rng.choice([1.0, 1.0, 0.5, 3.0]))),
        column_weights={name: float(rng.choice([0.5, 1.0, 1.0, 3.0])) for name in names},
    )


def _nominal(rng, n, name, m, distances):
    values = rng.integers(0, m, n).astype(float)
    table = None if distances is None else distances(rng, m)
    return Column(name, "nominal", values, tuple("abcde"[:m]), table)


def _table(rng, m):
    """Return distances that seldom obey the triangle inequality."""
    table = np.triu(rng.integers(1, 9, (m, m)).astype(float), 1)
    return table + table.T


def _levels(rng, m):
    """Return the levels of a hierarchy at which two categories agree."""
    different = np.bitwise_xor.outer(np.arange(m), np.arange(m))
    return np.maximum(np.floor(np.log2(different + 0.5)) + 1.0, 0.0)


def least_loss(records, k, released):
    """Return the least loss of any partition into groups of at least k records.

    With `released`, the representatives are those of a release, and of several modes the one that loses
    least. Otherwise they are the values that lose least.
    """
    n = records.n
    sets = np.arange(1 << n)
    members = (sets[:, None] >> np.arange(n)) & 1
    sizes = members.sum(axis=1)
    losses = _losses(records, members, released)
    best = np.full(1 << n, np.inf)
    best[0] = 0.0
    for rows in sets[1:]:
        first = rows & -rows
        part = rows
        while part:
            if part & first and sizes[part] >= k and best[rows ^ part] < np.inf:
                best[rows] = min(best[rows], losses[part] + best[rows ^ part])
            part = (part - 1) & rows
    return float(best[-1])


def _losses(records, members, released):
    """Return what each set of records loses as a group."""
    total = np.zeros(len(members))
    for column, measure in zip(records.columns, records.measures, strict=True):
        if column.nominal:
            total += _lost_categories(column, measure, members, released)
        else:
            values = (column.values - measure.center) / measure.scale
            total += _lost_numbers(values, members, records.gower, column.kind, released)
    return total * records.weights[0]


def _lost_categories(column, measure, members, released):
    codes, m = column.values.astype(int), len(column.labels)
    table = measure.strength * (1.0 - np.eye(m)) if measure.table is None else measure.table
    counts = members @ np.eye(m)[codes]
    lost = counts @ table
    if released:
        lost = np.where(counts == counts.max(axis=1, keepdims=True), lost, np.inf)
    return lost.min(axis=1)


def _lost_numbers(values, members, gower, kind, released):
    sizes = np.maximum(members.sum(axis=1), 1)
    means = members @ values / sizes
    medians = np.array([_lower_median(values[row == 1]) for row in members])
    by_median = kind != "continuous" if released else gower
    middles = medians if by_median else means
    gaps = values[None, :] - middles[:, None]
    return np.sum(members * (np.abs(gaps) if gower else gaps**2), axis=1)


def _lower_median(values):
    return np.sort(values)[(values.size - 1) // 2] if values.size else 0.0
