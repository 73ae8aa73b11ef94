"""Measures are found by name, say what they mean, and stay within the range they promise."""

import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from microagg.budget import CLOCK
from microagg.compare import compare
from microagg.errors import ParameterError
from microagg.measure import registry
from microagg.measure.pair import pair_of
from microagg.measure.registry import KINDS, compared_measures, evaluate, find, measure, measures
from microagg.report.comparison import table
from microagg.reporter import Reporter

ALL = pytest.mark.parametrize("one", measures(), ids=lambda one: one.name)


@ALL
def test_says_what_it_means(one):
    assert one.kind in KINDS
    assert all((one.title, one.summary, one.formula, one.source))
    assert one.summary[0].islower()
    assert one.low < one.high
    assert one.direction in ("lower is better", "higher is better")
    assert one.range.startswith(f"{one.low:g} ")


def random_pair(rng):
    n, d = int(rng.integers(6, 40)), int(rng.integers(1, 4))
    names = [f"x{j}" for j in range(d)]
    before = {name: rng.normal(size=n).round(int(rng.integers(0, 3))) for name in names}
    after = {name: values + rng.normal(size=n).round(1) for name, values in before.items()}
    words = np.array(["a", "b", "c"])
    before |= {"sex": words[rng.integers(0, 3, n)], "ill": rng.integers(0, 3, n)}
    after |= {"sex": words[rng.integers(0, 3, n)], "ill": before["ill"]}
    return pair_of(pa.table(before), pa.table(after), [*names, "sex"], ["ill"])


@pytest.mark.slow
def test_values_lie_in_the_range_that_is_promised():
    rng = np.random.default_rng(0)
    for _ in range(100):
        for finding in evaluate(random_pair(rng)):
            one = finding.measure
            if finding.value is None:
                assert finding.reason
            else:
                assert math.isfinite(finding.value)
                assert one.low - 1e-9 <= finding.value <= one.high + 1e-9, one.name


def test_a_file_that_was_not_changed_lost_nothing():
    table = pa.table({"a": [1.0, 2.0, 4.0, 9.0], "b": [3.0, 1.0, 1.0, 5.0], "c": list("xyxy")})
    for finding in evaluate(pair_of(table, table)):
        if finding.measure.kind == "loss":
            assert finding.value == pytest.approx(0, abs=1e-9), finding.measure.name


def test_unknown_names_get_a_hint():
    with pytest.raises(ParameterError, match="Did you mean 'linkage'"):
        find("linkgae")


@pytest.mark.parametrize(("old", "new"), [("k-anonymity", "k"), ("p-sensitivity", "l-diversity")])
def test_old_names_get_the_new_one(old, new):
    with pytest.raises(ParameterError, match=f"It is now called {new}") as error:
        find(old)
    assert f"measure '{old}' no longer exists" in str(error.value)


@pytest.mark.parametrize(
    ("counts", "fewest", "reason"),
    [
        ("numbers", 3, "fewer than three quasi-identifiers contain numbers"),
        ("categories", 1, "no quasi-identifier contains categories"),
        ("keys", 5, "there are fewer than 5 quasi-identifiers"),
    ],
)
def test_too_few_columns_are_counted_right(monkeypatch, counts, fewest, reason):
    monkeypatch.setattr(registry, "_MEASURES", dict(registry._MEASURES))
    measure("ours", "t", kind="loss", summary="s", formula="f", source="s", counts=counts,
            fewest=fewest)(lambda pair: 0.0)  # fmt: skip
    pair = pair_of(pa.table({"a": [1, 2], "b": [3, 4]}), pa.table({"a": [2, 2], "b": [4, 4]}))
    assert evaluate(pair, ["ours"])[0].reason == reason


def test_a_measure_with_a_head_is_compared(monkeypatch):
    monkeypatch.setattr(registry, "_MEASURES", dict(registry._MEASURES))
    measure("ours", "t", kind="loss", summary="s", formula="f", source="s", head="ours %",
            priority=0)(lambda pair: 0.0)  # fmt: skip
    assert compared_measures()[0].name == "ours"
    frame = pa.table({"a": [1.0, 2.0, 5.0, 9.0], "b": [3.0, 4.0, 8.0, 1.0]})
    comparison = compare(frame, 2, quasi_identifiers=["a", "b"], methods="mdav")
    assert comparison.rows()[0]["ours"] == 0.0
    assert "ours %" in table(comparison)


@pytest.mark.parametrize("has_value", [True, False])
def test_what_a_measure_compiles_is_shown(monkeypatch, has_value):
    def compiles(pair):
        CLOCK.count("kernel", 2, 3)
        if not has_value:
            raise registry.NotApplicable("it has no value here")
        return 0.0

    class Steps(Reporter):
        def compiling(self, part, done, total):
            steps.append((part, done, total))

        def compiled(self):
            steps.append("compiled")

    steps = []
    monkeypatch.setattr(registry, "_MEASURES", dict(registry._MEASURES))
    measure("ours", "t", kind="loss", summary="s", formula="f", source="s", head="ours %",
            priority=0)(compiles)  # fmt: skip
    frame = pa.table({"a": [1.0, 2.0, 5.0, 9.0], "b": [3.0, 4.0, 8.0, 1.0]})
    compare(frame, 2, quasi_identifiers=["a", "b"], methods="mdav", progress=Steps())
    at = steps.index(("ours", 2, 3))
    assert steps[at + 1] == "compiled"


def test_a_name_is_taken_once():
    with pytest.raises(ParameterError, match="already"):
        measure("rld", "t", kind="risk", summary="s", formula="f", source="s")(lambda pair: 0.0)


def test_a_new_measure_is_one_decorator(monkeypatch):
    monkeypatch.setattr(registry, "_MEASURES", dict(registry._MEASURES))
    measure("ours", "t", kind="loss", summary="s", formula="f", source="s")(lambda pair: pair.n)
    pair = pair_of(pa.table({"a": [1, 2]}), pa.table({"a": [2, 2]}))
    assert evaluate(pair, ["ours"])[0].value == 2
    assert pair.measured == {"ours": 2.0}


def test_no_measure_keeps_a_matrix_of_all_pairs():
    folder = Path(registry.__file__).parent
    assert not [p for p in folder.rglob("*.py") if "cdist" in p.read_text(encoding="utf-8")]


def test_one_name_is_a_list_of_one():
    pair = pair_of(pa.table({"a": [1.0, 2.0, 9.0]}), pa.table({"a": [1.5, 1.5, 9.0]}))
    assert [finding.measure.name for finding in evaluate(pair, "linkage")] == ["linkage"]
