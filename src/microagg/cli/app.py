"""The app: its commands, and one place where errors become words and exit codes."""

from __future__ import annotations

import functools
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from microagg.cli import (
    assess,
    bound,
    compare,
    datasets,
    demo,
    methods,
    protect,
    schema,
    select,
    serve,
    verify,
    warm,
)
from microagg.cli.console import forget_stdout, of_stdout, open_streams, say
from microagg.cli.options import flags_of
from microagg.cli.speech import CommandSpeech
from microagg.errors import FileError, MicroaggError, enough_memory
from microagg.mask.registry import having
from microagg.renamed import FLAGS

app = typer.Typer(
    name="microagg",
    help="Microaggregation: release records about people in groups of at least k.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(version("microagg"))
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Hold the options of microagg itself."""


def _told(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose errors speak of options, and which ends quietly without a reader."""
    flags = flags_of(command)

    @functools.wraps(command)
    def run(**options: Any) -> None:
        try:
            with enough_memory("do this"):
                command(**options)
            sys.stdout.flush()
        except MicroaggError as error:
            error.speech = CommandSpeech(flags, schema_file=options.get("schema") is not None)
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
        hint = f"Its name is {FLAGS[flag]} now."
    elif name and "--set" in own and (methods := having(name)) is not None:
        hint = f"Give --set {name}=... {methods}"
    if hint:
        error.message = f"{error.message} Hint: {hint}"
        error.possibilities = []


for command in (
    protect,
    assess,
    compare,
    verify,
    bound,
    schema,
    select,
    methods,
    datasets,
    demo,
    serve,
    warm,
):
    app.command(command.NAME, cls=Command)(_told(command.command))


ON_INTERRUPT = "Interrupted; no file is left half-written."
INTERRUPTED = 130
NO_READER = 141  # as a shell has it for a program that ended by SIGPIPE


def _deliver_again(swallowed: sys.UnraisableHookArgs) -> None:
    """Deliver a signal again that struck where Python cannot raise, as when an object is disposed of."""
    number = None
    if isinstance(swallowed.exc_value, KeyboardInterrupt):
        number = signal.SIGINT
    elif isinstance(swallowed.exc_value, SystemExit) and swallowed.exc_value.code == 128 + 15:
        number = signal.SIGTERM
    if number is None:
        sys.__unraisablehook__(swallowed)
        return
    again = threading.Timer(0.05, os.kill, (os.getpid(), number))
    again.daemon = True
    again.start()


def run() -> None:
    """Run the app; exit with 1 for our errors, 130 when interrupted, 143 when terminated."""
    open_streams()
    sys.unraisablehook = _deliver_again
    # As an exception, a termination cleans up on its way out; by default it would not.
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", None)):
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # as of nohup
            signal.signal(number, lambda got, _: sys.exit(128 + got))
    try:
        app(prog_name="microagg")
    except MicroaggError as error:
        say(f"Error: {error}")
        sys.exit(1)
    except KeyboardInterrupt:  # before typer was there to catch it
        say(ON_INTERRUPT)
        sys.exit(INTERRUPTED)
    except SystemExit as end:
        if end.code == INTERRUPTED:  # typer has turned the interrupt into this
            say(ON_INTERRUPT)
        raise
