"""How the progress of a long computation and its warnings are shown."""

from __future__ import annotations

import inspect
import warnings

from microagg.errors import MicroaggWarning


def _depth_of_caller() -> int:
    """Return the number of stack frames between the calling function and the user's code."""
    depth, frame = 0, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("microagg."):
        depth, frame = depth + 1, frame.f_back
    return depth


class Reporter:
    """A silent reporter; subclasses show the progress.

    A reporter has no clock, keeps no results and decides nothing, except for `keeps_best`.

    Examples
    --------
    >>> class Titles(Reporter):
    ...     def begin(self, what, total):
    ...         print(what, total)
    >>> Titles().begin("Grouping", 100)
    Grouping 100
    """

    keeps_best: bool = True
    """Whether a first Ctrl-C keeps the best groups so far. Otherwise it ends the work at once."""

    def begin(self, what: str, total: int) -> None:
        """Show that `what` starts and consists of `total` steps."""

    def reach(self, done: int) -> None:
        """Show how many steps are done."""

    def retitle(self, what: str) -> None:
        """Show another title for the work in progress, such as the best loss so far."""

    def compiling(self, part: str, done: int, total: int) -> None:
        """Show that a method, a refinement or a measure is compiled: functions done, and in all."""

    def compiled(self) -> None:
        """Show the work in progress again: what it needed has been compiled."""

    def announce(self, link: str) -> None:
        """Show where the work of a cluster can be watched."""

    def warn(self, what: str) -> None:
        """Show that something may be a mistake; the work continues."""
        warnings.warn(what, MicroaggWarning, stacklevel=_depth_of_caller())

    def stopping(self, seconds: float) -> None:
        """Show that Ctrl-C ended a search after some seconds and that its best result is kept."""
        warnings.warn(
            f"The search was stopped by Ctrl-C after {seconds:.2f} s; the best result so far is kept. "
            "A second Ctrl-C discards it.",
            MicroaggWarning,
            stacklevel=2,
        )


class OnlyCompiling(Reporter):
    """Shows of work that is a part of other work only that it is compiled."""

    def __init__(self, whole: Reporter) -> None:
        self._whole = whole

    def compiling(self, part: str, done: int, total: int) -> None:
        self._whole.compiling(part, done, total)

    def compiled(self) -> None:
        self._whole.compiled()
