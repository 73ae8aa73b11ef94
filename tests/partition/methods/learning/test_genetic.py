"""The genetic searches as users call them."""

import itertools
import time

import numpy as np
import pytest
from microagg.progress import Progress

import microagg as ma
from microagg.errors import ParameterError

X = np.random.default_rng(0).normal(size=(150, 3))


def sse(part, data=X):
    return ma.information_loss(data, part).sse


class Interrupting(Progress):
    """The user ends the step called `what` at the first look."""

    def __init__(self, what):
        super().__init__()
        self.what, self.now = what, None

    def begin(self, what, total):
        self.now = what, total

    def reach(self, done):
        if self.now[0] == self.what and done < self.now[1] and not self.cut_short:
            raise KeyboardInterrupt


def test_few_records_are_grouped_as_well_as_can_be():
    data = np.random.default_rng(3).normal(size=(9, 2))
    best = min(
        sse(ma.Partition(labels, k=3), data)
        for labels in itertools.product(range(3), repeat=9)
        if list(dict.fromkeys(labels)) == list(range(max(labels) + 1))
        and np.bincount(labels).min() >= 3
    )
    assert sse(ma.partition(data, 3, "genetic"), data) == pytest.approx(best)


@pytest.mark.parametrize("macro_size", ["auto", 12, 20])
def test_the_hybrid_never_loses_more_than_mdav(macro_size):
    part = ma.partition(X, 3, "genetic-hybrid", macro_size=macro_size)
    assert sse(part) < sse(ma.partition(X, 3))
    assert part.details["stopped"] == "nothing improves"
    assert part.details["macro_size"] == {"auto": 27, 12: 12, 20: 18}[macro_size]


@pytest.mark.parametrize("k", [5, 14, 30])
def test_macro_groups_fit_any_k(k):
    part = ma.partition(X, k, "genetic-hybrid")
    assert sse(part) <= sse(ma.partition(X, k))
    assert part.details["macro_size"] == max(27 // k, 2) * k


@pytest.mark.parametrize("method", ["genetic", "genetic-hybrid"])
def test_ends_are_noted(method):
    part = ma.partition(X, 3, method, max_iterations=2)
    assert part.details["stopped"] == "max_iterations"
    assert part.details["generations"] == 2


@pytest.mark.parametrize("method", ["genetic", "genetic-hybrid", "omma"])
def test_an_interrupt_leaves_the_best_so_far(method):
    many = np.random.default_rng(1).normal(size=(1500, 3))
    step = "Learning" if method == "omma" else "Evolving"
    with pytest.warns(ma.MicroaggWarning, match="stopped by Ctrl-C"):
        part = ma.partition(many, 3, method, progress=Interrupting(step))
    assert part.details["stopped"] == "interrupted"
    assert part.sizes.min() >= 3


def test_an_interrupt_before_the_search_leaves_the_groups_of_mdav(monkeypatch):
    """Gathering takes no time here: the interrupt comes from the kernel itself."""
    progress = Progress()
    run = progress.run

    def interrupted(what, *arguments, **options):
        if what == "Gathering":
            monkeypatch.setattr(progress, "reach", _interrupt_once(progress))
            arguments = (arguments[0], _until_told, *arguments[2:])
        return run(what, *arguments, **options)

    monkeypatch.setattr(progress, "run", interrupted)
    with pytest.warns(ma.MicroaggWarning, match="stopped by Ctrl-C"):
        part = ma.partition(X, 3, "genetic-hybrid", progress=progress)
    assert np.array_equal(part.labels, ma.partition(X, 3).labels)
    assert part.details == {"stopped": "interrupted", "generations": 0}


def _interrupt_once(progress):
    def reach(done):
        if not progress.interrupts:
            raise KeyboardInterrupt

    return reach


def _until_told(*arguments):
    while arguments[-1][1] == 0:
        time.sleep(0.01)


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_the_hybrid_is_the_same_with_any_number_of_threads(threads):
    settings = {"max_iterations": 30, "seed": 5}
    alone = ma.partition(X, 3, "genetic-hybrid", threads=1, **settings)
    assert ma.partition(X, 3, "genetic-hybrid", threads=threads, **settings) == alone


def test_a_macro_group_of_one_group_is_refused():
    with pytest.raises(ParameterError, match=r"'macro_size' .* must be at least 2k=14 or"):
        ma.partition(X, 7, "genetic-hybrid", macro_size=13)


@pytest.mark.parametrize(("parameter", "value"), [("crossover", 1.5), ("mutation", -0.1)])
def test_rates_are_shares(parameter, value):
    with pytest.raises(ParameterError, match="a number from 0 to 1"):
        ma.partition(X, 3, "genetic", **{parameter: value})
