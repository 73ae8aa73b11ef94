"""Running trials: each choice protects the same records, sequentially or in separate processes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from microagg.budget import CLOCK, Stop
from microagg.comparison.trial import Choice, ModelUtility, Trial
from microagg.data.frames import Frame
from microagg.errors import MicroaggError, Phrase, enough_memory
from microagg.json_text import to_json
from microagg.mask.registry import check_parameters, named
from microagg.measure.pair import Pair
from microagg.measure.registry import Finding, compared_measures, evaluate
from microagg.measure.utility.utility import utility_of
from microagg.pipeline.outcome import FrameOutcome
from microagg.pipeline.pairing import pair_of_outcome
from microagg.pipeline.run import run
from microagg.reporter import OnlyCompiling, Reporter
from microagg.settings import Settings
from microagg.threads import VARIABLE, workers

if TYPE_CHECKING:
    from multiprocessing.queues import Queue

    Compiled = Queue[tuple[str, int, int] | None]

LOOK_EVERY = 0.1
"""The seconds between two checks of what worker processes compile."""


class _TrialReporter(OnlyCompiling):
    """An unfinished search cannot be compared, so Ctrl-C ends the work.

    Warnings are collected: they are the same for all choices, so the comparison shows them once.
    """

    keeps_best = False

    def __init__(self, whole: Reporter) -> None:
        super().__init__(whole)
        self.warnings: list[str] = []

    def warn(self, what: str) -> None:
        """Collect a warning."""
        self.warnings.append(what)


@dataclass(frozen=True)
class TrialPlan:
    """The records and the measures of a choice; every process receives it once.

    Attributes
    ----------
    table : pyarrow.Table
        The columns that matter.
    arguments : mapping
        The settings that all choices share.
    parameters : mapping
        The parameters of each method alone.
    target : str, optional
        The column that a model predicts.
    """

    table: Any
    arguments: Mapping[str, Any]
    parameters: Mapping[str, Mapping[str, Any]]
    target: str | None = None

    def fingerprint(self) -> str:
        """Return a hash of everything that a stored result depends on."""
        import pyarrow as pa

        sink = pa.BufferOutputStream()
        whole = self.table.combine_chunks().replace_schema_metadata(None)
        with pa.ipc.new_stream(sink, whole.schema) as stream:
            stream.write_table(whole)
        names = [each.name for each in compared_measures()]
        words = to_json([version("microagg"), names, self.arguments, self.parameters, self.target])
        digest = hashlib.sha256(sink.getvalue())
        digest.update(words.encode())
        return digest.hexdigest()

    def run(self, choice: Choice, whole: Reporter) -> Trial:
        """Protect the records by `choice` and measure the release; `whole` shows what is compiled."""
        named(choice.method)
        import_module("numba")  # imports take seconds on a busy machine and belong to no setting
        started = CLOCK.now()  # which counts no compiling
        reporter = _TrialReporter(whole)
        outcome = self._protect(choice, reporter)
        seconds = CLOCK.now() - started
        pair = pair_of_outcome(outcome)
        findings = evaluate(pair, [each.name for each in compared_measures()], reporter)
        stopped = outcome.ending.stopped
        return Trial(
            choice=choice,
            k_counted=outcome.anonymity.k,
            measures={each.measure.name: each.value for each in findings},
            records=pair.n,
            suppressed=self.table.num_rows - pair.n,
            seconds=round(seconds, 3),
            estimated=_estimated(findings),
            stopped=None if stopped is None else str(stopped),
            utility=self._utility(outcome, pair),
            warnings=tuple(reporter.warnings),
        )

    def _protect(self, choice: Choice, reporter: Reporter) -> FrameOutcome:
        frame = Frame(self.table)
        settings = Settings.create(
            "protect",
            table=frame,
            k=choice.k,
            method=choice.method,
            refine=choice.refine,
            parameters=self.parameters[choice.method],
            **self.arguments,
        )
        method = named(settings.method)
        check_parameters(method, settings.parameters)
        with enough_memory(f"protect {self.table.num_rows:,} records by {choice}"):
            outcome = run(frame, settings, method, reporter)
        if outcome.ending.stopped is Stop.INTERRUPTED:
            raise KeyboardInterrupt  # half a search must not be kept as a result
        return outcome

    def _utility(self, outcome: FrameOutcome, pair: Pair) -> ModelUtility | None:
        if self.target is None:
            return None
        seed = outcome.settings.seed
        prediction = utility_of(
            pair, self.target, original=self._original(outcome), seed=seed
        ).prediction
        return ModelUtility(
            self.target, prediction.figure, prediction.original, prediction.released
        )

    def _original(self, outcome: FrameOutcome) -> Frame:
        frame = Frame(self.table)
        return frame if outcome.rows is None else frame.rows(outcome.rows)


def _estimated(findings: Sequence[Finding]) -> str | None:
    """Return which measures are estimates and their samples, or None if there are none."""
    notes = [f"{f.measure.name} {f.note}" for f in findings if f.note.startswith("estimated")]
    return "; ".join(notes) or None


def trials(
    plan: TrialPlan, choices: Sequence[Choice], jobs: int, reporter: Reporter
) -> Iterator[Trial]:
    """Yield the trial of each choice as it finishes."""
    if jobs == 1 or len(choices) < 2:
        yield from (plan.run(choice, reporter) for choice in choices)
        return
    with _workers(plan, min(jobs, len(choices))) as (pool, queue):
        waiting = {pool.submit(_run_here, choice) for choice in choices}
        while waiting:
            done, waiting = wait(waiting, LOOK_EVERY, FIRST_COMPLETED)
            while not queue.empty():
                _show(queue.get(), reporter)
            yield from (each.result() for each in done)


@contextmanager
def _workers(plan: TrialPlan, jobs: int) -> Iterator[tuple[ProcessPoolExecutor, Compiled]]:
    """Provide processes that have the records, and a queue of what they compile.

    An error or an interrupt cancels waiting trials.
    """
    spawn = get_context("spawn")  # threads of others would not survive a fork
    queue: Compiled = spawn.Queue()
    pool = ProcessPoolExecutor(jobs, spawn, initializer=_receive, initargs=(plan, jobs, queue))
    try:
        yield pool, queue
        return
    except BrokenProcessPool:
        pass  # raised below as a MicroaggError
    finally:
        pool.shutdown(cancel_futures=True)
    raise MicroaggError(
        "A process of compare ended before its setting was measured, perhaps for lack of memory.",
        hint=Phrase(
            "Use {jobs}. In a script, several processes need the call of compare to be inside "
            "`if __name__ == '__main__':`.",
            jobs=1,
        ),
    )


class _Sender(Reporter):
    """The reporter of a worker, which sends what is compiled to the main process without waiting.

    The main process no longer listens if another trial has failed.
    """

    def __init__(self, queue: Compiled) -> None:
        queue.cancel_join_thread()
        self._queue = queue

    def compiling(self, part: str, done: int, total: int) -> None:
        self._queue.put((part, done, total))

    def compiled(self) -> None:
        self._queue.put(None)


def _show(step: tuple[str, int, int] | None, reporter: Reporter) -> None:
    if step is None:
        reporter.compiled()
    else:
        reporter.compiling(*step)


_HERE: list[tuple[TrialPlan, _Sender]] = []
"""In a worker: its plan, and the queue to which it sends what it compiles."""


def _receive(plan: TrialPlan, jobs: int, queue: Compiled) -> None:
    _HERE[:] = [(plan, _Sender(queue))]
    os.environ[VARIABLE] = str(max(1, workers() // jobs))  # the processes share the processors


def _run_here(choice: Choice) -> Trial:
    plan, sender = _HERE[0]
    return plan.run(choice, sender)
