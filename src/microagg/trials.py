"""Trials for `compare`: choices that protect the same records, in processes, kept once finished."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from microagg.budget import CLOCK, Stop
from microagg.json_text import to_json
from microagg.measure.registry import Finding, evaluate
from microagg.pipeline.pairing import pair_of_outcome
from microagg.protect import protect
from microagg.release import Release
from microagg.reporter import Reporter

MEASURED = (
    "g-il",
    "g-dr",
    "il",
    "rld",
    "interval-disclosure",
    "linkage",
    "error-correlations",
    "k-anonymity",
)
"""What is measured of each choice."""

TOLD = ("records", "suppressed", "estimated", "seconds", "stopped")
"""What else is told of it; of estimates, from how much they come."""


WARNINGS = "warnings"
"""Where a result has what may be a mistake of the user."""


@dataclass(frozen=True)
class Choice:
    """One way to protect: a method, a refinement or none, and k."""

    method: str
    refine: str | None
    k: int

    def __str__(self) -> str:
        name = self.method if self.refine is None else f"{self.method} + {self.refine}"
        return f"{name}, k={self.k}"


class _Whole(Reporter):
    """A silent reporter: half a search is nothing to compare, so Ctrl-C ends the work.

    Warnings are kept: they are the same for all choices, and are given once for the comparison.
    """

    keeps_best = False

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def warn(self, what: str) -> None:
        """Keep what may be a mistake."""
        self.warnings.append(what)


@dataclass(frozen=True)
class Task:
    """The records and how to judge a choice on them; goes to every process once.

    `arguments` are those of `protect` for all choices, `parameters` those of each method alone.
    """

    table: Any
    arguments: Mapping[str, Any]
    parameters: Mapping[str, Mapping[str, Any]]

    def fingerprint(self) -> str:
        """Return what a kept result depends on, as a hash."""
        from importlib.metadata import version

        import pyarrow as pa

        sink = pa.BufferOutputStream()
        whole = self.table.combine_chunks().replace_schema_metadata(None)
        with pa.ipc.new_stream(sink, whole.schema) as stream:
            stream.write_table(whole)
        words = to_json([version("microagg"), MEASURED, TOLD, self.arguments, self.parameters])
        return hashlib.sha256(sink.getvalue().to_pybytes() + words.encode()).hexdigest()

    def run(self, choice: Choice) -> dict[str, Any]:
        """Protect as `choice` says and measure the release."""
        started = CLOCK.now()  # which counts no compiling
        reporter = _Whole()
        release = self._protect(choice, self.table, reporter)
        seconds = CLOCK.now() - started
        pair = pair_of_outcome(release.outcome)
        found = evaluate(pair, MEASURED)
        stopped = release.outcome.ending.stopped
        left_out = self.table.num_rows - pair.n
        told = (pair.n, left_out, _estimated(found), round(seconds, 3), stopped)
        return {
            **{f.measure.name: f.value for f in found},
            **dict(zip(TOLD, told, strict=True)),
            WARNINGS: reporter.warnings,
        }

    def _protect(self, choice: Choice, table: Any, reporter: Reporter) -> Release:
        release = protect(
            table,
            choice.k,
            method=choice.method,
            refine=choice.refine,
            progress=reporter,
            parameters=self.parameters[choice.method],
            **self.arguments,
        )
        if release.outcome.ending.stopped is Stop.INTERRUPTED:
            raise KeyboardInterrupt  # what half a search found must not be kept as its result
        return release


def _estimated(found: Sequence[Finding]) -> str | None:
    """Return from how much the numbers that are estimates come, or nothing where none is."""
    said = [f"{f.measure.name} {f.note}" for f in found if f.note.startswith("estimated")]
    return "; ".join(said) or None


def results(
    task: Task, choices: Sequence[Choice], jobs: int
) -> Iterator[tuple[Choice, dict[str, Any]]]:
    """Yield each choice with its result, as they are finished."""
    if jobs == 1 or len(choices) < 2:
        yield from ((choice, task.run(choice)) for choice in choices)
        return
    from concurrent.futures import as_completed

    with _workers(task, min(jobs, len(choices))) as pool:
        running = {pool.submit(_run_here, choice): choice for choice in choices}
        for done in as_completed(running):
            yield running[done], done.result()


@contextmanager
def _workers(task: Task, jobs: int) -> Iterator[Any]:
    """Hand out processes that have the records; an error or interrupt cancels what waits."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    spawn = get_context("spawn")  # threads of others would not survive a fork
    pool = ProcessPoolExecutor(jobs, spawn, initializer=_receive, initargs=(task,))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


_HERE: list[Task] = []
"""In a worker: the task it was started with."""


def _receive(task: Task) -> None:
    _HERE[:] = [task]


def _run_here(choice: Choice) -> dict[str, Any]:
    return _HERE[0].run(choice)
