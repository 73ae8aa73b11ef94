"""Differentially private maskings: the scale of the noise, the sensitivity it rests on, refusals."""

import random
from collections import Counter
from fractions import Fraction
from math import exp

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microagg as ma
from microagg.errors import ParameterError
from microagg.mask import dp_individual_ranking, dp_insensitive
from microagg.mask.discrete_laplace import discrete_laplace
from microagg.mask.masked import Task
from microagg.mask.private import STEPS, private
from microagg.mask.registry import masking_called
from microagg.prepare.column import Column
from microagg.prepare.prepared import prepare
from microagg.reading import Reading
from microagg.server.handover import arguments_of
from tests.examples import examples

METHODS = ["dp-individual-ranking", "dp-insensitive"]
BOUNDS = {"a": (0, 10), "b": (-1, 1)}


def below(seed):
    return random.Random(seed).randrange


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(5, 2), Fraction(40)])
def test_noise_has_the_distribution_of_the_proof(scale):
    source, drawn = below(7), 20_000
    found = Counter(discrete_laplace(scale, source) for _ in range(drawn))
    p = exp(-1 / float(scale))
    for z in range(-3, 4):
        wanted = drawn * (1 - p) / (1 + p) * p ** abs(z)
        assert abs(found[z] - wanted) < 5 * wanted**0.5 + 5
    mean = sum(abs(z) * count for z, count in found.items()) / drawn
    assert mean == pytest.approx(2 * p / (1 - p * p), rel=0.05)


def task_of(columns, k, **more):
    values = {name: np.asarray(column, dtype=float) for name, column in columns.items()}
    prepared = prepare(list(values.values()), tuple(values))
    own = {name: Column(name, "continuous", column) for name, column in values.items()}
    return Task(own, prepared, "zscore", k, masking_called("dp-insensitive"), **more)


def given_of(columns, k, epsilon=1.0):
    return private(task_of(columns, k), "dp", epsilon, {name: BOUNDS[name] for name in columns})


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_scale_of_the_noise_of_released_means(epsilon):
    """Mean |noise| of a mean of k values is the sensitivity over k and the column's epsilon."""
    n, k = 4000, 4
    column = {"a": np.full(n, 5.0), "b": np.zeros(n)}
    given = given_of(column, k, epsilon)
    noisy = dp_individual_ranking._column(given, "a", below(1))[::k]
    inside = (noisy > 0) & (noisy < 10)
    scale = 10 / (k * epsilon / 2)  # the width over k, and half of epsilon for each of two columns
    x = 5.0 / scale
    wanted = scale * (1 - (1 + x) * exp(-x)) / (1 - exp(-x))  # of a Laplace cut at the bounds
    assert np.abs(noisy[inside] - 5.0).mean() == pytest.approx(wanted, rel=0.12)
    assert inside.mean() == pytest.approx(1 - exp(-x), abs=0.05)


def test_insensitive_noise_grows_with_the_groups():
    given = given_of({"a": np.arange(10) % 10, "b": np.zeros(10)}, 2)
    assert given.sizes.tolist() == [2] * 5
    asked = []

    def spy(scale, source):
        asked.append(scale)
        return 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dp_insensitive, "discrete_laplace", spy)
        dp_insensitive._columns(given)
    assert set(asked) == {5 * STEPS / Fraction(1, 2)}
    assert len(asked) == 10


values = st.lists(st.integers(-200, 1200).map(lambda x: x / 100), min_size=4, max_size=25)


@given(values, st.floats(-2, 12), st.integers(0, 24), st.integers(2, 4))
@settings(max_examples=examples(200), deadline=None)
def test_one_record_moves_the_sums_of_a_column_by_no_more_than_its_width(column, new, at, k):
    other = list(column)
    other[at % len(column)] = new
    one, two = (given_of({"a": some}, k) for some in (column, other))
    sums = [np.add.reduceat(np.sort(some.units["a"]), some.starts) for some in (one, two)]
    assert one.sizes.min() >= k
    assert np.abs(sums[0] - sums[1]).sum() <= STEPS


@given(st.integers(0, 1000), st.integers(2, 4))
@settings(max_examples=examples(60), deadline=None)
def test_one_record_moves_each_sum_of_ordered_groups_by_no_more_than_its_width(seed, k):
    rng = np.random.default_rng(seed)
    columns = {"a": rng.uniform(0, 10, 17), "b": rng.uniform(-1, 1, 17)}
    other = {name: column.copy() for name, column in columns.items()}
    at = rng.integers(17)
    other["a"][at], other["b"][at] = rng.uniform(0, 10), rng.uniform(-1, 1)
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dp_insensitive, "discrete_laplace", lambda scale, source: 0)
        for some in (columns, other):
            given = given_of(some, k)
            means = dp_insensitive._columns(given)
            found.append([means[n][given.starts] * given.sizes for n in ("a", "b")])
    for j, width in enumerate((10, 2)):
        assert np.abs(found[0][j] - found[1][j]).max() <= width * (1 + 1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_release_says_what_it_is(method):
    table = pd.DataFrame({"a": np.linspace(0, 10, 40), "b": np.zeros(40)})
    release = ma.protect(
        table,
        10,
        quasi_identifiers=["a", "b"],
        method=method,
        parameters={"epsilon": 1.0, "bounds": BOUNDS},
    )
    assert release.promises == ()
    assert release.summary().startswith(f"CAUTION: {method} makes the released DATA")
    assert "NOT private" in release.summary()
    assert " of 1." not in release.summary()
    assert release.data["a"].between(0, 10).all()
    assert release.data["b"].between(-1, 1).all()


@pytest.mark.parametrize("method", METHODS)
def test_there_is_no_report_for_others(method, tmp_path):
    """It would be computed from the records without noise; nothing is written with it."""
    table = pd.DataFrame({"a": np.linspace(0, 10, 40), "b": np.zeros(40)})
    release = ma.protect(
        table,
        10,
        quasi_identifiers=["a", "b"],
        method=method,
        parameters={"epsilon": 1.0, "bounds": BOUNDS},
    )
    for paths, audience in (
        ({"external_report": tmp_path / "e.html", "data": tmp_path / "a.csv"}, "internal"),
        ({"report": tmp_path / "r.html", "data": tmp_path / "a.csv"}, "external"),
    ):
        with pytest.raises(ParameterError, match="not differentially private"):
            release.write(paths, audience=audience)
        assert not list(tmp_path.iterdir())
    release.write({"report": tmp_path / "r.html"})


def test_a_page_hands_over_no_report_for_others():
    for method, written in (("dp-insensitive", False), ("mdav", True)):
        texts = {"k": ["10"], "method": [method]}
        arguments = arguments_of("people.csv", "release.csv", texts, Reading())
        assert ("--external-report" in arguments) is written


def test_noise_is_new_every_time():
    table = pd.DataFrame({"a": np.linspace(0, 10, 40)})
    one, two = (
        ma.protect(
            table,
            10,
            quasi_identifiers=["a"],
            method=METHODS[0],
            parameters={"epsilon": 1.0, "bounds": {"a": (0, 10)}},
        ).data["a"]
        for _ in range(2)
    )
    assert set(one) != set(two)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"epsilon": None}, "needs an epsilon"),
        ({"epsilon": 0}, "'epsilon' parameter"),
        ({"bounds": None}, "needs the bounds of 'a'"),
        ({"bounds": {"a": (0, 10)}}, "needs the bounds of 'b'"),
        ({"bounds": {"a": (10, 0), "b": (0, 1)}}, "'bounds' parameter"),
        ({"bounds": {**BOUNDS, "c": (0, 1)}}, "names 'c'"),
        ({"seed": 1}, "'seed' parameter"),
        ({"scale": "range"}, "'scale' parameter"),
        ({"k": 1}, "'k' parameter"),
        ({"quasi_identifiers": ["a"]}, "released unchanged: b"),
        ({"refine": "decompose"}, "'refine' parameter"),
        ({"l_diversity": 2}, "'l_diversity' parameter"),
    ],
)
def test_refusals(method, change, words):
    table = pd.DataFrame({"a": np.linspace(0, 10, 40), "b": np.zeros(40)})
    arguments = {"k": 10, "quasi_identifiers": ["a", "b"], "epsilon": 1.0, "bounds": BOUNDS}
    arguments |= change
    arguments["parameters"] = {name: arguments.pop(name) for name in ("epsilon", "bounds")}
    with pytest.raises(ParameterError, match=words):
        ma.protect(table, method=method, **arguments)


def test_an_index_would_be_released_too():
    table = pd.DataFrame({"a": np.linspace(0, 10, 40)}, index=pd.Index([*range(39), 99], name="id"))
    with pytest.raises(ParameterError, match="index id"):
        ma.protect(
            table,
            10,
            quasi_identifiers=["a"],
            method=METHODS[0],
            parameters={"epsilon": 1, "bounds": {"a": (0, 9)}},
        )


@pytest.mark.parametrize("name", ["epsilon", "bounds"])
def test_another_method_refuses_epsilon(name):
    table = pd.DataFrame({"a": np.linspace(0, 10, 40)})
    with pytest.raises(ParameterError, match=f"'{name}'"):
        ma.protect(table, 10, quasi_identifiers=["a"], method="mdav", parameters={name: 1.0})
