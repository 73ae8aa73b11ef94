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

Where there was a choice: these limits come from runs on two cores. `mdav-nc` and then `swap-shift`
lost less than `mdav`, `decompose-shrink` and `swap-shift` on records of adult, normal and skewed
ones (30,000 of each, k = 3 and 10: up to 5 % less, once 0.3 % more) in the same time, and takes half
as long to compile at first use; a search that starts from `mdav-nc` lost 1 to 4 % less. A million
normal records of ten columns, k = 5, took `mdav` 41 s of processor time and lost 7.99 %, `blocks` 45 s and
7.48 %, `mdav-nc` and `swap-shift` on all of them 87 s and 6.90 % (one run each). The choice depends on
n and the effort, and on whether all values are complete numbers; never on what they are. The same seed
gives the same labels, except with a time limit. There is no search for records of categories or blanks
yet: they are grouped by `mdav-nc`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

import numpy as np

from microagg.constraints import AtLeast
from microagg.errors import ParameterError, Phrase
from microagg.partition.registry import Labels, method
from microagg.partition.search.best.best import A_MINUTE, LARGEST_N
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records
from microagg.progress import Progress

SOME, MANY, MILLION = 20_000, 500_000, 1_000_000
"""Records that are searched, refined, and grouped as a whole at most; LARGEST_N have a proof."""

NO_SEARCH = (
    "There is no search for categories, blanks or weights yet: "
    "the best effort did what the normal one does."
)
"""What is noted where the best effort could do no more."""

Effort = Literal["quick", "normal", "best"]


@dataclass(frozen=True)
class Plan:
    """A method, its parameters and the refinements that follow."""

    method: str
    parameters: dict[str, Any] = field(default_factory=dict)
    refine: tuple[str, ...] = ()

    def within(self, seconds: float | None) -> Plan:
        """Return the same with a limit of time, if one is given."""
        limit = {} if seconds is None else {"time_limit": seconds}
        return replace(self, parameters={**self.parameters, **limit})

    def __str__(self) -> str:
        return " + ".join([self.method, *self.refine])


def auto_mixed(
    records: Records,
    k: int,
    rng: np.random.Generator,
    progress: Progress,
    *,
    effort: Effort = "normal",
) -> Labels:
    """Group records of categories, blanks or weights, for which there is no search yet."""
    from microagg.partition.driver import group

    plan = Plan("mdav" if effort == "quick" else "mdav-nc")
    part = group(records, k, plan.method, seed=int(rng.integers(2**31)), progress=progress)
    progress.note(chosen=str(plan))
    if effort == "best":
        progress.note(remark=NO_SEARCH)
    return part.labels


@method(
    "auto",
    summary="chooses by the number of records and the effort: search, or a refined heuristic",
    reference="ours",
    time="O(n k^2 d) for a search, O(n^2 d / k) for a heuristic",
    max_size="2k-1",
    deterministic=False,
    mixed=auto_mixed,
)
def auto(
    prepared: Prepared,
    k: int,
    rng: np.random.Generator,
    progress: Progress,
    *,
    effort: Effort = "normal",
    time_limit: Annotated[float, AtLeast(0)] | None = None,
) -> Labels:
    """Group as the file's opening says."""
    from microagg.partition.driver import group

    plan = plan_for(prepared.n, effort, time_limit)
    seed = int(rng.integers(2**31))
    part = group(
        prepared,
        k,
        plan.method,
        refine=plan.refine,
        seed=seed,
        progress=progress,
        **plan.parameters,
    )
    progress.note(chosen=str(plan))
    return part.labels


def plan_for(n: int, effort: Effort, time_limit: float | None = None) -> Plan:
    """Return what is done with n records.

    Examples
    --------
    >>> [str(plan_for(n, "normal")) for n in (1_000, 100_000, 2_000_000)]
    ['lns', 'mdav-nc + swap-shift', 'blocks']
    """
    search = Plan("lns", {"initial": "mdav-nc"})
    if effort == "best":
        search = Plan("best") if n <= LARGEST_N else search
        return search.within(A_MINUTE if time_limit is None else time_limit)
    if effort == "normal" and n <= SOME:
        return search.within(time_limit)
    if time_limit is not None:
        raise ParameterError(
            Phrase(
                f"is for a search, and {n} records with {{effort}} are grouped by a heuristic that "
                "has no use for it.",
                effort=effort,
            ),
            parameter="time_limit",
            caller="auto",
            hint=Phrase("Leave it out, or give {effort}.", effort="best"),
        )
    if effort == "quick":
        return Plan("mdav") if n <= MILLION else Plan("blocks", {"within": "mdav"})
    if n > MANY:
        return Plan("blocks")
    return Plan("mdav-nc", refine=("swap-shift",))
