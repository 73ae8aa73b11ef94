"""The seed rule that MDAV and CBFS share: the record farthest from the centroid of what is left."""

from __future__ import annotations

from typing import Literal

from microagg.partition.registry import Labels
from microagg.partition.rules.index import on_records
from microagg.prepare.prepared import Prepared
from microagg.progress import Progress

Leftovers = Literal["group", "nearest"]
"""What becomes of the last records.

"group": the last k to 2k-1 form one more group. "nearest": groups of k are formed while k are left;
then, one by one, the record that is closest to the centroid of any group joins it, and the centroid
moves. Khomnotai et al. 2018 do not say theirs: of eight tried on their figures, this one meets most,
so it was chosen by those figures.
"""


def centroid_seeded(
    prepared: Prepared,
    k: int,
    progress: Progress,
    *,
    opposite: bool,
    growth: str,
    leftovers: str,
    index: str = "auto",
) -> Labels:
    """Group with seeds farthest from the centroid and, if `opposite`, from the seed before."""
    from microagg.kernels.fixed import fixed_size

    labels: Labels = progress.run(
        "Grouping",
        prepared.n,
        on_records(fixed_size.centroid_seeded, index),
        prepared.columns,
        k,
        opposite,
        fixed_size.GROWTH[growth],
        fixed_size.LEFTOVERS[leftovers],
    )
    return labels
