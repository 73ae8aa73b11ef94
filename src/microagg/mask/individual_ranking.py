"""Individual ranking: each column is microaggregated separately.

Reference: Defays and Anwar 1998; attacks on it: Domingo-Ferrer et al. 2002 (Int. J. of Uncertainty,
Fuzziness and Knowledge-Based Systems 10(5)); thesis, section 2.6.3.1.

Records are NOT k-anonymous as a whole: only each column by itself is. Anyone who knows two columns
of a person may find a combination that only this person has. The thesis and its sources report a
low loss and a high disclosure risk.

Idea: sort each column, group at least k neighbouring values, and replace each value by the mean of
its group. Every column has its own groups, so a record belongs to as many groups as there are
columns.

Cost: that of the univariate method for each column; O(d n log n) with optimal-1d.

Where the papers are silent: they group k values at a time (`univariate="fixed-1d"`). The optimal
partition of each column loses less and takes no longer, so it is the default. `release.segments`
contains the groups of each column. `release.partition` puts two records into the same group only if they
share their groups in all columns; its k, which actually holds, is usually 1.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from microagg.mask.groups import by_groups
from microagg.mask.masked import Masked, Task
from microagg.mask.registry import masking
from microagg.mask.segments import each_on_its_own
from microagg.partition.names import resolve

NAME = "individual-ranking"
CAUTION = (
    "The records are NOT k-anonymous as a whole: each column was microaggregated separately "
    "(individual ranking), so k holds for one column at a time. Anyone who knows a person's "
    "values in two or more of them may single that person out."
)


@masking(
    NAME,
    summary="groups each column separately: little loss, but records are NOT k-anonymous as a whole",
    reference="Defays and Anwar 1998",
    promise="each value of a column, taken alone, is shared by at least k records",
)
def individual_ranking(
    task: Task, *, univariate: Literal["optimal-1d", "fixed-1d"] = "optimal-1d"
) -> Masked:
    """Mask the records as described in the module docstring."""
    alone = tuple((name,) for name in task.names)
    by_column = replace(task, method=resolve(univariate), parameters={})
    return each_on_its_own(by_column, alone, by_groups, name=NAME, caution=CAUTION)
