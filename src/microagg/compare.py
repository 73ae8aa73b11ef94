"""`compare`: methods x k x refinements on the same records, judged by loss and risk.

Choices run in processes of their own. Each finished one is kept in a cache file, if one is named, so
that a comparison that was stopped goes on where it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from inspect import signature
from itertools import product
from pathlib import Path
from typing import Any

from microagg.arguments import require_columns, schema_of
from microagg.compared import Comparison, judged, name_of
from microagg.constraints import IsInteger, OneOf, check
from microagg.data.frames import Frame
from microagg.errors import ParameterError, did_you_mean
from microagg.mask.registry import having, masking_called, named
from microagg.measure.score import scoring_index
from microagg.partition.driver import check_k
from microagg.partition.refine.registry import chain
from microagg.prepare.options import Options
from microagg.prepare.read import kind_of
from microagg.protect import protect
from microagg.report.comparison import LOSSES
from microagg.reporter import Reporter
from microagg.schema import Schema
from microagg.trials import Choice, Store, Task, results


def compare(data: Any, k: int | Iterable[int], **options: Any) -> Any:
    """Compare methods, refinements and k; return a frame of the caller's type.

    Parameters
    ----------
    data : DataFrame
        pandas, polars or pyarrow.
    k : int or list of int
        The smallest sizes of groups to try.
    **options
        Those of `comparison`: methods, refine, parameters, loss, weight, seed, jobs, cache; and those
        of `protect`, for every choice: quasi_identifiers, kinds, missing, weights, strata, ...

    Returns
    -------
    DataFrame
        A row a choice, the best score first; "unbeaten" marks those that nothing beats, "loss" is
        that of the score, "k-anonymity" is the k that was counted, "records" how many were released
        and "suppressed" how many not, "estimated" says which numbers are estimates, and "stopped"
        where a time limit ended a search.

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
    return frame.with_columns(
        nw.col("refine", "estimated", "stopped").cast(nw.String())
    ).to_native()


def comparison(
    data: Any,
    k: int | Iterable[int],
    *,
    methods: str | Iterable[str] = "mdav",
    refine: str | Iterable[str | None] | None = None,
    parameters: Mapping[str, Any] | None = None,
    loss: str | None = None,
    weight: float = 0.5,
    jobs: int = 1,
    cache: str | Path | None = None,
    progress: Reporter | None = None,
    **arguments: Any,
) -> Comparison:
    """Compare methods, refinements and k.

    Parameters
    ----------
    methods, refine : names, or one
        None, or None among the refinements means without one; maskings are only tried so.
    parameters : mapping of str to value, optional
        Parameters of methods, given to those that have them: ``{"time_limit": 10}``.
    loss : {"g-il", "il"}, optional
        The loss in the score and on the map: the mean of five that the thesis takes, or SSE/SST,
        which counts categories too. By default the first where all quasi-identifiers are numbers and
        it has a value for every choice.
    weight : float, from 0 to 1
        That of the loss in the score.
    jobs : int
        How many processes work at a time; more than 1 needs a main module that can be imported.
    cache : path, optional
        Where finished choices are kept. It holds measures, never records.
    **arguments
        Those of `protect` that hold for every choice: quasi_identifiers, kinds, missing, ...
    """
    scoring_index(0.0, 0.0, weight)
    check("jobs", jobs, IsInteger(1), "compare")
    check("loss", loss or LOSSES[0], OneOf(LOSSES), "compare")
    table, fixed = _given(data, arguments)
    methods = _several(methods)
    choices = _choices(_several(k), methods, _several(refine), table.num_rows)
    task = Task(table, fixed, _parameters(methods, parameters or {}))
    by = _loss_by(task, loss)
    store = Store(cache, task.fingerprint())
    told = progress or Reporter()
    told.begin("Comparing", len(choices))
    rows = {choice: store.get(choice) for choice in choices}
    waiting = [choice for choice, row in rows.items() if row is None]
    told.reach(len(choices) - len(waiting))
    for done, (choice, row) in enumerate(results(task, waiting, jobs), start=1):
        store.keep(choice, row)
        rows[choice] = row
        told.reach(len(choices) - len(waiting) + done)
    found = [{**asdict(c), **row} for c, row in rows.items() if row]
    return judged(found, weight, _loss_with_values(found, by, loss))


def _several(given: Any) -> list[Any]:
    """Return a list of what was given, one or several."""
    return list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]


def _given(data: Any, given: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the columns that matter, and the arguments of `protect` that all choices have."""
    own = [name for name in signature(protect).parameters if name not in _OF_A_CHOICE]
    for name in given:
        if name not in own:
            hint = did_you_mean(name, own) or "What methods take goes into parameters={...}."
            raise ParameterError(f"compare has no parameter '{name}'.", hint=hint)
    roles = schema_of(**{**_NO_ROLES, **{n: given[n] for n in _NO_ROLES if n in given}})
    options, frame = Options.from_arguments(given), Frame(data)
    require_columns(frame, roles, options)
    weights = () if options.weights is None else (options.weights,)
    frame.require(weights, "weights")
    frame.require(options.strata, "strata")
    wanted = {*roles.quasi_identifiers, *roles.confidential, *options.strata, *weights}
    known = {*asdict(options), *_NO_ROLES}
    fixed = {name: value for name, value in given.items() if name not in known}
    fixed |= {**options.as_dict(), "schema": replace(roles, identifiers=()).as_dict()}
    if weights:
        fixed["weights"] = str(options.weights)
    return frame.select([name for name in frame.names if name in wanted]), _by_text(fixed)


_NO_ROLES: dict[str, Any] = {
    "schema": None,
    "quasi_identifiers": None,
    "identifiers": (),
    "confidential": (),
    "kinds": None,
    "orders": None,
}
"""The arguments of `protect` that make a schema, when none is given."""

_OF_A_CHOICE = ("data", "k", "method", "refine", "progress", "parameters")
"""What of `protect` is not the same for all choices."""


def _by_text(given: Any) -> Any:
    """Return arguments that name columns by text, as the selected table does."""
    if isinstance(given, Mapping):
        return {str(name): _by_text(value) for name, value in given.items()}
    if isinstance(given, list | tuple):
        return [str(name) if isinstance(name, int) else _by_text(name) for name in given]
    return given


def _loss_by(task: Task, asked: str | None) -> str:
    """Return the loss that was asked for, or else one that counts all quasi-identifiers."""
    frame, roles = Frame(task.table), Schema(**task.arguments["schema"])
    kinds = {kind_of(frame, name, roles) for name in roles.quasi_identifiers}
    if asked == "g-il" and "continuous" not in kinds:
        raise ParameterError(
            "The 'loss' parameter of compare cannot be 'g-il': no quasi-identifier holds numbers.",
            hint="Leave it out.",
        )
    return asked or ("g-il" if kinds == {"continuous"} else "il")


def _loss_with_values(rows: Sequence[dict[str, Any]], loss: str, asked: str | None) -> str:
    """Return `loss`, or the one that every choice has when it was not asked for by name."""
    without = [name_of(row) for row in rows if row[loss] is None]
    if without and asked is not None:
        raise ParameterError(
            f"The 'loss' parameter of compare cannot be '{asked}': it has no value for {without[0]}, "
            "as too few records are without blanks.",
            hint="Leave it out.",
        )
    return "il" if without else loss


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
