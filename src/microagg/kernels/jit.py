"""How every kernel is compiled.

The flags allow no reassociation and no fused multiply-add, so a kernel gives the same bits
on every machine and the same as its NumPy twin. They only promise the compiler that no
value is NaN or infinite (`prepare` has made sure), which lets minima and maxima vectorise.
"""

from collections.abc import Callable
from typing import Any

from numba import njit


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` when it is first called, and keep the result on disk."""
    compiled: Callable[..., Any] = njit(
        cache=True, nogil=True, error_model="numpy", fastmath={"nnan", "nsz", "ninf"}
    )(function)
    return compiled
