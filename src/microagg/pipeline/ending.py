"""How the searches of a release ended, based on the facts about its parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from microagg.budget import Stop
from microagg.partition.grouping import Facts

UNITS = ("cycles", "generations", "iterations", "steps")
"""The units in which methods report their progress; each method uses at most one."""

_PLANNED = (Stop.GAP, Stop.ITERATIONS)
"""The endings of searches that divide a time limit among steps: the limit matters even if not reached."""


@dataclass(frozen=True)
class Ending:
    """How a search ended.

    Attributes
    ----------
    stopped : Stop, optional
        What stopped it, Ctrl-C or a time limit; None if it ended by itself.
    done, unit : int, str
        Its progress in cycles, generations, iterations or steps; the unit is empty if unknown.
    planned_by_clock : bool
        Whether a time limit influenced the search, even if it was not reached.
    """

    stopped: Stop | None = None
    done: int = 0
    unit: str = ""
    planned_by_clock: bool = False

    @property
    def repeatable(self) -> bool:
        """Whether the search can be reproduced exactly."""
        return self.stopped is None and not self.planned_by_clock


def ending_of(parts: Iterable[Facts]) -> Ending:
    """Return how a search of one or several parts ended.

    Examples
    --------
    >>> ending = ending_of([Facts(stopped=Stop.TIME_LIMIT, cycles=3)])
    >>> str(ending.stopped), ending.done, ending.unit
    ('time limit', 3, 'cycles')
    """
    facts = list(parts)
    planned = any(part.time_limit is not None and part.stopped in _PLANNED for part in facts)
    for stopped in (Stop.INTERRUPTED, Stop.TIME_LIMIT):
        for part in facts:
            if part.stopped is stopped:
                unit = next((name for name in UNITS if getattr(part, name) is not None), "")
                return Ending(stopped, int(getattr(part, unit)) if unit else 0, unit, planned)
    return Ending(planned_by_clock=planned)
