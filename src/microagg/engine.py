"""The engine: where the heavy computations run, on the processor or on a GPU through CuPy."""

from __future__ import annotations

import importlib
import os
from types import ModuleType
from typing import Any, Literal

import numpy as np

from microagg.errors import ParameterError, Phrase

Array = Any
"""An array of NumPy or of CuPy."""

Engine = Literal["cpu", "cuda", "auto"]
ENGINES: tuple[Engine, ...] = ("cpu", "cuda", "auto")
"""The processor; a CUDA device, or an error; or a CUDA device where there is one and it is faster."""

VARIABLE = "MICROAGG_ENGINE"
"""The environment variable that names the engine if the `engine` parameter is not set."""

LINUX_MEMORY = "/proc/meminfo"


def chosen_engine(engine: str | None = None) -> Engine:
    """Return the engine to use: the parameter, the environment variable, or the processor.

    Without a CUDA device, "cuda" is an error and "auto" becomes "cpu".

    Examples
    --------
    >>> chosen_engine("cpu")
    'cpu'
    """
    chosen = engine or os.environ.get(VARIABLE, "cpu")
    if chosen not in ENGINES:
        rule = f"must be one of {', '.join(ENGINES)}. Got {chosen!r}."
        if not engine:
            raise ParameterError(f"The environment variable {VARIABLE} {rule}")
        raise ParameterError(rule, parameter="engine")
    if chosen == "cuda":
        array_module("cuda")
    elif chosen == "auto" and not has_gpu():
        return "cpu"
    return chosen


def has_gpu() -> bool:
    """Return whether CuPy and a CUDA device are available."""
    try:
        array_module("cuda")
    except ParameterError:
        return False
    return True


def array_module(engine: Engine) -> ModuleType:
    """Return NumPy, or CuPy if a GPU is requested.

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
            "is 'cuda', but CuPy with a CUDA device is not available.",
            parameter="engine",
            hint=Phrase(
                "Install microagg[cuda12] or microagg[cuda13], or set {engine}.", engine="cpu"
            ),
        ) from error
    return module


def on_host(array: Array) -> Any:
    """Return a NumPy array, copied from the GPU if necessary."""
    return array.get() if hasattr(array, "get") else array


def available_memory(xp: ModuleType) -> int | None:
    """Return the available memory in bytes; None if unknown."""
    if xp is not np:
        return int(xp.cuda.runtime.memGetInfo()[0]) + int(xp.get_default_memory_pool().free_bytes())
    try:
        with open(LINUX_MEMORY) as lines:  # noqa: PTH123  (a file of the kernel)
            sizes = dict(line.split(":") for line in lines)
        return int(sizes["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None
