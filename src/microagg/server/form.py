"""The form of options, generated from `Settings`: common options first, the rest folded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from microagg.constraints import IsInteger, IsNumber, IsPositive, OneOf
from microagg.declare import Option, options_of, parsed
from microagg.schema import Schema
from microagg.settings import ROLES, Settings
from microagg.values import ColumnName, Names, One

COMMON = ("k", "method", "missing", "l_diversity", "t_closeness")
"""The options that are not folded."""


@dataclass(frozen=True)
class Entry:
    """One option on the page.

    Attributes
    ----------
    name, label, help, flag : str
        Its name in Python, what the page calls it, its help text, and its flag.
    control : str
        "flag", "number", "choice", "column", "columns" or "text".
    choices : tuple of str
        What a choice offers; empty texts mean the default.
    value : str
        What the user has entered.
    error : str
        What is wrong with it.
    """

    name: str
    label: str
    help: str
    flag: str
    control: str
    choices: tuple[str, ...] = ()
    value: str = ""
    error: str = ""


def offered() -> dict[str, Option]:
    """Return the options that the page offers: roles are decided before, and files have no index."""
    options = options_of(Settings, "memory")
    return {name: each for name, each in options.items() if name not in (*ROLES, "index")}


def entries(
    values: Mapping[str, str], columns: Sequence[str], errors: Mapping[str, str]
) -> tuple[list[Entry], dict[str, list[Entry]]]:
    """Return the common options, and the others by topic."""
    common: list[Entry] = []
    folded: dict[str, list[Entry]] = {}
    for name, option in offered().items():
        entry = _entry(option, values.get(name, ""), columns, errors.get(name, ""))
        if name in COMMON:
            common.append(entry)
        else:
            folded.setdefault(option.topic, []).append(entry)
    common.sort(key=lambda entry: COMMON.index(entry.name))
    return common, folded


def _entry(option: Option, value: str, columns: Sequence[str], error: str) -> Entry:
    control, choices = _control(option, columns)
    if not value and control == "choice" and isinstance(option.default, str):
        value = option.default
    return Entry(
        name=option.name,
        label=option.name.replace("_", " ").replace("k", "k (minimum group size)")
        if option.name == "k"
        else option.name.replace("_", " "),
        help=option.help,
        flag=option.flags[-1],
        control=control,
        choices=choices,
        value=value,
        error=error,
    )


def _control(option: Option, columns: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return which control an option gets, and what it offers."""
    form = option.form
    if form.text_type is bool:
        return "flag", ()
    if isinstance(form, ColumnName):
        return "column", ("", *columns)
    if isinstance(form, Names):
        return "columns", tuple(columns)
    if isinstance(form, One) and isinstance(form.constraint, OneOf):
        blank = ("",) if form.optional or option.default is None else ()
        return "choice", (*blank, *map(str, form.constraint.choices))
    if isinstance(form, One) and isinstance(form.constraint, IsInteger | IsNumber | IsPositive):
        return "number", ()
    return "text", ()


def settings_of(values: Mapping[str, str], schema: Schema, columns: Sequence[str]) -> Settings:
    """Return the settings that the page's texts mean; errors name the option that is wrong."""
    return Settings.create(schema=schema, **values_of(values, columns))


def values_of(values: Mapping[str, str], columns: Sequence[str]) -> dict[str, Any]:
    """Return the values that the page's texts mean, of the options that were entered."""
    texts: dict[str, Any] = {}
    for name, option in offered().items():
        text = values.get(name, "").strip()
        if not text:
            continue
        if option.form.text_type is bool:
            texts[name] = True
        elif option.form.repeated:
            texts[name] = [text]
        else:
            texts[name] = _number(option, text)
    return parsed(Settings, texts, columns)


def _number(option: Option, text: str) -> Any:
    """Return a number where the option takes one; other text is for the option to refuse."""
    try:
        return option.form.text_type(text) if option.form.text_type in (int, float) else text
    except ValueError:
        return text
