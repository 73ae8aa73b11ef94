"""The genetic searches as users call them."""

import itertools
import time

import numpy as np
import pytest

import microagg as ma
from microagg.context import Context
from microagg.errors import ParameterError
from microagg.reporter import Reporter

X = np.random.default_rng(0).normal(size=(150, 3))


def sse(part, data=X):
    return ma.information_loss(data, part).sse


class Interrupting(Reporter):
    """The user ends the step called `what` at the first look."""

    def __init__(self, what):
        self.what, self.now, self.due = what, None, True

    def begin(self, what, total):
        self.now = what, total

    def reach(self, done):
        if self.now[0] == self.what and done < self.now[1] and self.due:
            self.due = False
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
    part = ma.partition(X, 3, "genetic-hybrid", parameters={"macro_size": macro_size})
    assert sse(part) < sse(ma.partition(X, 3, "mdav"))
    assert part.facts.stopped == "nothing improves"
    assert part.facts.macro_size == {"auto": 27, 12: 12, 20: 18}[macro_size]


@pytest.mark.parametrize("k", [5, 14, 30])
def test_macro_groups_fit_any_k(k):
    part = ma.partition(X, k, "genetic-hybrid")
    assert sse(part) <= sse(ma.partition(X, k, "mdav"))
    assert part.facts.macro_size == max(27 // k, 2) * k


@pytest.mark.parametrize("method", ["genetic", "genetic-hybrid"])
def test_ends_are_noted(method):
    part = ma.partition(X, 3, method, parameters={"max_iterations": 2})
    assert part.facts.stopped == "max_iterations"
    assert part.facts.generations == 2


@pytest.mark.parametrize("method", ["genetic", "genetic-hybrid", "omma"])
def test_an_interrupt_leaves_the_best_so_far(method):
    many = np.random.default_rng(1).normal(size=(1500, 3))
    step = "Learning" if method == "omma" else "Evolving"
    with pytest.warns(ma.MicroaggWarning, match="stopped by Ctrl-C"):
        part = ma.partition(many, 3, method, progress=Interrupting(step))
    assert part.facts.stopped == "interrupted"
    assert part.sizes.min() >= 3


def test_an_interrupt_before_the_search_leaves_the_groups_of_mdav(monkeypatch):
    """Gathering takes no time here: so its kernel waits for the interrupt."""
    run = Context.run

    def waiting(self, what, total, kernel, *arguments, **options):
        return run(
            self,
            what,
            total,
            _until_stopped if what == "Gathering" else kernel,
            *arguments,
            **options,
        )

    monkeypatch.setattr(Context, "run", waiting)
    with pytest.warns(ma.MicroaggWarning, match="stopped by Ctrl-C"):
        part = ma.partition(X, 3, "genetic-hybrid", progress=Interrupting("Gathering"))
    assert np.array_equal(part.labels, ma.partition(X, 3, "mdav").labels)
    assert part.facts.as_dict() == {"stopped": "interrupted", "generations": 0}


def _until_stopped(*arguments):
    while arguments[-1][1] == 0:
        time.sleep(0.01)


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_the_hybrid_is_the_same_with_any_number_of_threads(threads):
    alone, many = (
        ma.partition(
            X, 3, "genetic-hybrid", seed=5, parameters={"threads": number, "max_iterations": 30}
        )
        for number in (1, threads)
    )
    assert many == alone


def test_a_macro_group_of_one_group_is_refused():
    with pytest.raises(ParameterError, match=r"'macro_size' .* must be at least 2k=14 or"):
        ma.partition(X, 7, "genetic-hybrid", parameters={"macro_size": 13})


@pytest.mark.parametrize(("parameter", "value"), [("crossover", 1.5), ("mutation", -0.1)])
def test_rates_are_shares(parameter, value):
    with pytest.raises(ParameterError, match="a number from 0 to 1"):
        ma.partition(X, 3, "genetic", parameters={parameter: value})
