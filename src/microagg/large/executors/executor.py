"""What every back end does: it runs the tasks of a stage.

A stage is a function of a plan, which all of its tasks share, and of an item. What it makes it writes into
the work folder, under names that follow from the content, and it skips what is there: so it may run
anywhere, in any order, and more than once. What it returns is small.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from microagg.context import Context

Stage = Callable[[Any, Any, Context], Any]
"""``(plan, item, context)``: the work of one task."""


class Executor(Protocol):
    """Runs the tasks of a stage."""

    @property
    def in_process(self) -> bool:
        """Whether tasks run in this process, which has its own descriptors."""
        ...

    def run(
        self,
        stage: Stage,
        plan: Any,
        items: Sequence[Any],
        context: Context,
        *,
        at_once: int = 1,
        done: Callable[[int], None] = lambda number: None,
    ) -> list[Any]:
        """Return what the stage makes of each item, in order.

        A process has at most `at_once` of them at a time, which is what its memory has room for.
        `done` is told the number of each item that is finished.
        """
        ...
