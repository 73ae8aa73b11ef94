"""The meaning of a name: a method, its parameters, and the refinements that follow it.

The papers give names to pairs: TFRP is TFRP-I refined by its phase two, MDAV-NC3 is MDAV-NC
refined by the algorithm of 2018. Each method declares the names that it has in such a pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from microagg.partition.refine.registry import refinements
from microagg.partition.registry import Method, exactly, find, methods


@dataclass(frozen=True)
class NamedMethod:
    """A method, the parameters that its name fixes, and the refinements that its name adds.

    `name` is the name as it was typed.
    """

    name: str
    method: Method
    parameters: dict[str, Any]
    refine: tuple[str, ...]


def resolve(name: str) -> NamedMethod:
    """Return the method, parameters and refinements that a name denotes.

    Examples
    --------
    >>> choice = resolve("MDAV-NC3")
    >>> choice.method.name, choice.refine
    ('mdav-nc', ('decompose-shrink',))
    """
    if isinstance(name, str) and (exact := exactly(name)) is not None:
        return NamedMethod(name, exact, {}, ())
    plain, refine = _split(name.lower()) if isinstance(name, str) else (name, ())
    method, parameters = find(plain if refine else name)
    return NamedMethod(name, method, parameters, refine)


def pairs() -> dict[str, tuple[str, str]]:
    """Return the names in the papers that denote a method with a refinement.

    Examples
    --------
    >>> pairs()["tfrp"]
    ('tfrp-i', 'decompose')
    """
    return {name: (m.name, step) for m in methods() for name, step in m.refined.items()}


def _split(name: str) -> tuple[str, tuple[str, ...]]:
    if name in (named := pairs()):
        return named[name][0], named[name][1:]
    suffixed = {base for method in methods() for base in method.suffixed}
    for step in refinements():
        base = name.removesuffix(step.suffix)
        if step.suffix and base != name and base in suffixed:
            return base, (step.name,)
    return name, ()
