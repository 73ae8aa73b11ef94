"""Runs: each is a child process that executes the command line that the page offers.

The release on the page and the release of the command are therefore the same bytes. Cancelling a run
interrupts its process, a crash ends that process alone, and its memory and time are limited. Runs
beyond a number wait for their turn. Progress arrives as lines of JSON on the child's standard error,
which `MICROAGG_PROGRESS=json` asks for.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from microagg.server.child import MEMORY
from microagg.server.workspace import Workspace

State = Literal["waiting", "running", "finished", "failed", "cancelled"]

ACTIVE: tuple[State, ...] = ("waiting", "running")
"""The states of a run that has not ended."""

MOST_LINES = 200
"""The maximum number of message lines that are kept for a run."""

HEARTBEAT = 15.0
"""The seconds after which a silent event stream sends a sign of life."""


@dataclass(frozen=True)
class RunLimits:
    """The limits of runs.

    Attributes
    ----------
    seconds : float, optional
        The maximum duration of a run after its start.
    memory : int, optional
        The maximum address space of a run in bytes; the system must be able to limit it.
    at_once : int
        The maximum number of parallel runs; others wait.
    """

    seconds: float | None = None
    memory: int | None = None
    at_once: int = 2


@dataclass
class Run:
    """A run and its progress.

    Attributes
    ----------
    id : str
        A random name that cannot be guessed.
    folder : Path
        The folder of its results.
    command : tuple of str
        The arguments of `microagg`.
    title : str
        The title on the page.
    state : str
        "waiting", "running", "finished", "failed" or "cancelled".
    what, done, total
        The current step, and its progress.
    messages : list of str
        The output of the command.
    error : str
        The reason for a failure, if the library stated one.
    parameters : tuple of str
        The options that the error is about.
    """

    id: str
    folder: Path
    command: tuple[str, ...]
    title: str
    state: State = "waiting"
    what: str = "Waiting for other runs"
    done: int = 0
    total: int = 0
    messages: list[str] = field(default_factory=list)
    error: str = ""
    parameters: tuple[str, ...] = ()
    began: float = 0.0
    seconds: float = 0.0
    interrupts: int = 0
    timed_out: bool = False
    process: asyncio.subprocess.Process | None = field(default=None, repr=False)

    @property
    def active(self) -> bool:
        """Whether it is waiting or running."""
        return self.state in ACTIVE

    def facts(self) -> dict[str, Any]:
        """Return the facts that the page shows during the run."""
        running = self.state == "running"
        return {
            "id": self.id,
            "state": self.state,
            "what": self.what,
            "done": self.done,
            "total": self.total,
            "seconds": round(time.monotonic() - self.began if running else self.seconds, 1),
            "stopping": bool(self.interrupts),
        }

    def note(self, line: str) -> None:
        """Process a line of the child's output: progress or an error as JSON, or a message."""
        try:
            step = json.loads(line) if line.startswith("{") else None
        except ValueError:
            step = None
        if isinstance(step, dict) and "what" in step:
            self.what = str(step["what"])
            self.done, self.total = int(step.get("done", 0)), int(step.get("total", 0))
        elif isinstance(step, dict) and "error" in step:
            self.error = str(step["error"])
            self.parameters = tuple(map(str, step.get("parameters", ())))
        elif line:
            self.messages.append(line)
            del self.messages[:-MOST_LINES]


class Runs:
    """All runs of a server.

    Parameters
    ----------
    limits : RunLimits
        The limits of each run.
    """

    def __init__(self, limits: RunLimits) -> None:
        self._limits = limits
        self._runs: dict[str, Run] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._places = asyncio.Semaphore(limits.at_once)
        self._changed = asyncio.Event()
        self._closing = False

    def __getitem__(self, id: str) -> Run:
        return self._runs[id]

    def __contains__(self, id: object) -> bool:
        return id in self._runs

    async def start(self, command: Sequence[str], folder: Path, title: str) -> Run:
        """Start `microagg` with some arguments in a child process, or let the run wait."""
        run = Run(secrets.token_hex(8), folder, tuple(command), title)
        self._runs[run.id] = run
        task = asyncio.create_task(self._wait_and_follow(run))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return run

    async def _wait_and_follow(self, run: Run) -> None:
        async with self._places:
            if not run.active:
                return
            try:
                await self._begin(run)
            except OSError as error:  # such as too many processes
                run.state, run.error = "failed", f"The run could not start: {error.strerror}."
                self._tell()
            else:
                await self._follow(run)

    async def _begin(self, run: Run) -> None:
        memory = self._limits.memory
        limits = {} if memory is None else {MEMORY: str(memory)}
        run.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "microagg.server.child"),
            cwd=run.folder,
            env={**os.environ, "MICROAGG_PROGRESS": "json", **limits},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            **_own_group(),
        )
        assert run.process.stdin is not None
        run.process.stdin.write(json.dumps(run.command).encode() + b"\n")
        cancelled = not run.active
        run.state, run.what, run.began = "running", "Starting", time.monotonic()
        if cancelled:  # while its process was started
            run.interrupts += 1
            _kill(run)
        self._tell()

    async def _follow(self, run: Run) -> None:
        """Read what the child prints until it ends."""
        process = run.process
        assert process is not None
        assert process.stderr is not None
        assert process.stdout is not None
        try:
            async with asyncio.timeout(self._limits.seconds):
                await asyncio.gather(self._read(process.stderr, run), _drain(process.stdout))
                await process.wait()
        except TimeoutError:
            run.timed_out = True
            run.error = (
                f"The run was ended after {self._limits.seconds:g} s, the limit of this server."
            )
            _kill(run)
            await process.wait()
        run.seconds = time.monotonic() - run.began
        run.state = _state(run, process.returncode)
        self._tell()

    async def _read(self, stream: asyncio.StreamReader, run: Run) -> None:
        while True:
            try:
                line = await stream.readline()
            except ValueError:  # a line beyond the reader's limit
                continue
            if not line:
                return
            run.note(line.decode(errors="replace").rstrip())
            self._tell()

    def _tell(self) -> None:
        """Notify all event streams."""
        self._changed.set()
        self._changed = asyncio.Event()

    def cancel(self, run: Run) -> None:
        """Stop a run: the first call lets it keep its best result, the second ends it immediately."""
        if run.state == "waiting":
            run.state = "cancelled"
        elif run.state == "running":
            run.interrupts += 1
            if run.interrupts == 1:
                run.what = "Stopping"
                _interrupt(run)
            else:
                _kill(run)
        self._tell()

    async def remove(self, id: str, workspace: Workspace) -> None:
        """End a run, and delete its files."""
        run = self._runs.pop(id)
        if run.state == "waiting":
            run.state = "cancelled"
        if run.process is not None:
            _kill(run)
            await run.process.wait()
        workspace.discard(run.folder)
        self._tell()

    async def events(self, chosen: Callable[[], Sequence[Run]]) -> AsyncIterator[str]:
        """Yield the states of some runs as server-sent events until all of them have ended."""
        while not self._closing:
            waiting, followed = self._changed, chosen()
            yield f"data: {json.dumps([run.facts() for run in followed])}\n\n"
            if not any(run.active for run in followed):
                return
            try:
                await asyncio.wait_for(waiting.wait(), HEARTBEAT)
            except TimeoutError:
                yield ": alive\n\n"

    def end_streams(self) -> None:
        """End the event streams, because the server ends."""
        self._closing = True
        self._tell()

    async def close(self) -> None:
        """End every run."""
        self.end_streams()
        for run in self._runs.values():
            if run.state == "waiting":
                run.state = "cancelled"
            elif run.state == "running":
                _kill(run)
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _state(run: Run, code: int | None) -> State:
    """Return how a run ended; an interrupted run that wrote its files has finished."""
    if code == 0:
        return "finished"
    if run.interrupts:
        return "cancelled"
    if code is not None and code < 0 and not run.error:
        run.error = (
            f"The run was ended by the system (signal {-code}). It may have needed more memory than "
            "is available."
        )
    return "failed"


async def _drain(stream: asyncio.StreamReader) -> None:
    while await stream.read(65536):
        pass


def _own_group() -> dict[str, Any]:
    """Return arguments that detach a child from the terminal, so that Ctrl-C reaches only the server."""
    if sys.platform == "win32":
        return {"creationflags": 0x00000200}  # CREATE_NEW_PROCESS_GROUP
    return {"start_new_session": True, "umask": 0o077}


def _interrupt(run: Run) -> None:
    """Ask the child to stop, like Ctrl-C."""
    if run.process is not None and run.process.stdin is not None:
        with suppress(OSError):
            run.process.stdin.write(b"stop\n")


def _kill(run: Run) -> None:
    """End the process of a run and its child processes."""
    if run.process is None or run.process.returncode is not None:
        return
    with suppress(ProcessLookupError):
        if sys.platform == "win32":
            run.process.kill()
        else:
            os.killpg(run.process.pid, signal.SIGKILL)
