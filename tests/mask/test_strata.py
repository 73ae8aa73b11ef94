"""Strata and segments are parts of one task: one limit of time, one interrupt for all."""

import numpy as np
import pandas as pd
import pytest
from microagg.progress import INTERRUPTED, TIME_LIMIT, Progress

import microagg as ma
from microagg.partition.driver import group
from microagg.prepare.prepared import prepare

TABLE = pd.DataFrame(np.random.default_rng(0).normal(size=(120, 3)), columns=list("abc")).assign(
    s=np.repeat(["x", "y", "z"], [30, 30, 60])
)
PARTS = [{"strata": "s"}, {"segments": [["a"], ["b"], ["c"]]}]


class Watched(Progress):
    """Keeps the seconds that each search may take; interrupts the first one if told to."""

    def __init__(self, *, interrupting=False):
        super().__init__()
        self.limits, self.searching, self.due = [], False, interrupting

    def run(self, what, total, *arguments, time_limit=None, **options):
        self.searching = what == "Searching"
        self.limits += [time_limit] if self.searching else []
        return super().run(what, total, *arguments, time_limit=time_limit, **options)

    def reach(self, done):
        if self.searching and self.due:
            self.due = False
            raise KeyboardInterrupt


def protect(progress, **options):
    return ma.protect(
        TABLE, 3, quasi_identifiers=list("abc"), method="lns", progress=progress, **options
    )


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("ends", [{"max_iterations": 10**9}, {"time_limit": 10**6}])
def test_one_interrupt_ends_the_search_in_all_parts(parts, ends):
    progress = Watched(interrupting=True)
    with pytest.warns(ma.MicroaggWarning, match="stopped by Ctrl-C"):
        release = protect(progress, **parts, **ends)
    assert progress.limits[1:] == [0, 0]
    assert release.partition.details["stopped"] == INTERRUPTED
    assert min(promise.k for promise in release.promises) == 3


@pytest.mark.parametrize(
    ("parts", "shares"), [(PARTS[0], (1 / 4, 1 / 3)), (PARTS[1], (1 / 3, 1 / 2))]
)
def test_one_limit_of_time_is_for_all_parts(parts, shares):
    progress = Watched()
    release = protect(progress, **parts, time_limit=0.3)
    assert release.partition.details["stopped"] == TIME_LIMIT
    first, second, third = progress.limits
    assert first <= 0.3 * shares[0]
    assert second <= (0.3 - first) * shares[1]
    assert third <= 0.3 - first - second


def test_after_an_interrupt_in_another_part_nothing_is_refined():
    prepared = prepare([TABLE["a"].to_numpy(), TABLE["b"].to_numpy()], ["a", "b"])
    progress = Progress()
    progress.interrupts = 1
    part = group(prepared, 3, "mdav", refine="swap-shift", progress=progress)
    assert np.array_equal(part.labels, group(prepared, 3, "mdav").labels)


def test_another_partition_is_another_task():
    progress = Progress()
    progress.interrupts = 1
    refined = ma.partition(TABLE[["a", "b"]], 3, refine="swap-shift", progress=progress)
    assert refined == ma.partition(TABLE[["a", "b"]], 3, refine="swap-shift")
