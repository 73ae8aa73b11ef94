"""The losses behind the printed figures, computed in several processes and kept in a file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import microagg
from benchmarks.reproduce.figures import SEEDS, Figure, Result
from microagg.data.atomic import replacing
from microagg.data.datasets import load
from microagg.measure.loss.information_loss import information_loss
from microagg.partition.driver import partition
from microagg.partition.names import resolve

PACKAGE = Path(microagg.__file__).parent


def reproduce(wanted: Iterable[Figure], *, jobs: int, kept: Path | None = None) -> Iterator[Result]:
    """Yield each figure that can be computed with ours, as they become ready.

    Losses already in the file `kept` are not computed again; new ones are added to it.
    """
    possible = [figure for figure in wanted if not figure.why_not]
    known: dict[str, list[float]] = _read(kept)
    yield from (Result(f, _ours(f, known[f.key])) for f in possible if f.key in known)
    todo = {figure.key: figure for figure in possible if figure.key not in known}
    with ProcessPoolExecutor(jobs) as pool:
        runs = {pool.submit(loss_of, figure): key for key, figure in todo.items()}
        for run in as_completed(runs):
            known[runs[run]] = run.result()
            _write(kept, known)
            for figure in possible:
                if figure.key == runs[run]:
                    yield Result(figure, _ours(figure, known[figure.key]))


def _ours(figure: Figure, loss: list[float]) -> float:
    return loss[0] if figure.measure == "IL" else loss[1]


def loss_of(figure: Figure) -> list[float]:
    """Return the IL in percent and the SSE; of a method that draws, the median over the seeds."""
    X = _matrix(figure.data_set, figure.columns)
    name, parameters = figure.recipe
    seeds = [0] if resolve(name).method.deterministic else range(SEEDS)
    losses = [
        information_loss(X, partition(X, figure.k, name, seed=seed, parameters=parameters))
        for seed in seeds
    ]
    return [median(loss.il for loss in losses), median(loss.sse for loss in losses)]


@cache
def _matrix(name: str, columns: str) -> Any:
    data = load(name)
    if columns.startswith("Var"):  # the thesis numbers them from 1
        return data.X[:, [int(columns.removeprefix("Var")) - 1]]
    keep = [i for i, column in enumerate(data.columns) if columns == "all" or column != "UTILITYID"]
    return data.X[:, keep]


def _read(kept: Path | None) -> dict[str, list[float]]:
    """Return the losses of a file that the same code wrote; others are out of date."""
    if kept is None or not kept.exists():
        return {}
    content = json.loads(kept.read_text(encoding="utf-8"))
    losses: dict[str, list[float]] = content["losses"] if content.get("code") == _code() else {}
    return losses


@cache
def _code() -> str:
    """Return a digest of the code that the losses depend on."""
    digest = hashlib.sha256()
    for folder in ("kernels", "partition", "prepare"):
        for file in sorted((PACKAGE / folder).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _write(kept: Path | None, known: dict[str, list[float]]) -> None:
    if kept is not None:
        with replacing(kept) as (beside,):
            beside.write_text(json.dumps({"code": _code(), "losses": known}), encoding="utf-8")
