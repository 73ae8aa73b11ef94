"""`protect`: the whole way, from a frame of records to a checked release."""

from __future__ import annotations

import inspect
import time
from collections.abc import Mapping, Sequence, Sized
from typing import Any, Literal

from microagg import provenance
from microagg.constraints import OneOf, check
from microagg.data.frames import Frame
from microagg.errors import ParameterError, did_you_mean
from microagg.mask.constrained import guard
from microagg.mask.groups import mask
from microagg.mask.masked import Task
from microagg.mask.registry import named
from microagg.measure.anonymity import anonymity
from microagg.measure.loss.information_loss import released_loss
from microagg.partition.bounds.proven import proven
from microagg.partition.constrain.limits import Limits
from microagg.prepare.prepared import prepare
from microagg.progress import Progress
from microagg.release import Release
from microagg.schema import Schema


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
    scale: str = "zscore",
    aggregate: Literal["auto", "hybrid"] = "auto",
    integers: Literal["float", "round"] = "float",
    l_diversity: int | None = None,
    t_closeness: float | None = None,
    p_sensitive: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    **parameters: Any,
) -> Release:
    """Replace the quasi-identifiers of each record by the means of a group of at least k.

    Parameters
    ----------
    data : DataFrame
        pandas, polars or pyarrow. The same type comes back, with the same index and order.
    k : int, from 2 to n
        How many records, at least, share every combination of released quasi-identifiers.
    quasi_identifiers, identifiers, confidential : lists of column names
        Replaced, removed, and kept. Columns that are not named are kept as they are.
    kinds : mapping of column name to kind
        Quasi-identifiers must be "continuous", and are taken to be.
    schema : Schema, optional
        The four above in one; give either.
    method : str
        A name of `methods()` or `maskings()`, or one printed in the papers. "auto" chooses by the
        number of records and ``effort="quick" | "normal" | "best"``, and says what it chose.
    refine : str or list of str, optional
        Names of `refinements()`, done one after the other.
    columns : list of column names, or str such as "emad:3", optional
        Which quasi-identifiers to group on, when not on all; all are replaced, and the loss is that
        of all. "emad:3" takes the three that `select_columns` finds.
    segments : list of lists of column names, or int, optional
        Sets of quasi-identifiers that are grouped each on its own; a number means so many at a
        time, correlated ones together. Then k holds for each segment, NOT for the whole record.
    scale : {"zscore", "range", "none"}
        How columns become comparable while grouping.
    aggregate : {"auto", "hybrid"}
        What replaces the records of a group: their means; or synthetic records that keep the means
        and covariances of the group, which are NOT k-anonymous.
    integers : {"float", "round"}
        Means of integer columns are released as they are, as float64, which keeps
        totals; or rounded to the nearest integer, in the column's own type.
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
    check("integers", integers, OneOf(("float", "round")), "protect")
    _check_aggregate(aggregate, integers)
    limits = Limits(l_diversity, t_closeness, p_sensitive)
    roles = _schema(schema, quasi_identifiers, identifiers, confidential, kinds)
    frame = Frame(data)
    for parameter in ("quasi_identifiers", "identifiers", "confidential", "kinds"):
        frame.require(getattr(roles, parameter), parameter)

    original = {name: frame.numbers(name) for name in roles.quasi_identifiers}
    prepared = prepare(list(original.values()), tuple(original), scale=scale)
    progress = progress or Progress()
    task = Task(
        original,
        prepared,
        scale,
        k,
        method,
        refine,
        seed,
        progress,
        parameters,
        columns,
        segments,
        guard=guard(frame, limits, roles.confidential, roles.kinds),
        aggregate=aggregate,
        kept=_kept(frame, roles),
    )
    masked = mask(task)
    released = frame.with_columns(
        masked.columns, drop=roles.identifiers, integers=integers == "round"
    )

    for promise in masked.promises:
        promise.require(released)
    achieved = {promise: promise.require(released) for promise in masked.beyond}
    held = anonymity(released, roles.quasi_identifiers)
    loss = released_loss(prepared, prepared.apply(Frame(released).numbers(n) for n in original))
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
        provenance=provenance.record(
            frame=frame,
            columns=original,
            arguments={
                "k": int(k),
                "schema": roles.as_dict(),
                "method": method,
                "refine": refine if refine is None or isinstance(refine, str) else list(refine),
                "columns": columns
                if columns is None or isinstance(columns, str)
                else list(columns),
                "segments": _listed(segments),
                "scale": scale,
                **({} if aggregate == "auto" else {"aggregate": aggregate}),
                "integers": integers,
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


def _listed(segments: int | Sequence[Sequence[str]] | None) -> int | list[list[str]] | None:
    """Return segments as a file can keep them."""
    if isinstance(segments, Sequence):
        return [list(segment) for segment in segments]
    return None if segments is None else int(segments)


def _check_aggregate(aggregate: str, integers: str) -> None:
    check("aggregate", aggregate, OneOf(("auto", "hybrid")), "protect")
    if aggregate == "hybrid" and integers == "round":
        raise ParameterError(
            'The \'integers\' parameter cannot be "round" with aggregate="hybrid": rounded records '
            "do not keep the means and covariances.",
            hint="Leave it out.",
        )


def _kept(frame: Frame, roles: Schema) -> tuple[str, ...]:
    """Return what of the frame is released as it is: its index too."""
    replaced = {*roles.quasi_identifiers, *roles.identifiers}
    columns = [str(name) for name in frame.names if name not in replaced]
    levels = [f"index {name}" for name in frame.index_names if name not in replaced]
    return (*columns, *levels)


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
        raise ParameterError(f"protect has no parameter '{name}'.{rest}", hint=meant)


_SYNONYMS = {
    "qi": "quasi_identifiers",
    "qis": "quasi_identifiers",
    "id": "identifiers",
    "ids": "identifiers",
    "sensitive": "confidential",
    "aggr": "k",
    "random_state": "seed",
}
"""What others call our parameters, where the words are not alike."""


def _schema(
    schema: Schema | Mapping[str, Any] | None,
    quasi_identifiers: Sequence[str] | None,
    identifiers: Sequence[str],
    confidential: Sequence[str],
    kinds: Mapping[str, str] | None,
) -> Schema:
    """Return the one schema that the arguments describe."""
    roles = (quasi_identifiers, identifiers, confidential, kinds)
    if schema is None:
        given = () if quasi_identifiers is None else quasi_identifiers
        return Schema(given, identifiers, confidential, {} if kinds is None else kinds)
    if any(role is not None and not (isinstance(role, Sized) and len(role) == 0) for role in roles):
        raise ParameterError(
            "Roles are given twice, in 'schema' and by name.",
            hint="Give either schema= or quasi_identifiers=, identifiers=, confidential=, kinds=.",
        )
    return schema if isinstance(schema, Schema) else Schema.from_dict(schema)
