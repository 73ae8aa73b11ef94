"""Individual ranking: each column microaggregated on its own.

Reference: Defays and Anwar 1998; attacks on it: Domingo-Ferrer et al. 2002 (Int. J. of Uncertainty,
Fuzziness and Knowledge-Based Systems 10(5)); thesis, section 2.6.3.1.

Records are NOT k-anonymous as a whole: only each column is, taken alone. Whoever knows two columns
of a person may well find a combination that this person alone has. The thesis and its sources
report a low loss and a high risk of disclosure.

Idea: sort each column, group at least k neighbouring values, and replace each by its group's mean.
Every column has groups of its own, so a record belongs to as many groups as there are columns.

Cost: that of the univariate method for each column; O(d n log n) with optimal-1d.

Where the papers are silent: they group k values at a time (`univariate="fixed-1d"`). The exact
partition of each column loses less and takes no longer, so it is the default. The groups of each
column come back as `release.segments`, and `release.partition` holds the records that share all of
them, with the k that this really has: mostly 1.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from microagg.mask.groups import by_groups
from microagg.mask.masked import Masked, Task
from microagg.mask.registry import masking
from microagg.mask.segments import each_on_its_own

NAME = "individual-ranking"
CAUTION = (
    "The records are NOT k-anonymous as a whole: each column was microaggregated on its own "
    "(individual ranking), so k holds for one column at a time. Whoever knows two or more of them "
    "about a person may single that person out."
)


@masking(
    NAME,
    summary="each column on its own: little loss, but records are NOT k-anonymous as a whole",
    reference="Defays and Anwar 1998",
    promise="each value of a column, taken alone, is shared by at least k records",
)
def individual_ranking(
    task: Task, *, univariate: Literal["optimal-1d", "fixed-1d"] = "optimal-1d"
) -> Masked:
    """Mask as the file's opening says."""
    alone = tuple((name,) for name in task.names)
    by_column = replace(task, method=univariate, parameters={})
    return each_on_its_own(by_column, alone, by_groups, name=NAME, caution=CAUTION)
