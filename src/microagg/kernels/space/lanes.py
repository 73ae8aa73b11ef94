"""Screening of whole leaves and blocks as vectors: sums in order, and a bit for each one that passes.

Numba has no vectors. Loops over an array leave their sums in memory, and the compiler finds their smallest
value one by one. Here a sum for each point of a leaf, or each box of a block, stays in registers, and is
compared with the limit there. The sums are those of plain loops, bit for bit.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from microagg.kernels.space.leaves import BLOCK, LEAF

FLAGS = ("nnan", "nsz", "ninf")
"""As in `jit.OPTIONS`: no sum is NaN or infinite."""

FLOAT, WORD, LONG = ir.FloatType(), ir.IntType(32), ir.IntType(64)

Typed = tuple[Any, Any]
"""The type that numba gives a value, and the value."""


class Lanes:
    """Writes code for vectors of `size` numbers in single precision."""

    def __init__(self, context: Any, builder: Any, size: int) -> None:
        self.context, self.builder = context, builder
        self.kind = ir.VectorType(FLOAT, size)

    def array(self, kind: Any, value: Any) -> Any:
        """Return an array of numba as a structure."""
        return self.context.make_array(kind)(self.context, self.builder, value)

    def row(self, kind: Any, array: Any, *places: Any) -> Any:
        """Return where the vector at some places of an array stands."""
        zero = LONG(0)
        indices = [*places, *[zero] * (kind.ndim - len(places))]
        at = cgutils.get_item_pointer(self.context, self.builder, kind, array, indices)
        return self.builder.bitcast(at, self.kind.as_pointer())

    def load(self, place: Any) -> Any:
        """Return the vector at a place."""
        return self.builder.load(place, align=4)

    def spread(self, number: Any) -> Any:
        """Return a vector of equal numbers."""
        one = self.builder.insert_element(ir.Constant(self.kind, ir.Undefined), number, WORD(0))
        zeros = ir.Constant(ir.VectorType(WORD, self.kind.count), None)
        return self.builder.shuffle_vector(one, ir.Constant(self.kind, ir.Undefined), zeros)

    def passing(self, sums: Any, limit: Any, sign: str) -> Any:
        """Return a bit, in 64, for each sum that compares so with the limit."""
        bits = self.builder.fcmp_ordered(sign, sums, self.spread(limit), flags=FLAGS)
        packed = self.builder.bitcast(bits, ir.IntType(self.kind.count))
        return packed if self.kind.count == 64 else self.builder.zext(packed, LONG)

    def number(self, kind: Any, array: Any, place: Any) -> Any:
        """Return one number of an array."""
        at = cgutils.get_item_pointer(self.context, self.builder, kind, array, [place])
        return self.builder.load(at)

    def add_up(self, q: Typed, columns: Typed | None, term: Callable[[Any, Any], Any]) -> Any:
        """Return the sum of the squares of term(attribute, coordinate of q), in order.

        The attributes are those of `columns`, one for each coordinate, or all.
        """
        builder, point = self.builder, self.array(*q)
        chosen = None if columns is None else self.array(*columns)
        total = cgutils.alloca_once_value(builder, ir.Constant(self.kind, None))
        (size,) = cgutils.unpack_tuple(builder, point.shape)
        with cgutils.for_range(builder, size) as loop:
            j = loop.index if columns is None else self.number(columns[0], chosen, loop.index)
            gap = term(j, self.spread(self.number(q[0], point, loop.index)))
            square = builder.fmul(gap, gap, flags=FLAGS)
            builder.store(builder.fadd(builder.load(total), square, flags=FLAGS), total)
        return builder.load(total)

    def larger(self, a: Any, b: Any) -> Any:
        """Return the larger of two vectors, number by number."""
        above = self.builder.fcmp_ordered(">", b, a, flags=FLAGS)
        return self.builder.select(above, b, a, flags=FLAGS)


def _leaf_sums(
    lanes: Lanes, tiles: Typed, leaf: Any, q: Typed, columns: Typed | None = None
) -> Any:
    """Return the squared distances of the points of a leaf to q."""
    array = lanes.array(*tiles)

    def term(j: Any, p: Any) -> Any:
        return lanes.builder.fsub(lanes.load(lanes.row(tiles[0], array, leaf, j)), p, flags=FLAGS)

    return lanes.add_up(q, columns, term)


def _box_sums(
    lanes: Lanes, lows: Typed, highs: Typed, block: Any, q: Typed, columns: Typed | None = None
) -> Any:
    """Return the squared distances of the boxes of a block to q."""
    low, high = lanes.array(*lows), lanes.array(*highs)

    def term(j: Any, p: Any) -> Any:
        below = lanes.builder.fsub(lanes.load(lanes.row(lows[0], low, block, j)), p, flags=FLAGS)
        above = lanes.builder.fsub(p, lanes.load(lanes.row(highs[0], high, block, j)), flags=FLAGS)
        return lanes.larger(lanes.larger(below, above), ir.Constant(lanes.kind, None))

    return lanes.add_up(q, columns, term)


def _screening(sums_of: Any, size: int, sign: str, signature: Any) -> Any:
    """Return a signature and what writes the code: sums, kept in the last array, and bits."""

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        lanes = Lanes(context, builder, size)
        *typed, limit, out = zip(signature.args, arguments, strict=True)
        arrays = [each if isinstance(each[0], types.Array) else each[1] for each in typed]
        sums = sums_of(lanes, *arrays)
        builder.store(sums, lanes.row(out[0], lanes.array(*out)), align=4)
        return lanes.passing(sums, limit[1], sign)

    return signature, generate


def _near_leaf(_, tiles, leaf, q, limit, out):
    """Squared distances of a leaf to q; returns a bit for each that is at most `limit`. OUT: out."""
    signature = types.uint64(tiles, types.int64, q, types.float32, out)
    return _screening(_leaf_sums, LEAF, "<=", signature)


def _far_leaf(_, tiles, leaf, q, limit, out):
    """Squared distances of a leaf to q; returns a bit for each that is at least `limit`. OUT: out."""
    signature = types.uint64(tiles, types.int64, q, types.float32, out)
    return _screening(_leaf_sums, LEAF, ">=", signature)


def _near_boxes(_, lows, highs, block, q, limit, out):
    """Squared distances of the boxes of a block to q; returns a bit for each at most `limit`. OUT: out."""
    signature = types.uint64(lows, highs, types.int64, q, types.float32, out)
    return _screening(_box_sums, BLOCK, "<=", signature)


def _near_leaf_by(_, tiles, leaf, q, columns, limit, out):
    """As `near_leaf`, over some attributes; q has a coordinate for each of them. OUT: out."""
    signature = types.uint64(tiles, types.int64, q, columns, types.float32, out)
    return _screening(_leaf_sums, LEAF, "<=", signature)


def _near_boxes_by(_, lows, highs, block, q, columns, limit, out):
    """As `near_boxes`, over some attributes; q has a coordinate for each of them. OUT: out."""
    signature = types.uint64(lows, highs, types.int64, q, columns, types.float32, out)
    return _screening(_box_sums, BLOCK, "<=", signature)


def _at_least(_, values, limit):
    """Return a bit for each of the first `BLOCK` values that is at least `limit`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = Lanes(context, builder, BLOCK)
        array = lanes.array(values, arguments[0])
        return lanes.passing(lanes.load(lanes.row(values, array)), arguments[1], ">=")

    return types.uint64(values, types.float32), generate


def _first_bit(_, bits):
    """Number of the lowest bit that is set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.int64(types.uint64), generate


near_leaf: Any = intrinsic(_near_leaf)
far_leaf: Any = intrinsic(_far_leaf)
near_boxes: Any = intrinsic(_near_boxes)
near_leaf_by: Any = intrinsic(_near_leaf_by)
near_boxes_by: Any = intrinsic(_near_boxes_by)
at_least: Any = intrinsic(_at_least)
first_bit: Any = intrinsic(_first_bit)
