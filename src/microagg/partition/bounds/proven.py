"""What a search has proved about its groups: the names of it, and how a bound is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext

from microagg.partition.bounds.gap import PROVED
from microagg.partition.grouping import Facts


def proven(facts: Facts) -> float | None:
    """Return the proven lower bound of the loss of means in percent, or nothing.

    A bound for some of the columns does not apply to all of them.

    Examples
    --------
    >>> proven(Facts(lower_bound=4.66, gap=0.002))
    4.66
    """
    return facts.lower_bound if facts.columns is None else None


def with_bound_of_parts(whole: Facts, parts: Sequence[Facts], sst: float) -> Facts:
    """Return facts about groups that cross no part, with the bound that those of the parts prove.

    Examples
    --------
    >>> parts = [Facts(lower_bound_sse=2.0), Facts(lower_bound_sse=3.0)]
    >>> with_bound_of_parts(Facts(), parts, sst=100.0).lower_bound
    5.0
    """
    bounds = [part.lower_bound_sse for part in parts if part.columns is None]
    proved = [bound for bound in bounds if bound is not None]
    if len(proved) < len(parts):
        return whole
    bound = float(sum(proved))
    return replace(whole, lower_bound=100 * bound / sst if sst else 0.0, lower_bound_sse=bound)


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
