"""Auto: chooses a method by the number of records and the requested effort.

Reference: developed for microagg.

Idea: a small file can be searched until little is left to gain; a large file needs a fast heuristic
and a refinement. `effort` sets how long the work may take. "quick" takes almost no time. "normal" takes
seconds for thousands of records, and about as long as reading the file for a hundred thousand.
"best" uses a minute, or the `time_limit`, and proves a lower bound on the loss if possible.

Cost: that of the chosen method, which the release reports.

Choices: "normal" uses `lns` up to 20,000 records, `mdav-nc` with `swap-shift` up to 500,000, and
`blocks` above. "best" uses `best`, which proves a bound, up to 6,000 records, and above that
searches with `lns` for the available time. "quick" uses `mdav`, and `blocks` above a million
records. The choice depends on n, k, the effort, and whether all values are complete numbers. The
same seed gives the same labels, except with a time limit.

One column: if at most one column varies, `optimal-1d` computes the optimal groups in O(n log n), for any
number of records, any k and any effort, also within strata. The release states that no better groups
exist.

Equal records: if every record occurs at least k times, groups of equal records lose nothing. They
are formed directly, without a search.

Large groups: a step of a search takes O(k^2) time and memory, and `swap-shift` takes about O(n k^2)
time. Above k = 50, there is therefore no search without a time limit, and above k = 500 none at all.
`mdav-nc` (`mdav` above k = 500) and `pairwise-means` take its place, followed by `swap-shift` while
n k^2 is at most 300 million. On 2,000 normal records of three columns with k = 100, these lost 20.4 %
in 0.1 s, and a search of one second lost 21.6 %. With k = 50, the losses were 13.3 % and 12.9 %. On
20,000 records with k = 5,000, they lost 52.9 % in 0.03 s, and `mdav-nc` alone 83.0 % in 0.34 s.

Strata: all strata together get the effort of one file of their size. They share the steps of one
search, and there is no search for more than 20,000 records in all. 50 strata or more are then grouped
by one call.

Mixed records: records with categories, missing values or weights are searched up to 2,000 records, and up
to 20,000 with a time limit. Above, the groups of `mdav-nc` are refined by `decompose` and `swap-shift`,
and above 500,000 records within `blocks`. All of them judge groups by the loss that the release reports.
Without a search, up to 500,000 records, the groups of `mdav-nc` are formed without the nominal columns in
which no two records agree. In these columns, all groups of the same size lose equally much. The refinements
use all columns.

Limits on mixed records: l-diversity, t-closeness and `unit` are enforced on complete groups, which can cost
more than the search gained. Up to 500,000 records and k = 500, "normal" and "best" therefore also enforce
them on the groups of `mdav-nc`. In both results, records with the same confidential values and unit are
then exchanged as long as the reported loss falls. The result with the lower loss is released, so it never
loses more than `mdav-nc`, apart from the rounding of integers and dates.

Origin of the limits: they were chosen by runs on two cores. On 30,000 records each of Adult, normal
and skewed data with k = 3 and 10, `mdav-nc` with `swap-shift` took as long as `mdav` with
`decompose-shrink` and `swap-shift`. It lost up to 5 % less, once 0.3 % more, and takes half as long
to compile at first use. A search that starts from `mdav-nc` lost 1 to 4 % less. On a million normal
records of ten columns with k = 5, `mdav` lost 7.99 %, `blocks` 7.48 %, and `mdav-nc` with `swap-shift`
6.90 %. At that time, `blocks` took about as long as `mdav`, and `mdav-nc` with `swap-shift` took
twice as long (one run each).
"""

from __future__ import annotations

from collections.abc import Mapping
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
from microagg.partition.rules.equal_mixed import equal_mixed_groups
from microagg.partition.rules.unique_names import telling_columns, with_columns
from microagg.partition.search.auto.many_parts import RULES, grouped_at_once, on_a_grid
from microagg.partition.search.auto.one_column import (
    OPTIMAL,
    only_column_that_varies,
    optimal_at_once,
    optimal_facts,
)
from microagg.partition.search.best.best import A_MINUTE, LARGEST_N
from microagg.partition.search.lns.lns import usual_mixed_steps, usual_steps
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records
from microagg.typing import Codes

SOME, MANY, MILLION = 20_000, 500_000, 1_000_000
"""The maximum numbers of records that are searched, refined, and grouped without blocks."""

SOME_MIXED = 2_000
"""The maximum number of mixed records that are searched without a time limit: a step takes three to ten
times as long as one on numbers."""

SEARCHED, SEARCHED_IN_TIME = 50, 500
"""The largest k of a search, without and with a time limit: a step uses a matrix of 12k x 12k."""

MOST_SWAPPED = 300_000_000
"""The largest n k^2 for which `swap-shift` follows; its time is about proportional to n k^2."""

LARGEST_GROWN = 500
"""The largest k of `mdav-nc`, which searches each member separately; above it, `mdav` starts as well."""

FEWEST_STRATA = 50
"""The minimum number of strata that are grouped at once; fewer are quickly grouped one by one."""

ALL_DIFFER = (
    "No two records agree in any quasi-identifier, so all groups have the same loss, and records "
    "were assigned to them at random. Leave out columns that identify records."
)

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
        """Group records as planned; the facts contain the plan."""
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
        """Whether it is a search, which handles equal records itself."""
        return self.method in ("lns", "best")

    def __str__(self) -> str:
        return " + ".join([self.method, *self.refine])


def auto_mixed(
    records: Records, k: int, context: Context, *, effort: Effort = "normal"
) -> Grouping:
    """Group records of categories, missing values or weights."""
    limited = context.budget.seconds is not None
    plan = plan_for(records.n, k, effort, limited=limited, whole=context.whole, mixed=True)
    if plan.searches:
        return plan.run(records, k, context)
    equal = equal_mixed_groups(records, k)
    if equal is not None:
        return Grouping(equal, OF_EQUAL_RECORDS)
    telling = telling_columns(records)
    if len(telling) < len(records.columns) and (plan.method != "blocks" or not telling):
        return _on_columns(records, telling, plan, k, context)
    return plan.run(records, k, context)


def _on_columns(
    records: Records, kept: list[int], plan: AutoPlan, k: int, context: Context
) -> Grouping:
    """Form groups of k on some of the columns, and refine them on all; without any, in random order.

    Larger groups lose more in a column that is left out, so refinements must see all columns.
    """
    if not kept:
        labels = np.empty(records.n, dtype=np.int32)
        ranks = np.minimum(np.arange(records.n) // k, records.n // k - 1)
        labels[context.rng.permutation(records.n)] = ranks
        return Grouping(labels, Facts(chosen="random order", remark=ALL_DIFFER))
    start = replace(plan, refine=()).run(with_columns(records, kept), k, context)
    labels, done = refined_in_turn(chain(plan.refine), records, start.labels, k, context)
    chosen = " + ".join([plan.method, *plan.refine[:done]])
    return Grouping(labels, replace(start.facts, chosen=chosen).without_bound())


def auto_strata(
    prepared: Prepared, codes: Codes, k: int, context: Context, *, effort: Effort = "normal"
) -> Grouping | None:
    """Group many strata at once; None if they are searched or few."""
    sizes, line = np.bincount(codes), only_column_that_varies(prepared)
    if line is not None and sizes.size >= FEWEST_STRATA:
        labels = optimal_at_once(line, codes, k, context)
        return Grouping(labels, replace(optimal_facts(line, labels), strata=sizes.size))
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


def baseline_of_auto(n: int, k: int, parameters: Mapping[str, Any]) -> str | None:
    """Return what releases of mixed records with limits are compared with; None if it takes too long.

    Examples
    --------
    >>> baseline_of_auto(50_000, 5, {}), baseline_of_auto(50_000, 5, {"effort": "quick"})
    ('mdav-nc', None)
    """
    compares = parameters.get("effort") != "quick" and n <= MANY and k <= LARGEST_GROWN
    return "mdav-nc" if compares else None


@method(
    "auto",
    summary="chooses a search or a refined heuristic by the number of records and the effort",
    reference="developed for microagg",
    time="O(n k^2 d) for a search, O(n^2 d / k) for a heuristic",
    max_size="2k-1",
    deterministic=False,
    timed=True,
    mixed=auto_mixed,
    strata=auto_strata,
    baseline=baseline_of_auto,
)
def auto(prepared: Prepared, k: int, context: Context, *, effort: Effort = "normal") -> Grouping:
    """Group the records as described in the module docstring."""
    line = only_column_that_varies(prepared)
    if line is not None:
        grouping = context.group(line, k, OPTIMAL)
        return replace(grouping, facts=optimal_facts(line, grouping.labels))
    limited = context.budget.seconds is not None
    plan = plan_for(prepared.n, k, effort, limited=limited, whole=context.whole)
    equal = None if plan.searches else equal_groups(prepared.columns, k)
    if equal is not None:
        return Grouping(equal, OF_EQUAL_RECORDS)
    return plan.run(prepared, k, context)


def plan_for(
    n: int,
    k: int,
    effort: Effort,
    *,
    limited: bool = False,
    whole: int = 0,
    mixed: bool = False,
) -> AutoPlan:
    """Return the plan for n records in groups of k, with or without a time limit.

    A stratum of `whole` records gets its share of the steps and of the time that these would get.

    Examples
    --------
    >>> [str(plan_for(n, 5, "normal")) for n in (1_000, 100_000, 2_000_000)]
    ['lns', 'mdav-nc + swap-shift', 'blocks']
    >>> [str(plan_for(20_000, k, "normal")) for k in (50, 60, 5_000)]
    ['lns', 'mdav-nc + pairwise-means + swap-shift', 'mdav + pairwise-means']
    >>> str(plan_for(20_000, 5, "normal", mixed=True))
    'mdav-nc + decompose + swap-shift'
    """
    search, all_records = AutoPlan("lns", {"initial": "mdav-nc"}), max(n, whole)
    if effort == "best" and k <= SEARCHED_IN_TIME:
        search = AutoPlan("best") if n <= LARGEST_N else search
        return search if limited else replace(search, time_limit=A_MINUTE * n / all_records)
    if whole and not limited:
        usual = usual_mixed_steps if mixed else usual_steps
        steps = max(usual(all_records, k) * n // all_records, 1)
        search = AutoPlan("lns", {"initial": "mdav-nc", "max_iterations": steps})
    if (
        effort == "normal"
        and (n if limited else all_records) <= (SOME_MIXED if mixed and not limited else SOME)
        and k <= (SEARCHED_IN_TIME if limited else SEARCHED)
    ):
        return search
    if limited:
        raise _no_search(n, k, effort)
    return _heuristic(n, k, effort, mixed)


def _heuristic(n: int, k: int, effort: Effort, mixed: bool) -> AutoPlan:
    """Return the plan without a search."""
    if effort == "quick":
        whole = n <= MILLION or k > SEARCHED
        return AutoPlan("mdav") if whole else AutoPlan("blocks", {"within": "mdav"})
    if n > MANY and k <= SEARCHED:
        return AutoPlan("blocks")
    method, is_swapped = "mdav-nc" if k <= LARGEST_GROWN else "mdav", n * k**2 <= MOST_SWAPPED
    if mixed:
        return AutoPlan(method, refine=("decompose", "swap-shift") if is_swapped else ())
    swapped = ("swap-shift",) if is_swapped else ()
    divided = () if swapped and k <= SEARCHED else ("pairwise-means",)
    return AutoPlan(method, refine=(*divided, *swapped))


def _no_search(n: int, k: int, effort: Effort) -> ParameterError:
    """Return the error for a time limit that no step of the plan can use."""
    large = k > SEARCHED_IN_TIME
    return ParameterError(
        Phrase(
            f"applies to a search, but {n} records with k={k} and {{effort}} are grouped by a heuristic "
            "that does not use it.",
            effort=effort,
        ),
        parameter="time_limit",
        caller="auto",
        hint="Leave it out." if large else Phrase("Leave it out, or set {effort}.", effort="best"),
    )
