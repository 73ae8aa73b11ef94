"""The group of commands: each file of `cli/commands` is imported when its command is used.

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

import click
from click.exceptions import Exit

from microagg.cli import commands
from microagg.cli.console import forget_stdout, of_standard_stream
from microagg.cli.lean_pyarrow import import_lean
from microagg.cli.parameters import SETTINGS, TopicalCommand, command_of, flags_of
from microagg.errors import FileError, MicroaggError, enough_memory
from microagg.lazy import lazy
from microagg.renamed import COMMANDS, FLAGS

NO_READER = 141  # as a shell has it for a program that ended by SIGPIPE
INTERRUPTED = 130

mask = lazy("microagg.mask.registry")
speech = lazy("microagg.cli.speech")


SUMMARY = "Microaggregation: release records about people in groups of at least k."


class CommandGroup(click.Group):
    """All commands, none of which is imported before it is used."""

    def __init__(self, name: str) -> None:
        version = click.version_option(package_name="microagg", message="%(version)s")
        super().__init__(name, help=SUMMARY, no_args_is_help=True, context_settings=SETTINGS)
        version(self)
        for module in pkgutil.iter_modules(commands.__path__):
            self.add_command(LateCommand(module.name, help=summary_of(module.name)))

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        """Read the arguments; an interrupt ends with its own status."""
        try:
            return super().make_context(*arguments, **more)
        except KeyboardInterrupt:
            raise Exit(INTERRUPTED) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; an interrupt ends with its own status, without the empty line of click."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Exit(INTERRUPTED) from None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Find a command; for a command of version 0.1, the error names its replacement."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if hint := COMMANDS.get(args[0]):
                raise click.UsageError(f"{error.message} Hint: {hint}", ctx) from None
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List every command with its full summary, which click would truncate."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, each.help or "") for name, each in self.commands.items()])


class LateCommand(click.Command):
    """A command of which only the name and the first line of help are known until it is used."""

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        """Import the command, which then parses its own options."""
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


def load(name: str) -> TopicalCommand:
    """Import a command and return it with all its options."""
    command = import_module(f"{commands.__name__}.{name}").command
    return command_of(_answering(command), name, cls=Command)


def _answering(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose errors name options, and which ends quietly when a pipe is closed."""
    flags = flags_of(command)

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
            if not of_standard_stream(error):
                raise
            forget_stdout()
            raise FileError(f"Standard output cannot be written: {error.strerror}.") from None

    return run


_SPACES = "Write lists without spaces after the commas, such as age,sex, or in quotation marks."


class Command(TopicalCommand):
    """A command that recognises parameters of methods that are used as options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        lists = [argument for argument in args if argument.endswith(",")]  # the parser empties args
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if hint := self._hint(error.option_name):
                raise click.UsageError(f"{error.message} Hint: {hint}", ctx) from None
            raise
        except click.UsageError as error:
            if lists:
                raise click.UsageError(f"{error.message}. Hint: {_SPACES}", ctx) from None
            raise

    def _hint(self, flag: str) -> str:
        """Return the new name of an unknown option, or a hint that it is a parameter of methods."""
        own = {flag for option in self.params for flag in option.opts}
        name = flag.lstrip("-").replace("-", "_")
        if FLAGS.get(flag) in own:
            return f"It is now called {FLAGS[flag]}."
        if name and "--set" in own and (methods := mask.having(name)) is not None:
            return f"Use --set {name}=... {methods}"
        return ""
