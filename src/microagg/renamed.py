"""Names of version 0.1 that were changed: errors state the new names.

The table in CHANGELOG.md lists the same.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from microagg.errors import ParameterError, Phrase, did_you_mean

P = ParamSpec("P")
R = TypeVar("R")

_OF_REPORTS = "audience, a parameter of Release.write,"

KEYWORDS = {
    "protect": {"p_sensitive": "l_diversity", "face": _OF_REPORTS},
    "compare": {"p_sensitive": "l_diversity", "weight": "loss_weight"},
    "assess": {"key": "match_on", "weight": "loss_weight", "face": _OF_REPORTS},
    "lower_bound": {"partition": "groups"},
    "protect_file": {
        "p_sensitive": "l_diversity",
        "block_size": 'parameters={"block_size": ...}',
    },
    "Microaggregator": {"method_params": "parameters"},
    "Release.write": {"face": "audience"},
    "Assessment.summary": {"face": "audience"},
    "Assessment.as_dict": {"face": "audience"},
}
"""Keywords by function."""

FLAGS = {
    "--face": "--audience",
    "--key": "--match-on",
    "--p-sensitive": "--l-diversity",
    "--weight": "--loss-weight",
}
"""Flags of the command line."""

COMMANDS = {
    "reproduce": "In a copy of the source, run `python -m benchmarks.reproduce`.",
}
"""Commands, and what to run instead."""

OLD_MEASURES = {"k-anonymity": "k", "p-sensitivity": "l-diversity"}
"""Measures."""

ATTRIBUTES = {
    "LowerBound.partition_il": "groups_il",
    "LowerBound.partition_sse": "groups_sse",
    "Partition.details": "facts",
    "Assessment.weight": "loss_weight",
    "Comparison.weight": "loss_weight",
    "Comparison.points": "trials",
    "microagg.write_report": 'release.write({"report": path})',
}
"""Attributes by class."""


def refuse_renamed(caller: str, name: str) -> None:
    """Raise if `name` is the old name of a keyword."""
    new = KEYWORDS.get(caller, {}).get(name)
    if new is not None:
        raise ParameterError(
            f"{caller} no longer has a parameter '{name}'.", hint=f"It is now called {new}."
        )


def knowing_old_names(
    caller: str, *, of_methods: bool = False
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function reject old names of its keywords with their new names.

    With `of_methods`, other unknown keywords are taken for parameters of a method, which 0.1 took so.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        own = inspect.signature(function).parameters

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            for name in kwargs:
                if name not in own:
                    refuse_renamed(caller, name)
                    if of_methods:
                        raise _of_a_method(caller, name, list(own))
            return function(*args, **kwargs)

        return call

    return decorate


def _of_a_method(caller: str, name: str, own: list[str]) -> ParameterError:
    hint = did_you_mean(name, own) or Phrase(
        "Parameters of a method go into {parameters}.", parameters={name: ...}
    )
    return ParameterError(f"{caller} has no parameter '{name}'.", hint=hint)


def renamed_attribute(owner: str, name: str) -> AttributeError:
    """Return the error for a missing attribute, with its new name if it has one."""
    new = ATTRIBUTES.get(f"{owner}.{name}")
    hint = "" if new is None else f"; it is now called {new!r}"
    return AttributeError(f"'{owner}' object has no attribute {name!r}{hint}")
