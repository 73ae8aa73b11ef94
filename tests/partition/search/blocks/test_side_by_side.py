"""Side by side: results in order, and an end to all of them when one fails."""

import threading

import pytest

from microagg.context import Context
from microagg.partition.search.blocks.side_by_side import side_by_side

CONTEXT = Context.of()


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_order(threads):
    assert list(side_by_side(lambda item, _: -item, range(20), CONTEXT, threads)) == [
        -item for item in range(20)
    ]


def test_as_many_at_a_time_as_asked():
    together = threading.Barrier(3)
    list(side_by_side(lambda item, _: together.wait(timeout=60), range(3), CONTEXT, 3))


def test_one_that_fails_ends_the_others():
    begun = threading.Event()

    def work(item, context):
        if item == 0:
            begun.wait(timeout=60)
            raise ValueError("the first")
        begun.set()
        while True:  # as a compiled loop that tells how far it is
            context.budget.require_not_cancelled()

    with pytest.raises(ValueError, match="the first"):
        list(side_by_side(work, range(2), CONTEXT, 2))
