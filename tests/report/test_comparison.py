"""The report of a comparison: the map, the table, and what holds."""

import pytest

from microagg.comparison.table import ranked
from microagg.comparison.trial import Choice, ModelUtility, Trial
from microagg.measure.registry import compared_measures
from microagg.report.comparison import legend, map_of, table
from microagg.report.html import render
from microagg.report.of_comparison import page_of_comparison


def trial(method, k, loss, counted=None, **parts):
    measures = {one.name: loss for one in compared_measures()}
    return Trial(
        choice=Choice(method, None, k), k_counted=counted or k, measures=measures, records=90,
        suppressed=0, seconds=0.1, **parts,
    )  # fmt: skip


@pytest.fixture
def comparison():
    return ranked([trial("mdav", 3, 9.0), trial("blur", 3, 7.0, counted=1)], 0.5, "g-il")


def test_a_page_with_shares_of_few_records_is_internal(comparison):
    page = page_of_comparison(comparison, "people.csv")
    assert page.audience == page_of_comparison(comparison).audience == "internal"
    assert "people.csv" in render(page)


def test_what_does_not_hold_k_is_marked_everywhere(comparison):
    points = map_of(comparison).points
    assert [(p.name, p.holds, p.recommended) for p in points] == [
        ("mdav, k=3", True, True),
        ("blur, k=3", False, False),
    ]
    text = render(page_of_comparison(comparison))
    assert text.count('class="broken"') == 1
    assert '<li class="cross">1 of 2 releases satisfy k' in text
    assert "3!" in table(comparison)


def test_the_columns_are_the_measures_that_are_declared_for_it(comparison):
    heads = table(comparison).splitlines()[0]
    for one in compared_measures():
        assert one.head in heads
        assert f"({one.name})" in legend(comparison)


def test_the_utility_of_a_model_has_a_column_and_a_sentence():
    utility = ModelUtility("ill", "AUC", 0.9, 0.8125)
    comparison = ranked([trial("mdav", 3, 9.0, utility=utility)], 0.5, "il")
    assert table(comparison).splitlines()[0].split()[-3:] == ["AUC", "score", "seconds"]
    assert " 0.812" in table(comparison)
    assert "predicts ill with AUC 0.812, and one trained on the original with 0.900." in (
        comparison.sentence()
    )
    assert "AUC: of a model that predicts ill" in legend(comparison)
