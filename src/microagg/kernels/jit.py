"""How every kernel is compiled.

The flags allow no reassociation and no fused multiply-add, so a kernel gives the same bits
on every machine and the same as its NumPy twin. They only promise the compiler that no
value is NaN or infinite (`prepare` has made sure), which lets minima and maxima vectorise.
"""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit

_OPTIONS: dict[str, Any] = {
    "cache": True,
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
    compiled: Callable[..., Any]
    try:
        compiled = njit(**{**_OPTIONS, **more})(function)
    except RuntimeError:  # nowhere to keep it: neither beside the source nor in a home folder
        compiled = njit(**{**_OPTIONS, **more, "cache": False})(function)
    return compiled


def forget_stale_kernels(folder: Path) -> None:
    """Remove compiled kernels when any source file of `folder` has changed since.

    A kernel contains the kernels that it calls, but numba looks only at the file of the caller:
    after an edit, a kept kernel would go on with the old callee, even its old memory layout.
    """
    kept = folder / "__pycache__"
    stamp = kept / "kernels.stamp"
    with contextlib.suppress(OSError):  # a folder that is not ours to write is not ours to mend
        sources = sorted(folder.glob("*.py"))
        now = "\n".join(f"{file.name} {file.stat().st_mtime_ns}" for file in sources)
        kept.mkdir(exist_ok=True)
        if stamp.exists() and stamp.read_text() == now:
            return
        for compiled in [*kept.glob("*.nbi"), *kept.glob("*.nbc")]:
            compiled.unlink(missing_ok=True)
        stamp.write_text(now)


forget_stale_kernels(Path(__file__).parent)
