"""Screening of a leaf for several points at once, as vectors: each attribute is loaded once for all."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from microagg.kernels.space.lanes import LONG, WORD, Lanes
from microagg.kernels.space.leaves import LEAF

QUERIES = 8
"""So many points are asked about at once: their sums fit in the registers."""


def _sweep_leaf(_, tiles, squares, leaf, directions, near_limits, far_limits, sums, bits):
    """Add up squares[leaf] and the products with each direction; compare each sum with two limits.

    `directions` is float32[d, QUERIES]. OUT: sums float32[QUERIES, LEAF], and bits uint64[QUERIES]: a bit
    for each sum that is at most the near limit, and LEAF places higher for each at least the far limit.
    Returns 0 where no bit is set; `sums` are not written then.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        tiles, squares, leaf, directions, near, far, sums, bits = zip(
            signature.args, arguments, strict=True
        )
        lanes = Lanes(context, builder, LEAF)
        totals = _products(lanes, tiles, squares, leaf[1], directions)
        low, high, out = lanes.array(*near), lanes.array(*far), lanes.array(*bits)
        union = LONG(0)
        for g, total in enumerate(totals):
            below = lanes.passing(total, lanes.number(near[0], low, LONG(g)), "<=")
            above = lanes.passing(total, lanes.number(far[0], high, LONG(g)), ">=")
            both = builder.or_(below, builder.shl(above, LONG(LEAF)))
            place = cgutils.get_item_pointer(context, builder, bits[0], out, [LONG(g)])
            builder.store(both, place)
            union = builder.or_(union, both)
        with builder.if_then(builder.icmp_unsigned("!=", union, LONG(0)), likely=False):
            room = lanes.array(*sums)
            for g, total in enumerate(totals):
                builder.store(total, lanes.row(sums[0], room, LONG(g)), align=4)
        return union

    return types.uint64(
        tiles, squares, types.int64, directions, near_limits, far_limits, sums, bits
    ), generate


def _sample_leaf(_, tiles, squares, leaf, count, directions, lows, highs):
    """Lower `lows` and raise `highs` to the sums of the first `count` points of a leaf, place by place.

    IN/OUT: lows, highs, float32[QUERIES, LEAF].
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        tiles, squares, leaf, count, directions, lows, highs = zip(
            signature.args, arguments, strict=True
        )
        lanes = Lanes(context, builder, LEAF)
        totals = _products(lanes, tiles, squares, leaf[1], directions)
        left = _first_lanes(builder, count[1])
        low, high = lanes.array(*lows), lanes.array(*highs)
        for g, total in enumerate(totals):
            for kind, array, sign in ((lows[0], low, "<"), (highs[0], high, ">")):
                place = lanes.row(kind, array, LONG(g))
                old = lanes.load(place)
                better = builder.and_(left, builder.fcmp_ordered(sign, total, old))
                builder.store(builder.select(better, total, old), place, align=4)
        return context.get_dummy_value()

    return types.void(tiles, squares, types.int64, types.int64, directions, lows, highs), generate


def _first_lanes(builder: Any, count: Any) -> Any:
    """Return a vector that is true at the first `count` places."""
    kind = ir.VectorType(WORD, LEAF)
    number = builder.trunc(count, WORD)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), number, WORD(0))
    every = builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), ir.Constant(kind, None))
    return builder.icmp_signed("<", ir.Constant(kind, list(range(LEAF))), every)


def _products(lanes: Lanes, tiles: Any, squares: Any, leaf: Any, directions: Any) -> list[Any]:
    """Return the sums of a leaf for each direction.

    A product may be fused with its addition where the processor can: the margins allow for both.
    """
    builder = lanes.builder
    array, own, ahead = lanes.array(*tiles), lanes.array(*squares), lanes.array(*directions)
    start = lanes.load(lanes.row(squares[0], own, leaf))
    totals = [cgutils.alloca_once_value(builder, start) for _ in range(QUERIES)]
    takes = ir.FunctionType(lanes.kind, [lanes.kind] * 3)
    multiply_add = cgutils.get_or_insert_function(builder.module, takes, f"llvm.fmuladd.v{LEAF}f32")
    d, _ = cgutils.unpack_tuple(builder, ahead.shape)
    with cgutils.for_range(builder, d) as loop:
        values = lanes.load(lanes.row(tiles[0], array, leaf, loop.index))
        for g, total in enumerate(totals):
            place = cgutils.get_item_pointer(
                lanes.context, builder, directions[0], ahead, [loop.index, LONG(g)]
            )
            factor = lanes.spread(builder.load(place))
            builder.store(builder.call(multiply_add, [values, factor, builder.load(total)]), total)
    return [builder.load(total) for total in totals]


sweep_leaf: Any = intrinsic(_sweep_leaf)
sample_leaf: Any = intrinsic(_sample_leaf)
