"""How the searches of a release ended, from what was recorded of each part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from microagg.progress import INTERRUPTED, TIME_LIMIT

_COUNTED = ("cycles", "generations", "iterations", "steps")
"""What methods report of how far they came, whichever of them they have."""

_PLANNED = ("gap", "iterations")
"""How searches end that divide a limit of time among their steps: it counts even if it is not reached."""


@dataclass(frozen=True)
class Ending:
    """How a search ended.

    Attributes
    ----------
    stopped : str, optional
        What ended it from outside, "interrupted" or "time limit"; None where it ended by itself.
    done, unit : int, str
        How far it came, in cycles, generations, iterations or steps; no unit where that is unknown.
    planned_by_clock : bool
        Whether a limit of time decided how the search went, even if it was not reached.
    """

    stopped: str | None = None
    done: int = 0
    unit: str = ""
    planned_by_clock: bool = False

    @property
    def repeatable(self) -> bool:
        """Whether the same search gives the same result again."""
        return self.stopped is None and not self.planned_by_clock


def ending_of(parts: Iterable[Mapping[str, Any]]) -> Ending:
    """Return how a search of one or several parts ended.

    Examples
    --------
    >>> ending_of([{"stopped": "time limit", "cycles": 3}])
    Ending(stopped='time limit', done=3, unit='cycles', planned_by_clock=False)
    """
    noted = list(parts)
    planned = any("time_limit" in part and part.get("stopped") in _PLANNED for part in noted)
    for stopped in (INTERRUPTED, TIME_LIMIT):
        for part in noted:
            if part.get("stopped") == stopped:
                unit = next((name for name in _COUNTED if name in part), "")
                return Ending(stopped, int(part[unit]) if unit else 0, unit, planned)
    return Ending(planned_by_clock=planned)
