"""Signatures and docstrings of functions whose options are declared in `Settings`."""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import ParamSpec, TypeVar

from microagg.declare import Option, Place, options_of
from microagg.errors import ParameterError, Phrase, did_you_mean, shown
from microagg.mask.registry import having
from microagg.reading import Reading
from microagg.renamed import refuse_renamed
from microagg.reporter import Reporter
from microagg.settings import Settings

P = ParamSpec("P")
R = TypeVar("R")

WIDTH = 100
SYNONYMS = {
    "qi": "quasi_identifiers",
    "qis": "quasi_identifiers",
    "id": "identifiers",
    "ids": "identifiers",
    "sensitive": "confidential",
    "aggr": "k",
    "weight": "weights",
    "weightVar": "weights",
    "strata_variables": "strata",
    "strataVar": "strata",
    "random_state": "seed",
    "method_params": "parameters",
}
"""The names of our parameters in other tools, if these names are not similar."""


def with_options(
    place: Place, *, text_files: bool = False, without: Iterable[str] = ()
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Replace ``**options`` of a function by the options that apply in a place.

    The signature lists them, the line ``{options}`` in the docstring becomes their description, and an
    unknown keyword raises a ParameterError with a suggestion. With `text_files`, the options of
    `Reading` are among them; `without` names options that the function does not take.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        own = inspect.signature(function)
        taken = {**own.parameters}
        declared = options_of(Settings, place) | (options_of(Reading) if text_files else {})
        options = {n: each for n, each in declared.items() if n not in {*taken, *without}}

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            for name in kwargs:
                if name not in taken and name not in options:
                    raise unknown_keyword(function.__name__, name, [*taken, *options])
            if not isinstance(kwargs.get("progress") or Reporter(), Reporter):
                raise ParameterError(
                    f"must be a Reporter. Got {shown(kwargs['progress'])}.",
                    parameter="progress",
                    hint="Leave it out, or pass an object of a class that extends microagg.Reporter.",
                )
            return function(*args, **kwargs)

        call.__signature__ = _signature(own, options)  # type: ignore[attr-defined]
        call.__doc__ = _documented(function.__doc__ or "", options)
        return call

    return decorate


def unknown_keyword(caller: str, name: str, own: Iterable[str]) -> ParameterError:
    """Return the error for a keyword that a function does not have."""
    refuse_renamed(caller, name)
    names = [each for each in own if each not in ("options", "data")]
    if name in options_of(Settings) and f"{name}s" not in names:
        where, advice = _ELSEWHERE.get(caller, (f"in {caller}", "Leave it out."))
        return ParameterError(f"cannot be used {where}.", parameter=name, hint=advice)
    hint: str | Phrase | None = did_you_mean(SYNONYMS.get(name, name), names)
    if name == "audience":
        hint = "It is a parameter of Release.write."
    if methods := having(name):
        hint = Phrase(
            f"Parameters of a method go into {{parameters}}. {methods}", parameters={name: ...}
        )
    return ParameterError(f"{caller} has no parameter '{name}'.", hint=hint)


_ELSEWHERE = {
    "protect_file": (
        "on a file that is read piece by piece",
        "Leave it out, or protect a frame that fits into memory.",
    )
}
"""Where an option of `protect` cannot be used, and the remedy, by function."""


def _signature(own: inspect.Signature, options: Mapping[str, Option]) -> inspect.Signature:
    """Return a signature with the options in place of ``**options``, before other keywords."""
    kinds = inspect.Parameter
    first = [p for p in own.parameters.values() if p.kind is kinds.POSITIONAL_OR_KEYWORD]
    last = [p for p in own.parameters.values() if p.kind is kinds.KEYWORD_ONLY]
    declared = [
        kinds(name, kinds.KEYWORD_ONLY, default=each.default, annotation=each.form.annotation)
        for name, each in options.items()
    ]
    return own.replace(parameters=[*first, *declared, *last])


def _documented(text: str, options: Mapping[str, Option]) -> str:
    """Return a docstring with the description of the options in it."""
    for line in text.splitlines():
        if line.strip() == "{options}":
            indent = line[: line.index("{")]
            described = "\n".join(map(_described, options.values()))
            return text.replace(line, textwrap.indent(described, indent))
    return text


def _described(each: Option) -> str:
    """Return an option in the format of NumPy's docstrings."""
    words = f"{each.help} {each.details}".strip()
    wrapped = textwrap.fill(words, WIDTH - 8, break_on_hyphens=False)
    return f"{each.name} : {each.form.words}\n{textwrap.indent(wrapped, '    ')}"
