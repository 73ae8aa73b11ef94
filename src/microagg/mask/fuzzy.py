"""Fuzzy: records replaced by the centres of fuzzy clusters that are drawn for them.

The algorithm, its references and what it leaves open: `microagg.aggregate.fuzzy`. The four ways of
drawing of the papers are `drawn_by` ("membership" or "uniform") times `drawn_for` ("record" or
"column").
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from microagg.aggregate.fuzzy import Form, fuzzy_clusters, fuzzy_values
from microagg.constraints import AtLeast, Between, IsInteger, check
from microagg.mask.masked import Masked, Task
from microagg.mask.registry import masking
from microagg.partition.driver import check_k
from microagg.partition.partition import Partition

CAUTIONS = (
    "Values drawn from fuzzy clusters are not k-anonymous groups: how many records share a value, or a "
    "combination of values, is left to chance and may be one.",
    "What is protected must be judged by the measures of risk: use assess on the release.",
)


@masking(
    "fuzzy",
    summary="fuzzy clusters of a mass of at least k; each record gets centres drawn for it",
    reference="Domingo-Ferrer and Torra 2003; Torra and Miyamoto 2004",
    promise="no k-anonymity: each cluster has a mass of at least k, and who gets its values is chance",
)
def fuzzy(
    task: Task,
    *,
    form: Form = "means",
    fuzziness: Annotated[float, Between(1.01, 10)] = 1.2,
    drawn_by: Literal["membership", "uniform"] = "membership",
    drawn_for: Literal["record", "column"] = "record",
    least_membership: Annotated[float, Between(0, 1)] = 0.05,
    max_iterations: Annotated[int, AtLeast(1)] = 300,
    time_limit: Annotated[float, AtLeast(0)] | None = None,
) -> Masked:
    """Mask as the file's opening says."""
    check_k(task.k, task.numbers.n, "fuzzy")
    check("seed", task.seed, IsInteger(0), "fuzzy")
    progress, rng = task.progress, np.random.default_rng(int(task.seed))
    progress.notes = {}
    clusters = fuzzy_clusters(
        task.numbers,
        int(task.k),
        progress,
        form=form,
        fuzziness=float(fuzziness),
        max_iterations=max_iterations,
        time_limit=time_limit,
    )
    columns, chosen = fuzzy_values(
        clusters,
        task.numbers,
        rng,
        progress,
        drawn_by=drawn_by,
        drawn_for=drawn_for,
        least_membership=float(least_membership),
    )
    alike = np.unique(chosen, axis=1, return_inverse=True)[1].ravel()
    details = dict(progress.notes)
    part = Partition(alike.astype(np.int32), k=1, method=task.method.lower(), details=details)
    return Masked(dict(zip(task.names, columns, strict=True)), part, (), CAUTIONS)
