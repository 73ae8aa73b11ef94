"""Work that a kernel shares with other threads, in portions that any free thread claims.

The thread that shares work does a part of it, and waits only for portions that others have begun. A helper
that is late costs nothing. One that loses its processor during a portion delays the others, which `wait`
reports.

A crew is int64[64]: the number of the next portion to claim, the end of those handed out, how many are
done, and where the present work begins. Numbers only grow, so a claim is always one of the present work.
Each stands on a cache line of its own.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from microagg.kernels.jit import inlined

NEXT, END, DONE, START, SIZE = 0, 16, 32, 48, 64

PATIENCE = 200_000
"""The number of times that a helper looks for work before it gives up: a fraction of a millisecond."""


def _place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return where a number of the crew stands."""
    kind = signature.args[0]
    array = context.make_array(kind)(context, builder, arguments[0])
    return cgutils.get_item_pointer(context, builder, kind, array, [arguments[1]])


def _load(_, crew, at):
    """Return a number of the crew, and see all that was written before it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments)
        return builder.load_atomic(place, "acquire", 8)

    return types.int64(crew, types.int64), generate


def _store(_, crew, at, value):
    """Write a number of the crew, after all that was written before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments)
        builder.store_atomic(arguments[2], place, "release", 8)
        return context.get_dummy_value()

    return types.void(crew, types.int64, types.int64), generate


def _add(_, crew, at, value):
    """Add to a number of the crew."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments)
        return builder.atomic_rmw("add", place, arguments[2], "acq_rel")

    return types.int64(crew, types.int64, types.int64), generate


def _exchange(_, crew, at, old, new):
    """Write a number of the crew if it is `old`; tells whether it was."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments)
        both = builder.cmpxchg(place, arguments[2], arguments[3], "acq_rel", "acquire")
        return builder.zext(builder.extract_value(both, 1), ir.IntType(64))

    return types.int64(crew, types.int64, types.int64, types.int64), generate


load: Any = intrinsic(_load)
store: Any = intrinsic(_store)
add: Any = intrinsic(_add)
exchange: Any = intrinsic(_exchange)


@inlined
def hand_out(crew, portions):
    """Offer portions 0 .. portions-1 of new work to all who look. The last work must be done."""
    crew[START] = crew[END]
    store(crew, END, crew[END] + portions)


@inlined
def claim(crew):
    """Return the number of a portion that is now the caller's, or -1 when none is left."""
    at = load(crew, NEXT)
    while at < load(crew, END):
        if exchange(crew, NEXT, at, at + 1) != 0:
            return at - crew[START]
        at = load(crew, NEXT)
    return np.int64(-1)


@inlined
def finish(crew):
    """Count a portion as done."""
    add(crew, DONE, 1)


@inlined
def wait(crew):
    """Wait until all portions are done; return how often that was checked."""
    looks = 0
    while load(crew, DONE) < crew[END]:
        looks += 1
    return looks
