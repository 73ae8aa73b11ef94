"""The time of a release and the software versions."""

from __future__ import annotations

import platform
from datetime import UTC, datetime


def software() -> dict[str, str]:
    """Return the software versions that a result depends on."""
    from importlib.metadata import version

    packages = {name: version(name) for name in ("microagg", "numpy", "numba")}
    return {**packages, "python": platform.python_version()}


def now() -> str:
    """Return the time in ISO 8601, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
