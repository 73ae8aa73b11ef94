"""A sentence about how a search was stopped."""

from __future__ import annotations

from microagg.budget import Stop
from microagg.pipeline.ending import Ending


def ending_words(ending: Ending, time_limit: float | None = None) -> str:
    """Return a sentence about how a search was stopped; empty if it ended by itself.

    Examples
    --------
    >>> ending_words(Ending(Stop.TIME_LIMIT, 0, "cycles"), 5.0)
    'Stopped: time limit (5 s) within the first cycle.'
    """
    if ending.stopped is None:
        return ""
    seconds = "" if time_limit is None else f" ({time_limit:g} s)"
    by = f"time limit{seconds}" if ending.stopped is Stop.TIME_LIMIT else "Ctrl-C"
    if not ending.unit:
        return f"Stopped: {by}."
    one = ending.unit[:-1]
    if ending.done == 0:
        return f"Stopped: {by} within the first {one}."
    return f"Stopped: {by} after {ending.done:,} {one if ending.done == 1 else ending.unit}."
