"""A pool of different groups, found again by a hash of their members."""

from typing import NamedTuple

import numpy as np

from microagg.kernels.extremes import larger
from microagg.kernels.jit import kernel
from microagg.kernels.splitmix import mixed


class PoolArrays(NamedTuple):
    """Groups seen, each once; when it is full, no more are kept.

    Two groups are taken for the same when the sums of their members' mixed 64 bits are.

    Attributes
    ----------
    members : int32[capacity, 2k-1]
        The rows of each group in order, then -1.
    sizes : int32[capacity]
        Number of members.
    filled : int64[1]
        How many groups there are.
    table : uint64[power of two, at least 2 capacity]
        The hashes of the groups kept, by open addressing; 0 where there is none.
    """

    members: np.ndarray
    sizes: np.ndarray
    filled: np.ndarray
    table: np.ndarray


def new_pool(capacity: int, k: int) -> PoolArrays:
    """Return an empty pool for groups of k to 2k-1 records."""
    slots = 1 << max(2 * capacity - 1, 1).bit_length()
    return PoolArrays(
        np.full((capacity, 2 * k - 1), -1, dtype=np.int32),
        np.zeros(capacity, dtype=np.int32),
        np.zeros(1, dtype=np.int64),
        np.zeros(slots, dtype=np.uint64),
    )


@kernel
def keep_group(pool, rows, size):
    """Put a group, rows[:size] in any order, into the pool unless it is there. IN/OUT: pool."""
    if pool.filled[0] == pool.sizes.size:
        return
    code = np.uint64(0)
    for i in range(size):
        code += mixed(np.uint64(rows[i] + 1))
    code = larger(code, np.uint64(1))  # 0 stands for none
    last = pool.table.size - 1
    at = np.int64(mixed(code) & np.uint64(last))
    while pool.table[at] != 0:
        if pool.table[at] == code:
            return
        at = (at + 1) & last
    pool.table[at] = code
    new = pool.filled[0]
    for i in range(size):
        at = np.int64(i)
        while at > 0 and pool.members[new, at - 1] > rows[i]:
            pool.members[new, at] = pool.members[new, at - 1]
            at -= 1
        pool.members[new, at] = rows[i]
    pool.sizes[new] = size
    pool.filled[0] += 1
