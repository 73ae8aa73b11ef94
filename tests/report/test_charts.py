"""Charts: axes with round numbers, labels that are escaped and stay inside."""

import re
from xml.etree import ElementTree

import pyarrow as pa
import pytest

import microagg as ma
from microagg.report.charts import columns, groups
from microagg.report.charts.drawing import Axis
from microagg.report.charts.risk_utility import risk_utility
from microagg.report.distributions import distribution_of_values, distributions_of

PICTURES = {
    "histogram": columns.histogram("<a>", [0, 1, 2], [3, 4], [0, 9]),
    "bars": columns.bars("<a>", ["<x>", "y" * 99], [3, 4], [0, 9]),
    "before": columns.histogram("<a>", [0, 1, 2], [3, 4]),
    "values": columns.before_and_after("<a>", ["<x>", "y", None], ["y", "y", None]),
    "sizes": groups.sizes([("3", 10), ("4", 2)]),
    "correlations": groups.correlations(["<a>", "b"], [[1, -0.5], [-0.5, 1]], "<t>"),
    "cloud": groups.cloud([(0, 0, 1, 1), (2, 2, 1, 1)]),
    "risk_utility": risk_utility([("<mdav> k=3", 10, 5, True), ("x", 20, 9, False)]),
}


@pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES)
def test_is_valid_xml_with_a_title(picture):
    root = ElementTree.fromstring(picture)
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"]


@pytest.mark.parametrize("name", ["histogram", "sizes", "cloud", "risk_utility"])
def test_both_axes_have_labels(name):
    texts = ElementTree.fromstring(PICTURES[name]).findall("text")
    assert sum(text.attrib.get("class") == "label" for text in texts) == 2


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3.7, 12), (1e-9, 2e-9), (5e8, 7e8), (4, 4)])
def test_ticks_are_few_round_and_inside(low, high):
    axis = Axis(low, high, 0, 100)
    ticks = axis.ticks()
    assert 2 <= len(ticks) <= 7
    assert all(axis.low - 1e-12 <= tick <= axis.high + 1e-12 * abs(axis.high) for tick in ticks)


def test_a_map_of_many_optimal_choices_has_numbers_and_a_legend():
    few = [(f"method {i}, k=3", 10.0 + i, 20.0 - i, True) for i in range(6)]
    assert ">method 0, k=3</text>" in risk_utility(few)
    many = [*few, ("method 6, k=3", 16.0, 14.0, True), ("beaten", 30.0, 30.0, False)]
    drawn = risk_utility(many)
    for i in range(7):
        assert f">{i + 1}</text>" in drawn
        assert f">{i + 1}  method {i}, k=3</text>" in drawn
    assert ">beaten</text>" not in drawn


def test_a_choice_that_breaks_k_is_crossed_out_on_the_map():
    held, broken = ("mdav, k=3", 10.0, 5.0, True, True), ("blur, k=3", 8.0, 9.0, True, False)
    drawn = risk_utility([held, broken])
    assert drawn.count('class="broken"') == 1
    assert ">blur, k=3 !</text>" in drawn
    assert ">mdav, k=3</text>" in drawn


def boxes(picture):
    """Return the rectangles that the labels of a map take up."""
    areas = []
    for text in ElementTree.fromstring(picture).findall("text"):
        if text.attrib.get("class") == "name":
            left, bottom = float(text.attrib["x"]), float(text.attrib["y"])
            wide = 6.3 * len(text.text)
            left -= wide if text.attrib["text-anchor"] == "end" else 0
            areas.append((left, left + wide, bottom - 11, bottom + 3))
    return areas


def near(count, name="a method with a long name"):
    return [(f"{name} {i}, k=3", 10 + 0.1 * i, 5 - 0.1 * i, True) for i in range(count)]


@pytest.mark.parametrize(
    "points",
    [
        near(6),
        near(40),
        near(6, name="a name that is far too long to be written beside anything on this map " * 2),
        [("x", 10.0, 5.0, True)] * 60,
        [*near(5), *((f"other {i}", 10 + 0.03 * i, 5.0, False) for i in range(60))],
    ],
    ids=["names", "numbers", "long names", "one place", "crowded"],
)
def test_labels_on_a_map_do_not_overlap(points):
    areas = boxes(risk_utility(points))
    assert len(areas) == sum(optimal for _, _, _, optimal in points)
    for i, (a, b, c, d) in enumerate(areas):
        assert 0 <= a <= b <= 640
        assert 0 <= c <= d <= 380
        for e, f, g, h in areas[i + 1 :]:
            assert b <= e or f <= a or d <= g or h <= c


def test_the_recommended_setting_has_a_ring_and_a_label():
    drawn = risk_utility([("a, k=3", 10.0, 5.0, False, True, True), ("b, k=3", 8.0, 5.0, True)])
    assert drawn.count('r="8"') == 1
    assert ">a, k=3</text>" in drawn


def test_labels_can_be_asked_for():
    points = [
        ("a, k=3", 10.0, 5.0, True, True, False, False),
        ("b, k=3", 8.0, 9.0, False, True, False, True),
    ]
    drawn = risk_utility(points)
    assert ">a, k=3</text>" not in drawn
    assert ">b, k=3</text>" in drawn
    assert "<title>a, k=3</title>" in drawn


def test_a_chart_of_values_counts_them():
    ages = [20.0, 20.0, 20.0, 30.0, None, float("nan")]
    column = distribution_of_values("age", ages, [22.5] * 4 + [None, None])
    assert sum(column.before) == sum(column.after) == 4
    assert distribution_of_values("ill", ["no"] * 9 + ["yes"] * 2, least=5).labels == [
        "(all others)"
    ]
    alone = columns.before_and_after("age", ages)
    assert "before and after" not in alone
    assert "<path" not in alone


def test_dates_stand_along_the_axis_as_the_file_writes_them():
    days = [f"{1 + i % 28:02}.03.{1950 + i % 50}" for i in range(200)]
    frame = pa.table({"born": days, "pay": [i * 37 % 101 for i in range(200)]})
    release = ma.protect(
        frame, k=5, quasi_identifiers=["born", "pay"], kinds={"born": "continuous"}
    )
    born = next(d for d in distributions_of(release.outcome.pair, 0) if d.name == "born")
    words = [word for _, word in born.ticks]
    assert all(re.fullmatch(r"\d\d\.\d\d\.19\d\d", word) for word in words)
    assert sorted(words, key=lambda word: word[6:]) == words
    picture = columns.drawn(born)
    texts = [text.text for text in ElementTree.fromstring(picture).findall("text")]
    assert {*words} <= {*texts}
