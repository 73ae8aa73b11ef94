"""The squared errors of group means on a GPU, in double precision."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from microagg.engine import array_module
from microagg.typing import Floats, Labels

WARPS = 8
"""Warps of a block; each sums one column of one group."""

SOURCE = r"""
__device__ double sum_of_warp(double x) {
    for (int shift = 16; shift; shift >>= 1) x += __shfl_xor_sync(0xffffffffu, x, shift);
    return x;
}

// errors[j][g]: the squared deviations of column j from its mean in group g, whose rows are
// order[starts[g]], ..., order[starts[g + 1] - 1]. The mean is taken around the first value.
extern "C" __global__ void within_groups(const double *columns, const int *order, const int *starts,
                                         long long n, int groups, int d, double *errors) {
    long long task = (long long)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    int lane = threadIdx.x & 31;
    if (task >= (long long)groups * d) return;
    int group = task % groups, begin = starts[group], end = starts[group + 1];
    const double *column = columns + (task / groups) * n;
    double first = column[order[begin]], excess = 0.0, error = 0.0;
    for (int i = begin + lane; i < end; i += 32) excess += column[order[i]] - first;
    double mean = first + sum_of_warp(excess) / (end - begin);
    for (int i = begin + lane; i < end; i += 32) {
        double t = column[order[i]] - mean;
        error += t * t;
    }
    error = sum_of_warp(error);
    if (lane == 0) errors[task] = error;
}
"""


@cache
def _kernel() -> Any:
    return array_module("cuda").RawKernel(SOURCE, "within_groups", options=("--fmad=false",))


def squared_errors(columns: Floats, labels: Labels) -> tuple[Floats, Floats]:
    """Return the squared errors of each column, float64[d, n], around group means and around its mean.

    The sums are taken in a different order than on the processor, so the last digits may differ from its
    result; two runs on one GPU give the same digits.
    """
    cupy = array_module("cuda")
    on_gpu, groups = cupy.asarray(columns), cupy.asarray(labels)
    d, n = on_gpu.shape
    order = cupy.argsort(groups).astype(cupy.int32)
    sizes = cupy.bincount(groups)
    starts = cupy.zeros(sizes.size + 1, dtype=cupy.int32)
    starts[1:] = cupy.cumsum(sizes)
    errors = cupy.empty((d, sizes.size))
    blocks = -(-d * sizes.size // WARPS)
    arguments = (on_gpu, order, starts, np.int64(n), np.int32(sizes.size), np.int32(d), errors)
    _kernel()((blocks,), (32 * WARPS,), arguments)
    around_mean = ((on_gpu - on_gpu.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return errors.sum(axis=1).get(), around_mean.get()
