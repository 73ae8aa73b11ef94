"""`protect`: the whole way, from a frame of records to a checked release."""

from __future__ import annotations

import inspect
import time
from collections.abc import Mapping, Sequence, Sized
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from microagg import provenance
from microagg.aggregate.by_kind import rules_of
from microagg.constraints import IsInteger, check
from microagg.data.frames import Frame
from microagg.errors import ParameterError, did_you_mean
from microagg.mask.constrained import guard
from microagg.mask.groups import mask
from microagg.mask.masked import Masked, Task
from microagg.mask.registry import maskings, named
from microagg.measure.anonymity import anonymity
from microagg.measure.loss.information_loss import InformationLoss, records_loss, released_loss
from microagg.partition.bounds.proven import proven
from microagg.partition.constrain.limits import Limits
from microagg.partition.driver import check_k
from microagg.partition.registry import methods
from microagg.prepare.options import Options
from microagg.prepare.prepared import Prepared
from microagg.prepare.ready import Ready, make_ready
from microagg.prepare.records import prepare_records
from microagg.progress import INTERRUPTED, Progress
from microagg.release import Release
from microagg.report.ending import interrupted_caution
from microagg.schema import Schema

Floats = NDArray[np.float64]


def protect(
    data: Any,
    k: int,
    *,
    quasi_identifiers: Sequence[str] | None = None,
    identifiers: Sequence[str] = (),
    confidential: Sequence[str] = (),
    kinds: Mapping[str, str] | None = None,
    schema: Schema | Mapping[str, Any] | None = None,
    method: str = "auto",
    refine: str | Sequence[str] | None = None,
    columns: str | Sequence[str] | None = None,
    segments: int | Sequence[Sequence[str]] | None = None,
    scale: str | None = None,
    distance: Literal["euclidean", "gower"] = "euclidean",
    column_weights: Mapping[str, float] | None = None,
    orders: Mapping[str, Sequence[Any]] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    distance_tables: Mapping[str, Any] | None = None,
    aggregate: Literal["auto", "hybrid"] | Mapping[str, str] = "auto",
    integers: Literal["float", "round"] = "float",
    round_to: Mapping[str, float] | None = None,
    missing: Literal["error", "group", "impute", "suppress"] = "error",
    weights: str | None = None,
    strata: str | Sequence[str] | None = None,
    small_strata: Literal["error", "merge", "suppress"] = "error",
    l_diversity: int | None = None,
    t_closeness: float | None = None,
    p_sensitive: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    **parameters: Any,
) -> Release:
    """Replace the quasi-identifiers of each record by what stands for a group of at least k.

    Parameters
    ----------
    data : DataFrame
        pandas, polars or pyarrow. The same type comes back, with the same index and order.
    k : int, from 2 to n
        How many records, at least, share every combination of released quasi-identifiers.
    quasi_identifiers, identifiers, confidential : lists of column names
        Replaced, removed, and kept. Columns that are not named are kept as they are.
    kinds : mapping of column name to kind
        "continuous", "ordinal" or "nominal". By default numbers and dates are continuous,
        categories with an order ordinal, and text, booleans and other categories nominal.
    schema : Schema, optional
        The roles, kinds and orders in one; give either.
    method : str
        A name of `methods()` or `maskings()`, or one printed in the papers. "auto" chooses by the
        number of records and ``effort="quick" | "normal" | "best"``, and says what it chose.
        Nominal categories, blanks that stay, weights and Gower's distance need one whose
        `mixed` is not None.
    refine : str or list of str, optional
        Names of `refinements()`, done one after the other.
    columns : list of column names, or str such as "emad:3", optional
        Which quasi-identifiers to group on, when not on all; all are replaced, and the loss is that
        of all. "emad:3" takes the three that `select_columns` finds.
    segments : list of lists of column names, or int, optional
        Sets of quasi-identifiers that are grouped each on its own; a number means so many at a
        time, correlated ones together. Then k holds for each segment, NOT for the whole record.
    scale : {"zscore", "range", "none"}
        How columns become comparable while grouping; "zscore" by default.
    distance : {"euclidean", "gower"}
        The squared distance of the scaled columns, or Gower's.
    column_weights : mapping of column name to number
        How much a column counts in distances; 1 if not given.
    orders : mapping of column name to list
        The categories of ordinal columns whose type has no order, from the lowest to the highest.
    hierarchies : mapping of column name to CSV file or rows
        Levels of nominal categories as ARX has them: ``Spain;Southern Europe;Europe;*``. Categories
        are as far apart as the first level at which they are the same.
    distance_tables : mapping of column name to CSV file or mapping
        Distances between nominal categories: ``{"city": {"a": {"b": 2.5}}}``.
    aggregate : "auto" or mapping of column name to word
        What stands for a group: "mean", "median" or "trimmed" for continuous columns, "median" or
        "mode" for ordinal ones, "mode" for nominal ones. "auto" is the first of each. Ties of a
        mode fall by the seed. "hybrid": synthetic records that keep the means and covariances of
        the group and are NOT k-anonymous.
    integers : {"float", "round"}
        Means of integer columns are released as they are, as float64, which keeps
        totals; or rounded to the nearest integer, in the column's own type.
    round_to : mapping of column name to number
        What numbers are rounded to: 0.01 for currency. Dates come back in steps of their own.
    missing : {"error", "group", "impute", "suppress"}
        What becomes of blanks. "group": distances are over what is present, and what stands for the
        group fills them; a group of nothing but blanks stays blank. "impute": filled beforehand
        by the median, or by the mode of a nominal column. "suppress": records with a blank are left
        out of the release.
    weights : column name, optional
        Sampling weights, above 0: in scales, centres, representatives and the loss. k counts
        records.
    strata : column name or list of them, optional
        Groups never cross these.
    small_strata : {"error", "merge", "suppress"}
        What becomes of strata with fewer than k records: joined with each other (and with the
        smallest other one if they are still too few), or left out of the release.
    l_diversity : int, optional
        How many different values each confidential column has, at least, among records that share
        their released quasi-identifiers.
    t_closeness : float from 0 to 1, optional
        How far, at most, the confidential values of such records are from those of all records.
    p_sensitive : int, optional
        The same as `l_diversity`, by the name of p-sensitive k-anonymity.
    seed : int
        Where every random choice comes from.
    progress : Progress, optional
        Told how far the work is.
    **parameters
        The method's own parameters.

    Returns
    -------
    Release
        Checked on its released values; a release that does not hold k is never returned.

    Examples
    --------
    >>> import microagg as ma, pyarrow as pa
    >>> people = pa.table({"name": list("abcd"), "age": [30, 32, 60, 64], "ill": [0, 1, 0, 0]})
    >>> release = ma.protect(people, k=2, quasi_identifiers=["age"], identifiers=["name"])
    >>> release.data.to_pydict()
    {'age': [31.0, 31.0, 62.0, 62.0], 'ill': [0, 1, 0, 0]}
    """
    started = time.perf_counter()
    _check_keywords(parameters, method)
    options = Options(
        scale=scale,
        distance=distance,
        column_weights=column_weights or {},
        hierarchies=hierarchies or {},
        distance_tables=distance_tables or {},
        aggregate=aggregate,
        integers=integers,
        round_to=round_to or {},
        missing=missing,
        weights=weights,
        strata=strata,
        small_strata=small_strata,
    )
    limits = Limits(l_diversity, t_closeness, p_sensitive)
    if aggregate == "hybrid" and integers == "round":
        raise ParameterError(
            'The \'integers\' parameter cannot be "round" with aggregate="hybrid": rounded records '
            "do not keep the means and covariances.",
            hint="Leave it out.",
        )
    roles = schema_of(schema, quasi_identifiers, identifiers, confidential, kinds, orders)
    given = Frame(data)
    _check_columns(given, roles, options)
    check("seed", seed, IsInteger(0), "protect")
    check_k(k, given.n, named(method).name)

    told = progress or Progress()
    told.interrupts = 0
    ready = make_ready(given, roles, options, int(k), int(seed))
    task = Task(
        columns=ready.filled,
        prepared=ready.prepared,
        scale=str(options.scale),
        k=k,
        method=method,
        refine=refine,
        seed=seed,
        progress=told,
        parameters=parameters,
        grouped_on=columns,
        segments=segments,
        rules=rules_of(ready.columns, options.aggregate),
        steps=_steps(ready, options),
        weights=ready.weights,
        strata=ready.strata,
        only_for_groups=_only_for_groups(ready, options),
        guard=guard(ready.frame, limits, roles.confidential, roles.kinds),
        synthetic=options.aggregate == "hybrid",
        kept=_kept(given, roles),
    )
    masked = _with_ending(mask(task), told)
    released = ready.frame.with_columns(
        ready.values_of(masked.columns), drop=roles.identifiers, whole=_whole(ready, options)
    )

    for promise in masked.promises:
        promise.require(released)
    achieved = {promise: promise.require(released) for promise in masked.beyond}
    held = anonymity(released, roles.quasi_identifiers)
    loss = _loss(ready, options, ready.numbers_of(Frame(released), masked.columns))
    masked = replace(
        masked,
        cautions=(
            *ready.cautions,
            *masked.cautions,
            *one_group(masked.partition.n_groups, masked.rules),
        ),
    )
    return Release(
        data=released,
        partition=masked.partition,
        schema=roles,
        promises=(*masked.promises, *masked.beyond),
        segments=masked.segments,
        measures={
            "k": held.k,
            "il": loss.il,
            "sse": loss.sse,
            "sst": loss.sst,
            **proven(masked.partition.details),
            **{promise.name: value for promise, value in achieved.items()},
        },
        rows=None if ready.kept is None else np.flatnonzero(ready.kept),
        provenance=provenance.record(
            frame=given,
            columns=ready.columns,
            arguments={
                "k": int(k),
                "schema": roles.as_dict(),
                "method": method,
                "refine": refine if refine is None or isinstance(refine, str) else list(refine),
                "columns": columns
                if columns is None or isinstance(columns, str)
                else list(columns),
                "segments": _listed(segments),
                **options.as_dict(),
                **limits.given(),
                "seed": int(seed),
                "parameters": dict(parameters),
            },
            masked=masked,
            held=held,
            achieved=achieved,
            loss=loss,
            seconds=time.perf_counter() - started,
        ),
    )


def _with_ending(masked: Masked, told: Progress) -> Masked:
    """Say that an interrupt ended a search, whichever of several it was."""
    if told.interrupts == 0:
        return masked
    noted = {**masked.partition.details, "stopped": INTERRUPTED}
    caution = interrupted_caution(promised=bool(masked.promises))
    return replace(
        masked,
        partition=replace(masked.partition, details=noted),
        cautions=(caution, *masked.cautions),
    )


def one_group(n_groups: int, rules: Mapping[str, str]) -> tuple[str, ...]:
    """Return the caution that is due where a single group has all records."""
    if n_groups > 1:
        return ()
    left = "the mean" if set(rules.values()) <= {"mean"} else "one value of each column"
    return (f"All records are in one group; nothing but {left} is left.",)


def _listed(segments: int | Sequence[Sequence[str]] | None) -> int | list[list[str]] | None:
    """Return segments as a file can keep them."""
    if isinstance(segments, Sequence):
        return [list(segment) for segment in segments]
    return None if segments is None else int(segments)


def _kept(frame: Frame, roles: Schema) -> tuple[str, ...]:
    """Return what of the frame is released as it is: its index too."""
    replaced = {*roles.quasi_identifiers, *roles.identifiers}
    columns = [str(name) for name in frame.names if name not in replaced]
    levels = [f"index {name}" for name in frame.index_names if name not in replaced]
    return (*columns, *levels)


def _check_columns(frame: Frame, roles: Schema, options: Options) -> None:
    """Raise when a parameter names a column that is not in the data, or none to be replaced."""
    for parameter in ("quasi_identifiers", "identifiers", "confidential", "kinds", "orders"):
        frame.require(getattr(roles, parameter), parameter)
    for parameter, names in options.columns_named().items():
        frame.require(names, parameter)
        for name in names:
            if name not in roles.quasi_identifiers:
                raise ParameterError(
                    f"The '{parameter}' parameter names {name!r}, which is no quasi-identifier."
                )


def _steps(ready: Ready, options: Options) -> dict[str, float]:
    """Return what each column is rounded to; only numbers can be."""
    for name in options.round_to:
        if ready.columns[name].kind != "continuous" or name in ready.calendars:
            raise ParameterError(
                f"The 'round_to' parameter is for numbers, and {name!r} holds none.",
                hint="Dates come back in steps of their own, categories as they are.",
            )
    return {name: float(step) for name, step in options.round_to.items()}


def _whole(ready: Ready, options: Options) -> list[str]:
    """Return the columns that keep a type of integers."""
    steps = options.round_to
    return [
        name
        for name in ready.columns
        if (options.integers == "round" if name not in steps else float(steps[name]).is_integer())
    ]


def _only_for_groups(ready: Ready, options: Options) -> tuple[str, ...]:
    """Return what a masking without groups cannot honour."""
    kinds = sorted({column.kind for column in ready.columns.values()} - {"continuous"})
    return (*(f"{kind} columns" for kind in kinds), *(f"'{name}'" for name in options.given()))


def _loss(ready: Ready, options: Options, released: Mapping[str, Floats]) -> InformationLoss:
    """Measure the loss on what is present in the original."""
    if isinstance(ready.prepared, Prepared) and ready.filled is ready.columns:
        return released_loss(ready.prepared, ready.prepared.apply(released.values()))
    records = prepare_records(
        list(ready.columns.values()),
        scale=str(options.scale),
        gower=options.gower,
        column_weights=options.column_weights,
        weights=ready.weights,
    )
    return records_loss(records, released)


def _check_keywords(parameters: Mapping[str, Any], method: str) -> None:
    """Raise for a keyword that neither `protect` nor the method has: before all else.

    A misspelt role would otherwise be reported as a fault of the method, or after another.
    """
    found = named(method)
    own = list(inspect.signature(protect).parameters)[:-1]  # less **parameters
    for name in [name for name in parameters if name not in found.parameters]:
        if name in ("epsilon", "bounds"):
            raise ParameterError(
                f"The '{name}' parameter is for differentially private methods, and {found.name} is "
                "none.",
                hint='Give method="dp-individual-ranking" or method="dp-insensitive".',
            )
        meant = did_you_mean(_SYNONYMS.get(name, name), [*own, *found.parameters])
        takes = ", ".join(found.parameters) or "none"
        rest = "" if meant else f" Nor has {found.name}, which takes: {takes}."
        hint = having(name) or meant
        raise ParameterError(f"protect has no parameter '{name}'.{rest}", hint=hint)


def having(parameter: str) -> str | None:
    """Return a hint that names the methods and maskings with a parameter, or None if there is none.

    Examples
    --------
    >>> having("gamma")
    'These methods have it: v-mdav.'
    """
    known = [m.name for m in methods() if parameter in m.parameters]
    known += [m.name for m in maskings() if parameter in m.parameters]
    return f"These methods have it: {', '.join(known)}." if known else None


_SYNONYMS = {
    "qi": "quasi_identifiers",
    "qis": "quasi_identifiers",
    "id": "identifiers",
    "ids": "identifiers",
    "sensitive": "confidential",
    "aggr": "k",
    "weight": "weights",
    "weightVar": "weights",
    "strata_variables": "strata",
    "strataVar": "strata",
    "random_state": "seed",
}
"""What others call our parameters, where the words are not alike."""


def schema_of(
    schema: Schema | Mapping[str, Any] | None,
    quasi_identifiers: Sequence[str] | None,
    identifiers: Sequence[str],
    confidential: Sequence[str],
    kinds: Mapping[str, str] | None,
    orders: Mapping[str, Sequence[Any]] | None,
) -> Schema:
    """Return the one schema that the arguments describe."""
    roles = (quasi_identifiers, identifiers, confidential, kinds, orders)
    if schema is None:
        given = () if quasi_identifiers is None else quasi_identifiers
        kinds = {} if kinds is None else kinds
        return Schema(given, identifiers, confidential, kinds, {} if orders is None else orders)
    if any(role is not None and not (isinstance(role, Sized) and len(role) == 0) for role in roles):
        raise ParameterError(
            "Roles are given twice, in 'schema' and by name.",
            hint="Give either schema= or quasi_identifiers=, identifiers=, confidential=, kinds=, orders=.",
        )
    return schema if isinstance(schema, Schema) else Schema.from_dict(schema)
