"""Names of version 0.1 that have other names now: whoever uses one is shown the new one.

The table in CHANGELOG.md lists the same.
"""

from __future__ import annotations

from microagg.errors import ParameterError

KEYWORDS = {
    "protect": {"p_sensitive": "l_diversity"},
    "compare": {"p_sensitive": "l_diversity", "weight": "loss_weight"},
    "assess": {"key": "match_on", "weight": "loss_weight"},
    "protect_file": {
        "p_sensitive": "l_diversity",
        "block_size": 'parameters={"block_size": ...}',
    },
    "Microaggregator": {"method_params": "parameters"},
    "Release.write": {"face": "audience"},
    "Release.save": {"face": "audience"},
    "write_report": {"face": "audience"},
    "Assessment.summary": {"face": "audience"},
}
"""Keywords by function."""

FLAGS = {
    "--face": "--audience",
    "--key": "--match-on",
    "--p-sensitive": "--l-diversity",
    "--weight": "--loss-weight",
}
"""Flags of the command line."""

ATTRIBUTES = {
    "Assessment.weight": "loss_weight",
    "Comparison.weight": "loss_weight",
}
"""Attributes by class."""


def refuse_renamed(caller: str, name: str) -> None:
    """Raise when `name` is the old name of a keyword."""
    new = KEYWORDS.get(caller, {}).get(name)
    if new is not None:
        raise ParameterError(
            f"{caller} has no parameter '{name}' any more.", hint=f"Its name is {new} now."
        )


def renamed_attribute(owner: str, name: str) -> AttributeError:
    """Return what to raise for an attribute that is not there, with its new name if it has one."""
    new = ATTRIBUTES.get(f"{owner}.{name}")
    hint = "" if new is None else f"; its name is {new!r} now"
    return AttributeError(f"'{owner}' object has no attribute {name!r}{hint}")
