"""Sections of a report: one file each, in their declared order, for their audiences."""

from pathlib import Path

import pytest

from microagg.errors import ParameterError
from microagg.lazy import import_all
from microagg.measure.pair import Pair
from microagg.report import section as registry
from microagg.report import sections
from microagg.report.content import FactTable, Paragraph
from microagg.report.html import render
from microagg.report.of_release import page_of_release
from microagg.report.section import section


@pytest.fixture
def own_sections(monkeypatch):
    import_all("microagg.report.sections")
    monkeypatch.setattr(registry, "_SECTIONS", list(registry._SECTIONS))


def page(released, audience="internal"):
    frame, release = released
    return page_of_release(release.outcome, frame, audience=audience)


def test_a_made_up_section_is_in_the_report(released, own_sections):
    @section("Weather <today>", place=65, audiences=("internal",))
    def weather(pair: Pair):
        yield Paragraph(f"{pair.n} records & sunshine.")
        yield FactTable([("wind", "<none>")])

    text = render(page(released))
    assert "<h2>Weather &lt;today&gt;</h2>" in text
    assert "<p>300 records &amp; sunshine.</p>" in text
    assert "<td>&lt;none&gt;</td>" in text
    order = ["Each column before", "Weather", "Correlations before"]
    assert order == sorted(order, key=text.index)
    assert "Weather" not in render(page(released, "external"))


def test_a_section_is_left_out_without_what_it_needs_and_without_content(released, own_sections):
    @section("Only in comparisons", place=1)
    def needs_a_comparison(comparison):
        yield Paragraph("never")

    @section("Only with a target", place=1)
    def can_do_without(utility=None):
        if utility is not None:
            yield Paragraph("never")

    titles = [each.title for each in page(released).sections]
    assert not {"Only in comparisons", "Only with a target"} & set(titles)


def test_a_section_that_asks_for_what_no_report_has(own_sections):
    with pytest.raises(ParameterError, match="asks for 'weather', which no report has"):
        section("Weather", place=1)(lambda weather: ())


def test_every_file_of_sections_has_one(released):
    page(released)
    names = {path.stem for path in Path(sections.__file__).parent.glob("*.py")} - {"__init__"}
    assert {each.name for each in registry._SECTIONS} == names


def test_files_have_one_place_each(released):
    page(released)
    places = {(each.name, each.title, each.place) for each in registry._SECTIONS}
    assert len(places) == len({each.place for each in registry._SECTIONS})
