"""Fuzzy: records replaced by randomly drawn centres of fuzzy clusters.

References: Torra and Domingo-Ferrer 2002; Domingo-Ferrer and Torra 2003 (fuzzy c-means); Torra and
Miyamoto 2004 (entropy form); as described in the thesis of Fayyoumi 2008, section 2.

Idea: there are c centres, and each record belongs to each cluster to a degree u. The form "means"
minimises sum u^m |x - c|^2; the form "entropy" minimises sum u |x - c|^2 + u log u / lambda.
Centres move to the means weighted by membership until they are stable. Clusters with a mass (sum of
memberships) below k are dissolved, the lighter half first, until every mass is at least k. A
cluster is then drawn for each record, or for each of its columns, and the value of its centre is
released. The four ways of drawing in the papers are the combinations of `drawn_by` ("membership" or
"uniform") and `drawn_for` ("record" or "column").

Cost: MDAV, then O(n c d) per step. Memory O((n + c) d), because memberships are computed when
needed. However short the time limit, MDAV, one computation of the masses and the drawing always
run.

Where the available papers are silent: the start is the means of MDAV's groups. (If random records
are the start, whole regions of the data can remain without a centre.) One parameter `fuzziness`
serves both forms: it is m of the first, and lambda = 1 / ((fuzziness - 1) s^2) of the second. s^2
is the mean squared distance to the nearest initial centre, so the result does not depend on units.
Near 1, clusters are crisp; from about 1.5, they merge if there are many columns. All memberships
are positive. "Non-zero membership" therefore means at least `least_membership`, 0.05 by default,
and the largest membership always counts.

What it protects: the mass of each cluster is at least k, so its mean describes about k records or
more. The records that get its value are drawn at random: values drawn from different clusters do
not form k-anonymous groups.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from microagg.aggregate.fuzzy import LEAST_MEMBERSHIP, Form, fuzzy_clusters, fuzzy_values
from microagg.constraints import AtLeast, Between
from microagg.errors import ParameterError, Phrase
from microagg.mask.masked import Masked, Task
from microagg.mask.registry import masking
from microagg.partition.partition import Partition

CAUTIONS = (
    "Values drawn from fuzzy clusters are not k-anonymous: the number of records that share a value, or "
    "a combination of values, is left to chance and may be 1.",
    "Use assess to measure the risk of the release.",
)


@masking(
    "fuzzy",
    summary="fuzzy clusters with a mass of at least k; each record gets centres drawn at random",
    reference="Domingo-Ferrer and Torra 2003; Torra and Miyamoto 2004",
    replacement="cluster centres",
    promise="nothing: each cluster has a mass of at least k, but the records that receive its "
    "values are drawn at random",
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
    """Mask the records as described in the module docstring."""
    if least_membership is not None and drawn_by != "uniform":
        raise ParameterError(
            Phrase(
                "applies only to {drawn_by}: by membership, a cluster is drawn in proportion to the "
                "membership of the record.",
                drawn_by="uniform",
            ),
            parameter="least_membership",
            caller="fuzzy",
            hint=Phrase("Leave it out, or use {drawn_by}.", drawn_by="uniform"),
        )
    context = task.context.seeded(task.seed).within(time_limit)
    clusters, facts = fuzzy_clusters(
        task.numbers,
        task.k,
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
    part = Partition(alike.astype(np.int32), k=1, method=task.method.name.lower(), facts=facts)
    return Masked(dict(zip(task.names, columns, strict=True)), part, (), CAUTIONS)
