"""The declaration of options: fields of a dataclass that contain everything about an option."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal

from microagg.constraints import Constraint
from microagg.errors import ParameterError, did_you_mean
from microagg.values import Form, One

Topic = Literal["Roles", "Groups", "Distances", "Release", "Records", "Limits", "Text files"]
"""The headings under which options are listed."""

Place = Literal["memory", "large", "mixed", "masking", "partition", "compare", "assess"]
"""Where an option applies.

"memory" is `protect` on a table, "large" is `protect_file`, and the others are the functions of that name;
"mixed" says that records with categories, missing values or weights can have it, "masking" that
maskings can.
"""


@dataclass(frozen=True)
class Option:
    """The declaration of an option.

    Attributes
    ----------
    name : str
        Its name in Python; the flag ``--its-name`` follows from it.
    default : object
        The default value; `MISSING` if the option is required.
    form : Form
        The form of its value, in Python and as text.
    help : str
        One or two sentences for the command line and the documentation.
    details : str
        Further sentences for the documentation.
    topic : str
        The heading under which it is listed.
    flags : tuple of str
        All flags on the command line; messages show the first.
    places : tuple of str
        The places where it applies.
    recorded : bool
        Whether the provenance records it even if it has its default.
    """

    name: str
    default: Any
    form: Form
    help: str
    details: str
    topic: Topic
    flags: tuple[str, ...]
    places: tuple[Place, ...]
    recorded: bool

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.default is MISSING


def option(
    form: Form | Constraint,
    help: str,
    topic: Topic,
    *,
    default: Any = MISSING,
    details: str = "",
    flags: tuple[str, ...] = (),
    places: tuple[Place, ...] = (),
    recorded: bool = False,
) -> Any:
    """Declare a field; `flags` are those besides ``--its-name``."""
    metadata = {
        "form": form if isinstance(form, Form) else One(form, optional=default is None),
        "help": help,
        "details": details,
        "topic": topic,
        "flags": flags,
        "places": places,
        "recorded": recorded,
    }
    return field(default=default, metadata={"option": metadata}, kw_only=True)


def options_of(declaration: type, place: Place | None = None) -> dict[str, Option]:
    """Return the options of a declaration by name: all, or those that apply in a place."""
    declared = {}
    for one in fields(declaration):
        metadata = dict(one.metadata["option"])
        metadata["flags"] = (*metadata["flags"], f"--{one.name.replace('_', '-')}")
        declared[one.name] = Option(name=one.name, default=one.default, **metadata)
    return {name: each for name, each in declared.items() if place is None or place in each.places}


def checked(declaration: type, values: Mapping[str, Any], caller: str) -> dict[str, Any]:
    """Return all values in normalised form, with defaults for missing ones."""
    options = options_of(declaration)
    for name in values:
        if name not in options:
            raise ParameterError(
                f"{caller} has no parameter '{name}'.", hint=did_you_mean(name, options)
            )
    normalised = {}
    for name, each in options.items():
        if name not in values and each.required:
            raise ParameterError("is missing.", parameter=name, caller=caller)
        value = values.get(name, each.default)
        normalised[name] = each.form.checked(value, name, caller)
    return normalised


def parsed(
    declaration: type, texts: Mapping[str, Any], columns: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the values of the options that were specified as text on the command line.

    `texts` contains the text of each option by its name in Python, None or an empty list
    if it was not specified. `columns` are the column names of the file.
    """
    return {
        name: each.form.parsed(texts[name], name, columns)
        for name, each in options_of(declaration).items()
        if is_set(texts.get(name))
    }


def is_set(value: object) -> bool:
    """Return whether an option was specified on the command line; the number 0 is a value like any other.

    Examples
    --------
    >>> [is_set(value) for value in (None, False, [], 0, 0.0, "")]
    [False, False, False, True, True, True]
    """
    return not (value is None or value is False or value == [])


def recorded(declared: Any) -> dict[str, Any]:
    """Return the values for a provenance file: those that are not defaults, and some in any case."""
    kept = {}
    for name, each in options_of(type(declared)).items():
        value = getattr(declared, name)
        default = None if each.required else each.form.checked(each.default, name, "")
        if each.recorded or value != default:
            kept[name] = each.form.plain(value)
    return kept


def restored(declaration: type, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the original form of the values that `recorded` wrote; other values stay the same."""
    options = options_of(declaration)
    return {
        name: options[name].form.restored(value) if name in options else value
        for name, value in content.items()
    }
