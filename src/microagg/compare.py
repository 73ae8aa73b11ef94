"""`compare`: methods x k x refinements on the same records, judged by loss and risk.

Choices run in processes of their own. Each finished one is kept in a cache file, if one is named, so
that a comparison that was stopped goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

from microagg.constraints import IsInteger, OneOf, check
from microagg.data.frames import Frame
from microagg.errors import FileError, ParameterError
from microagg.mask.registry import having, masking_called, named
from microagg.measure.pair import pair_of
from microagg.measure.registry import evaluate
from microagg.measure.score import pareto_front, scoring_index
from microagg.partition.driver import check_k
from microagg.partition.refine.registry import chain
from microagg.progress import INTERRUPTED, Progress
from microagg.protect import protect
from microagg.release import Release
from microagg.report.ending import cut_short

MEASURED = ("g-il", "g-dr", "il", "rld", "interval-disclosure", "linkage", "k-anonymity")
"""The columns of the table, after the score."""

LOSSES = ("g-il", "il")
"""What may stand for the loss."""


@dataclass(frozen=True)
class Choice:
    """One way to protect: a method, a refinement or none, and k."""

    method: str
    refine: str | None
    k: int

    def __str__(self) -> str:
        name = self.method if self.refine is None else f"{self.method} + {self.refine}"
        return f"{name}, k={self.k}"


@dataclass(frozen=True)
class Comparison:
    """All choices with what was measured, the best score first."""

    rows: tuple[dict[str, Any], ...]
    weight: float
    loss: str = "g-il"

    @property
    def front(self) -> list[dict[str, Any]]:
        """The choices that no other beats in loss or risk without being worse in the other."""
        return [row for row in self.rows if row["unbeaten"]]

    def sentence(self) -> str:
        """Say which choices nothing else beats."""
        by_k: dict[int, list[str]] = {}
        for row in sorted(self.front, key=lambda row: int(row["k"])):
            by_k.setdefault(row["k"], []).append(_name(row).rpartition(", ")[0])
        listed = "; ".join(f"{', '.join(names)} at k={k}" for k, names in by_k.items())
        return (
            f"{self._best_score()} Nothing else beats {listed} in loss without more risk."
            f"{self._least_loss()}{self._not_whole()}{self._stopped()}"
        )

    def _best_score(self) -> str:
        """Say which choice has the best score, and which of those that hold k."""
        best = self.rows[0]
        if _holds(best):
            return f"The best score has {_name(best)}."
        holding = next(filter(_holds, self.rows), None)
        other = "none holds it" if holding is None else f"of those that do, {_name(holding)}"
        return f"The best score has {_name(best)}, which does not hold k; {other}."

    def _least_loss(self) -> str:
        """Say which choice loses least for each k, of those that hold it."""
        best: dict[int, dict[str, Any]] = {}
        for row in sorted(self.rows, key=lambda row: float(row[self.loss])):
            if _holds(row):
                best.setdefault(row["k"], row)
        listed = "; ".join(_name(best[k]) for k in sorted(best))
        return f" Least loss for each k, among those that hold it: {listed}." if best else ""

    def _not_whole(self) -> str:
        """Say which choices leave records that are not k-anonymous as a whole."""
        broken = sorted({row["method"] for row in self.rows if not _holds(row)})
        return f" NOT k-anonymous as a whole: {', '.join(broken)}." if broken else ""

    def _stopped(self) -> str:
        """Say which choices a limit of time ended."""
        ended = [_name(row) for row in self.rows if row["stopped"]]
        return f" Stopped by the time limit: {'; '.join(ended)}." if ended else ""

    def points(self) -> list[tuple[str, float, float, bool]]:
        """Return the risk-utility map: name, loss, risk, and whether nothing beats it."""
        return [(_name(row), row[self.loss], row["g-dr"], row["unbeaten"]) for row in self.rows]


def compare(data: Any, k: int | Sequence[int], **options: Any) -> Any:
    """Compare methods, refinements and k; return a frame of the caller's type.

    Parameters
    ----------
    data : DataFrame
        pandas, polars or pyarrow.
    k : int or list of int
        The smallest sizes of groups to try.
    **options
        Those of `comparison`: quasi_identifiers, methods, refine, parameters, loss, weight, seed,
        jobs, cache.

    Returns
    -------
    DataFrame
        A row a choice, the best score first; "unbeaten" marks those that nothing beats,
        "k-anonymity" is the k that was counted, and "stopped" says where a time limit ended a search.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [30, 32, 60, 64, 40, 41, 70, 75], "pay": [1, 2, 7, 6, 3, 3, 8, 9]})
    >>> found = compare(people, k=[2, 4], quasi_identifiers=["age", "pay"], methods=["mdav"])
    >>> found.column_names[:5], found["k"].to_pylist()
    (['method', 'refine', 'k', 'score', 'unbeaten'], [4, 2])
    """
    import narwhals as nw

    found = comparison(data, k, **options)
    columns = {name: [row[name] for row in found.rows] for name in found.rows[0]}
    backend = nw.from_native(data, eager_only=True).implementation
    frame = nw.from_dict(columns, backend=backend)
    return frame.with_columns(nw.col("refine", "stopped").cast(nw.String())).to_native()


def comparison(
    data: Any,
    k: int | Sequence[int],
    *,
    quasi_identifiers: Sequence[str],
    methods: Sequence[str] = ("mdav",),
    refine: Sequence[str | None] = (None,),
    parameters: Mapping[str, Any] | None = None,
    loss: str = "g-il",
    weight: float = 0.5,
    seed: int = 0,
    jobs: int = 1,
    cache: str | Path | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare methods, refinements and k.

    Parameters
    ----------
    methods, refine : lists of names
        None among the refinements means without one; maskings are only tried so.
    parameters : mapping of str to value, optional
        Parameters of methods, given to those that have them: ``{"time_limit": 10}``.
    loss : {"g-il", "il"}
        The loss in the score and on the map: the mean of five that the thesis takes, or SSE/SST.
    weight : float, from 0 to 1
        That of the loss in the score.
    jobs : int
        How many processes work at a time; more than 1 needs a main module that can be imported.
    cache : path, optional
        Where finished choices are kept. It holds measures, never records.
    """
    scoring_index(0.0, 0.0, weight)
    check("jobs", jobs, IsInteger(1), "compare")
    check("loss", loss, OneOf(LOSSES), "compare")
    frame = Frame(data)
    frame.require(quasi_identifiers, "quasi_identifiers")
    choices = _choices([k] if isinstance(k, int) else list(k), methods, refine, frame.n)
    task = _Task(
        frame.select(list(quasi_identifiers)),
        [str(q) for q in quasi_identifiers],
        seed,
        _parameters(methods, parameters or {}),
    )
    store = _Store(cache, task.fingerprint())
    told = progress or Progress()
    told.begin("Comparing", len(choices))
    rows = {choice: store.get(choice) for choice in choices}
    waiting = [choice for choice, row in rows.items() if row is None]
    told.reach(len(choices) - len(waiting))
    for done, (choice, row) in enumerate(_results(task, waiting, jobs), start=1):
        store.keep(choice, row)
        rows[choice] = row
        told.reach(len(choices) - len(waiting) + done)
    return _judged([{**asdict(c), **row} for c, row in rows.items() if row], weight, loss)


def _choices(
    ks: Sequence[int], methods: Sequence[str], refine: Sequence[str | None], n: int
) -> list[Choice]:
    """Return every choice, once it is clear that all names and sizes are right."""
    if not ks or not methods or not refine:
        raise ParameterError("There is nothing to compare: give at least one method and one k.")
    for name in methods:
        named(name)
        for size in ks:
            check_k(size, n, name)
    for step in refine:
        chain(step)
    pairs = [(m, r) for m, r in product(methods, refine) if r is None or masking_called(m) is None]
    for name in methods:
        if name not in dict(pairs):
            raise ParameterError(
                f"The 'refine' parameter is for groups, and {name} makes none of whole records.",
                hint="Put None among the refinements ('none' on the command line).",
            )
    return list(dict.fromkeys(Choice(m, r, int(size)) for (m, r), size in product(pairs, ks)))


def _parameters(methods: Sequence[str], given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the parameters of each method, once it is clear that each has a method and a value."""
    known = {name: named(name) for name in methods}
    for parameter in given:
        if not any(parameter in found.parameters for found in known.values()):
            raise ParameterError(
                f"None of these methods has a parameter '{parameter}': {', '.join(methods)}.",
                hint=having(parameter),
            )
    own = {
        name: {parameter: given[parameter] for parameter in given if parameter in found.parameters}
        for name, found in known.items()
    }
    for name, found in known.items():
        found.check(own[name])
    return own


def _judged(rows: list[dict[str, Any]], weight: float, loss: str) -> Comparison:
    """Add score and front, and sort by score."""
    front = set(pareto_front([r[loss] for r in rows], [r["g-dr"] for r in rows]))
    judged = []
    for place, row in enumerate(rows):
        score = scoring_index(row[loss], row["g-dr"], weight)
        named = {name: row[name] for name in ("method", "refine", "k")}
        judged.append({**named, "score": score, "unbeaten": place in front, **row})
    judged.sort(key=lambda row: (row["score"], row["k"], row["method"]))
    return Comparison(tuple(judged), weight, loss)


def _holds(row: dict[str, Any]) -> bool:
    return bool(row["k-anonymity"] >= row["k"])


def _name(row: dict[str, Any]) -> str:
    return str(Choice(row["method"], row["refine"], row["k"]))


class _Unkept(Progress):
    """Progress of which an interrupt ends all: half a search is nothing to compare."""

    def stopping(self, seconds: float) -> None:
        raise KeyboardInterrupt


@dataclass(frozen=True)
class _Task:
    """The records and how to judge a choice on them; goes to every process once."""

    table: Any
    keys: list[str]
    seed: int
    parameters: Mapping[str, Mapping[str, Any]]

    def fingerprint(self) -> str:
        """Return what a kept result depends on, as a hash."""
        from importlib.metadata import version

        import pyarrow as pa

        sink = pa.BufferOutputStream()
        whole = self.table.combine_chunks().replace_schema_metadata(None)
        with pa.ipc.new_stream(sink, whole.schema) as stream:
            stream.write_table(whole)
        words = json.dumps(
            [version("microagg"), self.keys, self.seed, MEASURED, self.parameters, "stopped"]
        )
        return hashlib.sha256(sink.getvalue().to_pybytes() + words.encode()).hexdigest()

    def run(self, choice: Choice) -> dict[str, Any]:
        """Protect as `choice` says and measure the release."""
        self._protect(choice, self.table.slice(0, 4 * choice.k))  # so that no compiling is timed
        started = time.perf_counter()
        release = self._protect(choice, self.table)
        seconds = time.perf_counter() - started
        found = evaluate(pair_of(self.table, release.data, self.keys), MEASURED)
        return {
            **{f.measure.name: f.value for f in found},
            "seconds": round(seconds, 3),
            "stopped": cut_short(release.provenance["result"]),
        }

    def _protect(self, choice: Choice, table: Any) -> Release:
        release = protect(
            table,
            choice.k,
            quasi_identifiers=self.keys,
            method=choice.method,
            refine=choice.refine,
            seed=self.seed,
            progress=_Unkept(),
            **self.parameters[choice.method],
        )
        if cut_short(release.provenance["result"]) == INTERRUPTED:
            raise KeyboardInterrupt  # what half a search found must not be kept as its result
        return release


def _results(
    task: _Task, choices: Sequence[Choice], jobs: int
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
def _workers(task: _Task, jobs: int) -> Iterator[Any]:
    """Hand out processes that have the records; an error or interrupt cancels what waits."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    spawn = get_context("spawn")  # threads of others would not survive a fork
    pool = ProcessPoolExecutor(jobs, spawn, initializer=_receive, initargs=(task,))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


_HERE: list[_Task] = []
"""In a worker: the task it was started with."""


def _receive(task: _Task) -> None:
    _HERE[:] = [task]


def _run_here(choice: Choice) -> dict[str, Any]:
    return _HERE[0].run(choice)


class _Store:
    """Finished choices in a file of JSON lines; those of other records are left alone."""

    def __init__(self, path: str | Path | None, fingerprint: str) -> None:
        self._path = None if path is None else Path(path)
        self._fingerprint = fingerprint
        self._known = dict(self._read())

    def get(self, choice: Choice) -> dict[str, Any] | None:
        return self._known.get(choice)

    def keep(self, choice: Choice, row: dict[str, Any]) -> None:
        if self._path is None:
            return
        line = json.dumps({"of": self._fingerprint, "choice": asdict(choice), "found": row})
        try:
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write(line + "\n")
        except OSError as error:
            raise FileError(
                f"The cache file '{self._path}' cannot be written: {error.strerror}."
            ) from None

    def _read(self) -> Iterator[tuple[Choice, dict[str, Any]]]:
        if self._path is None or not self._path.exists():
            return
        try:
            lines = self._path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            raise FileError(f"The cache file '{self._path}' cannot be read.") from None
        for line in lines:
            try:
                kept = json.loads(line)
                if kept["of"] == self._fingerprint:
                    yield Choice(**kept["choice"]), kept["found"]
            except (ValueError, KeyError, TypeError):
                continue  # a line that was cut off when the work was stopped
