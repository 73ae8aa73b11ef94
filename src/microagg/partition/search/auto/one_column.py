"""Records of which only one column varies: their optimal groups take no longer than sorting."""

from __future__ import annotations

import numpy as np

from microagg.budget import Stop
from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.bounds.gap import safe
from microagg.partition.grouping import Facts, Labels
from microagg.partition.rules.along_axis import ranked_rows
from microagg.partition.sum_of_squares import error_of
from microagg.prepare.prepared import Prepared
from microagg.typing import Codes

kernels = lazy("microagg.kernels.line.optimal_1d")

OPTIMAL = "optimal-1d"


def only_column_that_varies(prepared: Prepared) -> Prepared | None:
    """Return the records with the one column that varies; None if several or none do.

    Examples
    --------
    >>> matrix = np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0]])
    >>> records = Prepared(matrix, ("a", "b"), np.zeros(2), np.ones(2))
    >>> only_column_that_varies(records).names
    ('a',)
    """
    varying = [j for j, column in enumerate(prepared.columns) if np.any(column != column[0])]
    if len(varying) != 1:
        return None
    return prepared if prepared.d == 1 else prepared.only([prepared.names[varying[0]]])


def optimal_at_once(line: Prepared, codes: Codes, k: int, context: Context) -> Labels:
    """Return the optimal groups of many strata; `codes` numbers these from 0 without a gap."""
    by_value = ranked_rows(line.columns[0])
    order = by_value[np.argsort(codes[by_value], kind="stable")]
    bounds = np.concatenate(([0], np.cumsum(np.bincount(codes))))
    labels = np.empty(line.n, dtype=np.int32)
    labels[order] = context.run(
        "Grouping", line.n, kernels.optimal_1d_parts, line.columns[0][order], bounds, k
    )
    return labels


def optimal_facts(line: Prepared, labels: Labels) -> Facts:
    """Return the facts about optimal groups: what they lose is a bound for all groups."""
    lost, total = (error_of(line.columns, each) for each in (labels, np.zeros_like(labels)))
    bound = safe(lost)
    percent = 100 * bound / total if total else 0.0
    return Facts(chosen=OPTIMAL, stopped=Stop.PROVED, lower_bound=percent, lower_bound_sse=bound)
