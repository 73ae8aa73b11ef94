"""Messages speak Python; here they learn to speak of options.

One table says which option stands for which parameter, and one pattern finds a parameter in the
forms that messages have: "The 'k' parameter of mdav", 'encoding="latin-1"', "overwrite=True".
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping

from microagg.errors import MicroaggError

ROLES = {"quasi_identifiers": "--qi", "identifiers": "--id", "confidential": "--confidential"}
OPTIONS = {
    **ROLES,
    "k": "-k",
    "schema": "--schema",
    "method": "--method",
    "refine": "--refine",
    "columns": "--columns",
    "segments": "--segments",
    "measure": "--measure",
    "width": "--width",
    "m": "-m",
    "picture": "--picture",
    "scale": "--scale",
    "integers": "--integers",
    "l_diversity": "--l-diversity",
    "t_closeness": "--t-closeness",
    "p_sensitive": "--p-sensitive",
    "kinds": "--kinds",
    "orders": "--order",
    "distance": "--distance",
    "column_weights": "--column-weight",
    "hierarchies": "--hierarchy",
    "distance_tables": "--distance-table",
    "aggregate": "--aggregate",
    "round_to": "--round-to",
    "missing": "--missing",
    "blank": "--blank",
    "weights": "--weights",
    "strata": "--strata",
    "small_strata": "--small-strata",
    "seed": "--seed",
    "separator": "--separator",
    "encoding": "--encoding",
    "decimal": "--decimal",
    "numeric_names": "--numeric-names",
    "overwrite": "--overwrite",
    "memory": "--memory",
    "output": "--output",
    "folder": "--folder",
    "face": "--face",
    "key": "--key",
    "weight": "--weight",
    "jobs": "--jobs",
    "time_limit": "--time-limit",
}

_NAMED = re.compile(r"'(\w+)'(?: and '(\w+)')? parameter(s?)(?: of [\w.-]+)?")
_GIVEN = re.compile(r"""\b(\w+)=("[^"]*"|'[^']*'|\[[^\]]*\]|\{[^}]*\}|True|\d+)""")


SET = {"time_limit": "--set time_limit"}
"""What has an option of its own in one command, but not in those with --set."""


def of_the_command_line(
    error: MicroaggError, *, schema_file: bool = False, settings: bool = False
) -> MicroaggError:
    """Return the error with options in place of parameters.

    With `schema_file` the roles come from a file, whose entries have the names of the parameters.
    With `settings` the parameters of methods are given by --set.
    """
    roles = ROLES if schema_file else {}
    options = {name: option for name, option in OPTIONS.items() if name not in roles}
    options |= SET if settings else {}
    hint = None if error.hint is None else translated(error.hint, options)
    return type(error)(translated(error.message, options), hint=hint)


def translated(text: str, options: Mapping[str, str] = OPTIONS) -> str:
    """Return a message with options in place of parameters.

    Examples
    --------
    >>> translated("The 'k' parameter of mdav must be an integer.")
    "The '-k' option must be an integer."
    >>> translated('Try encoding="latin-1", overwrite=True or quasi_identifiers=["age", "pay"].')
    'Try --encoding latin-1, --overwrite or --qi age,pay.'
    >>> translated("Say that they are names: kinds={'zip': 'nominal'}.")
    'Say that they are names: --kinds zip=nominal.'
    >>> translated("The 'leftovers' parameter of mdav must be 'group' or 'nearest'.")
    "The 'leftovers' parameter of mdav must be 'group' or 'nearest'."
    """

    def named(found: re.Match[str]) -> str:
        names = [name for name in found.group(1, 2) if name]
        if not all(name in options for name in names):
            return found[0]
        return " and ".join(f"'{options[name]}'" for name in names) + f" option{found[3]}"

    def given(found: re.Match[str]) -> str:
        name, value = found.group(1, 2)
        if name not in options:
            return found[0]
        joint = "=" if options[name].startswith("--set ") else " "
        return options[name] if value == "True" else f"{options[name]}{joint}{_argument(value)}"

    return _GIVEN.sub(given, _NAMED.sub(named, text))


def _argument(value: str) -> str:
    """Return a value of Python as a word of a shell."""
    try:
        plain = json.loads(value.replace("'", '"'))
    except ValueError:
        return value
    if isinstance(plain, dict):
        plain = [f"{name}={_joined(entry)}" for name, entry in plain.items()]
    return shlex.quote(_joined(plain))


def _joined(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
