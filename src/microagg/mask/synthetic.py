"""Synthetic records instead of means: what may be claimed of them, and what not."""

from __future__ import annotations

import numpy as np

from microagg.aggregate.hybrid import FEWEST, hybrid
from microagg.errors import ParameterError, Phrase, quoted_name
from microagg.mask.masked import Masked, Task
from microagg.partition.partition import Partition

CAUTION = (
    "The records are NOT k-anonymous: in each group of at least k = {k} they were replaced by "
    "synthetic ones with the same means and covariances (hybrid), and every record has values of its "
    "own. A synthetic record may lie near an original one; the report shows how often it does."
)


def check_hybrid(task: Task) -> None:
    """Raise before any work when synthetic records cannot be made."""
    if task.guard is not None:
        name = next(iter(task.guard.limits.as_dict()))
        raise ParameterError(
            Phrase(
                "is about records that share their quasi-identifiers, and {aggregate} leaves none "
                "that do.",
                aggregate="hybrid",
            ),
            parameter=name,
            hint="Leave one of them out.",
        )
    named_already = ("'aggregate'", "'strata'", "'small_strata'")
    others = [what for what in task.only_for_groups if what not in named_already]
    if others:
        raise ParameterError(
            f'is "hybrid", which takes complete numbers alone, so it cannot '
            f"be used with {', '.join(others)}.",
            parameter="aggregate",
            hint="Leave it out.",
        )
    if task.dates:
        raise ParameterError(
            'is "hybrid", but dates come back in whole steps, which do not '
            f"keep the means and covariances: {', '.join(map(quoted_name, task.dates))}.",
            parameter="aggregate",
            hint="Turn them into numbers first, or leave it out.",
        )
    if task.segments is not None:
        raise ParameterError(
            "cannot be given together: synthetic records keep what whole records have in common.",
            parameter=("aggregate", "segments"),
            hint="Leave one of them out.",
        )
    if task.k < FEWEST:
        raise ParameterError(
            Phrase(
                f"must be at least {FEWEST} with {{aggregate}}: two records are determined by their "
                f"mean and covariances. Got {task.k}.",
                aggregate="hybrid",
            ),
            parameter="k",
            caller="protect",
        )


def synthetic(task: Task, part: Partition) -> Masked:
    """Replace the records of each group by synthetic ones."""
    columns = hybrid(task.original, part, np.random.default_rng(int(task.seed)))
    return Masked(columns, part, (), (CAUTION.format(k=part.k),))
