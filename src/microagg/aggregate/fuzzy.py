"""Fuzzy clusters instead of groups: a record is replaced by the centres of clusters drawn for it.

The algorithm, its references and what they leave open: `microagg.mask.fuzzy`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from microagg.budget import Stop
from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Facts
from microagg.partition.rules.centroid_seeded import centroid_seeded
from microagg.prepare.prepared import Prepared
from microagg.typing import Floats

kernels = lazy("microagg.kernels.learning.fuzzy")

Form = Literal["means", "entropy"]

CLOSE = 1e-6
"""Centres stay when no coordinate moves by more than this, in units of the scaled data."""

LEAST_MEMBERSHIP = 0.05
"""A record belongs to a cluster from here on, where each of those it belongs to is drawn alike."""


@dataclass(frozen=True, eq=False)
class FuzzyClusters:
    """Clusters that records belong to by degrees.

    Attributes
    ----------
    centres : float64[c, d]
        In the units of the prepared records.
    masses : float64[c]
        The sum of the memberships in each, never below k but for rounding; where the user ended
        the work, what it is at least.
    form : str
        "means" or "entropy".
    sharpness : float
        How fast memberships fall with the squared distance: its power, or its rate.
    """

    centres: Floats
    masses: Floats
    form: Form
    sharpness: float

    def memberships(self, columns: Floats) -> Floats:
        """Return the membership of each record of float64[d, n] in each cluster, float64[n, c]."""
        degrees: Floats = kernels.memberships(
            columns, self.centres, kernels.FORMS[self.form], self.sharpness
        )
        return degrees


def fuzzy_clusters(
    prepared: Prepared,
    k: int,
    context: Context,
    *,
    form: Form = "means",
    fuzziness: float = 1.2,
    max_iterations: int = 300,
) -> tuple[FuzzyClusters, Facts]:
    """Return clusters of a mass of at least k each, and how they were found.

    `fuzziness` is more than 1.

    Examples
    --------
    >>> from microagg.prepare.prepared import prepare
    >>> prepared = prepare([np.array([0.0, 0.1, 0.2, 9.0, 9.1, 9.2])], ["x"])
    >>> clusters, _ = fuzzy_clusters(prepared, 3, Context.of())
    >>> clusters.memberships(prepared.columns).round(3)[0].tolist()
    [1.0, 0.0]
    """
    columns = prepared.columns
    labels = centroid_seeded(prepared, k, context, opposite=True, growth="nn", leftovers="group")
    totals = np.stack([np.bincount(labels, column) for column in columns], axis=1)
    start = totals / np.bincount(labels)[:, None]
    sharpness, power = 1 / (fuzziness - 1), fuzziness
    if form == "entropy":
        gap = context.run("Measuring", prepared.n, kernels.mean_gap_to_nearest, columns, start)
        sharpness, power = sharpness / (gap or 1.0), 1.0
    centres, masses, steps, stays = context.run(
        "Clustering",
        max_iterations,
        kernels.cluster,
        columns,
        start,
        float(k) * (1 - 1e-9),  # memberships add up to n but for rounding
        kernels.FORMS[form],
        float(power),
        float(sharpness),
        max_iterations,
        CLOSE,
        keep=True,
    )
    by_itself = Stop.CENTRES_STAY if stays else Stop.MAX_ITERATIONS
    stopped = context.budget.stopped or by_itself
    facts = Facts(stopped=stopped, iterations=int(steps), clusters=len(centres))
    return FuzzyClusters(centres, masses, form, float(sharpness)), facts


def fuzzy_values(
    clusters: FuzzyClusters,
    prepared: Prepared,
    context: Context,
    *,
    drawn_by: Literal["membership", "uniform"] = "membership",
    drawn_for: Literal["record", "column"] = "record",
    least_membership: float = LEAST_MEMBERSHIP,
) -> tuple[list[Floats], NDArray[np.int64]]:
    """Return the masked columns in the original units, and the clusters drawn, int64[1 or d, n]."""
    draws = context.rng.random((1 if drawn_for == "record" else prepared.d, prepared.n))
    chosen: NDArray[np.int64] = context.run(
        "Drawing clusters",
        prepared.n,
        kernels.choose,
        prepared.columns,
        clusters.centres,
        kernels.FORMS[clusters.form],
        clusters.sharpness,
        drawn_by == "membership",
        least_membership,
        draws,
    )
    values = clusters.centres * prepared.scale + prepared.center
    columns = [values[chosen[j % len(chosen)], j] for j in range(prepared.d)]
    return columns, chosen
