"""Differentially private columns by individual ranking.

Reference: Sanchez, Domingo-Ferrer, Martinez and Soria-Comas 2016, Utility-preserving differentially
private data releases via individual ranking microaggregation (Information Fusion 30); Soria-Comas
et al. 2014 (VLDB Journal 23(5)).

Idea: sort each column, sum every k consecutive values, add noise to the sums, and release the noisy
means. One record changes all sums of a column together by at most the width of its bounds, however
many groups there are. The noise of a mean is therefore only width / (k e), where e = epsilon / d is
the share of each of the d columns.

Cost: O(d n log n), and n d / k random draws.

Sensitivity, with bounds [a, b]: replace a value x by y >= x. No value of the sorted column becomes
smaller, because the i-th smallest new value is at least the i-th smallest old one. Together, the
values grow by y - x. The groups are the places 1 to k, k+1 to 2k, and so on, whatever the values
are. The sums of the groups therefore change by amounts of one sign that add up to y - x <= b - a,
so their L1 sensitivity is b - a. The case y < x is symmetric. With discrete Laplace noise of scale
(b - a) / e on every sum, the sums of a column are e-differentially private. d columns with e =
epsilon / d are together epsilon-differentially private. The remaining steps see only the noisy
sums: division by sizes that depend on n and k alone, clipping to the bounds, and shuffling.

Where microagg differs from the paper: as we read the paper, the noisy means return to their
records, so that a row contains the means of its own groups in every column. This would release
exactly which groups a record belongs to: equal values mark the members of a group, and replacing
one record changes the members. No noise covers that. microagg therefore shuffles the values of each
column separately. **Each column keeps its distribution, relations between columns are lost, and
rows of the release do not correspond to rows of the original.** `dp-insensitive` keeps rows
together, with more noise. Noise is drawn exactly, in integers (Canonne, Kamath and Steinke 2020),
which prevents the attack of Mironov 2012. Timing attacks are not prevented.
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

NAME = "dp-individual-ranking"
ROWS = (
    "Rows of the release do not correspond to rows of the original: the values of each column were "
    "shuffled separately. Relations between columns are lost, and measures that compare rows, "
    "such as loss and linkage, are meaningless."
)


@masking(
    NAME,
    summary="noisy means of each column: differentially private, without relations between columns",
    reference="Sanchez et al. 2016",
    replacement="noisy values of dp-individual-ranking",
    promise="the released columns are epsilon-differentially private with respect to the "
    "replacement of one record",
    example='parameters={"epsilon": 1.0, "bounds": {"a": (-5, 5), "b": (-5, 5)}}',
    private=True,
)
def dp_individual_ranking(
    task: Task,
    *,
    epsilon: Annotated[float, AtLeast(1e-6)] | None = None,
    bounds: Annotated[Mapping[str, Any], IsBounds()] | None = None,
) -> Masked:
    """Mask the records as described in the module docstring."""
    settings = private(task, NAME, epsilon, bounds)
    columns = {name: _column(settings, name) for name in task.names}
    rng = np.random.default_rng(secrets.randbits(128))
    shuffled = {name: rng.permutation(values) for name, values in columns.items()}
    alone = Partition(np.arange(task.prepared.n, dtype=np.int32), k=1, method=NAME)
    return Masked(shuffled, alone, (), (caution(NAME, float(epsilon or 0), ROWS),))


def _column(private: Private, name: str, below: RandomBelow = secrets.randbelow) -> Floats:
    """Return the noisy means of a column, in the order of the groups, one for each record."""
    sums = np.add.reduceat(np.sort(private.units[name]), private.starts)
    # The sums of one column change by at most STEPS, all together: see the file's opening.
    scale = STEPS / private.share
    noise = np.array([discrete_laplace(scale, below) for _ in private.sizes], dtype=np.int64)
    return np.repeat(private.values(name, sums + noise), private.sizes)
