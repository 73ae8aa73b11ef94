"""The usual way: groups of at least k records, each replaced by its group's means."""

from __future__ import annotations

from microagg.aggregate.mean import group_means
from microagg.errors import ParameterError
from microagg.mask.masked import Masked, Task
from microagg.mask.registry import masking_called
from microagg.measure.anonymity import Promise
from microagg.partition.driver import group


def mask(task: Task) -> Masked:
    """Mask by the masking that the task names, or else by groups."""
    found = masking_called(task.method)
    if found is None:
        return by_groups(task)
    if task.refine is not None:
        raise ParameterError(
            f"The 'refine' parameter is for groups, and {found.name} makes none of whole records.",
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
        refine=task.refine,
        seed=task.seed,
        progress=task.progress,
        **task.parameters,
    )
    means = {name: group_means(column, part) for name, column in task.original.items()}
    return Masked(means, part, (Promise(task.names, int(task.k)),))
