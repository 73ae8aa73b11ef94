"""The result of a method: the groups, and facts about how they were formed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from microagg.budget import Stop
from microagg.typing import Labels as Labels

T = TypeVar("T")

DONE_FOR_LIMITS = (
    "groups_that_broke_a_limit",
    "exchanges",
    "merges",
    "cuts",
    "exchanges_of_equals",
)
"""The facts about what was done so that groups hold limits."""


@dataclass(frozen=True)
class Facts:
    """Facts about how groups were formed; None if a fact does not apply.

    Attributes
    ----------
    chosen : str
        The method that `auto` chose, or that grouped each block.
    engine : str
        "cuda" if the method ran on a GPU.
    stopped : Stop
        How a search ended.
    time_limit : float
        The seconds that a search was allowed.
    columns : tuple of str
        The columns that were grouped on, if not all.
    axis : str
        The axis along which several columns were ranked.
    gamma : float
        The gain factor of v-mdav.
    blocks, strata : int
        The number of blocks that were cut, and the number of strata that were grouped separately.
    steps, accepted, iterations, rounds, generations, cycles : int
        The progress of a search, in its own unit.
    loss_start, loss_end : float
        The sum of squared errors before and after a search.
    lower_bound, lower_bound_sse, gap : float
        The proven lower bound in percent and as a sum of squared errors, and the share of the loss that
        better groups could save at most.
    pieces, pairs, pairs_left, macro_size, macro_groups, clusters : int
        Counts of kwr and kwdr, omma, genetic-hybrid and fuzzy.
    groups_that_broke_a_limit, exchanges, merges, cuts, exchanges_of_equals : int
        The changes that made groups satisfy limits on confidential values.
    remark : str
        A sentence that the reader of the release must see.
    more : mapping
        Facts of methods outside this package.
    """

    chosen: str | None = None
    engine: str | None = None
    stopped: Stop | None = None
    time_limit: float | None = None
    columns: tuple[str, ...] | None = None
    axis: str | None = None
    gamma: float | None = None
    blocks: int | None = None
    strata: int | None = None
    steps: int | None = None
    accepted: int | None = None
    iterations: int | None = None
    rounds: int | None = None
    generations: int | None = None
    cycles: int | None = None
    loss_start: float | None = None
    loss_end: float | None = None
    lower_bound: float | None = None
    lower_bound_sse: float | None = None
    gap: float | None = None
    pieces: int | None = None
    pairs: int | None = None
    pairs_left: int | None = None
    macro_size: int | None = None
    macro_groups: int | None = None
    clusters: int | None = None
    groups_that_broke_a_limit: int | None = None
    exchanges: int | None = None
    merges: int | None = None
    cuts: int | None = None
    exchanges_of_equals: int | None = None
    remark: str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the facts that apply, by name, in types that JSON supports.

        Examples
        --------
        >>> Facts(stopped=Stop.GAP, steps=7).as_dict()
        {'stopped': 'gap', 'steps': 7}
        """
        facts = {
            each.name: getattr(self, each.name) for each in fields(self) if each.name != "more"
        }
        present = {name: _plain(value) for name, value in facts.items() if value is not None}
        return {**present, **self.more}

    def __repr__(self) -> str:
        present = (f"{name}={value!r}" for name, value in self.as_dict().items())
        return f"Facts({', '.join(present)})"

    @property
    def ended_early(self) -> bool:
        """Whether Ctrl-C or a time limit ended a search."""
        return self.stopped is not None and self.stopped.early

    def without_bound(self) -> Facts:
        """Return the facts that still hold after the groups were changed for other reasons."""
        gone: dict[str, None] = dict.fromkeys(
            ("loss_start", "loss_end", "lower_bound", "lower_bound_sse", "gap")
        )
        stopped = None if self.stopped is Stop.PROVED else self.stopped
        return replace(self, stopped=stopped, **gone)  # type: ignore[arg-type]

    @staticmethod
    def of_parts(parts: Sequence[Facts]) -> Facts:
        """Return the facts about the whole if each stratum was grouped separately.

        Examples
        --------
        >>> whole = Facts.of_parts([Facts(stopped=Stop.TIME_LIMIT), Facts(stopped=Stop.GAP)])
        >>> whole.as_dict()
        {'stopped': 'time limit', 'strata': 2}
        """
        last = parts[-1]
        return Facts(
            stopped=Stop.first(part.stopped for part in parts),
            engine=last.engine,
            time_limit=last.time_limit,
            columns=_common(part.columns for part in parts),
            axis=last.axis,
            strata=len(parts),
            remark=_remarks([part.remark for part in parts]),
            **_totals(parts),
        )


def _common(values: Iterable[T]) -> T | None:
    """Return the value that all parts have in common, or None if they differ."""
    first, *others = values
    return first if all(other == first for other in others) else None


def _remarks(remarks: Sequence[str | None]) -> str | None:
    """Return the remarks of all strata, with the number of strata unless all have the same."""
    different = dict.fromkeys(remark for remark in remarks if remark is not None)
    words = []
    for remark in different:
        count = remarks.count(remark)
        which = "" if count == len(remarks) else f"In {count} of {len(remarks)} strata: "
        words.append(f"{which}{remark}")
    return " ".join(words) or None


def _totals(parts: Sequence[Facts]) -> dict[str, Any]:
    """Return the counts that add up over parts, if there are any."""
    totals = {}
    for name in ("blocks", *DONE_FOR_LIMITS):
        counts = [getattr(part, name) for part in parts if getattr(part, name) is not None]
        totals[name] = sum(counts) if counts else None
    return totals


def _plain(value: Any) -> Any:
    if isinstance(value, Stop):
        return value.value
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True, eq=False)
class Grouping:
    """The groups that a method formed, and facts about how it formed them.

    Examples
    --------
    >>> import numpy as np
    >>> Grouping(np.array([0, 0, 1, 1]), Facts(steps=3)).facts.steps
    3
    """

    labels: Labels
    facts: Facts = Facts()
