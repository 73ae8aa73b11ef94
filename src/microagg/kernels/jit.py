"""How every kernel is compiled.

The flags allow no reassociation and no fused multiply-add, so a kernel gives the same bits
on every machine and the same as its NumPy twin. They only promise the compiler that no
value is NaN or infinite (`prepare` has made sure), which lets minima and maxima vectorise.
"""

from collections.abc import Callable
from typing import Any

from numba import njit

from microagg.kernels.cache import KernelCache

_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "_nrt": True,
    "error_model": "numpy",
    "fastmath": {"nnan", "nsz", "ninf"},
}


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` when it is first called, and keep the result on disk."""
    return _compiled(function)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` into its callers: for small steps of inner loops, which make no array.

    A call passes each field of each array of a tuple on its own, which costs more than such a step.
    """
    return _compiled(function, forceinline=True, _nrt=False)


def borrowing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a `function` that makes no array and gets none back: it borrows those of its caller.

    Otherwise numba counts who holds an array: two locked additions for each array of a tuple at each
    call. A `function` that makes an array does not compile; one that is handed an array by a kernel
    would never free it.
    """
    return _compiled(function, _nrt=False)


def _compiled(function: Callable[..., Any], **more: Any) -> Callable[..., Any]:
    compiled: Any = njit(**{**_OPTIONS, **more})(function)
    compiled._cache = KernelCache(function)
    result: Callable[..., Any] = compiled
    return result
