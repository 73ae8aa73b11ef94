"""Segments: sets of columns that are masked separately, and the promise for the whole record.

Every segment is k-anonymous. The record is not: anyone who knows columns of two segments may find a
combination that only one person has. The promises therefore apply to the segments, and the release
begins with a caution.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from microagg.budget import Stop
from microagg.constraints import IsInteger
from microagg.errors import ParameterError, Phrase, column_hint, quoted_name, shown
from microagg.mask.masked import Masked, Task
from microagg.partition.grouping import Facts
from microagg.partition.partition import Partition
from microagg.prepare.segments import correlated_segments

Segments = tuple[tuple[str, ...], ...]


def each_on_its_own(
    task: Task, segments: Segments, by: Callable[[Task], Masked], *, name: str, caution: str
) -> Masked:
    """Mask each segment with `by`, and combine the results.

    The partition of the whole groups records that are equal in every segment, with the k that it really
    has. `caution` is completed with that k, and `name` is the method of the whole.
    """
    shares, parts = task.in_parts([1] * len(segments)), {}
    for segment, part in zip(segments, shares, strict=True):
        parts[segment] = by(replace(part.only(segment), segments=None))
    columns = {column: values for part in parts.values() for column, values in part.columns.items()}
    own = {segment: part.partition for segment, part in parts.items()}
    whole = _alike_in_all(own, name)
    return Masked(
        columns={column: columns[column] for column in task.names},
        partition=whole,
        promises=tuple(promise for part in parts.values() for promise in part.promises),
        cautions=(f"{caution} On all quasi-identifiers together, k = {whole.k}.",)
        if len(own) > 1
        else (),
        segments=own,
    )


def _alike_in_all(parts: Mapping[tuple[str, ...], Partition], name: str) -> Partition:
    """Return the groups of records that share their groups in all partitions."""
    labels = np.zeros(next(iter(parts.values())).n, dtype=np.int64)
    for part in parts.values():
        labels = np.unique(labels * part.n_groups + part.labels, return_inverse=True)[1]
    smallest = int(np.bincount(labels).min())
    facts = Facts(stopped=Stop.first(part.facts.stopped for part in parts.values()))
    return Partition(labels.astype(np.int32), k=smallest, method=name, facts=facts)


def segments_of(task: Task) -> Segments:
    """Return the requested segments after checking that each column is in exactly one."""
    chosen: Any = task.segments
    if IsInteger().admits(chosen):
        return _at_a_time(task, int(chosen))
    if not _lists(chosen):
        raise ParameterError(
            "must be lists of column names, or the largest number of columns in a segment. "
            f"Got {shown(chosen)}.",
            parameter="segments",
            caller="protect",
            hint=Phrase(
                "Set {segments} for segments of up to three columns, or list the columns of each.",
                segments=3,
            ),
        )
    segments = tuple(tuple(segment) for segment in chosen)
    _require_each_once(segments, task.names)
    return segments


def _at_a_time(task: Task, size: int) -> Segments:
    """Return segments of at most `size` columns, with correlated columns together."""
    if not 1 <= size <= len(task.names):
        raise ParameterError(
            f"must be from 1 to {len(task.names)}, the number of quasi-identifiers. Got {size}.",
            parameter="segments",
            caller="protect",
            hint="Segments of 2 to 4 columns are usual.",
        )
    segments = correlated_segments(list(task.numbers.columns), size)
    return tuple(tuple(task.names[j] for j in segment) for segment in segments)


def _lists(value: object) -> bool:
    """Return whether a value is a list of non-empty lists."""
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and bool(value)
        and all(
            isinstance(segment, Sequence) and not isinstance(segment, str) and segment
            for segment in value
        )
    )


def _require_each_once(segments: Segments, names: Sequence[str]) -> None:
    named = [name for segment in segments for name in segment]
    for name in named:
        if name not in names:
            raise ParameterError(
                f"names {name!r}, which is not a quasi-identifier.",
                parameter="segments",
                hint=column_hint(name, names),
            )
        if named.count(name) > 1:
            raise ParameterError(f"names {name!r} more than once.", parameter="segments")
    missing = [name for name in names if name not in named]
    if missing:
        raise ParameterError(
            "leaves out quasi-identifiers, which would not be replaced: "
            f"{', '.join(map(quoted_name, missing))}.",
            parameter="segments",
            hint="Put each quasi-identifier into one segment.",
        )
