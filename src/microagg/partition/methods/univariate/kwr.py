"""kWR: k-Ward on pieces of the ranked values.

Reference: the thesis of Fayyoumi 2008, sections 3.4.2 and 3.5.3, algorithm 4 (recursive k-Ward).

Idea: a piece of at least 2Jk values (J is `parts`) is divided into J parts of equal size, and these
again, while the sum of the parts' SST is at least theta times that of the piece. k-Ward then groups
each piece. The dynamic theta is that share of the piece a piece was divided from.

Cost: time from O(n log n) to O(n^2), memory O(n).

Where the paper is silent or wrong: how a piece is divided; by counts here, the parts as equal as can
be. The first piece has no dynamic theta to be compared with: it is divided. A piece of equal values is
not. The thesis finds theta=0.8 good for Tarragona and 0.27 to 0.8 for the columns of Census; the
right value depends on the data, so the default is the dynamic one. Of table 3.10, nine of ten
losses are met; theta=0.8 on the first principal component gives 25.338 (printed 25.35).
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.ward_merging import in_pieces

kwr = method(
    "kwr",
    summary="k-ward-1d on pieces of the ranked values",
    reference="Fayyoumi 2008",
    time="O(n^2)",
    module=__name__,
)(in_pieces(neighbours=False))
