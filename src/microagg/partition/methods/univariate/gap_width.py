"""Gap-width: cuts at the widest gaps.

Reference: Sande 2001 and 2002; the thesis of Fayyoumi 2008, section 2.6.3.1 (references 121 and
122).

Idea: the loss of a group is measured by its width, the sum of the gaps between its values.
"recursive" cuts the ranked values at the widest gap that leaves k values on both sides, and then
each part again, like quicksort. "optimal" minimises the total width of all groups, which maximises
the total width of the gaps that are cut.

Cost: time O(n log n), memory O(n).

Where the paper is silent or wrong: the papers were not available. The thesis states the objective
and that parts are cut again, but no algorithm. "optimal" is a dynamic program over groups of k to
2k-1 values, because more cuts never increase the total width. Of equal gaps, the lowest is cut.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from microagg.context import Context
from microagg.lazy import lazy
from microagg.partition.grouping import Grouping
from microagg.partition.registry import method
from microagg.partition.rules.along_axis import on_axis
from microagg.prepare.prepared import Prepared
from microagg.prepare.project import Axis
from microagg.typing import Floats, Labels

cuts_1d = lazy("microagg.kernels.line.cuts_1d")


@method(
    "gap-width",
    summary="cuts an axis at its widest gaps, recursively or optimally",
    reference="Sande 2001",
    time="O(n log n)",
)
def gap_width(
    prepared: Prepared,
    k: int,
    context: Context,
    *,
    axis: Axis = "pc1",
    form: Literal["recursive", "optimal"] = "recursive",
) -> Grouping:
    """Group the records as described in the module docstring."""

    def group(values: Floats) -> Labels:
        n = values.size
        if form == "optimal":
            labels: Labels = context.run("Grouping", n, cuts_1d.cut_widest_sum, values, k)
        else:
            order = 1 + np.argsort(-np.diff(values), kind="stable")
            labels = context.run("Grouping", n, cuts_1d.cut_widest_gaps, order, n, k)
        return labels

    return on_axis(prepared, axis, group)
