"""How many threads there are, and that results do not depend on it."""

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.errors import ParameterError
from microagg.threads import VARIABLE, in_stretches, spread, workers


def test_the_variable_sets_the_number_of_threads(monkeypatch):
    monkeypatch.setenv(VARIABLE, "3")
    assert workers() == 3
    monkeypatch.setenv(VARIABLE, "")
    assert workers() >= 1


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5", "²"])
def test_another_value_of_the_variable_is_an_error(text, monkeypatch):
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(ParameterError, match=VARIABLE):
        workers()


@pytest.mark.parametrize("n", [0, 1, 15, 17, 1_000, 12_345])
def test_each_record_is_in_one_part(n):
    rows = [row for part in spread(lambda part: part.tolist(), n) for row in part]
    assert sorted(rows) == list(range(n))
    stretches = in_stretches(lambda part: list(range(part.start, part.stop)), n)
    assert [row for part in stretches for row in part] == list(range(n))


def test_an_error_in_a_part_is_raised():
    def fail(part):
        raise ValueError("part")

    with pytest.raises(ValueError, match="part"):
        in_stretches(fail, 1_000)


@pytest.mark.parametrize("method", ["lns", "blocks"])
def test_groups_are_the_same_for_any_number_of_threads(method, monkeypatch):
    X = np.random.default_rng(1).normal(size=(300, 3))
    labels = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv(VARIABLE, threads)
        labels.append(ma.partition(X, k=3, method=method, seed=1).labels)
    np.testing.assert_array_equal(labels[0], labels[1])
    np.testing.assert_array_equal(labels[0], labels[2])


def test_assess_gives_the_same_numbers_for_any_number_of_threads(monkeypatch):
    rng = np.random.default_rng(0)
    original = pd.DataFrame(rng.normal(size=(500, 3)), columns=list("abc"))
    released = original + rng.normal(scale=0.3, size=original.shape)
    values = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv(VARIABLE, threads)
        values.append(dict(ma.assess(original, released).measures))
    assert values[0] == values[1] == values[2]
