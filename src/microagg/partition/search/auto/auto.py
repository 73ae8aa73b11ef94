"""Auto: chooses a method by the number of records and the effort asked for.

Reference: ours.

Idea: few records can be searched until little is left to gain; many need a fast heuristic and what
improves it. `effort` says how long the work may take: "quick" answers at once, "normal" within
seconds for thousands of records and about as long as reading takes for a hundred thousand, "best"
uses a minute, or the `time_limit`, and proves how good its groups are where that can be done.

Cost: that of what is chosen; the release says what that was.

What is chosen: up to 20,000 records "normal" searches by `lns`, up to 500,000 it is `mdav-nc` and
`swap-shift`, above that `blocks`; "best" takes `best` up to 6,000 records, which proves a bound, and
above that searches by `lns` for the time there is; "quick" is `mdav`, and `blocks` above a million.

Where there was a choice: these limits come from runs on two cores. `mdav-nc` and then `swap-shift` lost
less than `mdav`, `decompose-shrink` and `swap-shift` on records of adult, normal and skewed ones
(30,000 of each, k = 3 and 10: up to 5 % less, once 0.3 % more) in the same time, and takes half as long
to compile at first use; a search that starts from `mdav-nc` lost 1 to 4 % less. A million normal
records of ten columns, k = 5, took `mdav` 41 s of processor time and lost 7.99 %, `blocks` 45 s and
7.48 %, `mdav-nc` and `swap-shift` on all of them 87 s and 6.90 % (one run each). The choice depends on
n, k and the effort, and on whether all values are complete numbers; of the values it depends on one thing
alone: where each record occurs at least k times, groups of equal records lose nothing and are made at
once. The same seed gives the same labels, except with a time limit.

Large groups have rules of their own, because a step of a search takes O(k^2) time and memory, and
`swap-shift` about O(n k^2) time: above k = 50 there is no search unless there is a limit of time, above 500
there is none at all. `mdav-nc` (`mdav` above k = 500), `pairwise-means` and, while nk^2 is at most 300
million, `swap-shift` take their place. On 2,000 normal records of three columns and k = 100 they lost
20.4 % in 0.1 s, and a search of one second 21.6 %; with k = 50 it was 13.3 % and 12.9 %. On 20,000 records
and k = 5,000 they lost 52.9 % in 0.03 s, where `mdav-nc` alone lost 83.0 % in 0.34 s.

Strata get the effort that their records would get together: they share the steps of one search, and more
than 20,000 records in all are not searched. Where 50 strata or more are not searched, one call
groups them all. There is no search for records of categories or blanks yet: they are grouped by `mdav-nc`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from microagg.budget import Stop
from microagg.context import Context
from microagg.errors import ParameterError, Phrase
from microagg.partition.equal_records import equal_groups
from microagg.partition.grouping import Facts, Grouping
from microagg.partition.refine.in_turn import refined_in_turn
from microagg.partition.refine.registry import chain
from microagg.partition.registry import method
from microagg.partition.search.auto.many_parts import RULES, grouped_at_once, on_a_grid
from microagg.partition.search.best.best import A_MINUTE, LARGEST_N
from microagg.partition.search.lns.lns import usual_steps
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records
from microagg.typing import Codes, Floats

SOME, MANY, MILLION = 20_000, 500_000, 1_000_000
"""Records that are searched, refined, and grouped as a whole at most; LARGEST_N have a proof."""

NO_SEARCH = (
    "There is no search for categories, blanks or weights yet: "
    "the best effort did what the normal one does."
)
"""What is noted where the best effort could do no more."""

SEARCHED, SEARCHED_IN_TIME = 50, 500
"""The largest k of a search, without a limit of time and with one: a step has a matrix of 12k x 12k."""

MOST_SWAPPED = 300_000_000
"""The largest nk^2 for which `swap-shift` follows; its time is about proportional to that."""

LARGEST_GROWN = 500
"""The largest k of `mdav-nc`, which looks for each member on its own; beyond, `mdav` is as good a start."""

FEWEST_STRATA = 50
"""So many strata at least are grouped at once: fewer are grouped one by one in a fraction of a second."""

OF_EQUAL_RECORDS = Facts(chosen="groups of equal records", stopped=Stop.PROVED)

Effort = Literal["quick", "normal", "best"]


@dataclass(frozen=True)
class AutoPlan:
    """A method, its parameters and the refinements that follow."""

    method: str
    parameters: dict[str, Any] = field(default_factory=dict)
    refine: tuple[str, ...] = ()
    time_limit: float | None = None

    def run(self, records: Prepared | Records, k: int, context: Context) -> Grouping:
        """Group records as planned; the facts say what the plan was."""
        grouping = context.within(self.time_limit).group(
            records,
            k,
            self.method,
            parameters=self.parameters,
            refine=self.refine,
            seed=int(context.rng.integers(2**31)),
        )
        return replace(grouping, facts=replace(grouping.facts, chosen=str(self)))

    @property
    def searches(self) -> bool:
        """Whether it is a search, which looks for equal records itself."""
        return self.method in ("lns", "best")

    def __str__(self) -> str:
        return " + ".join([self.method, *self.refine])


def auto_mixed(
    records: Records, k: int, context: Context, *, effort: Effort = "normal"
) -> Grouping:
    """Group records of categories, missing values or weights, for which there is no search yet."""
    equal = equal_groups(_comparable(records), k)
    if equal is not None:
        return Grouping(equal, OF_EQUAL_RECORDS)
    grouping = AutoPlan("mdav" if effort == "quick" else "mdav-nc").run(records, k, context)
    if effort != "best":
        return grouping
    return replace(grouping, facts=replace(grouping.facts, remark=NO_SEARCH))


def auto_strata(
    prepared: Prepared, codes: Codes, k: int, context: Context, *, effort: Effort = "normal"
) -> Grouping | None:
    """Group many strata at once; None where they are searched, or are few."""
    sizes = np.bincount(codes)
    if context.budget.seconds is not None or sizes.size < FEWEST_STRATA or sizes.max() > SOME:
        return None
    plan = plan_for(prepared.n, k, effort)
    if plan.searches:
        return None
    method = plan.method if plan.method in RULES else "mdav-nc"
    refine = plan.refine or (("swap-shift",) if effort == "normal" else ())
    labels = grouped_at_once(prepared, codes, k, method, context)
    apart = on_a_grid(prepared, codes)
    labels, done = refined_in_turn(chain(refine), apart, labels, k, context)
    chosen = " + ".join([method, *refine[:done]])
    return Grouping(labels, Facts(chosen=chosen, strata=sizes.size))


@method(
    "auto",
    summary="chooses by the number of records and the effort: search, or a refined heuristic",
    reference="ours",
    time="O(n k^2 d) for a search, O(n^2 d / k) for a heuristic",
    max_size="2k-1",
    deterministic=False,
    timed=True,
    mixed=auto_mixed,
    strata=auto_strata,
)
def auto(prepared: Prepared, k: int, context: Context, *, effort: Effort = "normal") -> Grouping:
    """Group as the file's opening says."""
    limited = context.budget.seconds is not None
    plan = plan_for(prepared.n, k, effort, limited=limited, whole=context.whole)
    equal = None if plan.searches else equal_groups(prepared.columns, k)
    if equal is not None:
        return Grouping(equal, OF_EQUAL_RECORDS)
    return plan.run(prepared, k, context)


def _comparable(records: Records) -> Floats:
    """Return the values of mixed records with a number of its own for a missing one."""
    return np.stack([np.nan_to_num(column.values, nan=-np.inf) for column in records.columns])


def plan_for(n: int, k: int, effort: Effort, *, limited: bool = False, whole: int = 0) -> AutoPlan:
    """Return what is done with n records in groups of k, and with or without a limit of time.

    A stratum of `whole` records gets its share of the steps and of the time that these would get.

    Examples
    --------
    >>> [str(plan_for(n, 5, "normal")) for n in (1_000, 100_000, 2_000_000)]
    ['lns', 'mdav-nc + swap-shift', 'blocks']
    >>> [str(plan_for(20_000, k, "normal")) for k in (50, 60, 5_000)]
    ['lns', 'mdav-nc + pairwise-means + swap-shift', 'mdav + pairwise-means']
    """
    search, all_records = AutoPlan("lns", {"initial": "mdav-nc"}), max(n, whole)
    if effort == "best" and k <= SEARCHED_IN_TIME:
        search = AutoPlan("best") if n <= LARGEST_N else search
        return search if limited else replace(search, time_limit=A_MINUTE * n / all_records)
    if whole and not limited:
        steps = max(usual_steps(all_records, k) * n // all_records, 1)
        search = AutoPlan("lns", {"initial": "mdav-nc", "max_iterations": steps})
    if (
        effort == "normal"
        and (n if limited else all_records) <= SOME
        and k <= (SEARCHED_IN_TIME if limited else SEARCHED)
    ):
        return search
    if limited:
        raise _no_search(n, k, effort)
    if effort == "quick":
        whole = n <= MILLION or k > SEARCHED
        return AutoPlan("mdav") if whole else AutoPlan("blocks", {"within": "mdav"})
    if n > MANY and k <= SEARCHED:
        return AutoPlan("blocks")
    swapped = ("swap-shift",) if n * k**2 <= MOST_SWAPPED else ()
    divided = () if swapped and k <= SEARCHED else ("pairwise-means",)
    return AutoPlan("mdav-nc" if k <= LARGEST_GROWN else "mdav", refine=(*divided, *swapped))


def _no_search(n: int, k: int, effort: Effort) -> ParameterError:
    """Return what to raise where there is a limit of time and nothing that could use it."""
    large = k > SEARCHED_IN_TIME
    return ParameterError(
        Phrase(
            f"is for a search, and {n} records with k={k} and {{effort}} are grouped by a heuristic "
            "that has no use for it.",
            effort=effort,
        ),
        parameter="time_limit",
        caller="auto",
        hint="Leave it out." if large else Phrase("Leave it out, or give {effort}.", effort="best"),
    )
