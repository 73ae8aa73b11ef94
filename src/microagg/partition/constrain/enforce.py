"""Groups of at least k that also satisfy limits on confidential values: labels in, labels out.

Reference: Soria-Comas, Domingo-Ferrer, Sanchez and Martinez 2015, t-Closeness through
Microaggregation: Strict Privacy with Enhanced Utility Preservation (IEEE TKDE 27(11)), first
algorithm: microaggregate, then merge the worst group with the nearest one until none is left.
l-diversity: Machanavajjhala et al. 2007 (distinct). p-sensitive k-anonymity: Truta and Vinay 2006.

Idea: any method forms the groups. Neighbouring groups first exchange records, because this keeps sizes and
therefore the loss small. Groups that still violate a limit are merged, and merged groups are halved
again if both halves satisfy the limits. Groups that were changed then exchange records with the same
confidential values, which violates no limit, if this reduces the loss.

Cost: for g groups of which f violate a limit, O(f g d) for neighbours and partners, and O(s log s) for a
group of s records. Memory O(nd).

Where the paper is silent or microagg differs: exchanges between existing groups were developed for microagg
(the second algorithm of the paper exchanges while it forms groups of k by MDAV, and merges afterwards;
this one follows any method), and so was the halving. The paper merges with the nearest group; a merge here
takes the cheapest union that satisfies the limits (`merge`). Each of several confidential columns must
satisfy the limits. The third algorithm of the paper (t-closeness first) was tried on all of Adult with
k = 5, by income: groups of five at a distance of 0.16 lose 23.5 % of six numeric columns. Merging, halving
and exchanging for a limit of 0.2 lose 13.4 %. That algorithm is therefore used only inside merged groups
(`halve`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.context import Context
from microagg.partition.constrain.column import ConfidentialColumn
from microagg.partition.constrain.exchange import reduce_loss
from microagg.partition.constrain.groups import ConstrainedGroups
from microagg.partition.constrain.halve import halve
from microagg.partition.constrain.limits import Limits
from microagg.partition.constrain.merge import merge
from microagg.partition.constrain.swap import swap
from microagg.partition.grouping import DONE_FOR_LIMITS, Facts
from microagg.partition.partition import Partition
from microagg.typing import Floats, Rows


@dataclass(frozen=True, eq=False)
class Met:
    """Labels that satisfy the limits, and counts of the changes that were needed."""

    labels: NDArray[np.int32]
    failing: int
    swaps: int
    merges: int
    cuts: int
    exchanges: int

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of groups that violated a limit, and of changes, in the order of `DONE_FOR_LIMITS`."""
        return (self.failing, self.swaps, self.merges, self.cuts, self.exchanges)

    def added_to(self, facts: Facts) -> Facts:
        """Return the facts about the groups before, without what no longer applies, and with the counts."""
        return facts_of_limits(facts.without_bound(), [self.counts])


def facts_of_limits(facts: Facts, counts: Sequence[Sequence[int]]) -> Facts:
    """Return facts with the counts of changes in several parts; unchanged if there is no part."""
    if not len(counts):
        return facts
    totals: dict[str, Any] = dict(
        zip(DONE_FOR_LIMITS, map(sum, zip(*counts, strict=True)), strict=True)
    )
    return replace(facts, **totals)


def enforce(
    X: Floats,
    part: Partition,
    columns: Sequence[ConfidentialColumn],
    limits: Limits,
    strata: Rows | None = None,
    context: Context | None = None,
) -> Met:
    """Return groups of at least k that satisfy the limits in every column.

    `X`, float64[n, d], decides which groups are near each other. Groups do not leave their stratum.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> ill = ConfidentialColumn("ill", np.array([0, 0, 1, 1]), ordered=False)
    >>> enforce(X, Partition([0, 0, 1, 1], k=2), [ill], Limits(l_diversity=2)).labels
    array([1, 0, 1, 0], dtype=int32)
    """
    limits.require_columns(columns)
    limits.require_possible(columns, strata)
    task = context or Context.of()
    groups = ConstrainedGroups(X, part.labels, columns, limits, strata)
    failing = int(groups.failing().size)
    swaps = task.run("Exchanging records to meet the limits", failing, swap, groups)
    merges = task.run(
        "Merging groups to meet the limits", int(groups.failing().size), merge, groups
    )
    changed = groups.changed()
    cuts = task.run("Splitting merged groups", changed.size, halve, groups, changed, part.k)
    changed = groups.changed()
    exchanges = task.run("Reducing the loss", changed.size, reduce_loss, groups, changed)
    return Met(groups.labels(), failing, swaps, merges, cuts, exchanges)
