"""Screening pairs of columns by a few records finds the same copies as comparing all of them."""

import numpy as np
import pandas as pd
import pytest

from microagg.data.frames import Frame
from microagg.measure import copies
from microagg.measure.copies import find_copies


def column(rng, earlier, n):
    """Return numbers: random ones, ones with many ties, or ones derived from another column."""
    other = earlier[rng.integers(len(earlier))] if earlier else np.zeros(n)
    noise = rng.normal(size=n)
    spoilt = rng.random(n) < rng.choice([0, 0.005, 0.03, 0.3, 0.5])
    values = [
        noise,
        rng.integers(0, int(rng.choice([2, 5, 50, 5_000])), n).astype(float),
        np.where(rng.random(n) < rng.choice([0.5, 0.97, 0.99]), 0.0, rng.integers(1, 9, n)),
        np.where(spoilt, noise, other * float(rng.choice([1.2, -3, 1]))),
        np.argsort(np.argsort(other)) + noise * n * float(rng.choice([0, 0.01, 0.03])),
        np.floor(other / float(rng.choice([0.1, 1, 3]))),
        np.where(spoilt, 0, other),
    ][rng.integers(7)]
    return np.array(values, dtype=float)


def columns(seed):
    """Return a frame in which some columns reveal others, and the names of two halves of it."""
    rng = np.random.default_rng(seed)
    n, frame, earlier = int(rng.choice([60, 300, 2_500])), {}, []
    for number in range(24):
        values = column(rng, earlier, n)
        earlier.append(values)
        if rng.random() < 0.3:
            values = np.where(rng.random(n) < rng.choice([0.02, 0.3, 0.9]), np.nan, values)
        text = rng.random() < 0.2
        frame[f"c{number}"] = [None if v != v else f"t{v:.2f}" for v in values] if text else values
    names = list(rng.permutation(list(frame)))
    return pd.DataFrame(frame), names[:12], names[12:]


@pytest.mark.parametrize("seed", range(8))
def test_the_same_copies_are_found(seed, monkeypatch):
    frame, keys, others = columns(seed)
    compared = []
    compare = copies._compared
    monkeypatch.setattr(copies, "_compared", lambda *args: compared.append(args) or compare(*args))
    screened = find_copies(Frame(frame), keys, others)
    after_screening = len(compared)
    monkeypatch.setattr(copies, "MANY", 10**9)
    assert find_copies(Frame(frame), keys, others) == screened
    assert after_screening < (len(compared) - after_screening) / 2


def test_columns_that_have_nothing_to_do_with_each_other_are_not_compared(monkeypatch):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(3_000, 60)))
    frame.columns = [f"c{number}" for number in range(60)]
    frame["c59"] = 2 * frame["c0"]
    compared = []
    compare = copies._compared
    monkeypatch.setattr(copies, "_compared", lambda *args: compared.append(args) or compare(*args))
    names = list(frame)
    (copy,) = [each for each in find_copies(Frame(frame), names[:30], names[30:]) if each.of]
    assert (copy.column, copy.of, len(compared)) == ("c59", "c0", 1)
