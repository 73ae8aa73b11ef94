"""Synthetic records instead of means, and what is not promised about them."""

from __future__ import annotations

import numpy as np

from microagg.aggregate.hybrid import FEWEST, hybrid
from microagg.errors import ParameterError, Phrase, quoted_name
from microagg.mask.masked import Masked, Task
from microagg.partition.partition import Partition

CAUTION = (
    "The records are NOT k-anonymous: in each group of at least k = {k}, they were replaced by "
    "synthetic records with the same means and covariances (hybrid), and every record has unique "
    "values. A synthetic record may be close to an original one; the report shows how often it is."
)


def check_hybrid(task: Task) -> None:
    """Raise before any work if synthetic records are not possible."""
    if task.guard is not None:
        name = next(iter(task.guard.limits.as_dict()))
        raise ParameterError(
            Phrase(
                "applies to records that share their quasi-identifiers, and with {aggregate} no "
                "records do.",
                aggregate="hybrid",
            ),
            parameter=name,
            hint="Leave one of them out.",
        )
    named_already = ("'aggregate'", "'strata'", "'small_strata'")
    others = [what for what in task.only_for_groups if what not in named_already]
    if others:
        raise ParameterError(
            f'is "hybrid", which accepts only complete numeric columns, so it cannot '
            f"be used with {', '.join(others)}.",
            parameter="aggregate",
            hint="Leave it out.",
        )
    if task.dates:
        raise ParameterError(
            'is "hybrid", but dates are rounded to whole units, which does not preserve the means '
            f"and covariances: {', '.join(map(quoted_name, task.dates))}.",
            parameter="aggregate",
            hint="Convert them to numbers first, or leave it out.",
        )
    if task.segments is not None:
        raise ParameterError(
            "cannot be combined: synthetic records preserve relations within whole records.",
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
    """Replace the records of each group by synthetic records."""
    columns = hybrid(task.original, part, np.random.default_rng(task.seed))
    return Masked(columns, part, (), (CAUTION.format(k=part.k),))
