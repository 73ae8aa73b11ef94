"""Where compiled kernels are kept between runs.

The cache lies in the user's cache folder, or in `NUMBA_CACHE_DIR` where that is set. Its folder is
named after a digest of the source of all kernels, numba's version and Python's; numba itself keeps
the code of different processors apart. A change of any kernel therefore never meets stale code,
whoever calls whom, and two installations of the same version share what is compiled.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import platformdirs
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator


@cache
def content_key() -> str:
    """Return a digest of everything that compiled code depends on, but the processor."""
    digest = hashlib.sha256(f"{numba.__version__} {llvmlite.__version__} {sys.version}".encode())
    here = Path(__file__).parent
    for file in sorted(here.rglob("*.py")):
        digest.update(str(file.relative_to(here)).encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:32]


@cache
def cache_folder() -> Path:
    """Return the folder of the kernels of this version."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    root = (
        Path(given) if given else Path(platformdirs.user_cache_dir("microagg", False)) / "kernels"
    )
    return root / content_key()


class KernelLocator(_CacheLocator):
    """Numba's way of asking where the compiled code of a function belongs."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file = file
        self._line = function.__code__.co_firstlineno
        self._module = function.__module__

    def get_cache_path(self) -> str:
        return str(cache_folder() / self._module)

    def get_source_stamp(self) -> str:
        return content_key()

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> KernelLocator:
        return cls(py_func, py_file)


class KernelCacheImpl(CompileResultCacheImpl):
    """Numba's cache of compile results, in our folder."""

    _locator_classes = [KernelLocator]  # noqa: RUF012  (as numba declares it)


class KernelCache(FunctionCache):
    """Numba's cache of one function, in our folder."""

    _impl_class = KernelCacheImpl
