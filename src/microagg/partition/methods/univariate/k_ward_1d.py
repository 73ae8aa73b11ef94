"""k-Ward-1d: Ward's hierarchical clustering until every group has k values.

Reference: Domingo-Ferrer and Mateo-Sanz 2002, IEEE Transactions on Knowledge and Data Engineering
14(1); the thesis of Fayyoumi 2008, algorithm 2.

Idea: the k lowest and the k highest values are two groups, and every other value is a group by
itself. The two groups whose merger adds the least to the sum of squares are merged, but never two
that both have k values, until every group has k. Groups of 2k or more values are partitioned again
in the same way.

Cost: time O(n^2), memory O(n). `kwd` gives the same groups in O(n log n).

Where the paper is silent or wrong: it does not say which of several pairs with the same cost is
merged first. In microagg, it is the pair with the fewest values, and then the pair with the lowest
ranks. Equal values, which cost nothing, are therefore merged first and evenly. (If the first pair
found were merged, one group of equal values would absorb the others, and all of them would be
partitioned again n / k times.) A group can merge across another one, so groups need not be
consecutive; they are then ranked by their means. Of the 26 losses of table 3.3, 25 are reproduced;
variable 10 of Census gives 0.0035 (printed 0.003).
"""

from __future__ import annotations

from microagg.partition.registry import method
from microagg.partition.rules.ward_merging import whole

k_ward_1d = method(
    "k-ward-1d",
    summary="merges the closest groups on an axis until every group has k values",
    reference="Domingo-Ferrer and Mateo-Sanz 2002",
    time="O(n^2)",
    module=__name__,
)(whole(neighbours=False))
