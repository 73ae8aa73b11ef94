"""Refinements of mixed records: one kernel for all, judged by the loss that is reported."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Labels
from microagg.partition.rules.equal_mixed import combinations, with_equal_groups
from microagg.prepare.objective import objective_arrays
from microagg.prepare.records import Records
from microagg.typing import Codes

kernels = lazy("microagg.kernels.mixed.refine")
mixed_records = lazy("microagg.kernels.mixed.records")
objectives = lazy("microagg.kernels.mixed.objective")

NEAR_GROUPS = 16
"""The number of near groups of mixed records, among which many are equally near."""


def refine_mixed(
    records: Records,
    labels: Labels,
    k: int,
    context: Context,
    *,
    title: str,
    gives_up: bool = False,
    by_loss: bool = False,
    shrinks: bool = False,
    exchanges: bool = False,
    classes: Codes | None = None,
) -> Labels:
    """Refine groups by the steps of `kernels.mixed.refine.Steps`.

    With `classes`, only records of the same class are exchanged, and groups of equal records are not tried.
    """
    start, none = labels.astype(np.int64), np.zeros(0, dtype=np.int64)
    equal = none
    if classes is None:
        equal = with_equal_groups(start, combinations(records, k), k)
        equal = none if np.array_equal(equal, start) else equal
    refined: Labels = context.run(
        title,
        records.n,
        kernels.refine_mixed,
        mixed_records.Mixture(**records.arrays()),
        objectives.Objective(**objective_arrays(records)),
        start,
        equal,
        none if classes is None else classes,
        k,
        kernels.Steps(gives_up, by_loss, shrinks, exchanges),
        NEAR_GROUPS,
        keep=True,
    )
    return refined


exchange_mixed: Any = partial(refine_mixed, title="Improving", exchanges=True)
give_up_mixed: Any = partial(refine_mixed, title="Decomposing", gives_up=True)
