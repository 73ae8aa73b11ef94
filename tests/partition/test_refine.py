"""Refinements through the user's doors: partition, protect and the estimator."""

import numpy as np
import pytest

import microagg as ma
from microagg.errors import ParameterError


@pytest.fixture
def X():
    return np.random.default_rng(3).normal(size=(150, 3))


def loss(X, part):
    return ma.information_loss(X, part).il


def test_a_refinement_lowers_the_loss_and_is_named(X):
    plain, refined = ma.partition(X, 4, "mdav"), ma.partition(X, 4, "mdav", refine="swap-shift")
    assert loss(X, refined) < loss(X, plain)
    assert refined.method == "mdav + swap-shift"


def test_a_chain_is_done_in_order(X):
    both = ma.partition(X, 4, "mdav", refine=["decompose-shrink", "swap-shift"])
    first = ma.partition(X, 4, "mdav", refine="decompose-shrink")
    assert loss(X, both) <= loss(X, first)
    assert both.method == "mdav + decompose-shrink + swap-shift"


def test_a_refinement_that_was_left_out_is_not_named(X):
    cut_short = ma.partition(X, 4, "lns", refine="swap-shift", parameters={"time_limit": 0})
    assert (cut_short.method, cut_short.facts.stopped) == ("lns", "time limit")
    assert ma.partition(X, 4, "lns", refine="swap-shift").method == "lns + swap-shift"


def test_a_refined_name_can_be_refined_again(X):
    assert loss(X, ma.partition(X, 4, "MDAV-NC3", refine="swap-shift")) <= loss(
        X, ma.partition(X, 4, "MDAV-NC3")
    )


def test_an_unknown_refinement_suggests_the_nearest(X):
    with pytest.raises(ParameterError, match="Did you mean 'swap-shift'"):
        ma.partition(X, 4, "mdav", refine="swapshift")


@pytest.mark.parametrize("refine", [3, {"swap-shift"}, [None]])
def test_refine_must_be_names(X, refine):
    with pytest.raises(ParameterError, match="refine"):
        ma.partition(X, 4, "mdav", refine=refine)


def test_the_estimator_refines(X):
    estimator = ma.Microaggregator(k=4, refine="swap-shift", random_state=0).fit(X)
    assert estimator.partition_ == ma.partition(X, 4, refine="swap-shift", seed=0)


def test_protect_refines_and_repeats(X, tmp_path):
    pa = pytest.importorskip("pyarrow")
    frame = pa.table({"a": X[:, 0], "b": X[:, 1]})
    release = ma.protect(frame, 4, quasi_identifiers=["a", "b"], refine=["swap-shift"])
    paths = release.save(tmp_path / "out")
    again = ma.protect(frame, **ma.read_arguments(paths["provenance"]))
    assert again.data.equals(release.data)
    assert "auto (lns) + swap-shift" in release.summary()


def test_refinements_are_listed():
    names = [step.name for step in ma.refinements()]
    published = ["decompose", "decompose-2018", "decompose-shrink"]
    assert names == [*published, "pairwise-means", "swap-shift"]
