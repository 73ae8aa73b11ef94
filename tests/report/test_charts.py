"""Charts: axes with round numbers, labels that are escaped and stay inside."""

from xml.etree import ElementTree

import pytest

from microagg.report import charts
from microagg.report.comparison import page_of_choices

PICTURES = {
    "histogram": charts.histogram("<a>", [0, 1, 2], [3, 4], [0, 9]),
    "bars": charts.bars("<a>", ["<x>", "y" * 99], [3, 4], [0, 9]),
    "sizes": charts.sizes([("3", 10), ("4", 2)]),
    "correlations": charts.correlations(["<a>", "b"], [[1, -0.5], [-0.5, 1]], "<t>"),
    "cloud": charts.cloud([(0, 0, 1, 1), (2, 2, 1, 1)]),
    "risk_utility": charts.risk_utility([("<mdav> k=3", 10, 5, True), ("x", 20, 9, False)]),
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
    axis = charts.Axis(low, high, 0, 100)
    ticks = axis.ticks()
    assert 2 <= len(ticks) <= 7
    assert all(axis.low - 1e-12 <= tick <= axis.high + 1e-12 * abs(axis.high) for tick in ticks)


def test_a_map_of_many_optimal_choices_has_numbers_and_a_legend():
    few = [(f"method {i}, k=3", 10.0 + i, 20.0 - i, True) for i in range(6)]
    assert ">method 0, k=3</text>" in charts.risk_utility(few)
    many = [*few, ("method 6, k=3", 16.0, 14.0, True), ("beaten", 30.0, 30.0, False)]
    drawn = charts.risk_utility(many)
    for i in range(7):
        assert f">{i + 1}</text>" in drawn
        assert f">{i + 1}  method {i}, k=3</text>" in drawn
    assert ">beaten</text>" not in drawn


def test_a_choice_that_breaks_k_is_crossed_out_on_the_map():
    held, broken = ("mdav, k=3", 10.0, 5.0, True, True), ("blur, k=3", 8.0, 9.0, True, False)
    drawn = charts.risk_utility([held, broken])
    assert drawn.count('class="broken"') == 1
    assert ">blur, k=3 !</text>" in drawn
    assert ">mdav, k=3</text>" in drawn


def test_a_page_of_choices_that_names_the_file_is_internal():
    row = {
        "method": "mdav",
        "refine": None,
        "k": 3,
        "stopped": None,
        "suppressed": 0,
        "pareto_optimal": True,
        "rank": None,
        "error-correlations": 1.0,
        "score": 7.0,
        "seconds": 1.0,
        "k-anonymity": 1,
        **dict.fromkeys(("g-il", "il", "g-dr", "rld", "interval-disclosure", "linkage"), 7.0),
    }
    points = [("mdav, k=3", 7.0, 7.0, True)]
    page = page_of_choices([row], points, "words", "people.csv")
    assert page.audience == "internal"
    assert not page.choices[0].holds
    unnamed = page_of_choices([row], points, "words")
    assert unnamed.audience == "external"
    assert "people.csv" not in str(unnamed)


def boxes(picture):
    """Return the rectangles that the names of a map take up."""
    found = []
    for text in ElementTree.fromstring(picture).findall("text"):
        if "method" in (text.text or ""):
            left, bottom = float(text.attrib["x"]), float(text.attrib["y"])
            wide = 6.3 * len(text.text)
            left -= wide if text.attrib["text-anchor"] == "end" else 0
            found.append((left, left + wide, bottom - 11, bottom + 3))
    return found


def test_the_names_on_a_map_do_not_overlap():
    near = [
        (f"a method with a long name {i}, k=3", 10 + 0.1 * i, 5 - 0.1 * i, True) for i in range(6)
    ]
    found = boxes(charts.risk_utility([*near, ("method, k=9", 40.0, 1.0, True)][:6]))
    assert len(found) == 6
    for i, (a, b, c, d) in enumerate(found):
        for e, f, g, h in found[i + 1 :]:
            assert b <= e or f <= a or d <= g or h <= c
