"""What all MHM methods share: the best cut of a path, and the path through a heuristic's groups."""

from __future__ import annotations

from microagg.context import Context
from microagg.lazy import lazy
from microagg.prepare.prepared import Prepared
from microagg.typing import Labels, Rows

paths = lazy("microagg.kernels.path.path")
group_paths = lazy("microagg.kernels.path.group_path")


def cut(prepared: Prepared, order: Rows, k: int, context: Context) -> Labels:
    """Return the best cut of a path into groups of k to 2k-1 records that follow each other."""
    labels: Labels = context.run(
        "Cutting the path", prepared.n, paths.cut_path, prepared.columns, order, k
    )
    return labels


def through_groups(prepared: Prepared, labels: Labels, k: int, context: Context) -> Labels:
    """Return the best cut of the path through the groups of `labels`.

    The path starts in the later of the two groups whose means are farthest apart and goes on to the
    group of nearest mean; inside a group it goes from the record nearest to where it comes from to
    the nearest next.
    """
    kernel = group_paths.through_groups
    order = context.run("Finding a path", labels.max() + 1, kernel, prepared.columns, labels)
    return cut(prepared, order, k, context)
