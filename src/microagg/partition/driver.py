"""`partition`: from a matrix to checked groups, with any method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from microagg.budget import Stop
from microagg.constraints import IsInteger, check, check_k
from microagg.context import Context
from microagg.data.matrix import columns_of
from microagg.engine import Engine, chosen_engine
from microagg.errors import AnonymityError, ParameterError, Phrase, enough_memory
from microagg.partition.bounds.gap import gap_of
from microagg.partition.grouping import Facts, Grouping, Labels
from microagg.partition.names import NamedMethod, resolve
from microagg.partition.partition import Partition
from microagg.partition.refine.in_turn import refined_in_turn
from microagg.partition.refine.registry import Refinement, chain
from microagg.partition.registry import TIME_LIMIT, Method, declared, methods
from microagg.partition.sum_of_squares import error_of
from microagg.prepare.prepared import Prepared, prepare
from microagg.prepare.records import Records
from microagg.prepare.select import grouping_columns
from microagg.renamed import knowing_old_names
from microagg.reporter import Reporter
from microagg.typing import Codes

MANY = 50_000
"""Records from which on the engine "auto" takes the GPU: fewer are grouped on the processor as fast."""


@knowing_old_names("partition", of_methods=True)
def partition(
    X: Any,
    k: int,
    method: str = "auto",
    *,
    columns: str | Sequence[str | int] | None = None,
    refine: str | Sequence[str] | None = None,
    scale: str = "zscore",
    seed: int = 0,
    progress: Reporter | None = None,
    engine: Engine | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Partition:
    """Group similar records, at least k in each group.

    Parameters
    ----------
    X : array or DataFrame of numbers, shape (n, d)
        One row per record. Missing and infinite values are an error.
    k : int, from 2 to n
        The minimum group size.
    method : str
        A name of `methods()`, or one printed in the papers, such as ``"MDAV-NC3"``. The default
        ``"auto"`` chooses one based on the number of records.
    columns : list of names or numbers, or str such as "emad:3", optional
        The columns to group on, if not all: their names or numbers. "emad:3" selects the three
        columns that `select_columns` returns ("emad-chi2:3" and "emad-normal:3" use its other measures).
    refine : str or list of str, optional
        Names of `refinements()`, applied in order; none of them increases the loss.
    scale : {"zscore", "range", "none"}
        How columns are made comparable. z-scores divide by the population standard deviation.
    seed : int
        The seed of every random choice.
    progress : Reporter, optional
        Shows the progress.
    engine : {"cpu", "cuda", "auto"}, optional
        Where the method runs; the labels are the same. The default is the value of the environment
        variable MICROAGG_ENGINE, or "cpu".
    parameters : mapping, optional
        Parameters of the method, by name.

    Returns
    -------
    Partition
        The groups, each checked to have at least k records.

    Examples
    --------
    >>> import microagg as ma
    >>> part = ma.partition([[1, 1], [9, 9], [1, 2], [9, 8]], k=2)
    >>> part.labels.tolist()
    [0, 1, 0, 1]
    """
    return group(
        prepare(*columns_of(X), scale=scale),
        k,
        method,
        columns=columns,
        refine=refine,
        seed=seed,
        parameters=parameters,
        context=Context.of(progress, engine=chosen_engine(engine)),
    )


def group(
    records: Prepared | Records,
    k: int,
    method: str,
    *,
    columns: str | Sequence[object] | None = None,
    refine: str | Sequence[str] | None = None,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
    context: Context | None = None,
) -> Partition:
    """Group prepared records by the method of a name; k and the seed are checked first."""
    choice = resolve(method)
    check_k(k, records.n, choice.method.name)
    check("seed", seed, IsInteger(0), choice.method.name)
    return group_by(
        choice,
        records,
        int(k),
        columns=columns,
        refine=refine,
        seed=int(seed),
        parameters=parameters,
        context=context,
    )


def group_by(
    choice: NamedMethod,
    records: Prepared | Records,
    k: int,
    *,
    columns: str | Sequence[object] | None = None,
    refine: str | Sequence[str] | None = None,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
    context: Context | None = None,
) -> Partition:
    """Group at least k prepared records, for `partition` and `protect`.

    With `columns`, the method sees only these columns. Refinements see all, because the loss includes
    all. The `context` is that of the whole task, of which these records may be a part.
    """
    run = _Run(choice, refine, columns, parameters or {})
    task = replace((context or Context.of()).seeded(seed), grouper=_grouping)
    with enough_memory(f"group {records.n:,} records by {choice.method.name} with k={k}"):
        grouping, steps = run.on(records, k, task)
    chosen, name = grouping.facts.chosen, choice.name.lower()
    own = name if chosen is None else f"{name} ({chosen})"
    full_name = " + ".join([own, *(step.name for step in steps)])
    part = Partition(grouping.labels, k=k, method=full_name, facts=grouping.facts)
    if part.n != records.n:
        raise AnonymityError(f"{full_name} grouped {part.n} records of {records.n}.")
    return part


def group_strata(
    choice: NamedMethod,
    records: Prepared | Records,
    codes: Codes,
    k: int,
    *,
    seed: int = 0,
    parameters: Mapping[str, Any] | None = None,
    context: Context | None = None,
) -> Partition | None:
    """Group many strata at once, where the method can; None if each is to be grouped on its own.

    `codes` numbers the strata from 0 without a gap; each has at least k records.
    """
    own, task = choice.method, (context or Context.of()).seeded(int(seed))
    if own.strata is None or choice.refine or not isinstance(records, Prepared):
        return None
    if task.engine == "cuda" or np.bincount(codes).min() < k:
        return None
    own.check(parameters or {})
    options = {**own.parameters, **choice.parameters, **(parameters or {})}
    limit = options.pop(TIME_LIMIT, None)
    grouping = own.strata(records, codes, k, task.within(limit), **options)
    if grouping is None:
        return None
    name = f"{choice.name.lower()} ({grouping.facts.chosen})"
    return Partition(grouping.labels, k=k, method=name, facts=grouping.facts)


def _grouping(
    records: Prepared | Records,
    k: int,
    method: str,
    context: Context,
    *,
    parameters: Mapping[str, Any],
    refine: str | Sequence[str] | None,
) -> Grouping:
    """Run a method for another one; `Context.group` calls this."""
    run = _Run(resolve(method), refine, None, parameters)
    return run.on(records, k, context)[0]


@dataclass(frozen=True)
class _Run:
    """A method with its refinements and parameters, as requested."""

    choice: NamedMethod
    refine: str | Sequence[str] | None
    columns: str | Sequence[object] | None
    parameters: Mapping[str, Any]

    def on(
        self, records: Prepared | Records, k: int, context: Context
    ) -> tuple[Grouping, Sequence[Refinement]]:
        """Return the groups of some records, and which of the requested refinements were applied."""
        choice = self.choice
        context = context.named(choice.method.name)
        choice.method.check(self.parameters)
        _refuse_fixed(choice, self.parameters)
        own_steps, steps = chain(choice.refine), chain(self.refine)
        options = {**choice.parameters, **self.parameters}
        if isinstance(records, Records):
            _refuse_gpu_for_mixed(context.engine)
            refuse_mixed(choice.name, choice.method, (*own_steps, *steps))
            grouping = _mixed(choice.method, records, k, context, options)
            labels, done = _refined((*own_steps, *steps), records, grouping, k, context)
            facts = _at_the_end(grouping.facts, context)
            return Grouping(labels, facts), steps[: max(done - len(own_steps), 0)]
        seen = grouping_columns(records, self.columns)
        grouping = _method(choice.method, seen, k, context, options)
        labels, done = _refined((*own_steps, *steps), records, grouping, k, context)
        facts = _with_gap(_at_the_end(grouping.facts, context), seen, labels)
        if self.columns is not None:
            facts = replace(facts, columns=tuple(seen.names))
        return Grouping(labels, facts), steps[: max(done - len(own_steps), 0)]


def _method(
    method: Method, prepared: Prepared, k: int, context: Context, options: Mapping[str, Any]
) -> Grouping:
    """Run a method within its time limit.

    The default limit of a method applies only if there is no other.
    """
    keywords = {**method.parameters, **options}
    engine = _engine_of(method, prepared.n, context.engine)
    if not method.timed:
        grouping = method.function(prepared, k, replace(context, engine=engine), **keywords)
        used = engine if engine == "cuda" else None
        return replace(grouping, facts=replace(grouping.facts, engine=used))
    limit = keywords.pop(TIME_LIMIT)
    if TIME_LIMIT not in options and context.budget.seconds is not None:
        limit = None
    own = context.within(limit)
    grouping = method.function(prepared, k, own, **keywords)
    if own.budget.seconds is None:
        return grouping
    return replace(grouping, facts=replace(grouping.facts, time_limit=own.budget.seconds))


def _engine_of(method: Method, n: int, engine: Engine) -> Engine:
    """Return the engine that runs a method, or raise if the requested engine cannot run it."""
    if method.gpu:
        return "cuda" if engine == "auto" and n >= MANY else engine
    if engine == "cuda":
        able = ", ".join(each.name for each in methods() if each.gpu)
        raise ParameterError(
            f"is 'cuda', but {method.name} does not run on a GPU.",
            parameter="engine",
            hint=f"These methods do: {able}. With 'auto', parts that can run there do.",
        )
    return engine


def _refined(
    steps: Sequence[Refinement],
    records: Prepared | Records,
    grouping: Grouping,
    k: int,
    context: Context,
) -> tuple[Labels, int]:
    """Return the groups after all refinements, and the number of refinements that were applied.

    If a search was ended early, its groups are returned without refinement.
    """
    if grouping.facts.ended_early:
        return grouping.labels, 0
    return refined_in_turn(steps, records, grouping.labels, k, context)


def _at_the_end(facts: Facts, context: Context) -> Facts:
    """Return the facts about the groups after interrupts."""
    if context.budget.stopped is Stop.INTERRUPTED:
        return replace(facts, stopped=Stop.INTERRUPTED)
    return facts


def _with_gap(facts: Facts, seen: Prepared, labels: Labels) -> Facts:
    """Return the facts with the gap of the groups as they are after refinement."""
    if facts.lower_bound_sse is None:
        return facts
    return replace(facts, gap=gap_of(error_of(seen.columns, labels), facts.lower_bound_sse))


def _refuse_gpu_for_mixed(engine: Engine) -> None:
    if engine == "cuda":
        raise ParameterError(
            "is 'cuda', but a GPU groups only complete numeric columns without weights.",
            parameter="engine",
            hint=Phrase("Choose {engine}.", engine="cpu"),
        )


def refuse_mixed(name: str, method: Method, refine: Sequence[Refinement] = ()) -> None:
    """Raise if a method or one of its refinements accepts only numbers."""
    able = ", ".join(m.name for m in methods() if m.mixed is not None)
    if method.mixed is None:
        raise ParameterError(
            f"{name} accepts only complete numeric columns without weights. These methods accept "
            f"categories, missing values and weights: {able}.",
            hint=Phrase("Use one of them, such as {method}.", method="mdav-nc"),
        )
    for step in refine:
        if step.mixed is None:
            raise ParameterError(
                f"The refinement {step.name} accepts only complete numeric columns without weights.",
                hint=Phrase("Leave {refine} out.", refine=...),
            )


def _mixed(
    method: Method, records: Records, k: int, context: Context, options: Mapping[str, Any]
) -> Grouping:
    """Run a method on mixed records; a parameter that applies only to numbers is an error."""
    assert method.mixed is not None  # refuse_mixed has seen to it
    takes = declared(method.mixed)[0]
    limit, own = None, dict(options)
    if method.timed:
        default = method.parameters[TIME_LIMIT] if context.budget.seconds is None else None
        limit = own.pop(TIME_LIMIT, default)
    for name in own:
        if name not in takes:
            raise ParameterError(
                "applies only to complete numeric columns.",
                parameter=name,
                caller=method.name,
                hint="Leave it out.",
            )
    defaults = {name: method.parameters[name] for name in takes}
    task = context.within(limit)
    grouping = method.mixed(records, k, task, **{**defaults, **own})
    if not method.timed or task.budget.seconds is None:
        return grouping
    return replace(grouping, facts=replace(grouping.facts, time_limit=task.budget.seconds))


def _refuse_fixed(choice: NamedMethod, parameters: Mapping[str, Any]) -> None:
    """Raise for a parameter that the name of the method already determines."""
    for parameter in parameters:
        if parameter in choice.parameters:
            raise ParameterError(
                Phrase(
                    f"The name {choice.name!r} means {choice.method.name} with {{{parameter}}}; it "
                    "cannot be changed.",
                    **{parameter: choice.parameters[parameter]},
                ),
                hint=Phrase("Use {method}.", method=choice.method.name),
            )
