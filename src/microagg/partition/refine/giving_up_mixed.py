"""Decompose and its variants on mixed records: one kernel, judged by the loss that is reported."""

from __future__ import annotations

import numpy as np

from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Labels
from microagg.prepare.objective import objective_arrays
from microagg.prepare.records import Records

kernels = lazy("microagg.kernels.mixed.decompose")
mixed_records = lazy("microagg.kernels.mixed.records")
objectives = lazy("microagg.kernels.mixed.objective")

NEAR_MIXED = 16
"""Near groups on mixed records, where many groups are equally near."""


def give_up_mixed(
    records: Records, labels: Labels, k: int, context: Context, *, order: str, shrinks: bool
) -> Labels:
    """Dissolve groups in an order of `kernels.mixed.decompose`, and shrink them if asked to."""
    refined: Labels = context.run(
        "Decomposing",
        int(labels.max()) + 1,
        kernels.refine_mixed_by_giving_up,
        mixed_records.Mixture(**records.arrays()),
        objectives.Objective(**objective_arrays(records)),
        labels.astype(np.int64),
        k,
        kernels.ORDERS[order],
        shrinks,
        NEAR_MIXED,
        keep=True,
    )
    return refined
