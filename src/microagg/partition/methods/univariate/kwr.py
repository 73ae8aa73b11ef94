"""kWR: k-Ward on sections of the ranked values.

Reference: the thesis of Fayyoumi 2008, sections 3.4.2 and 3.5.3, algorithm 4 (recursive k-Ward).

Idea: a section of at least 2Jk values (J is `parts`) is divided into J parts of equal size,
which are divided in turn. Division ends when the total SST of the parts is below theta times the SST of the
section. k-Ward then groups each section. The dynamic theta is the corresponding share at the
division that created the section.

Cost: time from O(n log n) to O(n^2), memory O(n).

Where the paper is silent or wrong: the division of a section is not specified. microagg divides it
by counts, into parts of nearly equal size. The first section has no dynamic theta to compare with
and is always divided. A section of equal values is never divided. The thesis recommends theta=0.8
for Tarragona and 0.27 to 0.8 for the columns of Census. The right value depends on the data, so the
default is dynamic. Of table 3.10, nine of ten losses are reproduced; theta=0.8 on the first
principal component gives 25.338 (printed 25.35).
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.ward_merging import in_pieces

kwr = method(
    "kwr",
    summary="k-ward-1d on sections of the ranked values",
    reference="Fayyoumi 2008",
    time="O(n^2)",
    module=__name__,
)(in_pieces(neighbours=False))
