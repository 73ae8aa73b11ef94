"""Context: kernels run in threads, end well, badly or by interrupt, and methods call methods."""

import threading
import time

import numpy as np
import pytest

import microagg as ma
from microagg.budget import Clock, Stop
from microagg.context import Context
from microagg.partition.grouping import Facts, Grouping
from microagg.partition.registry import find
from microagg.reporter import Reporter

X = np.random.default_rng(0).normal(size=(200, 3))


class Recording(Reporter):
    """Keeps all that it is shown."""

    def __init__(self):
        self.begun, self.reached = [], []

    def begin(self, what, total):
        self.begun.append((what, total))

    def reach(self, done):
        self.reached.append(done)


class Interrupting(Reporter):
    """As if Ctrl-C came at the first look at each kernel."""

    due = False

    def begin(self, what, total):
        self.due = True

    def reach(self, done):
        if self.due and done == 0:
            self.due = False
            raise KeyboardInterrupt


class Endless:
    """A search that ends when it is asked to."""

    stopped = False

    def __call__(self, ticker):
        until(lambda: ticker[1] == 1)
        self.stopped = ticker[1] == 1
        return "the best"


def until(condition):
    """Wait until a condition holds, or for a minute."""
    deadline = time.monotonic() + 60
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.005)


def test_the_result_of_the_kernel_comes_back():
    reporter = Recording()
    labels = Context.of(reporter).run("Working", 3, lambda a, b, ticker: np.full(a, b), 3, 7)
    assert labels.tolist() == [7, 7, 7]
    assert reporter.begun == [("Working", 3)]
    assert reporter.reached[-1] == 3


def test_steps_are_seen_while_the_kernel_runs():
    reporter = Recording()

    def slow(ticker):
        for step in range(4):
            ticker[0] = step
            until(lambda step=step: step in reporter.reached)
        return np.zeros(1)

    Context.of(reporter).run("Working", 4, slow)
    assert sorted(set(reporter.reached)) == [0, 1, 2, 3, 4]
    assert reporter.reached == sorted(reporter.reached)


@pytest.mark.parametrize("is_apart", [False, True])
def test_compiling_is_shown_until_it_has_ended(monkeypatch, is_apart):
    titles, clock, reached = [], Clock(), []
    monkeypatch.setattr("microagg.context.CLOCK", clock)

    class Titles(Reporter):
        def begin(self, what, total):
            titles.append(what)

        def compiling(self, part, done, total):
            titles.append((part, done, total))

        def compiled(self):
            titles.append("compiled")

        def reach(self, done):
            reached.append(titles[-1])

    def compiled_first(ticker):
        clock.pause()
        clock.count("kernel", 2, 5)
        until(lambda: ("lns", 2, 5) in titles)
        time.sleep(0.2)  # a few looks
        clock.resume()
        until(lambda: titles[-1] == "compiled")

    context = Context.of(Titles()).named("lns")
    (context.apart() if is_apart else context).run("Grouping", 1, compiled_first)
    assert titles == [*([] if is_apart else ["Grouping"]), ("lns", 2, 5), "compiled"]
    assert ("lns", 2, 5) not in reached


@pytest.mark.parametrize("error", [ValueError("broken"), MemoryError(), KeyboardInterrupt()])
def test_an_error_of_the_kernel_is_raised_to_the_caller(error):
    def broken(ticker):
        raise error

    with pytest.raises(type(error)) as caught:
        Context.of().run("Working", 1, broken)
    assert caught.value is error


def test_an_interrupt_asks_the_kernel_to_stop_and_is_raised_when_it_has():
    before, kernel = threading.active_count(), Endless()
    with pytest.raises(KeyboardInterrupt):
        Context.of(Interrupting()).run("Working", 1, kernel)
    assert kernel.stopped
    assert threading.active_count() <= before


def test_the_first_interrupt_keeps_the_best_with_a_warning_and_the_second_is_raised():
    context = Context.of(Interrupting())
    with pytest.warns(
        ma.MicroaggWarning, match=r"stopped by Ctrl-C after .* the best result so far"
    ):
        assert context.run("Searching", 1, Endless(), keep=True) == "the best"
    assert context.budget.stopped is Stop.INTERRUPTED
    assert context.run("Searching", 1, lambda ticker: ticker[1], keep=True) == 1  # ends at once
    with pytest.raises(KeyboardInterrupt):
        context.run("Grouping", 1, Endless())


def test_a_reporter_may_ask_for_nothing_to_be_kept():
    class Unkept(Interrupting):
        keeps_best = False

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        Context.of(Unkept()).run("Searching", 1, Endless(), keep=True)
    assert threading.active_count() == before


def test_a_deadline_ends_what_can_be_kept_and_nothing_else():
    context = Context.of().within(0.1)
    assert context.run("Searching", 1, Endless(), keep=True) == "the best"
    assert context.budget.stopped is Stop.TIME_LIMIT
    assert context.run("Grouping", 1, lambda ticker: int(ticker[1])) == 0


def test_no_time_asks_the_kernel_to_stop_before_it_starts():
    context = Context.of().within(0)
    assert context.run("Searching", 1, lambda ticker: int(ticker[1]), keep=True) == 1
    assert context.budget.stopped is Stop.TIME_LIMIT


def test_work_apart_is_silent_and_can_be_cancelled():
    reporter = Recording()
    apart = Context.of(reporter).apart()
    threading.Timer(0.1, apart.budget.cancel).start()
    with pytest.raises(KeyboardInterrupt):
        apart.run("Searching", 1, Endless(), keep=True)
    assert reporter.begun == []
    assert apart.budget.stopped is None


def test_a_method_calls_another_through_its_context(add_method):
    def calling(prepared, k, context):
        inner = context.group(prepared, k, "v-mdav", parameters={"gamma": 0.5}, refine="swap-shift")
        return Grouping(inner.labels, Facts(gamma=inner.facts.gamma, remark="twice"))

    add_method("calling")(calling)
    part = ma.partition(X, 3, "calling")
    direct = ma.partition(X, 3, "v-mdav", refine="swap-shift", parameters={"gamma": 0.5})
    assert part == direct
    assert part.facts == Facts(gamma=0.5, remark="twice")


@pytest.mark.parametrize(("seed", "same"), [(None, True), (5, False)])
def test_another_method_draws_from_the_same_generator_or_from_a_seed(add_method, seed, same):
    add_method("drawing")(lambda prepared, k, context: _drawn(prepared, context))
    add_method("calling")(lambda p, k, context: context.group(p, k, "drawing", seed=seed))
    drawn = [ma.partition(X, 3, name, seed=1).facts.more for name in ("drawing", "calling")]
    assert (drawn[0] == drawn[1]) == same


def _drawn(prepared, context):
    labels = np.zeros(prepared.n, dtype=np.int32)
    return Grouping(labels, Facts(more={"drawn": int(context.rng.integers(2**31))}))


def test_wrong_parameters_of_another_method_are_refused(add_method):
    add_method("calling")(lambda p, k, context: context.group(p, k, "mdav", parameters={"a": 1}))
    with pytest.raises(ma.MicroaggError, match="mdav has no parameter 'a'"):
        ma.partition(X, 3, "calling")


def test_a_context_of_nobody_calls_no_method():
    with pytest.raises(RuntimeError, match="cannot call methods"):
        Context.of().group(None, 3, "mdav")


class StoppedAtOnce(Exception):
    """Carries what a kernel returned that was asked to stop before it began."""


@pytest.fixture
def stopped_at_once(monkeypatch):
    """Let every kernel be asked to stop before it begins."""

    def run(self, what, total, kernel, *arguments, keep=False):
        raise StoppedAtOnce(kernel(*arguments, np.array([0, 1], dtype=np.int64)))

    monkeypatch.setattr(Context, "run", run)


METHODS = {method.name: method for method in ma.methods()}
TIMED = [name for name, method in METHODS.items() if method.timed]
WITHOUT_KERNEL = "fixed-1d"  # a sort, and nothing to wait for
IN_THREADS = "blocks"  # kernels run beside the one that waits for them
UNTIMED = [name for name in METHODS if name not in (*TIMED, WITHOUT_KERNEL, IN_THREADS)]


@pytest.mark.parametrize("name", UNTIMED)
@pytest.mark.usefixtures("stopped_at_once")
def test_every_kernel_stops_when_it_is_asked_to(name):
    parameters = {"gamma": 0.2} if name == "v-mdav" else {}  # "auto" looks at the data first
    with pytest.raises(StoppedAtOnce) as stopped:
        ma.partition(X, 3, name, parameters=parameters)
    if METHODS[name].family == "fixed" or name == "v-mdav":
        assert (stopped.value.args[0] == -1).any()  # it did not go on to the end


class Impatient(Reporter):
    """As if Ctrl-C came when the first part is done."""

    def reach(self, done):
        raise KeyboardInterrupt


def test_blocks_stop_when_they_are_interrupted():
    with pytest.raises(KeyboardInterrupt):
        ma.partition(X, 3, IN_THREADS, progress=Impatient(), parameters={"block_size": 12})


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name == "best" else [])
        for name in METHODS
        if name != WITHOUT_KERNEL
    ],
)
def test_every_method_shows_how_far_it_is(name):
    reporter = Recording()
    ma.partition(X, 3, name, progress=reporter)
    if METHODS[name].family == "fixed":
        assert reporter.begun[0][1] == len(X)
    assert reporter.reached[-1] == reporter.begun[-1][1]


@pytest.mark.parametrize("name", TIMED)
def test_a_time_limit_leaves_groups_and_is_among_the_facts(name):
    facts = ma.partition(X, 3, name, parameters={"time_limit": 0}).facts
    assert (facts.stopped, facts.time_limit) == (Stop.TIME_LIMIT, 0.0)


@pytest.mark.slow
def test_the_limit_by_default_holds_only_where_there_is_no_other():
    best = find("best")[0]
    assert (best.timed, best.parameters["time_limit"]) == (True, 60.0)
    few = X[:20]
    assert ma.partition(few, 3, "best").facts.time_limit == 60.0
    assert ma.partition(few, 3, "best", parameters={"time_limit": None}).facts.time_limit is None
    limits = {"effort": "best", "time_limit": 2}
    assert ma.partition(few, 3, "auto", parameters=limits).facts.time_limit == pytest.approx(2)
