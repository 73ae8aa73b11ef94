"""Strata and segments are parts of one task: one limit of time, one interrupt for all."""

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.budget import Stop
from microagg.context import Context
from microagg.partition.driver import group
from microagg.prepare.prepared import prepare
from microagg.reporter import Reporter

TABLE = pd.DataFrame(np.random.default_rng(0).normal(size=(120, 3)), columns=list("abc")).assign(
    s=np.repeat(["x", "y", "z"], [30, 30, 60])
)
PARTS = [{"strata": "s"}, {"segments": [["a"], ["b"], ["c"]]}]


class Interrupting(Reporter):
    """As if Ctrl-C came once, in the first search."""

    searching, due = False, True

    def begin(self, what, total):
        self.searching = what == "Searching"

    def reach(self, done):
        if self.searching and self.due:
            self.due = False
            raise KeyboardInterrupt


@pytest.fixture
def seconds_left(monkeypatch):
    """Return a list of the seconds that each search may take."""
    run, left = Context.run, []

    def watched(self, what, *arguments, **options):
        left.extend([self.budget.left()] if what == "Searching" else [])
        return run(self, what, *arguments, **options)

    monkeypatch.setattr(Context, "run", watched)
    return left


def protect(progress, **options):
    return ma.protect(
        TABLE, 3, quasi_identifiers=list("abc"), method="lns", progress=progress, **options
    )


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("ends", [{"max_iterations": 10**9}, {"time_limit": 10**6}])
def test_one_interrupt_ends_the_search_in_all_parts(parts, ends, seconds_left):
    with pytest.warns(ma.MicroaggWarning, match="stopped by Ctrl-C"):
        release = protect(Interrupting(), **parts, parameters=ends)
    assert len(seconds_left) == 1  # those that follow are not searched at all
    assert release.partition.facts.stopped == Stop.INTERRUPTED
    assert min(promise.k for promise in release.promises) == 3


@pytest.mark.parametrize(
    ("parts", "shares"), [(PARTS[0], (1 / 4, 1 / 3)), (PARTS[1], (1 / 3, 1 / 2))]
)
def test_one_limit_of_time_is_for_all_parts(parts, shares, seconds_left):
    release = protect(None, **parts, parameters={"time_limit": 0.3})
    assert release.partition.facts.stopped is Stop.TIME_LIMIT
    first, second, third = seconds_left
    assert first <= 0.3 * shares[0]
    assert second <= (0.3 - first) * shares[1]
    assert third <= 0.3 - first - second


def test_after_an_interrupt_in_another_part_nothing_is_refined():
    prepared = prepare([TABLE["a"].to_numpy(), TABLE["b"].to_numpy()], ["a", "b"])
    context = Context.of()
    context.budget.interrupt()
    part = group(prepared, 3, "mdav", refine="swap-shift", context=context)
    assert np.array_equal(part.labels, group(prepared, 3, "mdav").labels)
    assert part.facts.stopped is Stop.INTERRUPTED


def test_another_partition_is_another_task():
    reporter = Interrupting()
    with pytest.warns(ma.MicroaggWarning, match="stopped by Ctrl-C"):
        ma.partition(TABLE[["a", "b"]], 3, "lns", progress=reporter)
    part = ma.partition(TABLE[["a", "b"]], 3, "lns", progress=reporter)
    assert part == ma.partition(TABLE[["a", "b"]], 3, "lns")


def test_parts_of_equal_records_prove_nothing_if_values_are_missing():
    """Groups of another partition could cross parts that lack different values."""
    frame = pd.DataFrame({"text": ["a", None, "a"] * 6, "flag": [True, True, False] * 6})
    options = {"quasi_identifiers": ["text", "flag"], "missing": "keep", "method": "best"}
    release = ma.protect(frame, 2, **options)
    assert release.measures["il"] == 0
    assert release.partition.facts.lower_bound is None
    complete = ma.protect(frame.dropna(), 2, **options)
    assert complete.partition.facts.lower_bound == 0
