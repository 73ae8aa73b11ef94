"""Fuzzy: records replaced by the centres of fuzzy clusters that are drawn for them.

References: Torra and Domingo-Ferrer 2002; Domingo-Ferrer and Torra 2003 (fuzzy c-means); Torra and
Miyamoto 2004 (the entropy form); as told in the thesis of Fayyoumi 2008, section 2.

Idea: c centres; each record belongs to each cluster by a degree. Form "means" minimises
sum u^m |x - c|^2, "entropy" sum u |x - c|^2 plus u log u / lambda. Centres move to the means weighted
by membership until they stay; clusters of a mass (sum of memberships) below k are given up, the
lighter half first, until none is. Then a cluster is drawn for each record, or for each of its columns,
by membership or each alike of those it belongs to, and the centre's value is released. The four ways
of drawing of the papers are `drawn_by` ("membership" or "uniform") times `drawn_for` ("record" or
"column").

Cost: MDAV, then O(n c d) a step; memory O((n + c) d), because memberships are computed when needed.
However short the time: MDAV, one weighing of the clusters and the drawing, a step or so together.

Where the papers at hand are silent: the start, the means of MDAV's groups (from records drawn at
random, whole parts of the data can be left without a centre). One `fuzziness` serves
both forms: it is m of the first, and lambda = 1 / ((fuzziness - 1) s^2) in the second, where s^2 is the
mean squared distance to the nearest of the first centres, so that it does not depend on units. Near 1
clusters are crisp; from about 1.5 they merge in many columns. "Non-zero membership", which all
memberships are, means `least_membership` or more, 0.05 unless told otherwise, and the largest always
counts.

What it protects: the mass of each cluster is at least k, so that the mean is that of about k records or
more. Which records get its value is left to chance: values drawn from different clusters are
not k-anonymous groups.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from microagg.aggregate.fuzzy import LEAST_MEMBERSHIP, Form, fuzzy_clusters, fuzzy_values
from microagg.constraints import AtLeast, Between, IsInteger, check, check_k
from microagg.errors import ParameterError, Phrase
from microagg.mask.masked import Masked, Task
from microagg.mask.registry import masking
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
    replacement="cluster centres",
    promise="no k-anonymity: each cluster has a mass of at least k, and who gets its values is chance",
)
def fuzzy(
    task: Task,
    *,
    form: Form = "means",
    fuzziness: Annotated[float, Between(1.01, 10)] = 1.2,
    drawn_by: Literal["membership", "uniform"] = "membership",
    drawn_for: Literal["record", "column"] = "record",
    least_membership: Annotated[float, Between(0, 1)] | None = None,
    max_iterations: Annotated[int, AtLeast(1)] = 300,
    time_limit: Annotated[float, AtLeast(0)] | None = None,
) -> Masked:
    """Mask as the file's opening says."""
    check_k(task.k, task.numbers.n, "fuzzy")
    check("seed", task.seed, IsInteger(0), "fuzzy")
    if least_membership is not None and drawn_by != "uniform":
        raise ParameterError(
            Phrase(
                "is for {drawn_by} alone: by membership a cluster is drawn as often as the record "
                "belongs to it.",
                drawn_by="uniform",
            ),
            parameter="least_membership",
            caller="fuzzy",
            hint=Phrase("Leave it out, or give {drawn_by}.", drawn_by="uniform"),
        )
    context = task.context.seeded(int(task.seed)).within(time_limit)
    clusters, facts = fuzzy_clusters(
        task.numbers,
        int(task.k),
        context,
        form=form,
        fuzziness=float(fuzziness),
        max_iterations=max_iterations,
    )
    columns, chosen = fuzzy_values(
        clusters,
        task.numbers,
        context,
        drawn_by=drawn_by,
        drawn_for=drawn_for,
        least_membership=LEAST_MEMBERSHIP if least_membership is None else float(least_membership),
    )
    alike = np.unique(chosen, axis=1, return_inverse=True)[1].ravel()
    part = Partition(alike.astype(np.int32), k=1, method=task.method.lower(), facts=facts)
    return Masked(dict(zip(task.names, columns, strict=True)), part, (), CAUTIONS)
