"""Running trials: choices protect the same records, one after the other or in processes of their own."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from multiprocessing import get_context
from typing import Any

from microagg.budget import CLOCK, Stop
from microagg.comparison.trial import Choice, ModelUtility, Trial
from microagg.data.frames import Frame
from microagg.errors import enough_memory
from microagg.json_text import to_json
from microagg.mask.registry import check_parameters, named
from microagg.measure.pair import Pair
from microagg.measure.registry import Finding, compared_measures, evaluate
from microagg.measure.utility.utility import utility_of
from microagg.pipeline.outcome import FrameOutcome
from microagg.pipeline.pairing import pair_of_outcome
from microagg.pipeline.run import run
from microagg.reporter import Reporter
from microagg.settings import Settings
from microagg.threads import VARIABLE, workers


class _SilentReporter(Reporter):
    """Half a search is nothing to compare, so Ctrl-C ends the work.

    Warnings are kept: they are the same for all choices, and are given once for the comparison.
    """

    keeps_best = False

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def warn(self, what: str) -> None:
        """Keep what may be a mistake."""
        self.warnings.append(what)


@dataclass(frozen=True)
class TrialPlan:
    """The records and how to judge a choice on them; goes to every process once.

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
        """Return what a kept result depends on, as a hash."""
        import pyarrow as pa

        sink = pa.BufferOutputStream()
        whole = self.table.combine_chunks().replace_schema_metadata(None)
        with pa.ipc.new_stream(sink, whole.schema) as stream:
            stream.write_table(whole)
        names = [each.name for each in compared_measures()]
        words = to_json([version("microagg"), names, self.arguments, self.parameters, self.target])
        return hashlib.sha256(sink.getvalue().to_pybytes() + words.encode()).hexdigest()

    def run(self, choice: Choice) -> Trial:
        """Protect as `choice` says and measure the release."""
        started = CLOCK.now()  # which counts no compiling
        reporter = _SilentReporter()
        outcome = self._protect(choice, reporter)
        seconds = CLOCK.now() - started
        pair = pair_of_outcome(outcome)
        findings = evaluate(pair, [each.name for each in compared_measures()])
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
    """Return from how much the numbers that are estimates come, or nothing where none is."""
    notes = [f"{f.measure.name} {f.note}" for f in findings if f.note.startswith("estimated")]
    return "; ".join(notes) or None


def trials(plan: TrialPlan, choices: Sequence[Choice], jobs: int) -> Iterator[Trial]:
    """Yield the trial of each choice, as they are finished."""
    if jobs == 1 or len(choices) < 2:
        yield from map(plan.run, choices)
        return
    with _workers(plan, min(jobs, len(choices))) as pool:
        for done in as_completed([pool.submit(_run_here, choice) for choice in choices]):
            yield done.result()


@contextmanager
def _workers(plan: TrialPlan, jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Hand out processes that have the records; an error or interrupt cancels what waits."""
    spawn = get_context("spawn")  # threads of others would not survive a fork
    pool = ProcessPoolExecutor(jobs, spawn, initializer=_receive, initargs=(plan, jobs))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


_HERE: list[TrialPlan] = []
"""In a worker: the plan it was started with."""


def _receive(plan: TrialPlan, jobs: int) -> None:
    _HERE[:] = [plan]
    os.environ[VARIABLE] = str(max(1, workers() // jobs))  # the processes share the processors


def _run_here(choice: Choice) -> Trial:
    return _HERE[0].run(choice)
