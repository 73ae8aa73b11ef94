"""Many small strata grouped at once, where a call for each would take longer than the work in it.

All strata are grouped by one call of a kernel, each on its own. One refinement then follows for all: two
more columns put the strata on a grid whose cells are so far apart that no exchange between them can gain.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Labels
from microagg.partition.rules.centroid_seeded import Growth, Leftovers
from microagg.prepare.prepared import Prepared
from microagg.typing import Codes

fixed_size = lazy("microagg.kernels.fixed.fixed_size")
parts = lazy("microagg.kernels.fixed.parts")

RULES: dict[str, tuple[Growth, Leftovers]] = {
    "mdav": ("nn", "group"),
    "mdav-nc": ("nc", "nearest"),
}
"""The growth and the leftovers of the methods that can group many strata at once."""

APART = 10.0
"""How far apart two strata are, in diameters of all records."""


def grouped_at_once(
    prepared: Prepared, codes: Codes, k: int, method: str, context: Context
) -> Labels:
    """Group each stratum by a method of `RULES`; `codes` numbers the strata from 0 without a gap."""
    growth, leftovers = RULES[method]
    labels: Labels = context.run(
        "Grouping",
        prepared.n,
        parts.centroid_seeded_parts,
        prepared.columns,
        np.argsort(codes, kind="stable"),
        np.concatenate(([0], np.cumsum(np.bincount(codes)))),
        k,
        True,
        fixed_size.GROWTH[growth],
        fixed_size.LEFTOVERS[leftovers],
    )
    return labels


def on_a_grid(prepared: Prepared, codes: Codes) -> Prepared:
    """Return the records with two more columns, in which strata are far from each other.

    Examples
    --------
    >>> records = Prepared(np.array([[0.0, 1.0, 2.0]]), ("a",), np.zeros(1), np.ones(1))
    >>> on_a_grid(records, np.array([0, 1, 2])).columns[1:]
    array([[ 0., 20.,  0.],
           [ 0.,  0., 20.]])
    """
    columns = prepared.columns
    width = np.sqrt(((columns.max(axis=1) - columns.min(axis=1)) ** 2).sum()) or 1.0
    side = int(np.ceil(np.sqrt(codes.max() + 1)))
    grid = APART * width * np.stack([codes % side, codes // side]).astype(np.float64)
    stacked = np.concatenate((columns, grid))
    stacked.flags.writeable = False
    return replace(
        prepared,
        columns=stacked,
        names=(*prepared.names, "grid 0", "grid 1"),
        center=np.append(prepared.center, [0.0, 0.0]),
        scale=np.append(prepared.scale, [1.0, 1.0]),
    )
