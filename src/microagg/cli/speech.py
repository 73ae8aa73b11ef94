"""The notation of parameters on the command line: as options."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from microagg.declare import options_of
from microagg.errors import PYTHON
from microagg.reading import Reading
from microagg.schema import SCHEMA_OPTIONS
from microagg.settings import Settings


@dataclass(frozen=True)
class CommandSpeech:
    """Parameters as the options of a command.

    Attributes
    ----------
    flags : mapping of str to str
        The flag of each option by its name in Python.
    schema_file : bool
        Whether roles come from a schema file, whose entries have the names of the parameters.

    Examples
    --------
    >>> speech = CommandSpeech({"k": "-k", "encoding": "--encoding", "parameters": "--set"})
    >>> speech.named(("k",), "mdav"), speech.assigned("encoding", "latin-1")
    ("The '-k' option", '--encoding latin-1')
    >>> speech.named(("gamma",), "v-mdav"), speech.assigned("gamma", 0.3)
    ("The '--set gamma' option", '--set gamma=0.3')
    >>> CommandSpeech({"methods": "--methods", "parameters": "--set"}).assigned("method", "mdav")
    '--methods mdav'
    """

    flags: Mapping[str, str]
    schema_file: bool = False

    def named(self, parameters: tuple[str, ...], caller: str | None) -> str:
        if self.schema_file and set(parameters) <= set(SCHEMA_OPTIONS):
            names = " and ".join(f"'{name}'" for name in parameters)
            return f"The {names} {'entries' if len(parameters) > 1 else 'entry'} of the schema file"
        flags = [self._flag(name) for name in parameters]
        if None in flags:
            return PYTHON.named(parameters, caller)
        plural = "s" if len(flags) > 1 else ""
        listed = " and ".join(f"'{flag}'" for flag in flags)
        return f"The {listed} option{plural}"

    def assigned(self, parameter: str, value: object) -> str:
        flag = self._flag(parameter)
        if flag is None or (self.schema_file and parameter in SCHEMA_OPTIONS):
            return PYTHON.assigned(parameter, value)
        if value is ... or value is True:
            return flag
        if flag in self.flags.values():
            return f"{flag} {shlex.quote(_text(value))}"
        return f"{flag}={shlex.quote(_of_method(value))}"

    def _flag(self, parameter: str) -> str | None:
        """Return the flag of an option; parameters of methods have a common option.

        A command that tries several methods has --methods for what other commands call --method.
        """
        for name in (parameter, f"{parameter}s"):
            if name in self.flags:
                return self.flags[name]
        return f"{self.flags['parameters']} {parameter}" if "parameters" in self.flags else None


DECLARED = CommandSpeech(
    {n: each.flags[0] for n, each in (options_of(Settings) | options_of(Reading)).items()}
)
"""The flags of declared options, whatever the command."""


def _of_method(value: Any) -> str:
    """Return the value of a parameter of a method in the notation of the command line.

    Examples
    --------
    >>> _of_method({"age": (0, 100)}), _of_method(0.3)
    ('age:0:100', '0.3')
    """
    if not isinstance(value, Mapping):
        return _text(value)
    entries = {n: own if isinstance(own, list | tuple) else [own] for n, own in value.items()}
    return ",".join(":".join([str(name), *map(_text, own)]) for name, own in entries.items())


def _text(value: Any) -> str:
    """Return a value in the notation of the command line."""
    if value is ...:
        return "..."
    if isinstance(value, Mapping):
        return ",".join(f"{name}={_text(entry)}" for name, entry in value.items())
    if isinstance(value, list | tuple):
        return ",".join(map(_text, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
