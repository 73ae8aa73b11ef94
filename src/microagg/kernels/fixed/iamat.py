"""IAMAT: groups around the records least associated with the mean of all.

With associations a = exp(-|x - y|^2 / alpha), the record of largest product of associations with
the members has the smallest sum of squared distances to them, which is the record nearest to
their mean, whatever alpha: so neither exponentials nor alpha are needed, and nothing underflows.
"""

import numpy as np

from microagg.kernels.fixed.fixed_size import grow, new_group
from microagg.kernels.fixed.two_points import farthest_first
from microagg.kernels.jit import kernel
from microagg.kernels.space.records import centroid, compact, look_ahead_in_order


@kernel
def iamat(records, columns, k, ticker):
    """Groups of k around the record left that is farthest from the mean of all; rest to the last.

    ticker[0] counts the records grouped; the loop stops early when ticker[1] is set.
    """
    d, n = columns.shape
    labels = np.full(n, -1, dtype=np.int32)
    mean = np.empty(d)
    centroid(records, mean)
    label, group = 0, new_group(d, k)
    order = farthest_first(columns, mean)
    for at in range(n):
        seed = order[at]
        if labels[seed] >= 0:
            continue
        if records.left[0] < k or ticker[1] != 0:
            break
        compact(records)
        look_ahead_in_order(records, order, at, k, 1, labels)
        grow(records, seed, label, 1, labels, group)
        label += 1
        ticker[0] = n - records.left[0]
    if ticker[1] == 0:
        labels[labels < 0] = label - 1
    return labels
