"""Methods are found by the names people type, and added by one decorator."""

from typing import Annotated, Literal

import numpy as np
import pytest

import microagg as ma
from microagg.constraints import AtLeast
from microagg.errors import ParameterError
from microagg.partition import registry
from microagg.partition.grouping import Facts, Grouping
from microagg.partition.registry import FAMILIES, find, methods
from microagg.testing import check_method

X = np.random.default_rng(0).normal(size=(20, 2))


def in_order(
    prepared,
    k,
    context,
    *,
    gamma: Annotated[float, AtLeast(0)] = 0.5,
    ends: Literal["last", "first"] = "last",
):
    """Group rows as they come."""
    labels = np.minimum(np.arange(prepared.n) // k, prepared.n // k - 1)
    return Grouping(labels, Facts(gamma=gamma, more={"ends": ends}))


@pytest.mark.parametrize("method", methods(), ids=lambda method: method.name)
def test_every_method_says_what_a_user_must_know(method):
    assert method.name == method.name.lower()
    assert method.family in FAMILIES
    assert method.summary
    assert method.reference
    assert method.time.startswith("O(")
    assert method.memory.startswith("O(")
    assert method.parameters.keys() == method.constraints.keys()
    for name, default in method.parameters.items():
        assert method.constraints[name].admits(default)


def test_methods_come_sorted():
    names = [(FAMILIES.index(method.family), method.name) for method in methods()]
    assert names == sorted(names)
    assert {"mdav", "mdav-nc", "cbfs-nn", "cbfs-nc"} <= {name for _, name in names}


@pytest.mark.parametrize(
    ("typed", "name"),
    [("mdav", "mdav"), ("MDAV", "mdav"), ("Mdav", "mdav"), ("CBFS-nc", "cbfs-nc")],
)
def test_names_are_found_in_any_case(typed, name):
    assert find(typed) == (find(name)[0], {})
    assert find(name)[0].name == name


@pytest.mark.parametrize("typed", ["MDAV-NN", "mdav-nn", "Mdav-Nn"])
def test_a_name_printed_in_a_paper_brings_that_papers_rules(typed):
    method, implied = find(typed)
    assert (method.name, implied) == ("mdav", {"leftovers": "nearest"})
    part = ma.partition(X, 3, typed)
    assert part == ma.partition(X, 3, "mdav", parameters={"leftovers": "nearest"})
    assert part.method == "mdav-nn"


@pytest.mark.parametrize(
    ("typed", "meant"), [("mdva", "mdav"), ("CBFS_NC", "cbfs-nc"), ("cbfsnn", "cbfs-nn")]
)
def test_an_unknown_name_suggests_the_nearest(typed, meant):
    with pytest.raises(ParameterError) as caught:
        find(typed)
    assert caught.value.hint == f"Did you mean '{meant}'?"
    assert "cbfs-mhm" not in caught.value.message


def test_a_name_that_is_like_no_other_lists_all():
    with pytest.raises(ParameterError) as caught:
        find("xyzzy")
    assert all(method.name in caught.value.message for method in methods())


@pytest.mark.parametrize(
    "typed", ["k-means||", "", None, 5, ["mdav"], X], ids=lambda t: str(type(t))
)
def test_what_is_like_no_name_is_refused_without_a_guess(typed):
    with pytest.raises(ParameterError, match="There is no method") as caught:
        ma.partition(X, 3, typed)
    assert caught.value.hint is None
    assert "0." not in str(caught.value)


def test_an_added_method_is_found_and_run_everywhere(add_method):
    add_method("in-order", max_size="2k-1", printed={"InOrder1": {"ends": "first"}})(in_order)
    assert "in-order" in [method.name for method in methods()]
    part = ma.partition(X, 3, "In-Order", parameters={"gamma": 2})
    assert part.labels.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 5, 5]
    assert part.facts.as_dict() == {"gamma": 2, "ends": "last"}
    assert ma.partition(X, 3, "INORDER1").facts.more == {"ends": "first"}
    assert ma.Microaggregator(k=3, method="in-order").fit(X).partition_ == part
    check_method("in-order")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"gamma": -1}, "'gamma' parameter of in-order must be a number of at least 0. Got -1"),
        ({"gamma": "big"}, "must be a number of at least 0. Got 'big'"),
        ({"gamma": float("nan")}, "must be a number of at least 0. Got nan"),
        ({"ends": "middle"}, "must be 'last' or 'first'. Got 'middle'"),
        ({"gama": 1}, "in-order has no parameter 'gama'. It takes: gamma, ends"),
        ({"weights": [1]}, "in-order has no parameter 'weights'"),
    ],
)
def test_the_parameters_of_an_added_method_are_checked(add_method, parameters, message):
    add_method("in-order")(in_order)
    with pytest.raises(ParameterError) as caught:
        ma.partition(X, 3, "in-order", parameters=parameters)
    assert message in caught.value.message


@pytest.mark.parametrize("name", ["mdav", "MDAV", "mdav-nn", "MDAV-NN"])
def test_two_methods_of_one_name_are_refused(add_method, name):
    before = methods()
    with pytest.raises(ParameterError, match=f"A method called '{name}' exists already"):
        add_method(name)(in_order)
    with pytest.raises(ParameterError, match="already"):
        add_method("new", printed={name: {}})(in_order)
    assert methods() == before


def test_a_method_that_keeps_its_promise_only_in_words_fails_the_kit(add_method):
    add_method("one-group")(lambda prepared, k, context: Grouping(np.zeros(prepared.n, int)))
    with pytest.raises(AssertionError, match="a group is too large"):
        check_method("one-group")


def test_a_method_that_hangs_on_its_seed_must_say_so(add_method):
    def shuffled(prepared, k, context):
        labels = np.minimum(np.arange(prepared.n) // k, prepared.n // k - 1)
        return Grouping(context.rng.permutation(labels))

    add_method("shuffled")(shuffled)
    with pytest.raises(AssertionError):
        check_method("shuffled")
    assert ma.partition(X, 3, "shuffled", seed=1) == ma.partition(X, 3, "shuffled", seed=1)
    assert ma.partition(X, 3, "shuffled", seed=1) != ma.partition(X, 3, "shuffled", seed=2)


@pytest.mark.parametrize("name", [method.name for method in registry.methods()])
def test_the_file_of_a_method_is_named_after_it(name):
    """So that a method is found without importing all others."""
    module = registry.exactly(name).function.__module__
    assert module == registry._modules()[name]


@pytest.mark.parametrize("name", ["no-such", "annealing", "MDAV", "../mdav"])
def test_a_file_that_is_no_method_is_none(name):
    method = registry.exactly(name)
    assert (None if method is None else method.name) == {"MDAV": "mdav"}.get(name)


def test_a_method_in_a_file_of_another_name_is_found(monkeypatch):
    """The file of a method is tried first, by the name of the method; then all files are loaded."""
    registry.methods()
    known, loaded = dict(registry._METHODS), registry._load
    monkeypatch.setattr(registry, "_METHODS", {})
    monkeypatch.setattr(registry, "_load", lambda: (loaded(), registry._METHODS.update(known)))
    monkeypatch.setattr(registry, "exactly", lambda name: None)
    assert registry.find("mdav")[0].name == "mdav"
