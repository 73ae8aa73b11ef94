"""The form of options, generated from `Settings`: common options first, the rest folded.

Each option has a control that depends on the form of its value. The input of the user is converted to the
text that the command line would accept, so that the page, the command and the script are equivalent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from microagg.constraints import IsInteger, IsNumber, IsPositive, OneOf
from microagg.declare import Option, options_of, parsed
from microagg.errors import ParameterError
from microagg.mask.registry import declaration, named
from microagg.schema import SCHEMA_OPTIONS, Schema
from microagg.server.project import Project, Texts
from microagg.server.speech import label
from microagg.settings import Settings
from microagg.values import ColumnName, Form, Lists, Names, One
from microagg.values_by_name import ByColumn, Parameters, read_parameters

CARDS: Mapping[str, Sequence[str]] = {
    "Groups": ("k", "method"),
    "Confidential columns": ("l_diversity", "t_closeness"),
    "Analysis": ("target",),
    "Records": ("missing", "unit", "strata", "weights"),
    "Released values": ("round_to",),
}
"""The options that are not folded, by the heading of their card."""

TOPICS = {
    "Groups": "More about groups",
    "Distances": "Distances between records",
    "Release": "More about released values",
    "Records": "More about records",
    "Limits": "Strictness",
}
"""The headings of the folded options, by their topic."""

AMOUNTS = ("round_to",)
"""Options by column that apply only to numbers."""

LEFT_OUT = (*SCHEMA_OPTIONS, "index")
"""Options that the page does not offer: roles are chosen in another step, and files have no index."""


@dataclass(frozen=True)
class Part:
    """A control of one column: its number, its name and the value that was entered."""

    number: int
    column: str
    value: str = ""


@dataclass(frozen=True)
class FormEntry:
    """One option on the page.

    Attributes
    ----------
    name, label, help, details : str
        Its name in Python, its label, its help text, and further explanations.
    control : str
        "number", "choice", "flag", "column", "columns", "by-column", "lines" or "text".
    choices : tuple of str
        The values of a choice; the empty text is the default.
    parts : tuple of Part
        The columns, for a control with one part per column.
    value, error : str
        The input of the user, and the error message for it.
    example : str
        An example of a value.
    words : tuple of str
        Words that may be chosen for all columns instead of a value for each.
    """

    name: str
    label: str
    help: str
    details: str
    control: str
    choices: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    value: str = ""
    error: str = ""
    example: str = ""
    words: tuple[str, ...] = ()


def offered() -> dict[str, Option]:
    """Return the options that the page offers, files apart."""
    options = options_of(Settings)
    return {
        name: each
        for name, each in options.items()
        if ("memory" in each.places or name == "target") and name not in LEFT_OUT
        if not takes_files(each.form)
    }


def takes_files(form: Form) -> bool:
    """Return whether the values of an option are files, which the page does not support."""
    return isinstance(form, ByColumn) and form.constraint is None and not form.several


def left_to_the_command_line() -> list[str]:
    """Return the flags of the options that need further files."""
    options = options_of(Settings, "memory").values()
    return [each.flags[0] for each in options if takes_files(each.form)]


def entries(
    project: Project, texts: Texts, errors: Mapping[str, str]
) -> dict[str, list[FormEntry]]:
    """Return the options by card or topic, the cards first."""
    folded: dict[str, list[FormEntry]] = {}
    every = {
        name: _entry(option, project, texts.get(name, []), errors.get(name, ""))
        for name, option in offered().items()
    }
    cards = {title: [every[name] for name in names] for title, names in CARDS.items()}
    common = {name for names in CARDS.values() for name in names}
    for name, option in offered().items():
        if name not in common:
            folded.setdefault(TOPICS[option.topic], []).append(every[name])
    return {**cards, **folded}


def _entry(option: Option, project: Project, texts: Sequence[str], error: str) -> FormEntry:
    control, choices = _control(option, project)
    form = option.form
    parts: tuple[Part, ...] = ()
    value = "\n".join(texts) if control == "lines" else ", ".join(texts)
    if control == "columns":
        parts, value = _parts(project, None, {text: text for text in texts}), ""
    elif isinstance(form, ByColumn):
        words = [text for text in texts if text in form.words_instead]
        entered = dict(text.rsplit("=", 1) for text in texts if text not in words)
        roles = None if form.anywhere else ("quasi-identifier",)
        parts, value = _parts(project, roles, entered), "".join(words)
        if option.name in AMOUNTS:
            amounts = project.continuous()
            parts = tuple(part for part in parts if part.column in amounts)
    elif not value and control == "choice" and isinstance(option.default, str):
        value = option.default
    return FormEntry(
        name=option.name,
        label=label(option.name),
        help=option.help,
        details=option.details,
        control=control,
        choices=choices,
        parts=parts,
        value=value,
        error=error,
        example=_example(form),
        words=form.words_instead[1:] if isinstance(form, ByColumn) else (),
    )


def _parts(
    project: Project, roles: Sequence[str] | None, entered: Mapping[str, str]
) -> tuple[Part, ...]:
    """Return a part for each column of some roles, or for each that is released."""
    chosen = roles or ("quasi-identifier", "confidential", "other")
    return tuple(
        Part(number, column.name, entered.get(column.name, ""))
        for number, column in enumerate(project.columns)
        if column.role in chosen
    )


def _control(option: Option, project: Project) -> tuple[str, tuple[str, ...]]:
    """Return the control of an option, and its choices."""
    form = option.form
    if form.text_type is bool:
        return "flag", ()
    if isinstance(form, ColumnName):
        return "column", ("", *(column.name for column in project.columns))
    if isinstance(form, Names):
        return "columns", ()
    if isinstance(form, ByColumn):
        each = form.constraint
        return "by-column", ("", *each.choices) if isinstance(each, OneOf) else ()
    if isinstance(form, Lists | Parameters):
        return "lines", ()
    if isinstance(form, One) and isinstance(form.constraint, OneOf):
        blank = ("",) if form.optional or option.default is None else ()
        return "choice", (*blank, *map(str, form.constraint.choices))
    if isinstance(form, One) and isinstance(form.constraint, IsInteger | IsNumber | IsPositive):
        return "number", ()
    return "text", ()


def _example(form: Form) -> str:
    """Return an example of a value."""
    if isinstance(form, ByColumn):
        return form.example.partition("=")[2]
    if isinstance(form, Lists):
        return "age, income"
    return "name=value" if isinstance(form, Parameters) else ""


def texts_from(sent: Mapping[str, Sequence[str]], project: Project) -> Texts:
    """Return the submitted form as the text that the command line would accept."""
    texts: Texts = {}
    for name, option in offered().items():
        control, _ = _control(option, project)
        values = [value.strip() for value in sent.get(name, ()) if value.strip()]
        if control == "columns":
            numbers = [int(value) for value in values if value.isdecimal()]
            values = [project.columns[n].name for n in numbers if n < len(project.columns)]
        elif control == "by-column":
            values = values or _by_column(name, sent, project)
        elif control == "lines":
            values = [
                line.strip() for value in values for line in value.splitlines() if line.strip()
            ]
        elif values == [option.default]:
            values = []
        if values:
            texts[name] = values
    return texts


def _by_column(name: str, sent: Mapping[str, Sequence[str]], project: Project) -> list[str]:
    """Return the values that were entered for columns, as ``column=value``."""
    return [
        f"{column.name}={value.strip()}"
        for number, column in enumerate(project.columns)
        for value in sent.get(f"{name}-{number}", ())
        if value.strip()
    ]


def settings_of(texts: Texts, schema: Schema, columns: Sequence[str]) -> Settings:
    """Return the settings for the texts; errors name the invalid option."""
    values = values_of(texts, columns)
    values.pop("target", None)
    if "k" not in values:
        raise ParameterError("is missing.", parameter="k", hint="Values from 3 to 10 are usual.")
    return Settings.create(schema=schema, **values)


def values_of(texts: Texts, columns: Sequence[str]) -> dict[str, Any]:
    """Return the values of the options that were entered."""
    entered: dict[str, Any] = {}
    for name, option in offered().items():
        lines = texts.get(name, [])
        if not lines:
            continue
        if option.form.text_type is bool:
            entered[name] = True
        else:
            entered[name] = lines if option.form.repeated else _number(option, lines[0])
    values = parsed(Settings, entered, columns)
    if "parameters" in values:
        constraints = declaration(named(values.get("method", "auto"))).constraints
        values["parameters"] = read_parameters(values["parameters"], constraints)
    return values


def _number(option: Option, text: str) -> Any:
    """Return a number if the option takes one; the option rejects other text."""
    try:
        return option.form.text_type(text) if option.form.text_type in (int, float) else text
    except ValueError:
        return text
