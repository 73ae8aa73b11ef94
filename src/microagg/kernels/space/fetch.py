"""Prefetching: memory is requested before it is needed, while other data is being processed."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from microagg.kernels.jit import inlined
from microagg.kernels.space.leaves import LEAF

LINE = 16
"""Numbers of single precision in a cache line, on most machines."""


WIDE_LINE = 8
"""Numbers of double precision in a cache line."""


@inlined
def fetch_row(points, row):
    """Prefetch one row of float64[n, d]."""
    for j in range(0, points.shape[1], WIDE_LINE):
        fetch_number(points, row, j)
    fetch_number(points, row, points.shape[1] - 1)


@inlined
def fetch_leaf(tiles, leaf):
    """Prefetch the points of a leaf."""
    for j in range(tiles.shape[1]):
        for i in range(0, LEAF, LINE):
            fetch(tiles, leaf, j, i)


def _ask_for(context, builder, signature, arguments):
    """Write a prefetch instruction for a number of an array."""
    kind = signature.args[0]
    array = context.make_array(kind)(context, builder, arguments[0])
    place = cgutils.get_item_pointer(context, builder, kind, array, arguments[1:])
    byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
    takes = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
    hint = builder.module.declare_intrinsic("llvm.prefetch", [byte], takes)
    to_read, keep, data = flag(0), flag(3), flag(1)
    builder.call(hint, [builder.bitcast(place, byte), to_read, keep, data])
    return context.get_dummy_value()


def _fetch(_, values, a, j, i):
    """Prefetch values[a, j, i], which changes no result."""
    return types.void(values, types.intp, types.intp, types.intp), _ask_for


def _fetch_number(_, values, a, j):
    """Prefetch values[a, j], which changes no result."""
    return types.void(values, types.intp, types.intp), _ask_for


fetch: Any = intrinsic(_fetch)
fetch_number: Any = intrinsic(_fetch_number)
