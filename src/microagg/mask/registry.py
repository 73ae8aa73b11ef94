"""The registry of maskings, which `method=` accepts besides methods.

A masking replaces values without groups of whole records, for example each column separately.
It is a function ``(task, *, parameters) -> Masked`` in a file of this package, with one
decorator, and is used as ``protect(..., method=name)``.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from microagg.constraints import Constraint, check_all
from microagg.errors import ParameterError, did_you_mean, unknown_name
from microagg.lazy import import_all
from microagg.mask.masked import Masked
from microagg.partition.names import NamedMethod, pairs, resolve
from microagg.partition.registry import Method, declared, methods

Function = Callable[..., Masked]


@dataclass(frozen=True)
class Masking:
    """A registered masking.

    Attributes
    ----------
    name, summary, reference : str
        The name to type, a description in one line, and the publication.
    promise : str
        The promise about the released values, in words.
    replacement : str
        The replacement of the values, in words.
    parameters : mapping
        The parameters and their defaults.
    private : bool
        Whether it is differentially private, so that every release spends its epsilon.
    example : str
        The required parameters in an example with columns "a" and "b"; empty if there are none.
    """

    name: str
    summary: str
    reference: str
    promise: str
    parameters: Mapping[str, Any]
    function: Function = field(repr=False)
    constraints: Mapping[str, Constraint] = field(repr=False)
    example: str = field(repr=False, default="")
    replacement: str = field(repr=False, default="masked values")
    private: bool = field(repr=False, default=False)

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Raise if a parameter is unknown or invalid."""
        check_all(parameters, self.constraints, self.name)


_MASKINGS: dict[str, Masking] = {}


def masking(
    name: str,
    *,
    summary: str,
    reference: str,
    promise: str,
    replacement: str = "masked values",
    example: str = "",
    private: bool = False,
) -> Callable[[Function], Function]:
    """Register the decorated function as the masking `name`."""

    def register(function: Function) -> Function:
        if name in _MASKINGS:
            raise ParameterError(
                f"A masking called {name!r} exists already.", hint="Choose another name."
            )
        defaults, constraints = declared(function)
        _MASKINGS[name] = Masking(
            name=name,
            summary=summary,
            reference=reference,
            promise=promise,
            parameters=defaults,
            function=function,
            constraints=constraints,
            example=example,
            replacement=replacement,
            private=private,
        )
        return function

    return register


@cache
def _modules() -> tuple[str, ...]:
    """Return the names of the files of this package."""
    package = import_module("microagg.mask")
    return tuple(module.name for module in pkgutil.iter_modules(package.__path__))


def maskings() -> tuple[Masking, ...]:
    """Return every masking, sorted by name.

    Examples
    --------
    >>> [m.name for m in maskings()][-2:]
    ['fuzzy', 'individual-ranking']
    """
    import_all("microagg.mask")
    return tuple(sorted(_MASKINGS.values(), key=lambda masking: masking.name))


def masking_called(name: object) -> Masking | None:
    """Return the masking called `name`, or None if there is none of that name.

    The file of a masking is named after it, so no other file needs to be imported.
    """
    if not isinstance(name, str):
        return None
    wanted = name.lower()
    module = wanted.replace("-", "_")
    if wanted not in _MASKINGS and module in _modules():
        import_module(f"microagg.mask.{module}")
    return _MASKINGS.get(wanted)


def is_private(name: str) -> bool:
    """Return whether the releases of a method are differentially private.

    Examples
    --------
    >>> is_private("dp-insensitive"), is_private("mdav")
    (True, False)
    """
    masking = masking_called(name)
    return masking is not None and masking.private


def refuse_external_report(name: str) -> None:
    """Raise if releases of a method are differentially private, because reports are not."""
    if is_private(name):
        raise ParameterError(
            f"An external report is not available for {name}: it is computed from the original records "
            "without noise, so it is not differentially private.",
            hint="Publish the released data alone. The internal report is for the owner.",
        )


def named(name: str) -> NamedMethod | Masking:
    """Return the method or masking that `protect(method=name)` uses, or raise and list all names."""
    entry = masking_called(name)
    if entry is not None:
        return entry
    try:
        return resolve(name)
    except ParameterError:
        names = [*(m.name for m in methods()), *pairs(), *(m.name for m in maskings())]
    raise unknown_name("method", name, names)


def having(parameter: str) -> str | None:
    """Return a hint that names the methods and maskings with a parameter, or None if there is none.

    Examples
    --------
    >>> having("gamma")
    'These methods have it: v-mdav.'
    """
    names = [m.name for m in methods() if parameter in m.parameters]
    names += [m.name for m in maskings() if parameter in m.parameters]
    return f"These methods have it: {', '.join(names)}." if names else None


def declaration(method: NamedMethod | Masking) -> Method | Masking:
    """Return the declaration of a method or masking."""
    return method.method if isinstance(method, NamedMethod) else method


def check_parameters(method: NamedMethod | Masking, parameters: Mapping[str, Any]) -> None:
    """Raise if a method does not have one of the parameters, or does not accept its value."""
    called = declaration(method)
    for name in parameters:
        if name not in called.parameters:
            takes = ", ".join(called.parameters) or "none"
            raise ParameterError(
                f"{called.name} has no parameter '{name}'. It takes: {takes}.",
                hint=did_you_mean(name, called.parameters) or having(name),
            )
    called.check(parameters)
