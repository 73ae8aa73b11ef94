"""The usual way: groups of at least k records, each replaced by its group's means."""

from __future__ import annotations

from microagg.aggregate.mean import group_means
from microagg.errors import ParameterError, quoted_name
from microagg.mask.masked import Masked, Task
from microagg.mask.registry import masking_called
from microagg.mask.segments import each_on_its_own, segments_of
from microagg.mask.synthetic import check_hybrid, synthetic
from microagg.measure.anonymity import Promise
from microagg.partition.driver import group


def mask(task: Task) -> Masked:
    """Mask by the masking that the task names, or else by groups."""
    found = masking_called(task.method)
    _check_beyond(task, None if found is None else found.name)
    if found is None:
        return by_groups(task) if task.segments is None else by_segments(task)
    for name in ("refine", "columns", "segments"):
        if getattr(task, name) is not None:
            raise ParameterError(
                f"The '{name}' parameter is for groups, and {found.name} makes none of whole "
                "records.",
                hint="Leave it out.",
            )
    found.check(task.parameters)
    return found.function(task, **task.parameters)


def by_groups(task: Task) -> Masked:
    """Replace each record by the means of its group."""
    part = group(
        task.prepared,
        task.k,
        task.method,
        columns=task.columns,
        refine=task.refine,
        seed=task.seed,
        progress=task.progress,
        **task.parameters,
    )
    beyond = () if task.guard is None else task.guard.promises(task.names)
    if task.guard is not None:
        part = task.guard.constrained(task.prepared.columns.T, part)
    if task.aggregate == "hybrid":
        return synthetic(task, part)
    means = {name: group_means(column, part) for name, column in task.original.items()}
    return Masked(means, part, (Promise(task.names, int(task.k)),), beyond=beyond)


def _check_beyond(task: Task, masking: str | None) -> None:
    """Raise when limits on confidential columns, or synthetic records, cannot be had."""
    asked = [] if task.guard is None else list(task.guard.limits.given())
    if task.aggregate == "hybrid":
        asked.append("aggregate")
    if not asked:
        return
    if masking is not None or (task.guard is not None and task.segments is not None):
        what = "segments" if masking is None else masking
        raise ParameterError(
            f"The '{asked[0]}' parameter is for groups of whole records, and {what} makes none.",
            hint="Leave one of them out.",
        )
    if task.aggregate == "hybrid":
        check_hybrid(task)


def by_segments(task: Task) -> Masked:
    """Mask each segment of columns by groups of its own."""
    if task.columns is not None:
        raise ParameterError(
            "The 'columns' and 'segments' parameters cannot be given together: a segment is grouped "
            "on its own columns.",
            hint="Leave one of them out.",
        )
    segments = segments_of(task)
    listed = "; ".join(", ".join(map(quoted_name, segment)) for segment in segments)
    caution = (
        f"k-anonymity holds for each segment of columns only, not for records as a whole: {listed}. "
        "Whoever knows columns of several segments about a person may single that person out."
    )
    name = f"{task.method.lower()} by segments"
    return each_on_its_own(task, segments, by_groups, name=name, caution=caution)
