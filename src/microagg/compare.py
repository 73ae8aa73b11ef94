"""`compare`: methods x k x refinements on the same records, measured by loss and risk.

Each setting runs in a separate process. If a cache file is named, it stores every finished setting, so
that a comparison that was stopped can continue.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import narwhals as nw

from microagg.comparison.run import TrialPlan, trials
from microagg.comparison.store import TrialStore
from microagg.comparison.table import Comparison, ranked
from microagg.comparison.trial import Choice, Trial
from microagg.constraints import IsInteger, OneOf, check, check_k
from microagg.data.frames import Frame
from microagg.declare import options_of
from microagg.errors import ParameterError, Phrase
from microagg.mask.registry import Masking, declaration, having, named
from microagg.measure.score import LOSSES, scoring_index
from microagg.partition.names import NamedMethod
from microagg.partition.refine.registry import chain
from microagg.prepare.read import kind_of
from microagg.reporter import Reporter
from microagg.schema import Schema
from microagg.settings import Settings
from microagg.signatures import with_options
from microagg.values import ColumnName, Form, Lists, Names, NamesOrRule


@with_options("compare", without=["identifiers"])
def compare(
    data: Any,
    k: int | Iterable[int],
    *,
    methods: str | Iterable[str] = "auto",
    refine: str | Iterable[str | None] | None = None,
    loss: str = "il",
    loss_weight: float = 0.5,
    jobs: int = 1,
    cache: str | Path | None = None,
    schema: Schema | Mapping[str, Any] | None = None,
    progress: Reporter | None = None,
    **options: Any,
) -> Comparison:
    """Compare methods, refinements and values of k by loss and risk.

    Parameters
    ----------
    data : DataFrame
        A pandas, polars or pyarrow frame.
    k : int or list of int
        The minimum group sizes to try.
    {options}
    methods, refine : str or list of str
        The methods and refinements to try. None means without a refinement; maskings are tried only
        without one. `parameters` apply to the methods that have them.
    loss : {"il", "g-il"}
        The loss by which settings are ranked, scored and drawn: the information loss SSE/SST, or the
        mean change of five statistics, which covers numbers only.
    loss_weight : float, from 0 to 1
        The weight of the loss in the score.
    jobs : int
        The number of parallel processes; more than 1 requires a main module that can be imported.
    cache : path, optional
        A file that stores finished settings: a new file, or that of an earlier comparison. It
        contains measures, never records.
    schema : Schema, optional
        The roles, kinds and orders in one object, instead of separate arguments.
    progress : Reporter, optional
        Shows the progress.

    Returns
    -------
    Comparison
        Every setting with its measures, ranked by loss within each k. `data` is a table of the
        caller's frame type, `recommended` is one setting, and `plot` draws the risk-utility map.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [30, 32, 60, 64, 40, 41, 70, 75], "pay": [1, 2, 7, 6, 3, 3, 8, 9]})
    >>> result = compare(people, k=[2, 4], quasi_identifiers=["age", "pay"], methods=["mdav"])
    >>> result.data.column_names[:5], result.data["k"].to_pylist()
    (['method', 'refine', 'k', 'rank', 'score'], [2, 4])
    """
    scoring_index(0.0, 0.0, loss_weight)
    check("jobs", jobs, IsInteger(1), "compare")
    check("loss", loss, OneOf(LOSSES), "compare")
    frame, names, sizes = Frame(data), _several(methods), _several(k)
    settings = Settings.create("compare", schema=schema, table=frame, k=2, **options)
    called = {name: named(name) for name in names}
    choices = _choices(sizes, called, _several(refine), frame.n)
    plan = _plan(frame, settings, called)
    if loss == "g-il":
        _require_numbers(plan)
    store = TrialStore(cache, plan.fingerprint())
    reporter = progress or Reporter()
    reporter.begin("Comparing", len(choices))
    finished = [trial for choice in choices if (trial := store.get(choice)) is not None]
    kept = {trial.choice for trial in finished}
    reporter.reach(len(finished))
    for trial in trials(plan, [choice for choice in choices if choice not in kept], jobs, reporter):
        store.keep(trial)
        finished.append(trial)
        reporter.reach(len(finished))
    _require_values(finished, loss)
    backend = nw.from_native(data, eager_only=True).implementation
    comparison = ranked(finished, loss_weight, loss, backend)
    for line in comparison.cautions:
        reporter.warn(line)
    return comparison


def _several(value: Any) -> list[Any]:
    """Return one or several values as a list."""
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]


def _plan(
    frame: Frame, settings: Settings, methods: Mapping[str, NamedMethod | Masking]
) -> TrialPlan:
    """Return the columns that matter and the arguments of `protect`, with column names as text.

    The table that is sent to every process has column names as text, whatever the frame has.
    """
    arguments: dict[str, Any] = {}
    wanted: set[Any] = set()
    for name, each in options_of(Settings, "compare").items():
        value = getattr(settings, name)
        if name in ("k", "identifiers", "parameters") or value == each.default:
            continue
        wanted |= set(each.form.columns(value))
        arguments[name] = _by_text(value, each.form)
    target = arguments.pop("target", None)
    table = frame.select([name for name in frame.names if name in wanted])
    return TrialPlan(table, arguments, _parameters(methods, settings.parameters), target)


def _by_text(value: Any, form: Form) -> Any:
    """Return a value with column names as text; other values stay unchanged."""
    if isinstance(value, Mapping):
        return {str(name): entry for name, entry in value.items()}
    if isinstance(form, ColumnName):
        return str(value)
    if isinstance(value, tuple) and isinstance(form, Lists | Names | NamesOrRule):
        return [_by_text(part, form) if isinstance(part, tuple) else str(part) for part in value]
    return list(value) if isinstance(value, tuple) else value


def _require_numbers(plan: TrialPlan) -> None:
    """Raise early if no quasi-identifier contains numbers."""
    roles = {name: plan.arguments[name] for name in _ROLES if name in plan.arguments}
    frame, schema = Frame(plan.table), Schema(**roles)
    if not any(kind_of(frame, n, schema) == "continuous" for n in schema.quasi_identifiers):
        raise _no_loss("no quasi-identifier contains numbers.")


_ROLES = ("quasi_identifiers", "confidential", "kinds", "orders")


def _require_values(tried: Sequence[Trial], loss: str) -> None:
    """Raise if a setting has no value of the loss."""
    for trial in tried:
        if trial.measures[loss] is None:
            raise _no_loss(
                f"it has no value for {trial.choice}, because too few records are without missing values."
            )


def _no_loss(reason: str) -> ParameterError:
    hint = Phrase("Leave it out, or use {loss}.", loss="il")
    return ParameterError(
        f"cannot be 'g-il': {reason}", parameter="loss", caller="compare", hint=hint
    )


def _choices(
    ks: Sequence[int],
    methods: Mapping[str, NamedMethod | Masking],
    refine: Sequence[str | None],
    n: int,
) -> list[Choice]:
    """Return every setting after checking all names and sizes."""
    if not ks or not methods or not refine:
        raise ParameterError("There is nothing to compare: name at least one method and one k.")
    for size in ks:
        check_k(size, n, "compare")
    for step in refine:
        chain(step)
    pairs = [
        (m, r)
        for m, r in product(methods, refine)
        if r is None or not isinstance(methods[m], Masking)
    ]
    for name in methods:
        if name not in dict(pairs):
            raise ParameterError(
                f"applies to groups, but {name} forms no groups of whole records.",
                parameter="refine",
                hint="Put None among the refinements ('none' on the command line).",
            )
    return list(dict.fromkeys(Choice(m, r, int(size)) for (m, r), size in product(pairs, ks)))


def _parameters(
    methods: Mapping[str, NamedMethod | Masking], parameters: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return the parameters of each method after checking that each has a method and a value."""
    called = {name: declaration(method) for name, method in methods.items()}
    for parameter in parameters:
        if not any(parameter in method.parameters for method in called.values()):
            raise ParameterError(
                f"None of these methods has a parameter '{parameter}': {', '.join(methods)}.",
                hint=having(parameter),
            )
    own = {
        name: {each: value for each, value in parameters.items() if each in method.parameters}
        for name, method in called.items()
    }
    for name, method in called.items():
        method.check(own[name])
    return own
