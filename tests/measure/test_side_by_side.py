"""Measures that are computed in several threads give what one thread gives, and end together."""

import pickle
import threading

import numpy as np
import pyarrow as pa
import pytest

from microagg.measure import registry
from microagg.measure.pair import pair_of
from microagg.measure.registry import evaluate, measure
from microagg.measure.side_by_side import OneShown, side_by_side
from microagg.reporter import Reporter
from microagg.threads import VARIABLE


def pair_of_files(n=300):
    rng = np.random.default_rng(0)
    before = {name: rng.normal(size=n).round(1) for name in "abc"}
    after = {name: values + rng.normal(size=n).round(1) for name, values in before.items()}
    before["place"] = after["place"] = np.array(["x", "y", "z"])[rng.integers(0, 3, n)]
    before["ill"] = after["ill"] = rng.integers(0, 3, n)
    return pair_of(pa.table(before), pa.table(after), ["a", "b", "c", "place"], ["ill"])


class Steps(Reporter):
    def __init__(self):
        self.steps = []

    def begin(self, what, total):
        self.steps.append(("begin", threading.get_ident()))

    def reach(self, done):
        self.steps.append(("reach", threading.get_ident()))


@pytest.fixture
def three_threads(monkeypatch):
    monkeypatch.setenv(VARIABLE, "3")
    monkeypatch.setattr(registry, "MANY", 0)


@pytest.mark.parametrize("names", [None, ["rld", "k", "linkage-second", "k", "linkage"]])
def test_findings_do_not_depend_on_the_threads(monkeypatch, three_threads, names):
    several = evaluate(pair_of_files(), names)
    monkeypatch.setenv(VARIABLE, "1")
    assert several == evaluate(pair_of_files(), names)


def test_progress_is_that_of_one_thread_at_a_time(three_threads):
    pair, steps = pair_of_files(), Steps()
    evaluate(pair, progress=steps)
    assert pair.progress is steps
    shown = None
    for step, thread in steps.steps:
        shown = thread if step == "begin" else shown
        assert thread == shown


def test_a_measure_that_fails_ends_the_others(monkeypatch, three_threads):
    begun, ended = threading.Event(), threading.Event()

    def fails(pair):
        begun.wait()
        raise MemoryError

    def waits(pair):
        pair.progress.begin("Waiting", 1)
        begun.set()
        try:
            while True:
                pair.progress.reach(0)
        finally:
            ended.set()

    monkeypatch.setattr(registry, "_MEASURES", dict(registry._MEASURES))
    for name, function in {"fails": fails, "waits": waits}.items():
        measure(name, "t", kind="loss", summary="s", formula="f", source="s")(function)
    with pytest.raises(MemoryError):
        evaluate(pair_of_files(), ["fails", "waits"])
    assert ended.is_set()


def test_results_are_in_the_order_of_the_parts(monkeypatch):
    monkeypatch.setenv(VARIABLE, "2")
    assert side_by_side(abs, [-3, 1, -2], OneShown(Reporter())) == [3, 1, 2]


def test_a_pair_that_was_measured_can_be_pickled(three_threads):
    pair = pair_of_files()
    evaluate(pair, ["k", "linkage"])
    assert pickle.loads(pickle.dumps(pair)).measured == pair.measured


def test_warnings_of_all_threads_are_passed_on():
    class Warned(Reporter):
        def __init__(self):
            self.warned = []

        def warn(self, what):
            self.warned.append(what)

    shown = OneShown(whole := Warned())
    side_by_side(lambda part: shown.warn(f"part {part}"), range(3), shown)
    assert sorted(whole.warned) == ["part 0", "part 1", "part 2"]
