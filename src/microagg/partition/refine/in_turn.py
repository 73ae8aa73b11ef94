"""Refinements done one after the other, without the surplus of groups of equal records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from microagg.context import Context
from microagg.partition.equal_records import surplus_of
from microagg.partition.refine.registry import Refinement
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records
from microagg.typing import Labels


def refined_in_turn(
    steps: Sequence[Refinement],
    records: Prepared | Records,
    labels: Labels,
    k: int,
    context: Context,
) -> tuple[Labels, int]:
    """Return the groups after one refinement after the other, and how many of these were done."""
    for done, step in enumerate(steps):
        if context.budget.stopped:
            return labels, done
        own = context.named(step.name)
        if isinstance(records, Prepared):
            refined = _without_surplus(step, records, labels, k, own)
        else:
            assert step.mixed is not None  # the driver has refused all others
            refined = step.mixed(records, labels, k, own)
        labels = np.unique(refined, return_inverse=True)[1].astype(np.int32)
    return labels, len(steps)


def _without_surplus(
    step: Refinement, prepared: Prepared, labels: Labels, k: int, context: Context
) -> Labels:
    """Refine all groups but the surplus of those of equal records, which stay as they are."""
    surplus = surplus_of(prepared.columns, labels)
    if surplus is None:
        return step.function(prepared, labels, k, context)
    rows = np.flatnonzero(~surplus)
    own = np.unique(labels[rows], return_inverse=True)[1].astype(np.int32)
    refined = labels.copy()
    numbers = step.function(prepared.subset(rows), own, k, context)
    refined[rows] = numbers + int(labels.max()) + 1
    return refined
