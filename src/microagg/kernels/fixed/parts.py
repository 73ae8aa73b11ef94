"""Many small parts of the records, grouped one after the other without a call from Python for each."""

import numpy as np

from microagg.kernels.extremes import larger
from microagg.kernels.fixed.fixed_size import centroid_seeded
from microagg.kernels.jit import kernel
from microagg.kernels.space.pool import new_pool


@kernel
def centroid_seeded_parts(columns, order, starts, k, opposite, growth, leftovers, ticker):
    """Group each part by `centroid_seeded`, with scans.

    `order` is int64[n], the rows part after part, and part i starts at starts[i] in it; `starts` ends
    with n. Returns int32[n] labels, the groups of a part after those of the parts before it.
    """
    labels = np.full(columns.shape[1], -1, dtype=np.int32)
    done = 0
    ticks = np.zeros(2, dtype=np.int64)
    for part in range(starts.size - 1):
        if ticker[1] != 0:
            break
        rows = order[starts[part] : starts[part + 1]]
        own = np.empty((columns.shape[0], rows.size))
        for j in range(own.shape[0]):
            for i in range(rows.size):
                own[j, i] = columns[j, rows[i]]
        groups = centroid_seeded(new_pool(own), own, k, opposite, growth, leftovers, ticks)
        most = 0
        for i in range(rows.size):
            labels[rows[i]] = done + groups[i]
            most = larger(most, groups[i])
        done += most + 1
        ticker[0] = starts[part + 1]
    return labels
