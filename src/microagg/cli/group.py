"""The commands as a group: each file of `cli/commands` is imported when its command is used.

The list that `microagg --help` shows is read from the files, so that it appears at once.
"""

from __future__ import annotations

import ast
import functools
import pkgutil
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from microagg.cli import commands
from microagg.cli.console import forget_stdout, of_stdout
from microagg.cli.lean_pyarrow import import_lean
from microagg.errors import FileError, MicroaggError, enough_memory
from microagg.lazy import lazy
from microagg.renamed import COMMANDS, FLAGS

CONTEXT = {"help_option_names": ["-h", "--help"]}
NO_READER = 141  # as a shell has it for a program that ended by SIGPIPE

mask = lazy("microagg.mask.registry")
options_of_commands = lazy("microagg.cli.options")
speech = lazy("microagg.cli.speech")


class CommandGroup(TyperGroup):
    """All commands, none of which is imported before it is used."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for module in pkgutil.iter_modules(commands.__path__):
            self.commands[module.name] = LateCommand(module.name, help=summary_of(module.name))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command; a command of version 0.1 is answered by what replaces it."""
        try:
            return super().resolve_command(ctx, args)
        except Exception as error:  # the class lies in click or in typer, by typer's version
            if hint := COMMANDS.get(args[0]):
                error.message = f"{error.message} Hint: {hint}"  # type: ignore[attr-defined]
            raise


class LateCommand(TyperCommand):
    """A command of which only the name and a line of help are known until it is used."""

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        """Import the command, which reads its options from here on."""
        return load(str(self.name)).make_context(info_name, args, parent, **extra)


def summary_of(name: str) -> str:
    """Return the first line of a command's help, without importing the command.

    Examples
    --------
    >>> summary_of("verify").split(":")[0]
    'Check a release against its provenance'
    """
    tree = ast.parse((Path(commands.__path__[0]) / f"{name}.py").read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    own = next(function for function in functions if function.name == "command")
    return (ast.get_docstring(own) or "").split("\n\n")[0].replace("\n", " ")


def load(name: str) -> Any:
    """Import a command and return it with all its options."""
    alone = typer.Typer(
        add_completion=False, pretty_exceptions_enable=False, context_settings=CONTEXT
    )
    command = import_module(f"{commands.__name__}.{name}").command
    alone.command(name, cls=Command)(_answering(command))
    return typer.main.get_command(alone)


def _answering(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose errors speak of options, and which ends quietly without a reader."""
    flags = options_of_commands.flags_of(command)

    @functools.wraps(command)
    def run(**options: Any) -> None:
        if files := [value for value in options.values() if isinstance(value, Path)]:
            import_lean(files)
        try:
            with enough_memory("do this"):
                command(**options)
            sys.stdout.flush()
        except MicroaggError as error:
            schema_file = options.get("schema") is not None
            error.speech = speech.CommandSpeech(flags, schema_file=schema_file)
            raise
        except BrokenPipeError:  # the reader of our data has gone, as `| head` does
            forget_stdout()
            raise SystemExit(NO_READER) from None
        except OSError as error:
            if not of_stdout(error):
                raise
            forget_stdout()
            raise FileError(f"Standard output cannot be written: {error.strerror}.") from None

    return run


class Command(TyperCommand):
    """A command that knows parameters of methods when they are taken for options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except Exception as error:  # the class lies in click or in typer, by typer's version
            _explain(error, {flag for option in self.params for flag in option.opts})
            raise


def _explain(error: Any, own: set[str]) -> None:
    """Add to an unknown option what it is called now, or that it is a parameter of methods."""
    flag = str(getattr(error, "option_name", ""))
    name = flag.lstrip("-").replace("-", "_")
    hint = ""
    if FLAGS.get(flag) in own:
        hint = f"It is now called {FLAGS[flag]}."
    elif name and "--set" in own and (methods := mask.having(name)) is not None:
        hint = f"Use --set {name}=... {methods}"
    if hint:
        error.message = f"{error.message} Hint: {hint}"
        error.possibilities = []
