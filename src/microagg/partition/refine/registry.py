"""The registry of refinements.

A refinement is a function ``(prepared, labels, k, context) -> labels`` in a file of its
own, with one decorator. It never makes the loss larger, and keeps every group at k records or
more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from microagg.errors import ParameterError, shown, unknown_name
from microagg.lazy import import_all
from microagg.partition.grouping import Labels

Function = Callable[..., Labels]


@dataclass(frozen=True)
class Refinement:
    """A registered refinement and its publication.

    `suffix` is the suffix of the names of refined methods in the papers, such as "3" in "mdav-nc3".
    `mixed` is the function that refines groups of mixed records; None if there is none.
    """

    name: str
    summary: str
    reference: str
    time: str
    function: Function = field(repr=False)
    suffix: str = ""
    mixed: Function | None = field(repr=False, default=None)


_REFINEMENTS: dict[str, Refinement] = {}


def refinement(
    name: str,
    *,
    summary: str,
    reference: str,
    time: str,
    suffix: str = "",
    mixed: Function | None = None,
) -> Callable[[Function], Function]:
    """Register the decorated function as the refinement `name`."""

    def register(function: Callable[..., Labels]) -> Callable[..., Labels]:
        if name in _REFINEMENTS:
            raise ParameterError(f"A refinement called {name!r} exists already.")
        _REFINEMENTS[name] = Refinement(name, summary, reference, time, function, suffix, mixed)
        return function

    return register


def refinements() -> tuple[Refinement, ...]:
    """Return every refinement, sorted by name.

    Examples
    --------
    >>> [r.name for r in refinements()][:2]
    ['decompose', 'decompose-2018']
    """
    import_all("microagg.partition.refine")
    return tuple(sorted(_REFINEMENTS.values(), key=lambda r: r.name))


def chain(refine: str | Sequence[str] | None) -> tuple[Refinement, ...]:
    """Return the refinements that `refine` names, one or several, in order."""
    import_all("microagg.partition.refine")
    if refine is None:
        return ()
    names = [refine] if isinstance(refine, str) else refine
    if not isinstance(names, Sequence):
        raise ParameterError(
            f"must be a name or a list of names. Got {shown(refine)}.", parameter="refine"
        )
    return tuple(_find(name) for name in names)


def _find(name: str) -> Refinement:
    wanted = name.lower() if isinstance(name, str) else None
    if wanted not in _REFINEMENTS:
        raise unknown_name("refinement", name, _REFINEMENTS)
    return _REFINEMENTS[wanted]
