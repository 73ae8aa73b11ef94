"""OMMA as users call it: where it starts, how it stops, what it refuses."""

import numpy as np
import pytest

import microagg as ma
from microagg.errors import ParameterError
from microagg.partition.registry import methods

X = np.random.default_rng(0).normal(size=(125, 3))


def loss(part):
    return ma.information_loss(X, part).il


@pytest.mark.parametrize("order", ["rank", "matrix", "distance"])
def test_it_beats_random_groups_by_far_and_says_how_it_stopped(order):
    part = ma.partition(X, 4, "omma", parameters={"order": order})
    assert loss(part) < loss(ma.partition(X, 4, "mdav"))
    assert part.facts.stopped == "the loss no longer improves"
    assert 1 < part.facts.cycles < 100
    assert part.facts.pairs_left <= part.facts.pairs


def test_records_beyond_a_multiple_of_k_join_groups():
    sizes = ma.partition(X, 4, "omma").sizes
    assert sizes.size == 31
    assert sizes.sum() == 125
    assert sorted(sizes)[-2] == 4


def test_another_seed_gives_other_groups():
    assert ma.partition(X, 4, "omma", seed=1) != ma.partition(X, 4, "omma", seed=2)


@pytest.mark.parametrize("initial", ["mdav", "MDAV-NN", "iamat"])
def test_it_never_loses_more_than_what_it_starts_from(initial):
    start = ma.partition(X, 7, initial)
    part = ma.partition(X, 7, "omma", parameters={"initial": initial})
    assert loss(part) < loss(start)
    assert sorted(part.sizes) == sorted(start.sizes)


@pytest.mark.parametrize("initial", [m.name for m in methods() if m.max_size == "2k-1"])
def test_it_starts_from_every_method_whose_groups_are_small_enough(initial):
    few = X[:25]
    start = ma.partition(few, 3, initial)
    part = ma.partition(few, 3, "omma", parameters={"initial": initial})
    assert sorted(part.sizes) == sorted(start.sizes)
    lost = [ma.information_loss(few, each).sse for each in (part, start)]
    assert lost[0] <= lost[1] * (1 + 1e-9)


def test_fewer_pairs_still_serve():
    part = ma.partition(X, 3, "omma", parameters={"pairs": 125 * 20})
    assert part.facts.pairs <= 125 * 20
    assert loss(part) < loss(ma.partition(X, 3, "mdav"))


@pytest.mark.parametrize("order", ["rank", "matrix", "distance"])
def test_in_many_columns_it_still_learns(order):
    """Half the largest distance is below the smallest there: no pair would be similar."""
    many = np.random.default_rng(0).normal(size=(300, 50))
    many[1] = many[0]  # equal records make the smallest distance 0
    part = ma.partition(many, 3, "omma", parameters={"order": order})
    assert ma.information_loss(many, part).il < 55  # random groups lose 66
    assert part.facts.pairs >= 300


def test_max_iterations_are_noted():
    part = ma.partition(X, 3, "omma", parameters={"max_iterations": 1})
    assert (part.facts.stopped, part.facts.cycles) == ("max_iterations", 1)


def test_one_group_ends_at_once():
    part = ma.partition(X[:7], 4, "omma")
    assert part.facts.as_dict() == {"stopped": "the loss no longer improves", "cycles": 0}


@pytest.mark.parametrize("order", ["rank", "matrix", "distance"])
def test_a_pair_for_each_record_is_the_least(order):
    part = ma.partition(X, 3, "omma", parameters={"order": order, "pairs": 125})
    assert part.facts.pairs <= 125
    with pytest.raises(ParameterError, match="'pairs' parameter of omma must be at least n=125"):
        ma.partition(X, 3, "omma", parameters={"order": order, "pairs": 124})


def test_time_limit_keeps_groups():
    part = ma.partition(X, 3, "omma", parameters={"time_limit": 0})
    assert part.facts.stopped == "time limit"
    assert part.sizes.min() >= 3


def test_a_refinement_follows_unless_the_user_stopped():
    refined = ma.partition(X, 3, "omma", refine="swap-shift")
    assert loss(refined) < loss(ma.partition(X, 3, "omma"))


@pytest.mark.parametrize("initial", ["v-mdav", "mdav-nc3"])
def test_what_it_cannot_start_from_is_refused(initial):
    with pytest.raises(ParameterError, match="'initial' parameter of omma must be 'random' or"):
        ma.partition(X, 3, "omma", parameters={"initial": initial})


@pytest.mark.parametrize(
    ("parameter", "value"), [("initial", "nonsense"), ("initial", 3), ("depth", 0), ("pairs", 0)]
)
def test_bad_parameters(parameter, value):
    with pytest.raises(ParameterError):
        ma.partition(X, 3, "omma", parameters={parameter: value})
