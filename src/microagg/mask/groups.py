"""The usual way: groups of at least k records, each replaced by its group's means."""

from __future__ import annotations

from microagg.aggregate.mean import group_means
from microagg.errors import ParameterError, quoted_name
from microagg.mask.masked import Masked, Task
from microagg.mask.registry import masking_called
from microagg.mask.segments import each_on_its_own, segments_of
from microagg.measure.anonymity import Promise
from microagg.partition.driver import group


def mask(task: Task) -> Masked:
    """Mask by the masking that the task names, or else by groups."""
    found = masking_called(task.method)
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
    means = {name: group_means(column, part) for name, column in task.original.items()}
    return Masked(means, part, (Promise(task.names, int(task.k)),))


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
