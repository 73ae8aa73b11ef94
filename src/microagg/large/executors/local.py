"""The tasks run in this process, in threads."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Any

from microagg.context import Context
from microagg.large.executors.executor import Stage
from microagg.partition.search.blocks.side_by_side import side_by_side


class LocalExecutor:
    """In the same process: one task after the other, or side by side in threads."""

    in_process = True

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
        """Return what the stage makes of each item, in order."""

        def work(item: Any, own: Context) -> Any:
            return stage(plan, item, own)

        parts: Generator[Any, None, None]
        if at_once > 1:
            parts = side_by_side(work, items, context, at_once)
        else:
            own = context.apart()
            parts = (work(item, own) for item in items)
        results = []
        with closing(parts):  # where `done` raises, no thread outlives the run
            for number, result in enumerate(parts):
                results.append(result)
                done(number)
        return results
