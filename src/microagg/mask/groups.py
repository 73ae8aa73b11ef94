"""Groups of at least k records, each replaced by the representative of its group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from microagg.aggregate.by_kind import representatives
from microagg.aggregate.round import rounded
from microagg.errors import ParameterError, quoted_name
from microagg.mask.limited import candidates
from microagg.mask.masked import Masked, Task
from microagg.mask.registry import Masking
from microagg.mask.segments import each_on_its_own, segments_of
from microagg.mask.synthetic import check_hybrid, synthetic
from microagg.measure.anonymity import Promise
from microagg.measure.loss.information_loss import loss_of
from microagg.partition.partition import Partition
from microagg.partition.refine.registry import chain
from microagg.prepare.column import Column
from microagg.prepare.prepared import Prepared
from microagg.typing import Floats


def mask(task: Task) -> Masked:
    """Mask by the masking that the task names, or otherwise by groups."""
    masking = task.method if isinstance(task.method, Masking) else None
    _check_beyond(task, None if masking is None else masking.name)
    if masking is None:
        _refuse_mixed(task)
        return by_groups(task) if task.segments is None else by_segments(task)
    for name, value in (
        ("refine", task.refine),
        ("columns", task.grouped_on),
        ("segments", task.segments),
    ):
        if value is not None:
            raise ParameterError(
                f"applies to groups of whole records, and {masking.name} forms none.",
                parameter=name,
                hint="Leave it out.",
            )
    if task.only_for_groups:
        raise ParameterError(
            f"{masking.name} accepts only complete numeric columns, so it cannot be used with "
            f"{', '.join(task.only_for_groups)}.",
            hint="Use a method that forms groups.",
        )
    masking.check(task.parameters)
    return masking.function(task, **task.parameters)


def by_groups(task: Task) -> Masked:
    """Replace each record by the representative of its group."""
    if task.guard is not None:
        task.guard.require_possible(None if task.strata is None else task.strata.codes)
    how = Replacing(task.rules, task.steps, task.seed, keep_blanks=task.patterns is not None)

    def released(part: Partition) -> dict[str, Floats]:
        return replaced(task.columns, part, how, task.weights)

    def lost(values: Mapping[str, Floats]) -> float:
        return loss_of(task.as_read or task.prepared, values).sse

    parts = candidates(task, lambda part: lost(released(part)))
    if task.synthetic:
        return synthetic(task, parts[0])
    values = [released(part) for part in parts]
    best = int(np.argmin([lost(each) for each in values])) if len(parts) > 1 else 0
    beyond = () if task.guard is None else task.guard.promises(task.names)
    promises = (Promise(task.names, task.k),)
    return Masked(values[best], parts[best], promises, rules=task.rules, beyond=beyond)


@dataclass(frozen=True)
class Replacing:
    """The rules by which the values of a group are replaced.

    Attributes
    ----------
    rules, steps : mapping
        The representative of a group in each column, and what released numbers are rounded to.
    seed : int
        The seed for ties of a mode.
    keep_blanks : bool
        Whether a value that one record of a group lacks is released as missing for the whole group.
    complete : mapping of str to bool, optional
        If the records are a part of the file: whether each column is complete in the whole file.
    """

    rules: Mapping[str, str]
    steps: Mapping[str, float]
    seed: int
    keep_blanks: bool = False
    complete: Mapping[str, bool] = field(default_factory=dict)


def replaced(
    columns: Mapping[str, Column],
    part: Partition,
    how: Replacing,
    weights: Floats | None = None,
    numbers: NDArray[np.int64] | None = None,
) -> dict[str, Floats]:
    """Return the released values: the representatives of the group of each record.

    `numbers` are the numbers of the groups in the whole file, if the records are a part of it.
    """
    rng, new = np.random.default_rng(how.seed), {}
    for name, column in columns.items():
        complete = how.complete.get(name)
        values = representatives(
            column, part, how.rules[name], rng, weights, complete=complete, numbers=numbers
        )
        if how.keep_blanks:
            values = _with_blanks(values, column.blank, part)
        new[name] = rounded(values, how.steps[name]) if name in how.steps else values
    return new


def _with_blanks(new: Floats, blank: NDArray[np.bool_], part: Partition) -> Floats:
    """Return released values that are missing in each group with a record that lacks the value."""
    lacking = np.bincount(part.labels, weights=blank, minlength=part.n_groups) > 0
    return np.where(lacking[part.labels], np.nan, new)


def _check_beyond(task: Task, masking: str | None) -> None:
    """Raise if limits on confidential columns, or synthetic records, are not possible."""
    asked = [] if task.guard is None else list(task.guard.limits.as_dict())
    if task.synthetic:
        asked.append("aggregate")
    if not asked:
        return
    if masking is not None or (task.guard is not None and task.segments is not None):
        what = "segments" if masking is None else masking
        raise ParameterError(
            f"applies to groups of whole records, and {what} forms none.",
            parameter=asked[0],
            hint="Leave one of them out.",
        )
    if task.synthetic:
        check_hybrid(task)


def _refuse_mixed(task: Task) -> None:
    """Raise if grouping columns were chosen and the columns are not all complete numbers."""
    for name, value in (("columns", task.grouped_on), ("segments", task.segments)):
        if value is not None and not isinstance(task.prepared, Prepared):
            raise ParameterError(
                "applies only to complete numeric columns, without weights and without Gower's distance.",
                parameter=name,
                hint="Leave it out, or leave out the other columns.",
            )


def by_segments(task: Task) -> Masked:
    """Mask each segment of columns by separate groups."""
    if task.grouped_on is not None:
        raise ParameterError(
            "cannot be combined: a segment is grouped on its own columns.",
            parameter=("columns", "segments"),
            hint="Leave one of them out.",
        )
    segments = segments_of(task)
    listed = "; ".join(", ".join(map(quoted_name, segment)) for segment in segments)
    caution = (
        f"k-anonymity holds for each segment of columns only, not for records as a whole: {listed}. "
        "Anyone who knows a person's values in several segments may single that person out."
    )
    made = " + ".join([task.method.name.lower(), *(step.name for step in chain(task.refine))])
    each = "on one segment" if len(segments) == 1 else f"on each of {len(segments)} segments"
    name = f"{made} {each}"
    return each_on_its_own(task, segments, by_groups, name=name, caution=caution)
