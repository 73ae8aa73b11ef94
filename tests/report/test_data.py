"""The report as data: complete, private, and the same as the page."""

import json

from microagg.report.content import Figure, Figures
from microagg.report.data import data_of, page_from
from microagg.report.html import render
from microagg.report.of_release import page_of_release


def figures_of(section):
    """Return the pictures of a section, wherever they stand in it."""
    figures = []
    for content in section.content:
        figures += content.figures if isinstance(content, Figures) else [content]
    return [each for each in figures if isinstance(each, Figure)]


def test_a_report_comes_back_from_its_data_as_it_was(released):
    frame, release = released
    for audience in ("internal", "external"):
        page = page_of_release(release.outcome, frame, audience=audience)
        again = page_from(json.loads(json.dumps(data_of(page))))
        assert render(again) == render(page)
        assert dict(again.measures) == dict(page.measures)


def test_the_data_hold_the_measures_and_are_for_their_owner(released, tmp_path):
    frame, release = released
    path = tmp_path / "report.json"
    release.write({"report_data": path}, original=frame)
    assert path.stat().st_mode & 0o777 == 0o600
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["measures"]["il"] == release.measures["il"]
    assert len(data["verdict"]) == 4
    assert data["audience"] == "internal"


def test_shares_of_few_records_are_not_among_the_measures_for_others(released):
    frame, release = released
    inside, outside = (
        page_of_release(release.outcome, frame, audience=audience).measures
        for audience in ("internal", "external")
    )
    n, hidden = release.partition.n, [name for name in inside if inside[name] != outside[name]]
    assert all(outside[name] is None for name in hidden)
    assert all(
        0 < inside[name] * n / 100 < 5 or 0 < n - inside[name] * n / 100 < 5 for name in hidden
    )


def test_figures_are_reached_wherever_they_stand(released):
    frame, release = released
    page = page_of_release(release.outcome, frame)
    columns = next(section for section in page.sections if section.name == "columns")
    assert [figure.title for figure in figures_of(columns)] == list(
        release.schema.quasi_identifiers
    )
    assert all(isinstance(figure, Figure) for figure in figures_of(columns))
