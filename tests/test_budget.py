"""Budget: one clock, one rule for Ctrl-C, one rule for the time that parts share."""

from types import SimpleNamespace

import pytest

from microagg.budget import Budget, Clock, Stop
from microagg.lazy import lazy


def test_without_a_limit_there_is_always_time():
    budget = Budget()
    assert (budget.left(), budget.seconds, budget.expired(), budget.stopped) == (
        None,
        None,
        False,
        None,
    )


def test_a_deadline_that_has_passed_is_remembered_when_it_ended_something():
    budget = Budget(0)
    assert (budget.left(), budget.stopped) == (0.0, None)  # nothing has been ended yet
    assert budget.expired()
    assert budget.stopped is Stop.TIME_LIMIT


def test_a_part_has_no_more_than_is_left_and_ends_for_itself():
    whole = Budget(10)
    part = whole.within(100)
    assert 9 < part.left() <= 10
    none = whole.within(0)
    assert none.expired()
    assert (none.stopped, whole.stopped) == (Stop.TIME_LIMIT, None)
    assert whole.within(None) is whole


def test_parts_share_what_is_left_by_their_sizes():
    first, second, third = Budget(60).parts([3, 1, 2])
    assert 29 < first.left() <= 30
    assert 19 < second.left() <= 20  # the first took none of it
    assert 59 < third.left() <= 60
    assert [part.left() for part in Budget().parts([3, 1])] == [None, None]


@pytest.mark.parametrize("seconds", [None, 60])
def test_one_interrupt_ends_all_parts_of_a_task(seconds):
    whole = Budget(seconds)
    first, second = whole.parts([1, 1])
    assert first.interrupt()
    for budget in (whole, first, second):
        assert (budget.left(), budget.expired()) == (0.0, True)
        assert budget.stopped is Stop.INTERRUPTED
    assert not second.interrupt()  # the second one ends the task


def test_the_best_is_kept_only_where_it_is_asked_for():
    assert not Budget(keeps_best=False).interrupt()


def test_cancelled_work_counts_as_no_interrupt_of_the_user():
    budget = Budget()
    apart = budget.cancellable()
    apart.require_not_cancelled()
    apart.cancel()
    with pytest.raises(KeyboardInterrupt):
        apart.require_not_cancelled()
    assert not apart.interrupt()
    assert budget.stopped is None
    budget.require_not_cancelled()


def test_the_stop_that_says_most_comes_first():
    assert Stop.first([]) is Stop.first([None]) is None
    assert Stop.first([Stop.ITERATIONS, Stop.LOSS_STAYS]) is Stop.ITERATIONS
    assert [stop for stop in Stop if stop.early] == [Stop.INTERRUPTED, Stop.TIME_LIMIT]


@pytest.fixture
def pass_time(monkeypatch):
    """Return a function that lets seconds pass; no others do."""
    seconds = [100.0]
    monkeypatch.setattr("microagg.budget.time", SimpleNamespace(monotonic=lambda: seconds[0]))
    return lambda passed: seconds.__setitem__(0, seconds[0] + passed)


def test_a_clock_stands_still_until_the_last_of_several_pauses_ends(pass_time):
    clock = Clock()
    before = clock.now()
    clock.pause()
    clock.pause()
    clock.resume()
    pass_time(5)
    assert clock.paused
    clock.resume()
    assert not clock.paused
    assert clock.now() == before
    pass_time(3)
    assert clock.now() == before + 3


def test_the_clock_stands_still_while_kernels_are_compiled(pass_time, monkeypatch):
    compiling, clock = lazy("microagg.kernels.compiling"), Clock()
    monkeypatch.setattr("microagg.kernels.compiling.CLOCK", clock)
    before = clock.now()
    with compiling.timed(), compiling.timed():
        pass_time(8)
        assert clock.compile_seconds() == 8
    assert clock.now() == before
    assert clock.compile_seconds() == 8


def test_listeners_of_several_threads_may_end_in_any_order():
    clock, calls = Clock(), []
    first, second = (clock.notifying(lambda *call, n=n: calls.append((n, *call))) for n in (1, 2))
    first.__enter__()
    second.__enter__()
    clock.count("kernel", 1, 3)
    first.__exit__(None, None, None)
    clock.count("kernel", 2, 3)
    second.__exit__(None, None, None)
    clock.count("kernel", 3, 3)
    assert calls == [(1, 1, 3), (2, 1, 3), (2, 2, 3)]
    assert not clock.notifies
