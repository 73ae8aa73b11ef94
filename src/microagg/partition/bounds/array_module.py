"""The array module: NumPy on the processor, CuPy on a GPU; the semidefinite bound runs on either."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any, Literal

import numpy as np

from microagg.errors import ParameterError

Array = Any
"""An array of NumPy or of CuPy."""

Engine = Literal["cpu", "cuda"]

LINUX_MEMORY = "/proc/meminfo"


def array_module(engine: Engine) -> ModuleType:
    """Return NumPy, or CuPy where a GPU is asked for.

    Examples
    --------
    >>> array_module("cpu").__name__
    'numpy'
    """
    if engine == "cpu":
        return np
    try:
        module = importlib.import_module("cupy")
        module.cuda.runtime.getDeviceCount()
    except Exception as error:  # no CuPy, no driver, no device: CuPy has an error for each
        raise ParameterError(
            "The 'engine' parameter is 'cuda', but CuPy with a CUDA device is not available.",
            hint="Install CuPy for your version of CUDA, or choose engine='cpu'.",
        ) from error
    return module


def on_host(array: Array) -> Any:
    """Return a NumPy array, copied from the GPU where it is there."""
    return array.get() if hasattr(array, "get") else array


def available_memory(xp: ModuleType) -> int | None:
    """Return the bytes that can be allocated now; None where the system does not tell."""
    if xp is not np:
        return int(xp.cuda.runtime.memGetInfo()[0]) + int(xp.get_default_memory_pool().free_bytes())
    try:
        with open(LINUX_MEMORY) as lines:  # noqa: PTH123  (a file of the kernel)
            sizes = dict(line.split(":") for line in lines)
        return int(sizes["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None
