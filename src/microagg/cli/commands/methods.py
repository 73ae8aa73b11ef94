"""`microagg methods`: every method and what it guarantees."""

from __future__ import annotations

import sys
from typing import Any

from microagg.cli import options
from microagg.cli.console import answer
from microagg.mask.registry import Masking, maskings
from microagg.partition.refine.registry import refinements
from microagg.partition.registry import Method, methods


def command(json: options.Json = False) -> None:
    """List every method: name, idea, time, guaranteed group sizes, parameters, reference."""
    if json:
        answer([*map(_facts, methods()), *map(_masking_facts, maskings())])
        return
    for method in methods():
        sys.stdout.write(
            f"{method.name} ({method.family}; {method.reference})\n"
            f"    {method.summary}\n"
            f"    time {method.time}, memory {method.memory}, sizes k to {method.max_size}"
            f"{'' if method.deterministic else ', depends on the seed'}"
            f"{', accepts categories, missing values and weights' if method.mixed else ''}\n"
        )
        _settings(method)
    if maskings():
        sys.stdout.write(
            "\nMaskings, which form no groups of whole records (also chosen with --method):\n"
        )
    for masking in maskings():
        sys.stdout.write(
            f"{masking.name} ({masking.reference})\n    {masking.summary}\n"
            f"    promises: {masking.promise}\n"
        )
        _settings(masking)
    sys.stdout.write("\nRefinements, which can follow any method (--refine):\n")
    for step in refinements():
        sys.stdout.write(f"{step.name} ({step.reference})\n    {step.summary}\n")


def _settings(method: Method | Masking) -> None:
    for name, constraint in method.constraints.items():
        sys.stdout.write(f"    --set {name}={method.parameters[name]}    {constraint}\n")


def _facts(method: Method) -> dict[str, Any]:
    plain = ("name", "family", "summary", "reference", "time", "memory", "deterministic")
    return {
        **{fact: getattr(method, fact) for fact in plain},
        "sizes": f"k to {method.max_size}",
        "mixed": method.mixed is not None,
        "parameters": _parameters(method),
    }


def _masking_facts(masking: Masking) -> dict[str, Any]:
    return {
        "name": masking.name,
        "family": "masking",
        "summary": masking.summary,
        "reference": masking.reference,
        "promise": masking.promise,
        "mixed": False,
        "parameters": _parameters(masking),
    }


def _parameters(method: Method | Masking) -> dict[str, Any]:
    return {
        name: {"default": method.parameters[name], "must_be": str(constraint)}
        for name, constraint in method.constraints.items()
    }
