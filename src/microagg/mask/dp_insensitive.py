"""Differentially private records by insensitive microaggregation.

Reference: Soria-Comas, Domingo-Ferrer, Sanchez and Martinez 2014, Enhancing data utility in
differential privacy via microaggregation-based k-anonymity (VLDB Journal 23(5)).

Idea: order the records by a rule that depends on one record at a time: the sum of its values, each
in units of its bounds. Group every k consecutive records, add noise to the sums of each group, and
release the noisy means, k times each. A group contains whole records, so relations between columns
survive as far as noise and grouping allow.

Cost: O(d n log n), and n d / k random draws.

Sensitivity: replace one record. The other records keep their order, because the place of each
depends on its own values. Every group between the old and the new place therefore loses one record
and gains one, and all other groups stay the same. In each of the g = n // k groups, the sum of a
column with bounds [a, b] changes by at most b - a. The L1 sensitivity of a column is therefore
g (b - a).
(The sensitivity of one column in its own order is only b - a: see `dp-individual-ranking`.) With
discrete Laplace noise of scale g (b - a) / e on every sum, a column is e-differentially private. d
columns with e = epsilon / d are together epsilon-differentially private. A mean has noise of scale
g d (b - a) / (k epsilon), which is **small only if k is well above the square root of n d /
epsilon.** The remaining steps see only the noisy sums.

Where microagg differs from the paper: the paper orders records by their distance to a point at the
boundary of the domain. microagg uses the city-block distance to the corner of all lower bounds, and
breaks ties by the columns in turn. Rows are shuffled as a whole. Noise is drawn exactly, in
integers (Canonne, Kamath and Steinke 2020), which prevents the attack of Mironov 2012. Timing
attacks are not prevented.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from microagg.constraints import AtLeast, IsBounds
from microagg.mask.discrete_laplace import RandomBelow, discrete_laplace
from microagg.mask.masked import Masked, Task
from microagg.mask.private import STEPS, Private, caution, private
from microagg.mask.registry import masking
from microagg.partition.partition import Partition
from microagg.typing import Floats

NAME = "dp-insensitive"
ROWS = (
    "Rows of the release do not correspond to rows of the original: they were shuffled, so measures "
    "that compare rows, such as loss and linkage, are meaningless."
)


@masking(
    NAME,
    summary="noisy means of groups in a fixed order: differentially private; needs a large k",
    reference="Soria-Comas et al. 2014",
    replacement="noisy values of dp-insensitive",
    promise="the released records are epsilon-differentially private with respect to the "
    "replacement of one record",
    example='parameters={"epsilon": 1.0, "bounds": {"a": (-5, 5), "b": (-5, 5)}}',
    private=True,
)
def dp_insensitive(
    task: Task,
    *,
    epsilon: Annotated[float, AtLeast(1e-6)] | None = None,
    bounds: Annotated[Mapping[str, Any], IsBounds()] | None = None,
) -> Masked:
    """Mask the records as described in the module docstring."""
    settings = private(task, NAME, epsilon, bounds)
    columns = _columns(settings)
    order = np.random.default_rng(secrets.randbits(128)).permutation(task.prepared.n)
    groups = np.repeat(np.arange(settings.sizes.size, dtype=np.int32), settings.sizes)[order]
    part = Partition(groups, k=1, method=NAME)
    shuffled = {name: values[order] for name, values in columns.items()}
    return Masked(shuffled, part, (), (caution(NAME, float(epsilon or 0), ROWS),))


def _columns(private: Private, below: RandomBelow = secrets.randbelow) -> dict[str, Floats]:
    """Return the noisy means of the groups, in their order, one for each record."""
    units = list(private.units.values())
    order = np.lexsort([*reversed(units), np.sum(units, axis=0)])
    # Each of all groups changes by at most STEPS: see the file's opening.
    scale = private.sizes.size * STEPS / private.share
    columns = {}
    for name, column in private.units.items():
        sums = np.add.reduceat(column[order], private.starts)
        noise = np.array([discrete_laplace(scale, below) for _ in private.sizes], dtype=np.int64)
        columns[name] = np.repeat(private.values(name, sums + noise), private.sizes)
    return columns
