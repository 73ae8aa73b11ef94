"""The app: its commands, and one place where errors become words and exit codes."""

from __future__ import annotations

import os
import signal
import sys
from typing import Annotated

import typer

from microagg.cli import datasets, demo, methods, protect, schema
from microagg.cli.console import say
from microagg.errors import MicroaggError

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


for command in (protect, schema, methods, datasets, demo):
    app.command(command.NAME)(command.command)


INTERRUPTED = 130


def run() -> None:
    """Run the app; exit with 1 for our errors, 130 when interrupted, 143 when terminated."""
    # As an exception, a termination cleans up on its way out; by default it would not.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        app()
    except MicroaggError as error:
        say(f"Error: {error}")
        sys.exit(1)
    except SystemExit as end:
        if end.code == INTERRUPTED:  # typer has turned the interrupt into this
            say("Interrupted; no file is left half-written.")
        raise
    except BrokenPipeError:  # the reader of our output has gone, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
