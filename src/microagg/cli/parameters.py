"""Commands of click from plain functions, whose annotations declare options and arguments.

A parameter is annotated as ``Annotated[int | None, Flag("--most", help="...")]``. Its type determines how
the text is parsed, and its default whether it can be left out.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import click

SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
"""The settings that all commands share."""

GENERAL = "Options"
"""The heading of options without a topic."""


class Flag:
    """The declaration of an option: its flags and its help text.

    Without flags, the name of the parameter becomes one. `default` is shown instead of the default of
    the parameter.
    """

    def __init__(
        self,
        *flags: str,
        help: str,
        metavar: str | None = None,
        topic: str = GENERAL,
        default: str | None = None,
        minimum: int | None = None,
    ) -> None:
        self.flags, self.help, self.metavar = flags, help, metavar
        self.topic, self.default, self.minimum = topic, default, minimum


@dataclass(frozen=True)
class Positional:
    """The declaration of an argument: its name in the help, and its help text."""

    metavar: str
    help: str


class OptionWithTopic(click.Option):
    """An option that the help lists under its topic."""

    def __init__(self, *args: Any, topic: str, shown_default: str | None, **more: Any) -> None:
        super().__init__(*args, **more)
        self.topic, self.shown_default = topic, shown_default

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        if record is None or self.shown_default is None:
            return record
        return record[0], f"{record[1]} [default: {self.shown_default}]"


class ArgumentWithHelp(click.Argument):
    """An argument with a help text, which click supports since version 8.5."""

    def __init__(self, *args: Any, help: str, **more: Any) -> None:
        super().__init__(*args, **more)
        self.help = help

    def make_metavar(self, ctx: click.Context) -> str:
        """Return the name, in brackets if the argument is optional."""
        name = self.metavar or self.name.upper()
        return (name if self.required else f"[{name}]") + ("..." if self.nargs == -1 else "")

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        return self.make_metavar(ctx), self.help or ""


class TopicalCommand(click.Command):
    """A command whose help lists arguments, then options by topic, then general options."""

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write nothing here: the arguments are the first topic."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        topics: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        general: list[tuple[str, str]] = []
        for each in self.get_params(ctx):
            record = each.get_help_record(ctx)
            if record is None:
                continue
            if isinstance(each, click.Argument):
                topics["Arguments"].append(record)
            elif (topic := getattr(each, "topic", GENERAL)) == GENERAL:
                general.append(record)
            else:
                topics.setdefault(topic, []).append(record)
        for topic, records in {**topics, GENERAL: general}.items():
            if records:
                with formatter.section(topic):
                    formatter.write_dl(records)


def command_of(
    function: Callable[..., None], name: str, cls: type[TopicalCommand] = TopicalCommand
) -> TopicalCommand:
    """Return a function as a command.

    Examples
    --------
    >>> def greet(name: Annotated[str, Flag(help="Whom to greet.")] = "world") -> None:
    ...     print(f"Hello, {name}!")
    >>> command_of(greet, "greet").main(["--name", "Ada"], standalone_mode=False)
    Hello, Ada!
    """
    parameters = inspect.signature(function, eval_str=True).parameters.values()
    lists = [each.name for each in parameters if _kind(each)[1]]

    def call(**values: Any) -> None:
        # click has tuples for lists, and an empty one for a list that is left out
        function(**{n: list(v) or None if n in lists else v for n, v in values.items()})

    params = [_parameter(each) for each in parameters]
    help = inspect.getdoc(function)
    return cls(name, callback=call, params=params, help=help, context_settings=SETTINGS)


def flags_of(function: Callable[..., None]) -> dict[str, str]:
    """Return the flag that messages show for each option of a command, by name in Python."""
    declared = {
        each.name: _declaration(each)
        for each in inspect.signature(function, eval_str=True).parameters.values()
    }
    return {n: _flags(n, info)[0] for n, info in declared.items() if isinstance(info, Flag)}


def _declaration(parameter: inspect.Parameter) -> Flag | Positional:
    """Return the declaration in the annotation of a parameter; without one, it is an argument."""
    for info in getattr(parameter.annotation, "__metadata__", ()):
        if isinstance(info, Flag | Positional):
            return info
    return Positional(parameter.name.upper(), "")


def _flags(name: str, info: Flag) -> tuple[str, ...]:
    return info.flags or (f"--{name.replace('_', '-')}",)


def _kind(parameter: inspect.Parameter) -> tuple[Any, bool]:
    """Return the type to which text is converted, and whether the option may be repeated."""
    annotation = parameter.annotation
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if isinstance(annotation, types.UnionType):
        annotation = next(kind for kind in get_args(annotation) if kind is not types.NoneType)
    if get_origin(annotation) is list:
        return get_args(annotation)[0], True
    return annotation, False


def _parameter(parameter: inspect.Parameter) -> click.Parameter:
    """Return a parameter of a function as a parameter of click."""
    kind, several = _kind(parameter)
    info = _declaration(parameter)
    required = parameter.default is parameter.empty
    shared: dict[str, Any] = {
        "type": _PATH if kind is Path else kind,
        "required": required,
        "metavar": info.metavar,
        "help": info.help,
    }
    if not required and not several:
        shared["default"] = parameter.default
    if isinstance(info, Positional):
        return ArgumentWithHelp([parameter.name], nargs=-1 if several else 1, **shared)
    if info.minimum is not None:
        shared["type"] = click.IntRange(min=info.minimum)
    if kind is bool:
        shared |= {"is_flag": True, "type": None}
    shown = info.default or _shown(parameter.default)
    names = (parameter.name, *_flags(parameter.name, info))
    return OptionWithTopic(names, multiple=several, topic=info.topic, shown_default=shown, **shared)


_PATH = click.Path(readable=False, path_type=Path)
"""A path, which may or may not exist; it is checked when it is used."""


def _shown(default: Any) -> str | None:
    """Return a default as the help shows it, if it is informative."""
    if isinstance(default, bool):
        return None
    if isinstance(default, float):
        return f"{default:g}"
    return str(default) or None if isinstance(default, int | str | Path) else None
