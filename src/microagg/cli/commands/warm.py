"""`microagg warm`: compile methods ahead of their first use."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from functools import partial
from typing import Annotated, Any

import numpy as np
from click.exceptions import Exit

from microagg.cli import console
from microagg.cli.console import say
from microagg.cli.parameters import Flag, Positional
from microagg.errors import ParameterError
from microagg.lazy import lazy
from microagg.mask.registry import Masking, maskings
from microagg.partition.constrain.swap import MANY
from microagg.partition.driver import partition
from microagg.partition.names import resolve
from microagg.partition.refine.registry import refinements
from microagg.partition.registry import TIME_LIMIT, declared, methods

RECORDS = 60
"""The number of records with which a method is compiled; a separate task compiles the index."""

MIXED, INDEXED = " on mixed records", " on an index"
"""The suffixes of the names of tasks that use a method other than by scans of numbers."""

protecting = lazy("microagg.protect")
assessing = lazy("microagg.assess")
bounding = lazy("microagg.partition.bounds.lower_bound")
kernels = lazy("microagg.kernels.warm")


def command(
    names: Annotated[
        list[str] | None,
        Positional(metavar="METHOD", help="The methods to compile; auto by default."),
    ] = None,
    all_methods: Annotated[bool, Flag("--all", help="Compile every method.")] = False,
    processes: Annotated[
        int | None,
        Flag(help="The number of parallel processes; one per processor by default."),
    ] = None,
) -> None:
    """Compile methods for this computer, so that their first run starts immediately.

    Compiled code is stored in the user's cache folder, or in NUMBA_CACHE_DIR. For a container, run
    this command once while the image is built.
    """
    chosen = [m.name for m in methods()] if all_methods else list(names or ["auto"])
    if processes is not None and processes < 1:
        raise ParameterError("must be at least 1.", parameter="processes")
    for name in chosen:
        resolve(name)
    tasks = {**(_shared_tasks() if all_methods else {}), **tasks_of(chosen)}
    failed = []
    with console.progress() as progress:
        progress.begin("Compiling", len(tasks))
        for done, warmed in enumerate(kernels.warm(tasks, processes, _family), start=1):
            progress.reach(done)
            count = len(warmed.entry_points)
            words = (
                f"{count} compiled in {warmed.seconds:.1f} s" if count else "in the cache already"
            )
            say(f"{warmed.name}: {warmed.error or words}")
            failed += [warmed.name] if warmed.error else []
    if failed:
        raise Exit(1)


def tasks_of(names: Iterable[str]) -> dict[str, Callable[[], Any]]:
    """Return tasks that use all kernels of some methods: by scans, with an index, and on mixed records.

    The longest tasks come first, so that all processes finish at about the same time.
    """
    chosen = {name: resolve(name).method for name in names}
    mixed = [name for name, method in chosen.items() if method.mixed is not None]
    indexed = [name for name, method in chosen.items() if "index" in method.parameters]
    return {
        **{f"{name}{MIXED}": partial(_protect, name) for name in mixed},
        **{f"{name}{INDEXED}": partial(_use, name, index="tree") for name in indexed},
        **{name: partial(_use, name) for name in chosen},
    }


def _family(task: str) -> str:
    """Return the other tasks that use the same kernels."""
    for ending in (MIXED, INDEXED):
        if task.endswith(ending):
            return ending
    return next((m.family for m in methods() if m.name == task), task.split()[0])


def _shared_tasks() -> dict[str, Callable[[], Any]]:
    """Return the tasks that use kernels shared by several methods."""
    steps = {f"refinement {r.name}": partial(_use, "mdav", refine=r.name) for r in refinements()}
    masks = {f"masking {m.name}": partial(_mask, m.name, _required(m)) for m in maskings()}
    return {**steps, **masks, "limits": _limits, "assess": _assess, "bound": _bound}


def _use(name: str, refine: str | None = None, **more: Any) -> Any:
    """Run a method on a few records, with as few steps as possible."""
    X = np.random.default_rng(0).normal(size=(RECORDS, 3))
    return partition(X, 3, name, refine=refine, parameters={**resolve(name).method.brief, **more})


def _protect(name: str) -> Any:
    """Run a method on a few mixed records."""
    method = resolve(name).method
    takes = () if method.mixed is None else (*declared(method.mixed)[0], TIME_LIMIT)
    brief = {key: value for key, value in method.brief.items() if key in takes}
    roles = {"quasi_identifiers": ["age", "sex"]}
    return protecting.protect(_table(), 3, method=name, parameters=brief, **roles)


def _required(masking: Masking) -> dict[str, Any]:
    """Return the required parameters of a masking."""
    wanted = {"epsilon": 1.0, "bounds": {"age": (-9.0, 9.0)}}
    return {name: value for name, value in wanted.items() if name in masking.parameters}


def _mask(name: str, parameters: dict[str, Any]) -> Any:
    """Run a masking on a few records."""
    ages = _table().select(["age"])
    with warnings.catch_warnings(action="ignore"):  # that it promises no k
        return protecting.protect(
            ages, 3, quasi_identifiers=["age"], method=name, parameters=parameters
        )


def _limits() -> Any:
    """Enforce a limit that enough groups violate to use the compiled loops."""
    people = _table(16 * MANY)
    people = people.append_column("ill", people["sex"].take(np.arange(16 * MANY)[::-1]))
    roles = {"quasi_identifiers": ["age", "sex"], "confidential": ["ill"]}
    return protecting.protect(people, 3, l_diversity=2, **roles)


def _assess() -> Any:
    """Measure a release with every measure."""
    people = _table()
    release = protecting.protect(people, 3, quasi_identifiers=["age", "sex"], method="mdav")
    return assessing.assess(people, release.data, quasi_identifiers=["age", "sex"])


def _bound() -> Any:
    """Prove a bound for a few records, by each method of proof."""
    X = np.random.default_rng(0).normal(size=(RECORDS, 2))
    return [bounding.lower_bound(X, k, time_limit=1.0) for k in (3, 8)]


def _table(n: int = RECORDS) -> Any:
    """Return n mixed records."""
    import pyarrow as pa

    rng = np.random.default_rng(0)
    return pa.table({"age": rng.normal(size=n), "sex": rng.choice(["f", "m"], n)})
