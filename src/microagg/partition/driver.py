"""`partition`: from a matrix to checked groups, whatever the method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from microagg.constraints import IsInteger, check, check_k
from microagg.data.matrix import columns_of
from microagg.errors import AnonymityError, ParameterError, Phrase
from microagg.partition.names import Choice, resolve
from microagg.partition.partition import Partition
from microagg.partition.refine.registry import Refinement, chain
from microagg.partition.registry import Labels, Method, declared, find, methods
from microagg.prepare.prepared import Prepared, prepare
from microagg.prepare.records import Records
from microagg.prepare.select import grouping_columns
from microagg.progress import Part, Progress, all_compiling

_compiled: set[tuple[str, str | None]] = set()


def partition(
    X: Any,
    k: int,
    method: str = "mdav",
    *,
    columns: str | Sequence[str | int] | None = None,
    refine: str | Sequence[str] | None = None,
    scale: str = "zscore",
    seed: int = 0,
    progress: Progress | None = None,
    **parameters: Any,
) -> Partition:
    """Group similar records, at least k in each group.

    Parameters
    ----------
    X : array or DataFrame of numbers, shape (n, d)
        One row a record. Missing and infinite values are an error.
    k : int, from 2 to n
        The smallest size of a group.
    method : str
        A name of `methods()`, or one printed in the papers, such as ``"MDAV-NC3"``. Plain MDAV
        unless told otherwise; `protect` chooses by itself (``"auto"``) and loses less.
    columns : list of names or numbers, or str such as "emad:3", optional
        What to group on, when not on all: these columns, or the three that `select_columns` finds
        ("emad-chi2:3" and "emad-normal:3" by its other measures).
    refine : str or list of str, optional
        Names of `refinements()`, done one after the other; none makes the loss larger.
    scale : {"zscore", "range", "none"}
        How columns become comparable. z-scores divide by the population standard deviation.
    seed : int
        Where every random choice comes from.
    progress : Progress, optional
        Told how far the work is.
    **parameters
        The method's own parameters.

    Returns
    -------
    Partition
        Every group of which has been checked to have at least k records.

    Examples
    --------
    >>> import microagg as ma
    >>> part = ma.partition([[1, 1], [9, 9], [1, 2], [9, 8]], k=2)
    >>> part.labels.tolist()
    [0, 1, 0, 1]
    """
    if progress is not None:
        progress.interrupts = 0
    return group(
        prepare(*columns_of(X), scale=scale),
        k,
        method,
        columns=columns,
        refine=refine,
        seed=seed,
        progress=progress,
        **parameters,
    )


def group(
    prepared: Prepared | Records,
    k: int,
    method: str,
    *,
    columns: str | Sequence[object] | None = None,
    refine: str | Sequence[str] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    **parameters: Any,
) -> Partition:
    """Group prepared records; `partition` and `protect` both end here.

    With `columns` the method sees only these; refinements see all, because the loss is that of all.
    One interrupt ends all searches of a task: those of the parts that follow are as short as can be.
    """
    choice = resolve(method)
    found = choice.method
    check_k(k, prepared.n, found.name)
    check("seed", seed, IsInteger(0), found.name)
    found.check(parameters)
    _refuse_fixed(method, choice, parameters)
    own_steps, steps = chain(choice.refine), chain(refine)
    rng = np.random.default_rng(int(seed))
    progress = progress or Progress()
    progress.notes = {}
    given = {**choice.parameters, **parameters}
    told = {}
    if isinstance(prepared, Records):
        refuse_mixed(method, [step.name for step in (*own_steps, *steps)])
        labels = _mixed(found, prepared, int(k), rng, progress, given)
    else:
        seen = grouping_columns(prepared, columns)
        told = {} if columns is None else {"columns": list(seen.names)}
        if progress.interrupts and "time_limit" in found.parameters:  # in an earlier part of a task
            given["time_limit"] = 0.0
        limit = {**found.parameters, **given}.get("time_limit")
        if limit:
            compile_before_the_clock(found.name, parameters.get("initial"), progress)
        labels = found.function(seen, int(k), rng, progress, **given)
        if limit is not None:
            progress.note(time_limit=float(limit))
        labels, done = _refined((*own_steps, *steps), prepared, labels, int(k), rng, progress)
        steps = steps[: max(done - len(own_steps), 0)]
        _look_at_the_gap_again(seen, labels, progress)
    own = f"{method.lower()} ({progress.notes['chosen']})" if "chosen" in progress.notes else method
    name = " + ".join([own.lower(), *(step.name for step in steps)])
    part = Partition(labels, k=int(k), method=name, details={**told, **progress.notes})
    if part.n != prepared.n:
        raise AnonymityError(f"{name} grouped {part.n} records of {prepared.n}.")
    return part


def _refined(
    steps: Sequence[Refinement],
    prepared: Prepared,
    labels: Labels,
    k: int,
    rng: np.random.Generator,
    progress: Progress,
) -> tuple[Labels, int]:
    """Return the groups after one refinement after the other, and how many of these were done."""
    for done, step in enumerate(steps):
        if progress.cut_short or progress.interrupts:  # what there is comes back as it is
            return labels, done
        refined = step.function(prepared, labels, k, rng, progress)
        labels = np.unique(refined, return_inverse=True)[1].astype(np.int32)
    return labels, len(steps)


def _look_at_the_gap_again(seen: Prepared, labels: Labels, progress: Progress) -> None:
    """Note the gap of the groups as they are once they were refined."""
    from microagg.partition.bounds.gap import gap_of
    from microagg.partition.sum_of_squares import error_of

    if "lower_bound_sse" in progress.notes:
        bound = progress.notes["lower_bound_sse"]
        progress.note(gap=gap_of(error_of(seen.columns, labels), bound))


def refuse_mixed(name: str, refine: Sequence[str] = ()) -> None:
    """Raise when a method, or a refinement after it, takes numbers alone."""
    able = ", ".join(m.name for m in methods() if m.mixed is not None)
    if resolve(name).method.mixed is None:
        raise ParameterError(
            f"{name} takes complete numbers without weights alone. These take categories, blanks "
            f"and weights: {able}.",
            hint=Phrase("Give one of them, such as {method}.", method="mdav-nc"),
        )
    if refine:
        raise ParameterError(
            f"The refinement {refine[0]} takes complete numbers without weights alone.",
            hint=Phrase("Leave {refine} out.", refine=...),
        )


def _mixed(
    found: Method,
    records: Records,
    k: int,
    rng: np.random.Generator,
    progress: Progress,
    given: Mapping[str, Any],
) -> Labels:
    """Run a method on mixed records; a parameter that only its other form has is an error."""
    assert found.mixed is not None  # refuse_mixed has seen to it
    takes = declared(found.mixed)[0]
    for name in given:
        if name not in takes:
            raise ParameterError(
                "is for complete numbers alone.",
                parameter=name,
                caller=found.name,
                hint="Leave it out.",
            )
    defaults = {name: found.parameters[name] for name in takes}
    return found.mixed(records, k, rng, progress, **{**defaults, **given})


def compile_before_the_clock(name: str, initial: str | None, progress: Progress) -> None:
    """Run a method on a few records, once: compiling its kernels is no part of a limit of time.

    An interrupt ends all: nothing has been found yet that could be kept.
    """
    if (name, initial) in _compiled:
        return
    progress.begin("Compiling", 1)
    found = find(name)[0]
    few = prepare([np.arange(12.0) ** 2, np.arange(12.0) % 5], ["a", "b"])
    chosen = {"max_iterations": 1} | ({} if initial is None else {"initial": initial})
    own = {given: value for given, value in chosen.items() if given in found.parameters}
    with all_compiling():
        found.function(few, 2, np.random.default_rng(0), Part(), **{**found.parameters, **own})
    _compiled.add((name, initial))
    progress.reach(1)


def _refuse_fixed(name: str, choice: Choice, parameters: Mapping[str, Any]) -> None:
    """Raise when a parameter is given that the method's name has fixed already."""
    for parameter in parameters:
        if parameter in choice.parameters:
            raise ParameterError(
                Phrase(
                    f"The name {name!r} stands for {choice.method.name} with {{{parameter}}}; it "
                    "cannot be given otherwise.",
                    **{parameter: choice.parameters[parameter]},
                ),
                hint=Phrase("Use {method}.", method=choice.method.name),
            )
