"""How a worker allocates memory: as the process of a command does.

Dask starts workers that return every freed page to the system at once (``MALLOC_TRIM_THRESHOLD_``), which
also fixes the size from which glibc takes each array from the system anew. Tasks then spend more than a
tenth of their time on fresh pages.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of mallopt, in malloc.h


@cache
def keep_freed_memory() -> bool:
    """Let this process keep up to 64 MB of freed memory; returns whether its C library is able to.

    These are the sizes that glibc arrives at by itself in a process that allocates arrays.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is None:
        return False
    return bool(mallopt(_MMAP_THRESHOLD, 1 << 25) and mallopt(_TRIM_THRESHOLD, 1 << 26))
