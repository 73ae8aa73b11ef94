"""Ask for a leaf before it is needed, so that it is on its way while another is looked at."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from microagg.kernels.jit import inlined
from microagg.kernels.space.leaves import LEAF

LINE = 16
"""Numbers in single precision that come from memory together, on most machines."""


@inlined
def fetch_leaf(tiles, leaf):
    """Ask for the points of a leaf."""
    for j in range(tiles.shape[1]):
        for i in range(0, LEAF, LINE):
            fetch(tiles, leaf, j, i)


def _fetch(_, values, a, j, i):
    """Ask for values[a, j, i]; a hint, which changes no result."""

    def generate(context, builder, signature, arguments):
        kind = signature.args[0]
        array = context.make_array(kind)(context, builder, arguments[0])
        place = cgutils.get_item_pointer(context, builder, kind, array, arguments[1:])
        byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        takes = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
        hint = builder.module.declare_intrinsic("llvm.prefetch", [byte], takes)
        to_read, keep, data = flag(0), flag(3), flag(1)
        builder.call(hint, [builder.bitcast(place, byte), to_read, keep, data])
        return context.get_dummy_value()

    return types.void(values, types.intp, types.intp, types.intp), generate


fetch: Any = intrinsic(_fetch)
