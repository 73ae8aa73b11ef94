"""`microagg serve`: the web page, on the user's own computer."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from microagg.cli.console import say
from microagg.cli.parameters import Flag, Positional
from microagg.data.content import first_bytes
from microagg.errors import MissingDependencyError, ParameterError, Phrase
from microagg.large.amounts import bytes_of
from microagg.lazy import lazy

app = lazy("microagg.server.app")
launch = lazy("microagg.server.launch")
runs = lazy("microagg.server.runs")


EXPOSED = (
    "Others on the network can reach this page if they have its address with the token, and the "
    "connection is not encrypted."
)


def command(
    file: Annotated[Path | None, Positional(metavar="FILE", help="The records to protect.")] = None,
    port: Annotated[int, Flag(help="The port; 0 chooses a free one.")] = 0,
    host: Annotated[
        str, Flag(help="The address to listen on; only 127.0.0.1 is private.")
    ] = "127.0.0.1",
    browser: Annotated[
        bool, Flag("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
    demo: Annotated[bool, Flag("--demo", help="Open a practice data set.")] = False,
    read_only: Annotated[
        bool, Flag("--read-only", help="Accept no uploads: only FILE can be protected.")
    ] = False,
    max_upload: Annotated[str, Flag(metavar="SIZE", help="The maximum size of an upload.")] = "2GB",
    max_seconds: Annotated[
        float | None, Flag(help="The maximum duration of a run in seconds.")
    ] = None,
    max_memory: Annotated[
        str | None, Flag(metavar="SIZE", help="The maximum memory of a run.")
    ] = None,
    max_runs: Annotated[
        int, Flag(minimum=1, help="The maximum number of parallel runs; others wait.")
    ] = 2,
) -> None:
    """Protect a file in the browser, on this computer; records never leave it.

    The page guides you from a file to a checked release and its report, and offers the command and
    the Python code that reproduce it.
    """
    if read_only and file is None and not demo:
        raise ParameterError(
            "needs a file.", parameter="read_only", hint="Name the file to protect."
        )
    if file is not None:
        first_bytes(file)  # raises if the file does not exist
    if max_memory is not None and sys.platform == "win32":
        raise ParameterError(
            "is not available on Windows.", parameter="max_memory", hint="Leave it out."
        )
    limits = {
        "seconds": max_seconds,
        "memory": None if max_memory is None else bytes_of(max_memory),
        "at_once": max_runs,
    }
    try:
        config = app.Config(
            file=file,
            read_only=read_only,
            demo=demo,
            max_upload=bytes_of(max_upload),
            limits=runs.RunLimits(**limits),
        )
        if not launch.is_loopback(host):
            say(f"CAUTION: {EXPOSED}")
        launch.serve(config, host=host, port=port, browser=browser, announce=_announce)
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn", "jinja2", "python_multipart"):
            raise
        raise MissingDependencyError(
            f"The web page needs {error.name}, which is not installed.",
            hint=Phrase("Install it with: pip install 'microagg[serve]'"),
        ) from None


def _announce(address: str) -> None:
    say(f"The page is at {address}")
    say("Press Ctrl-C to stop it; this deletes uploads and results.")
