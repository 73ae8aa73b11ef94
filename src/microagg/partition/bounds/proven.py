"""What a search has proved about its groups: the names of it, and how a bound is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from typing import Any

from microagg.partition.bounds.gap import PROVED

PROVEN = ("lower_bound", "lower_bound_sse", "gap")
"""What is noted of a bound among the details of a partition; it speaks of means of its groups."""


def proven(details: Mapping[str, Any]) -> float | None:
    """Return the proven lower bound of the loss of means in percent, or nothing.

    A bound for some of the columns says nothing of all of them.

    Examples
    --------
    >>> proven({"lower_bound": 4.66, "gap": 0.002, "stopped": "time limit"})
    4.66
    """
    if "lower_bound" not in details or "columns" in details:
        return None
    return float(details["lower_bound"])


def proven_of_parts(parts: Sequence[Mapping[str, Any]], sst: float) -> dict[str, float]:
    """Return what is proved of groups that cross no part, from what was proved of each; or nothing.

    Examples
    --------
    >>> proven_of_parts([{"lower_bound_sse": 2.0}, {"lower_bound_sse": 3.0}], sst=100.0)
    {'lower_bound': 5.0, 'lower_bound_sse': 5.0}
    """
    if not all("lower_bound_sse" in part and "columns" not in part for part in parts):
        return {}
    bound = float(sum(part["lower_bound_sse"] for part in parts))
    return {"lower_bound": 100 * bound / sst if sst else 0.0, "lower_bound_sse": bound}


def saving_words(gap: float) -> str:
    """Return what a gap says of groups.

    Examples
    --------
    >>> saving_words(0.0123), saving_words(0.0)
    ('better groups could save at most 1.3 % of that', 'no better groups exist')
    >>> saving_words(1.0)
    'better groups could save at most 100 % of that'
    """
    if gap <= PROVED:
        return "no better groups exist"
    most = rounded_up(100 * gap, ".2g" if gap < 0.99 else ".3g")
    return f"better groups could save at most {most} % of that"


def rounded_down(bound: float, form: str) -> str:
    """Return a bound in a form such as ".3f": what is written is proved too.

    Examples
    --------
    >>> rounded_down(8.516869, ".3f"), rounded_down(8.516869, ".2g")
    ('8.516', '8.5')
    """
    with localcontext(rounding=ROUND_FLOOR):
        return format(Decimal(bound), form)


def rounded_up(gap: float, form: str) -> str:
    """Return the most that better groups could save: what is written is proved too.

    Examples
    --------
    >>> rounded_up(0.0123, ".1g")
    '0.02'
    """
    with localcontext(rounding=ROUND_CEILING):
        return format(Decimal(gap), form)
