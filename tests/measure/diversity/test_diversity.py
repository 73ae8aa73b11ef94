"""Diversity of confidential values against plain loops over the classes."""

from math import exp

import numpy as np
import pandas as pd
import pytest
from scipy.stats import entropy, wasserstein_distance

from microagg.measure.pair import pair_of
from microagg.measure.registry import evaluate


def value(pair, name):
    return evaluate(pair, [name])[0].value


def random_frame(rng):
    n = int(rng.integers(4, 40))
    frame = pd.DataFrame({"q": rng.integers(0, 4, n), "num": rng.integers(0, 7, n) ** 2})
    frame["word"] = rng.choice(list("abcd"), n)
    return frame


def recursive(counts, c=3):
    r = sorted(counts, reverse=True)
    return max(length for length in range(1, len(r) + 1) if r[0] < c * sum(r[length - 1 :]))


def test_l_diversity_as_by_pandas(cases):
    rng = np.random.default_rng(0)
    for _ in cases:
        frame = random_frame(rng)
        pair = pair_of(frame, frame, ["q"], ["word"])
        counts = [g["word"].value_counts() for _, g in frame.groupby("q")]
        assert value(pair, "l-diversity") == min(map(len, counts))
        assert value(pair, "l-diversity-entropy") == pytest.approx(
            min(exp(entropy(c)) for c in counts)
        )
        assert value(pair, "l-diversity-recursive") == min(map(recursive, counts))


def test_t_closeness_as_by_scipy(cases):
    rng = np.random.default_rng(1)
    for _ in cases:
        frame = random_frame(rng)
        ranks = np.unique(frame["num"], return_inverse=True)[1]
        m = ranks.max()
        ordered = max(
            wasserstein_distance(ranks[frame["q"] == q], ranks) / max(m, 1)
            for q in frame["q"].unique()
        )
        whole = frame["word"].value_counts(normalize=True)
        nominal = max(
            g["word"].value_counts(normalize=True).sub(whole, fill_value=0).abs().sum() / 2
            for _, g in frame.groupby("q")
        )
        found = [value(pair_of(frame, frame, ["q"], [c]), "t-closeness") for c in ("num", "word")]
        assert found == pytest.approx([ordered, nominal], abs=1e-9)
        both = value(pair_of(frame, frame, ["q"], ["num", "word"]), "t-closeness")
        assert both == pytest.approx(max(ordered, nominal), abs=1e-9)


def test_the_smallest_over_all_confidential_columns():
    frame = pd.DataFrame({"q": [1, 1, 2, 2], "a": [1, 2, 3, 4], "b": [5, 5, 5, 6]})
    pair = pair_of(frame, frame, ["q"], ["a", "b"])
    assert value(pair, "l-diversity") == 1


def test_without_confidential_columns_there_is_no_answer():
    frame = pd.DataFrame({"q": [1, 1]})
    finding = evaluate(pair_of(frame, frame), ["t-closeness"])[0]
    assert finding.value is None
    assert "no confidential column" in finding.reason


def test_numbers_as_text_are_names_unless_their_kind_is_given():
    rng = np.random.default_rng(3)
    frame = random_frame(rng)
    text = frame.assign(num=frame["num"].astype(str))

    def judged(kinds):
        return [
            value(pair_of(one, one, ["q"], ["num"], kinds), "t-closeness") for one in (frame, text)
        ]

    amounts, codes = judged({"num": "continuous"}), judged({"num": "nominal"})
    assert amounts[0] == amounts[1]
    assert codes[0] == pytest.approx(codes[1])
    assert codes[0] != amounts[0]
    assert judged({}) == [amounts[0], codes[1]]
