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
n, k and the effort, and on whether all values are complete numbers; never on what they are. The same
seed gives the same labels, except with a time limit. Large groups have rules of their own, because a
step of a search takes O(k^2) time and memory, and a pass of `swap-shift` O(nk) time: above k = 50 there
is no search unless there is a limit of time, above 500 there is none at all, and where nk is above five
million `mdav-nc` stands alone. On 2,000 normal records of three columns and k = 100, `mdav-nc` and
`swap-shift` lost 20.5 % in 0.1 s, and a search of one second 21.6 %; with k = 50 it was 13.3 % and 12.9
%. Records of categories, blanks or weights are grouped by `mdav-nc` and `swap-shift`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from microagg.context import Context
from microagg.errors import ParameterError, Phrase
from microagg.partition.grouping import Grouping
from microagg.partition.registry import method
from microagg.partition.search.best.best import A_MINUTE, LARGEST_N
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records

SOME, MANY, MILLION = 20_000, 500_000, 1_000_000
"""Records that are searched, refined, and grouped as a whole at most; LARGEST_N have a proof."""

NO_SEARCH = (
    "There is no search for categories, blanks or weights yet: "
    "the best effort did what the normal one does."
)
"""What is noted where the best effort could do no more."""

SEARCHED, SEARCHED_IN_TIME = 50, 500
"""The largest k of a search, without a limit of time and with one: a step has a matrix of 12k x 12k."""

MOST_SWAPPED = 5_000_000
"""The largest nk for which `swap-shift` follows; its time is proportional to that."""

Effort = Literal["quick", "normal", "best"]


@dataclass(frozen=True)
class Plan:
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

    def __str__(self) -> str:
        return " + ".join([self.method, *self.refine])


def auto_mixed(
    records: Records, k: int, context: Context, *, effort: Effort = "normal"
) -> Grouping:
    """Group records of categories, missing values or weights, for which there is no search yet."""
    plan = Plan("mdav") if effort == "quick" else _refined(records.n, k)
    grouping = plan.run(records, k, context)
    if effort != "best":
        return grouping
    return replace(grouping, facts=replace(grouping.facts, remark=NO_SEARCH))


@method(
    "auto",
    summary="chooses by the number of records and the effort: search, or a refined heuristic",
    reference="ours",
    time="O(n k^2 d) for a search, O(n^2 d / k) for a heuristic",
    max_size="2k-1",
    deterministic=False,
    timed=True,
    mixed=auto_mixed,
)
def auto(prepared: Prepared, k: int, context: Context, *, effort: Effort = "normal") -> Grouping:
    """Group as the file's opening says."""
    limited = context.budget.seconds is not None
    return plan_for(prepared.n, k, effort, limited=limited).run(prepared, k, context)


def plan_for(n: int, k: int, effort: Effort, *, limited: bool = False) -> Plan:
    """Return what is done with n records in groups of k, and with or without a limit of time.

    Examples
    --------
    >>> [str(plan_for(n, 5, "normal")) for n in (1_000, 100_000, 2_000_000)]
    ['lns', 'mdav-nc + swap-shift', 'blocks']
    >>> [str(plan_for(20_000, k, "normal")) for k in (50, 60, 5_000)]
    ['lns', 'mdav-nc + swap-shift', 'mdav-nc']
    """
    search = Plan("lns", {"initial": "mdav-nc"})
    if effort == "best" and k <= SEARCHED_IN_TIME:
        search = Plan("best") if n <= LARGEST_N else search
        return search if limited else replace(search, time_limit=A_MINUTE)
    if effort == "normal" and n <= SOME and k <= (SEARCHED_IN_TIME if limited else SEARCHED):
        return search
    if limited:
        raise _no_search(n, k, effort)
    if effort == "quick":
        return Plan("mdav") if n <= MILLION else Plan("blocks", {"within": "mdav"})
    if n > MANY:
        return Plan("blocks")
    return _refined(n, k)


def _refined(n: int, k: int) -> Plan:
    return Plan("mdav-nc", refine=("swap-shift",) if n * k <= MOST_SWAPPED else ())


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
