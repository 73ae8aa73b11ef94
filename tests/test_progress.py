"""Progress: what runs in its thread ends well, badly or by interrupt, and always says so."""

import threading
import time

import numpy as np
import pytest
from microagg.progress import Clock, Progress

import microagg as ma

X = np.random.default_rng(0).normal(size=(200, 3))


class Told(Progress):
    """Keeps all that it is told."""

    def __init__(self):
        super().__init__()
        self.begun, self.reached = [], []

    def begin(self, what, total):
        self.begun.append((what, total))

    def reach(self, done):
        self.reached.append(done)


class Interrupting(Told):
    """As if Ctrl-C came at the first look."""

    def reach(self, done):
        raise KeyboardInterrupt


def test_the_result_of_the_kernel_comes_back():
    progress = Told()
    labels = progress.run("Working", 3, lambda a, b, ticker: np.full(a, b), 3, 7)
    assert labels.tolist() == [7, 7, 7]
    assert progress.begun == [("Working", 3)]
    assert progress.reached[-1] == 3


def test_steps_are_seen_while_the_kernel_runs():
    def slow(ticker):
        for step in range(4):
            ticker[0] = step
            time.sleep(0.08)
        return np.zeros(1)

    progress = Told()
    progress.run("Working", 4, slow)
    assert len(set(progress.reached)) > 2
    assert progress.reached == sorted(progress.reached)


@pytest.mark.parametrize("error", [ValueError("broken"), MemoryError(), KeyboardInterrupt()])
def test_an_error_of_the_kernel_is_raised_to_the_caller(error):
    def broken(ticker):
        raise error

    with pytest.raises(type(error)) as caught:
        Progress().run("Working", 1, broken)
    assert caught.value is error


def test_an_interrupt_tells_the_kernel_to_stop_and_goes_on_when_it_has():
    seen = []

    def until_told(ticker):
        deadline = time.monotonic() + 20
        while ticker[1] == 0 and time.monotonic() < deadline:
            time.sleep(0.005)
        seen.append(int(ticker[1]))
        return np.zeros(1)

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        Interrupting().run("Working", 1, until_told)
    assert seen == [1]
    assert threading.active_count() == before


class StoppedAtOnce(Progress):
    """Runs the kernel with a ticker that says stop from the start."""

    def run(self, what, total, kernel, *arguments):
        self.labels = kernel(*arguments, np.array([0, 1], dtype=np.int64))
        raise KeyboardInterrupt


TIMED = [method.name for method in ma.methods() if "time_limit" in method.parameters]
FAMILY = {method.name: method.family for method in ma.methods()}
WITHOUT_KERNEL = "fixed-1d"  # a sort, and nothing to wait for
IN_THREADS = "blocks"  # kernels run beside the one that waits for them
UNTIMED = [name for name in FAMILY if name not in (*TIMED, WITHOUT_KERNEL, IN_THREADS)]


@pytest.mark.parametrize("method", UNTIMED)
def test_every_kernel_stops_when_it_is_told(method):
    progress = StoppedAtOnce()
    parameters = {"gamma": 0.2} if method == "v-mdav" else {}  # "auto" looks at the data first
    with pytest.raises(KeyboardInterrupt):
        ma.partition(X, 3, method, progress=progress, **parameters)
    if FAMILY[method] == "fixed" or method == "v-mdav":
        assert (progress.labels == -1).any()  # it did not go on to the end


class InterruptedSoon(Progress):
    """Someone presses Ctrl-C when the first part is done."""

    def reach(self, done):
        raise KeyboardInterrupt


def test_blocks_stop_when_they_are_told():
    with pytest.raises(KeyboardInterrupt):
        ma.partition(X, 3, IN_THREADS, block_size=12, progress=InterruptedSoon())


@pytest.mark.parametrize("method", [name for name in FAMILY if name != WITHOUT_KERNEL])
def test_every_method_says_how_far_it_is(method):
    progress = Told()
    ma.partition(X, 3, method, progress=progress)
    if FAMILY[method] == "fixed":
        assert progress.begun[0][1] == len(X)
    assert progress.reached[-1] == progress.begun[-1][1]


@pytest.mark.parametrize("method", TIMED)
def test_a_time_limit_leaves_groups_and_is_noted(method):
    part = ma.partition(X, 3, method, time_limit=0)
    assert part.details["stopped"] == "time limit"


def test_notes_come_back_as_the_details_of_the_partition(monkeypatch):
    from microagg.partition import registry

    registry.methods()
    monkeypatch.setattr(registry, "_METHODS", dict(registry._METHODS))

    @registry.method("noting", summary="a test", reference="none", time="O(n)")
    def noting(prepared, k, rng, progress):
        progress.note(stopped="nothing improves", rounds=3)
        return np.zeros(prepared.n, dtype=int)

    assert ma.partition(X, 3, "noting").details == {"stopped": "nothing improves", "rounds": 3}
    assert ma.partition(X, 3, "mdav").details == {}


class Endless:
    """A search that ends when it is told to."""

    def __call__(self, ticker):
        deadline = time.monotonic() + 20
        while ticker[1] == 0 and time.monotonic() < deadline:
            time.sleep(0.005)
        return "the best"


class InterruptedOnce(Progress):
    """As if Ctrl-C came once in each search."""

    def begin(self, what, total):
        self.due = True

    def reach(self, done):
        if self.due:
            self.due = False
            raise KeyboardInterrupt


def test_the_first_interrupt_keeps_the_best_with_a_warning_and_the_second_goes_on():
    progress = InterruptedOnce()
    with pytest.warns(
        ma.MicroaggWarning, match="stopped by Ctrl-C after .* the best found by then"
    ):
        assert progress.run("Searching", 1, Endless(), keep=True) == "the best"
    assert (progress.notes["stopped"], progress.interrupts) == ("interrupted", 1)
    with pytest.raises(KeyboardInterrupt):
        progress.run("Searching", 1, Endless(), keep=True)


def test_a_progress_may_let_the_first_interrupt_go_on():
    class Unkept(InterruptedOnce):
        def stopping(self, seconds):
            raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        Unkept().run("Searching", 1, Endless(), keep=True)
    assert threading.active_count() == before


class Compiled:
    """A kernel as numba makes them: compiled for its arguments, then called."""

    seen = ()

    def typeof_pyval(self, argument):
        return type(argument)

    def compile(self, types):
        self.seen = types
        time.sleep(1.2)

    def __call__(self, argument, ticker):
        return argument, bool(ticker[1])


def test_compiling_counts_for_no_limit_of_time():
    progress, kernel = Progress(), Compiled()
    assert progress.run("Working", 1, kernel, 5, time_limit=1) == (5, False)
    assert kernel.seen == (int, np.ndarray)
    assert "stopped" not in progress.notes


def test_a_clock_stands_still_while_kernels_are_compiled(monkeypatch):
    clock = Clock(10)
    monkeypatch.setattr("microagg.progress._compiling", [3600.0])
    assert clock.left() > 10
