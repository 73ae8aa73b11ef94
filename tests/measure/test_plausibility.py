"""What speaks against two files holding the same records in the same order."""

import numpy as np
import pandas as pd
import pytest

from microagg.assess import assess
from microagg.measure.pair import Category, pair_of
from microagg.measure.plausibility import _beyond_chance, in_order


@pytest.fixture
def words():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"job": rng.choice(list("abcde"), 200), "sex": rng.choice(["f", "m"], 200)}
    )  # fmt: skip


def changed(words, share):
    """Return the records with that share of categories drawn anew."""
    rng = np.random.default_rng(1)
    drawn = words.apply(lambda column: rng.permutation(column))
    return words.where(rng.random(words.shape) >= share, drawn)


def test_shuffled_categories_are_suspected_and_in_doubt(words):
    moved = words.sample(frac=1, random_state=3).reset_index(drop=True)
    found = assess(words, moved)
    assert any("in a different order" in warning for warning in found.warnings)
    doubtful = {f.measure.name for f in found.findings if f.doubtful}
    assert {"linkage", "categories-changed"} <= doubtful


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5])
def test_changed_categories_are_not_suspected(words, share):
    assert in_order(pair_of(words, changed(words, share), ["job", "sex"]))


def test_one_category_for_all_is_not_suspected(words):
    assert in_order(pair_of(words, words.assign(job="a", sex="f"), ["job", "sex"]))


def test_shuffled_ranks_are_suspected(words):
    moved = words.sample(frac=1, random_state=3).reset_index(drop=True)
    orders = {"job": list("abcde")}
    assert in_order(pair_of(words, words, ["job"], orders=orders))
    assert not in_order(pair_of(words, moved, ["job"], orders=orders))


def test_chance_is_that_of_shuffled_rows():
    rng = np.random.default_rng(2)
    one, other = rng.choice(4, 60, p=[0.5, 0.3, 0.1, 0.1]), rng.choice(4, 60)
    labels = ("a", "b", "c", "d")
    kept = [np.mean(rng.permutation(one) == other) for _ in range(20_000)]
    [away] = _beyond_chance(Category(one, other, False, labels))
    simulated = abs(np.mean(one == other) - np.mean(kept)) / np.std(kept)
    assert away == pytest.approx(simulated, abs=0.03)


def test_a_change_of_sign_is_the_same_order_in_other_units():
    frame = pd.DataFrame(np.random.default_rng(3).normal(size=(100, 2)), columns=["a", "b"])
    warnings = assess(frame, -frame).warnings
    assert not any("in a different order" in warning for warning in warnings)
    assert sum("other units" in warning for warning in warnings) == 2
