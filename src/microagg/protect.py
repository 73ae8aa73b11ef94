"""`protect`: the whole way, from a frame of records to a checked release."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence, Sized
from typing import Any, Literal

from microagg import provenance
from microagg.aggregate.mean import group_means
from microagg.constraints import OneOf, check
from microagg.data.frames import Frame
from microagg.errors import ParameterError
from microagg.measure.anonymity import Promise, require
from microagg.measure.loss.information_loss import released_loss
from microagg.partition.driver import group
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
    method: str = "mdav",
    scale: str = "zscore",
    integers: Literal["float", "round"] = "float",
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
        A name of `methods()`.
    scale : {"zscore", "range", "none"}
        How columns become comparable while grouping.
    integers : {"float", "round"}
        Means of integer columns are released as they are, as float64, which keeps
        totals; or rounded to the nearest integer, in the column's own type.
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
    check("integers", integers, OneOf(("float", "round")), "protect")
    roles = _schema(schema, quasi_identifiers, identifiers, confidential, kinds)
    frame = Frame(data)
    for parameter in ("quasi_identifiers", "identifiers", "confidential", "kinds"):
        frame.require(getattr(roles, parameter), parameter)

    names = roles.quasi_identifiers
    original = [frame.numbers(name) for name in names]
    prepared = prepare(original, names, scale=scale)
    part = group(prepared, k, method, seed=seed, progress=progress, **parameters)
    means = {name: group_means(column, part) for name, column in zip(names, original, strict=True)}
    released = frame.with_columns(means, drop=roles.identifiers, integers=integers == "round")

    promise = Promise(tuple(names), int(k))
    held = require(released, promise)
    values = prepared.apply([Frame(released).numbers(name) for name in names])
    loss = released_loss(prepared, values)
    return Release(
        data=released,
        partition=part,
        schema=roles,
        promises=(promise,),
        measures={"k": held.k, "il": loss.il, "sse": loss.sse, "sst": loss.sst},
        provenance=provenance.record(
            frame=frame,
            columns=dict(zip(names, original, strict=True)),
            arguments={
                "k": int(k),
                "schema": roles.as_dict(),
                "method": method,
                "scale": scale,
                "integers": integers,
                "seed": int(seed),
                "parameters": dict(parameters),
            },
            part=part,
            held=held,
            loss=loss,
            seconds=time.perf_counter() - started,
        ),
    )


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
