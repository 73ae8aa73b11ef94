"""Kernels as Python calls them and as other kernels do, and what is heard of their compilation."""

import pickle
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from functools import partial

import numpy as np
import pytest
from numba import njit
from numba.core.compiler import Flags
from numba.core.targetconfig import TargetConfig
from numba.core.types.functions import BaseFunction

from microagg.kernels import cache, compiling
from microagg.kernels.compiling import compile_seconds, on_compile
from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import called_by, inlined, kernel
from microagg.kernels.shortcuts import shortcuts
from microagg.kernels.warm import _shared_out, warm


@kernel
def doubled(values, by):
    """Return each value times 2 `by`."""
    out = np.zeros(values.size)
    for i in range(values.size):
        out[i] = larger(step(values[i], by), -1e300)
    return out


@inlined
def step(value, by):
    """Return one value times 2 `by`."""
    return value * 2.0 * by


@kernel
def quadrupled(values):
    """Call another kernel with a constant and with a variable."""
    return doubled(doubled(values, 1), values.size // values.size)


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    """Keep nothing: these kernels are no part of the package."""
    monkeypatch.setattr(cache, "cache_folder", lambda: None)


def test_a_kernel_is_called_by_python_and_by_kernels():
    values = np.array([1.0, 2.5])
    assert quadrupled(values).tolist() == [4.0, 10.0]
    assert doubled(values, 1).tolist() == [2.0, 5.0]


def test_a_kernel_is_compiled_once_for_constants_and_variables():
    quadrupled(np.ones(1))
    assert len(doubled.inner.overloads) == 1


def test_what_only_kernels_call_is_not_translated():
    quadrupled(np.ones(1))
    (result,) = step.inner.overloads.values()
    assert not result.library._translated
    assert not step.overloads


def test_functions_of_others_can_call_a_kernel_and_are_compiled_as_ever():
    @njit
    def caller(values):
        return doubled(values, 3).sum() + values.max()

    assert caller(np.ones(4)) == 25.0


def test_the_names_of_called_kernels_are_known():
    names = {function.__name__ for function in called_by(quadrupled.py_func, ())}
    assert names == {"quadrupled", "doubled", "step"}


def test_listeners_hear_of_each_function_and_the_end():
    @kernel
    def outer(values):
        return doubled(values, 5.0)

    calls = []
    with on_compile(lambda *call: calls.append(call)):
        outer(np.ones(2))
        outer(np.ones(2))
    names, done, totals = zip(*calls, strict=True)
    assert len(set(names)) == len(set(totals)) == 1
    assert list(done) == sorted(done)
    assert (done[0], done[-1]) == (0, totals[0])


def test_the_clock_goes_on_while_a_kernel_is_compiled_and_counts_threads_once():
    @kernel
    def slow(values):
        return doubled(values, np.int32(1))

    before, begun = compile_seconds(), time.monotonic()
    threads = [threading.Thread(target=slow, args=(np.ones(2),)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    after = compile_seconds()
    assert before < after <= before + time.monotonic() - begun
    assert compile_seconds() == after  # it stands still again


def test_the_clock_includes_what_is_under_way():
    before = compile_seconds()
    with compiling.timed():
        time.sleep(0.01)
        assert compile_seconds() >= before + 0.01


@pytest.mark.parametrize(("a", "b"), [(1, 2), (2.5, 1), (np.float32(1), 3.0), (-1, -1)])
def test_the_smaller_and_the_larger(a, b):
    @njit
    def both(a, b):
        return smaller(a, b), larger(a, b), smaller(a, 0), larger(0, b)

    assert both(a, b) == (min(a, b), max(a, b), min(a, 0), max(0, b))


def fail():
    """Fail."""
    raise ValueError("no")


def shuffled(n):
    """Use a kernel of the package."""
    from microagg.kernels.splitmix import shuffle

    shuffle(np.zeros(1, dtype=np.uint64), np.arange(n))


@pytest.mark.parametrize("processes", [1, 2])
def test_tasks_are_run_and_what_they_did_comes_back(processes, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    done = {each.name: each for each in warm({"a": partial(shuffled, 3), "b": fail}, processes)}
    assert done["a"].error == ""
    assert done["b"] == ("b", (), pytest.approx(0, abs=1), "ValueError: no")
    if processes == 2:
        assert done["a"].entry_points == ("splitmix.shuffle",)
        assert done["a"].seconds > 0


class InThisProcess:
    """Stands for a process; runs each task at once and lists them."""

    def __init__(self):
        self.names = []

    def submit(self, run, name, task):
        self.names.append(name)
        future = Future()
        future.set_result(run(name, task))
        return future


def test_each_process_keeps_to_a_family_while_there_is_one():
    pools = [InThisProcess(), InThisProcess()]
    tasks = dict.fromkeys(["a1", "a2", "b1", "a3", "b2", "c1"], int)
    done = [each.name for each in _shared_out(tasks, pools, lambda name: name[0])]
    assert sorted(done) == sorted(tasks)
    first, second = (pool.names for pool in pools)
    assert first[:3] == ["a1", "a2", "a3"]
    assert second[:2] == ["b1", "b2"]


def test_a_kernel_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(doubled)) is doubled


def test_the_folder_of_the_cache_is_known_without_numba():
    code = "import sys, microagg.kernels.cache_folder as f; f.content_key(); print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]


def test_shortcuts_hold_only_meanwhile_and_compare_flags_by_value():
    slow = TargetConfig.__eq__, BaseFunction.get_call_type
    flags, same, other = Flags(), Flags(), Flags()
    same.nrt = flags.nrt  # set to what it is without being set
    other.nrt = not flags.nrt
    with shortcuts():
        assert flags == same
        assert hash(flags) == hash(same)
        assert flags != other
        assert flags != "flags"
    assert slow == (TargetConfig.__eq__, BaseFunction.get_call_type)
