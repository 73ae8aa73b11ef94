"""What a name stands for: a method, its parameters, and the refinements that follow it.

The papers give names to pairs: TFRP is TFRP-I refined by its phase two, MDAV-NC3 is MDAV-NC
refined by the algorithm of 2018.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from microagg.partition.registry import Method, find

PAIRS = {
    "tfrp": ("tfrp-i", "decompose"),
    "centroid+": ("cbfs-nc", "decompose"),
    "diameter+": ("dbfs-nc", "decompose"),
    "gsms-t2": ("gsms", "decompose-2018"),
    "dba-2": ("dba-1", "decompose"),
}
"""Names of the papers that mean a method and a refinement."""

SUFFIXES = {"2": "decompose-2018", "3": "decompose-shrink"}
"""What a digit means behind a name of Khomnotai et al. 2018."""

_OF_2018 = ("cbfs-nn", "cbfs-nc", "mdav-nn", "mdav-nc", "tfrp-nn", "tfrp-nc", "gsms-nn")


@dataclass(frozen=True)
class NamedMethod:
    """A method, the parameters that its name fixes, and the refinements that its name adds."""

    method: Method
    parameters: dict[str, Any]
    refine: tuple[str, ...]


def resolve(name: str) -> NamedMethod:
    """Return what a name stands for.

    Examples
    --------
    >>> choice = resolve("MDAV-NC3")
    >>> choice.method.name, choice.refine
    ('mdav-nc', ('decompose-shrink',))
    """
    plain, refine = _split(name.lower()) if isinstance(name, str) else (name, ())
    method, parameters = find(plain if refine else name)
    return NamedMethod(method, parameters, refine)


def _split(name: str) -> tuple[str, tuple[str, ...]]:
    if name in PAIRS:
        return PAIRS[name][0], PAIRS[name][1:]
    if name[:-1] in _OF_2018 and name[-1] in SUFFIXES:
        return name[:-1], (SUFFIXES[name[-1]],)
    return name, ()
