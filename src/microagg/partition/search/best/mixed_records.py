"""Best on mixed records: the search of `lns`, and a bound where the records are complete."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from microagg.budget import Stop
from microagg.context import Context
from microagg.partition.bounds.gap import PROVED, gap_of
from microagg.partition.bounds.lower_bound import first_groups
from microagg.partition.bounds.mixed_bound import reported_loss, timed_bound, untimed_bound
from microagg.partition.bounds.mixed_embedding import has_bound, total_of
from microagg.partition.grouping import Facts, Grouping
from microagg.partition.rules.equal_mixed import equal_mixed_groups
from microagg.partition.search.lns.lns import usual_mixed_steps
from microagg.prepare.records import Records

SEARCHED = 0.5
"""The share of the time that is searched, where a bound is sought too."""

ROUNDS, MOST_ROUNDS = 2, 10
"""Rounds when neither a time nor a number is given, and at most: few records are soon at their best."""


def search_and_prove(
    records: Records, k: int, context: Context, *, max_iterations: int | None, largest: int
) -> Grouping:
    """Group mixed records, and prove how good the groups are for up to `largest` complete records.

    A round is as many steps as `lns` makes by default.
    """
    equal = equal_mixed_groups(records, k)
    if equal is not None:
        return Grouping(equal, _with_bound(Facts(stopped=Stop.PROVED), 0.0, 0.0, 0.0))
    proves = has_bound(records) and k <= records.n <= largest
    if records.n < 2 * k:
        grouping = context.group(records, k, "mdav-nc")
        lost = reported_loss(records, grouping.labels, k)
        facts = Facts(stopped=Stop.GAP)
        if proves:
            total = total_of(records)  # ties of modes and rounding may lose less than `lost`
            facts = _with_bound(facts, lost, total, total)
        return replace(grouping, facts=facts)
    timed = context.budget.seconds is not None
    rounds = (MOST_ROUNDS if timed else ROUNDS) if max_iterations is None else max_iterations
    steps = rounds * usual_mixed_steps(records.n, k)
    searching = replace(context, budget=context.budget.part(SEARCHED)) if proves else context
    grouping = searching.group(records, k, "lns", parameters={"max_iterations": steps})
    facts = replace(grouping.facts, iterations=rounds)
    if proves and context.budget.stopped is not Stop.INTERRUPTED:
        facts = _proved(records, k, replace(grouping, facts=facts), context)
    return replace(grouping, facts=replace(facts, stopped=context.budget.stopped or facts.stopped))


def _proved(records: Records, k: int, grouping: Grouping, context: Context) -> Facts:
    """Return the facts with a bound."""
    lost = grouping.facts.loss_end
    assert lost is not None
    total = total_of(records)
    left = context.budget.left()
    if left is None:
        bound = untimed_bound(records, k, context)
    else:
        bound = timed_bound(records, k, total, lost, first_groups, np, context.within(left))
    facts = _with_bound(grouping.facts, lost, bound.loss, total)
    return replace(facts, stopped=Stop.GAP) if gap_of(lost, bound.loss) <= PROVED else facts


def _with_bound(facts: Facts, lost: float, bound: float, total: float) -> Facts:
    return replace(
        facts,
        lower_bound=100 * bound / total if total else 0.0,
        lower_bound_sse=bound,
        gap=gap_of(lost, bound),
    )
