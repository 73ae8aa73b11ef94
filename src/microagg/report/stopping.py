"""How the searches of a release ended, told from what was recorded of them, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from microagg.budget import Stop

_COUNTED = ("cycles", "generations", "iterations", "steps")
"""What methods note of how far they came, whichever of them they have."""

_PLANNED = ("gap", "iterations")
"""How searches end that divide a limit of time among their steps: it counts even if it is not reached."""


def cut_short(result: Mapping[str, Any]) -> str | None:
    """Return what ended a search from outside, "interrupted" or "time limit", or nothing.

    Examples
    --------
    >>> cut_short({"details": {"stopped": "time limit"}}), cut_short({"details": {}})
    ('time limit', None)
    """
    ends = [details.get("stopped") for details in _details(result)]
    return next((end for end in (Stop.INTERRUPTED, Stop.TIME_LIMIT) if end in ends), None)


def ending_words(result: Mapping[str, Any], parameters: Mapping[str, Any]) -> str:
    """Return how a search was ended from outside, after how much; nothing if it ended by itself.

    Examples
    --------
    >>> ended = {"details": {"stopped": "time limit", "cycles": 0}}
    >>> ending_words(ended, {"time_limit": 5.0})
    'Stopped: time limit (5 s) within the first cycle.'
    """
    end = cut_short(result)
    if end is None:
        return ""
    seconds = parameters.get("time_limit")
    given = "" if seconds is None else f" ({seconds:g} s)"
    by = f"time limit{given}" if end == Stop.TIME_LIMIT else "Ctrl-C"
    details: Mapping[str, Any] = next(
        (found for found in _details(result) if found.get("stopped") == end), {}
    )
    counted = next((name for name in _COUNTED if name in details), None)
    if counted is None:
        return f"Stopped: {by}."
    done = int(details[counted])
    if done == 0:
        return f"Stopped: {by} within the first {counted[:-1]}."
    return f"Stopped: {by} after {done:,} {counted[:-1] if done == 1 else counted}."


def interrupted_caution(*, promised: bool) -> str:
    """Return what the reader of a release must know when Ctrl-C ended its search."""
    if not promised:
        return (
            "The search was stopped by Ctrl-C; the values are those found by then, and the loss "
            "could be lower."
        )
    return (
        "The search was stopped by Ctrl-C; the groups are the best found by then. k holds; the loss "
        "could be lower."
    )


def not_repeatable(result: Mapping[str, Any]) -> str:
    """Return why a release cannot be made again exactly, or nothing.

    Examples
    --------
    >>> not_repeatable({"details": {"stopped": "nothing improves"}})
    ''
    """
    end = cut_short(result)
    if end is not None:
        by = {Stop.INTERRUPTED: "by Ctrl-C", Stop.TIME_LIMIT: "by the clock"}[Stop(end)]
        return (
            f"That release was stopped {by}; it cannot be made again exactly. Use max_iterations and "
            "no time limit."
        )
    planned = any("time_limit" in d and d.get("stopped") in _PLANNED for d in _details(result))
    if not planned:
        return ""
    return (
        "That release was searched for by the clock, within a time limit; it cannot be made again "
        "exactly. Use max_iterations and no time limit."
    )


def _details(result: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield what was noted of the whole and of each segment."""
    parts = [result, *(result.get("segments") or ())]
    for part in parts:
        noted = part.get("details")
        if isinstance(noted, Mapping):
            yield noted
