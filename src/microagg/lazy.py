"""The one way to import our own modules late: kernels need numba, which takes a second to import.

    kernels = lazy("microagg.kernels.fixed.fixed_size")

stands at the top of a file; the module is imported when one of its attributes is first used, so that
`import microagg` and the command line's help stay fast.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from typing import Any


class LazyModule:
    """A module that is imported when an attribute of it is first used.

    Examples
    --------
    >>> lazy("fractions").Fraction(1, 2)
    Fraction(1, 2)
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"lazy({self._name!r})"

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self._name), attribute)


def lazy(name: str) -> Any:
    """Return a module that is imported when it is first used."""
    return LazyModule(name)


@cache
def import_all(package: str) -> None:
    """Import every module below a package, once, so that the decorators in them run."""
    folder = import_module(package)
    for module in pkgutil.walk_packages(folder.__path__, f"{package}."):
        import_module(module.name)
