"""Runs: each one a child process that executes the command line which the page hands out.

So the release on the page and the release of the command are the same bytes. Cancelling a run
interrupts its process, a crash ends that process alone, and its memory and time are limited.
Progress arrives as lines of JSON on the child's standard error, which `MICROAGG_PROGRESS=json`
asks for.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import secrets
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

State = Literal["running", "finished", "failed", "cancelled"]

MOST_LINES = 200
"""Lines of messages that are kept of a run."""

HEARTBEAT = 15.0
"""Seconds after which a silent stream of events says that it is alive."""


@dataclass(frozen=True)
class RunLimits:
    """What a run may use: seconds, and bytes of address space; None means no limit."""

    seconds: float | None = None
    memory: int | None = None


@dataclass
class Run:
    """A run, as far as it has come.

    Attributes
    ----------
    id : str
        A name that nobody can guess.
    folder : Path
        Where its results go.
    command : tuple of str
        The arguments of `microagg`.
    title : str
        What the page calls it.
    state : str
        "running", "finished", "failed" or "cancelled".
    what, done, total
        The step that is being done, and how far it is.
    messages : list of str
        What the command printed.
    """

    id: str
    folder: Path
    command: tuple[str, ...]
    title: str
    state: State = "running"
    what: str = "Starting"
    done: int = 0
    total: int = 0
    messages: list[str] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    interrupts: int = 0
    timed_out: bool = False
    changed: asyncio.Event = field(default_factory=asyncio.Event, repr=False)
    process: asyncio.subprocess.Process | None = field(default=None, repr=False)

    def facts(self) -> dict[str, Any]:
        """Return what the page shows of the run."""
        running = self.state == "running"
        return {
            "id": self.id,
            "title": self.title,
            "state": self.state,
            "what": self.what,
            "done": self.done,
            "total": self.total,
            "seconds": round(time.monotonic() - self.began if running else self.seconds, 1),
            "messages": self.messages,
        }

    def _note(self, line: str) -> None:
        """Take a line of the child's: progress as JSON, or words for a person."""
        try:
            step = json.loads(line) if line.startswith("{") else None
        except ValueError:
            step = None
        if isinstance(step, dict) and "what" in step:
            self.what = str(step["what"])
            self.done, self.total = int(step.get("done", 0)), int(step.get("total", 0))
        elif line:
            self.messages.append(line)
            del self.messages[:-MOST_LINES]
        self._tell()

    def _tell(self) -> None:
        """Wake those who follow the run."""
        self.changed.set()
        self.changed = asyncio.Event()


class Runs:
    """All runs of a server."""

    def __init__(self, limits: RunLimits) -> None:
        self._limits = limits
        self._runs: dict[str, Run] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def __getitem__(self, id: str) -> Run:
        return self._runs[id]

    def __contains__(self, id: object) -> bool:
        return id in self._runs

    def all(self) -> list[Run]:
        """Return every run, the oldest first."""
        return list(self._runs.values())

    async def start(self, command: Sequence[str], folder: Path, title: str) -> Run:
        """Start `microagg` with some arguments in a child process."""
        run = Run(secrets.token_hex(8), folder, tuple(command), title)
        run.process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "microagg",
            *command,
            cwd=folder,
            env={**os.environ, "MICROAGG_PROGRESS": "json"},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            preexec_fn=_limiting(self._limits),
        )
        self._runs[run.id] = run
        task = asyncio.create_task(self._follow(run))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return run

    async def _follow(self, run: Run) -> None:
        """Read what the child prints until it ends."""
        process = run.process
        assert process is not None
        assert process.stderr is not None
        assert process.stdout is not None
        try:
            async with asyncio.timeout(self._limits.seconds):
                await asyncio.gather(_lines(process.stderr, run), _drain(process.stdout))
                await process.wait()
        except TimeoutError:
            run.timed_out = True
            run.messages.append(f"The run was ended after {self._limits.seconds:g} s.")
            _signal(run, signal.SIGKILL)
            await process.wait()
        run.seconds = time.monotonic() - run.began
        run.state = _state(run, process.returncode)
        run._tell()

    def cancel(self, run: Run) -> None:
        """Interrupt a run: the first time it may keep its best result, the second time it ends."""
        if run.state == "running":
            run.interrupts += 1
            _signal(run, signal.SIGINT if run.interrupts == 1 else signal.SIGKILL)

    async def events(self, run: Run) -> AsyncIterator[str]:
        """Yield the state of a run as server-sent events until it ends."""
        while True:
            waiting = run.changed
            yield f"data: {json.dumps(run.facts())}\n\n"
            if run.state != "running":
                return
            try:
                await asyncio.wait_for(waiting.wait(), HEARTBEAT)
            except TimeoutError:
                yield ": alive\n\n"

    async def close(self) -> None:
        """End every run."""
        for run in self.all():
            if run.state == "running":
                _signal(run, signal.SIGKILL)
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _state(run: Run, code: int | None) -> State:
    """Return how a run ended; one that was interrupted and still wrote its files has finished."""
    if code == 0:
        return "finished"
    if run.interrupts:
        return "cancelled"
    if code is not None and code < 0 and not run.timed_out:
        run.messages.append(f"The run was ended by the system (signal {-code}).")
    return "failed"


async def _lines(stream: asyncio.StreamReader, run: Run) -> None:
    while True:
        try:
            line = await stream.readline()
        except ValueError:  # a line beyond the reader's limit
            continue
        if not line:
            return
        run._note(line.decode(errors="replace").rstrip())


async def _drain(stream: asyncio.StreamReader) -> None:
    while await stream.read(65536):
        pass


def _signal(run: Run, number: signal.Signals) -> None:
    """Signal the process of a run and all that it started."""
    if run.process is not None and run.process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(run.process.pid, number)


def _limiting(limits: RunLimits) -> Callable[[], None]:
    """Return what the child does first: default signals, private files, limited memory."""

    def prepare() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.umask(0o077)
        if limits.memory is not None:
            resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))

    return prepare
