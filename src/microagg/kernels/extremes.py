"""The smaller and the larger of two numbers, without a function of their own to compile.

Numba compiles its `min` and `max` anew for each pair of types, constants included: a sixth of all functions
that the default method compiled.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.core.typing.templates import signature as signature_of
from numba.extending import intrinsic

FLAGS = ("nnan", "nsz")
"""What `jit.OPTIONS` promises, for the choice itself. Numba leaves that out, and the compiler would then
search an array for its smallest value one by one."""


def _chooser(precedes: Callable[[Any, Any], bool]) -> Any:
    def choose(context: Any, a: Any, b: Any) -> Any:
        kind = context.unify_types(a, b)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pairs = zip(arguments, signature.args, strict=True)
            first, second = (context.cast(builder, value, own, kind) for value, own in pairs)
            compare = context.get_function(precedes, signature_of(types.boolean, kind, kind))
            flags = FLAGS if isinstance(kind, types.Float) else ()
            return builder.select(compare(builder, (second, first)), second, first, flags=flags)

        return kind(types.unliteral(a), types.unliteral(b)), generate

    return choose


def _smaller(context, a, b):
    """Return the smaller of two numbers, the first of equals."""
    return _chooser(operator.lt)(context, a, b)


def _larger(context, a, b):
    """Return the larger of two numbers, the first of equals."""
    return _chooser(operator.gt)(context, a, b)


smaller: Any = intrinsic(_smaller)
larger: Any = intrinsic(_larger)
