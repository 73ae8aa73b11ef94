"""The seed rule that MDAV and CBFS share: the record farthest from the centroid of what is left."""

from __future__ import annotations

from functools import partial
from typing import Literal

from microagg.kernels import reference
from microagg.partition.registry import Function, Labels
from microagg.prepare.prepared import Prepared
from microagg.progress import Progress

Leftovers = Literal["group", "nearest"]
"""The last k to 2k-1 records form one more group, or groups of k go on to be formed and each of the
fewer than k records left in the end joins the group of nearest centroid (the centroids of
the full groups, which stay while the records join)."""


def centroid_seeded(
    prepared: Prepared,
    k: int,
    progress: Progress,
    *,
    opposite: bool,
    growth: str,
    leftovers: str,
) -> Labels:
    """Group with seeds farthest from the centroid and, if `opposite`, from the seed before."""
    from microagg.kernels import fixed_size

    return progress.run(
        "Grouping",
        prepared.n,
        fixed_size.centroid_seeded,
        prepared.columns,
        k,
        opposite,
        fixed_size.GROWTH[growth],
        fixed_size.LEFTOVERS[leftovers],
    )


def twin(*, opposite: bool, growth: str) -> Function:
    """Return the NumPy twin of the same combination of rules."""
    return partial(reference.centroid_seeded, opposite=opposite, growth=growth)
