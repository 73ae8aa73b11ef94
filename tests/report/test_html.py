"""The HTML report: whole, escaped, offline, small, and with two faces."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.assess import assess
from microagg.measure.pair import pair_of
from microagg.report.audience import Audience
from microagg.report.content import Paragraph
from microagg.report.distributions import distributions_of
from microagg.report.html import render
from microagg.report.of_assessment import page_of_assessment
from microagg.report.of_release import page_of_release

VOID = {"meta", "line", "rect", "path", "polyline"}


class Reader(HTMLParser):
    """Collects tags and texts, and checks that every tag is closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.texts, self.attributes = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture(scope="module", params=["internal", "external"])
def page(request, released, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    released[1].write({"report": path}, original=released[0], audience=request.param)
    return path.read_text(encoding="utf-8")


def test_every_tag_is_closed(page):
    assert Reader(page).open == []


def test_text_from_the_data_is_shown_and_not_run(page):
    read = Reader(page)
    assert not {"script", "img", "iframe", "link", "object"} & set(read.tags)
    assert not [name for name, _ in read.attributes if name.startswith("on")]
    assert any("<script>alert(1)</script>" in text for text in read.texts)
    assert any('a"onload="x' in text for text in read.texts)


def test_nothing_is_fetched(page):
    assert "default-src 'none'" in page
    without_policy = re.sub(r"<meta[^>]*>", "", page)
    assert not re.search(
        r"(src|href|url\(|@import|https?:)", re.sub(r"&lt;.*?&gt;", "", without_policy)
    )


def test_it_is_small(page):
    assert len(page.encode()) < 2_000_000


def test_it_tells_all_that_is_asked_for(page):
    titles = (
        "Promises that hold",
        "Information lost",
        "Remaining risk",
        "Each column before and after",
        "Correlations before and after",
        "The groups",
        "What was done",
        "The promise and its check",
        "Annex: all measures",
        "Provenance",
    )
    for title in titles:
        assert f"<h2>{title}" in page
    assert ("<h2>Next steps" in page) is ("Internal: do not pass on" in page)
    order = ["Remaining risk", "The promise and its check", "What was done", "<svg", "Annex"]
    assert order == sorted(order, key=page.index)
    assert "lower is better" in page
    assert 'class="check"' in page


def test_no_inline_style_is_left(page):
    assert not [name for name, _ in Reader(page).attributes if name == "style"]
    assert "unsafe-inline" not in page


def test_the_external_face_describes_no_record(released):
    frame, release = released
    page = page_of_release(release.outcome, frame, audience="external")
    assert "at_risk" not in {section.name for section in page.sections}
    groups = next(section for section in page.sections if section.name == "groups")
    assert [type(content) for content in groups.content] == [Paragraph]
    columns = distributions_of(release.outcome.pair, Audience.of("external", 4).least)
    assert all(count == 0 or count >= 5 for c in columns for count in (*c.before, *c.after))
    text = render(page)
    assert "sha256" not in re.sub("<meta.*?>", "", text)
    for column in frame.columns[:3]:
        ends = {f"{end:g}" for end in (frame[column].min(), frame[column].max())}
        assert not [end for end in ends if re.search(rf">{re.escape(end)}<", text)]


def shown(names, released, least):
    pair = pair_of(pd.DataFrame({"q": names}), pd.DataFrame({"q": released}), ["q"])
    found = distributions_of(pair, least)[0]
    return dict(zip(found.labels, zip(found.before, found.after, strict=True), strict=True))


def test_no_face_shows_a_category_of_a_single_record():
    frame = pd.DataFrame({"q": ["common"] * 30 + ["seldom"] * 4 + ["rare"] * 2, "x": range(36)})
    found = assess(frame, frame.assign(q="common"), quasi_identifiers=["q"])
    internal, external = (
        render(page_of_assessment(found, audience=f)) for f in ("internal", "external")
    )
    assert "rare<" not in internal
    assert "rare<" not in external
    assert "common<" in internal
    names = ["common"] * 30 + [f"person {i}" for i in range(9)]
    assert shown(names, names, 0) == {"common": (30, 30), "(all others)": (9, 9)}


def test_what_is_not_shown_cannot_be_told_by_subtraction():
    names = ["a"] * 30 + ["b"] * 20 + ["c"] * 8 + ["d"] * 2
    assert shown(names, names, 5) == {"a": (30, 30), "b": (20, 20), "(all others)": (10, 10)}
    assert shown(names, names, 0) == {"a": (30, 30), "b": (20, 20), "(all others)": (10, 10)}
    plain = names[:-2]
    assert shown(plain, plain, 5) == {"a": (30, 30), "b": (20, 20), "c": (8, 8)}
    assert shown(names, ["a"] * 60, 0)["a"] == (30, 60)


def test_bars_that_are_left_out_are_not_a_few():
    values = pd.DataFrame({"a": [0.0] * 40 + [1.0] * 40 + [2.0] * 9 + [3.0] * 2})
    drawn = distributions_of(pair_of(values, values, ["a"]), 5)[0]
    assert len(values) - sum(drawn.before) >= 5


def test_bars_of_whole_numbers_hold_equally_many():
    ages = pd.DataFrame({"age": [float(a) for a in range(18, 91) for _ in range(10)]})
    found = distributions_of(pair_of(ages, ages, ["age"]), 0)[0]
    assert len(set(found.before[1:-1])) == 1
    steps = pd.DataFrame({"hours": [5.0 * h for h in range(8) for _ in range(10)]})
    found = distributions_of(pair_of(steps, steps, ["hours"]), 0)[0]
    assert list(found.before) == [10] * 8


def test_columns_that_are_not_drawn_are_told_of():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(30, 45)), columns=[f"c{j}" for j in range(45)])
    found = assess(frame, frame.round(1), measures=["k"])
    text = render(page_of_assessment(found))
    assert "The charts show 40 of 45 columns." in text
    assert "The charts show the first 14 of 45 numeric columns." in text


@pytest.mark.parametrize("audience", ["internal", "external"])
def test_what_is_released_unchanged_is_a_warning_in_both_audiences(audience):
    frame = pd.DataFrame({f"c{j}": [float(i * (j + 7) % 31) for i in range(40)] for j in range(4)})
    frame["id"] = [f"p{i}" for i in range(40)]
    found = assess(frame, frame.assign(c0=frame["c0"].round(-1)))
    page = page_of_assessment(found, audience=audience)
    text = render(page)
    promise = next(section for section in page.sections if section.name == "promise")
    assert not promise.content[0].lines[0][0]
    assert "3 columns are released unchanged" in text
    assert "Column &#x27;id&#x27; identifies each record" in text
    holds, _, risk, *steps = page.verdict
    assert holds.label == "on the 1 quasi-identifier"
    assert (risk.number, risk.state) == ("55.0 %", "alarm")
    assert "together with the 3 unchanged columns" in risk.label
    assert ["Remove id." in own.words for own in steps] == (
        [True] if audience == "internal" else []
    )


@pytest.mark.parametrize("audience", ["internal", "external"])
def test_rows_that_do_not_match_give_no_verdict_on_loss_and_linkage(audience):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(100, 2)), columns=["a", "b"])
    moved = frame.sample(frac=1, random_state=5).reset_index(drop=True)
    page = page_of_assessment(assess(frame, moved), audience=audience)
    assert "in a different order" in render(page)
    assert [box.number for box in page.verdict[1:3]] == ["?", "?"]


def test_an_unknown_face(released, tmp_path):
    with pytest.raises(ma.MicroaggError, match="'internal' or 'external'"):
        released[1].write(
            {"report": tmp_path / "report.html"}, original=released[0], audience="other"
        )


def test_only_the_records_that_were_protected_are_reported_on(released, tmp_path):
    frame, release = released
    path = tmp_path / "report.html"
    for other in (frame.iloc[::-1].reset_index(drop=True), frame.iloc[:-1]):
        with pytest.raises(ma.MicroaggError, match="not the frame that was protected"):
            release.write({"report": path}, original=other)
    assert not path.exists()


def test_a_release_that_leaves_records_out_is_reported_on(tmp_path):
    frame = pd.DataFrame({"a": [None, *map(float, range(30))], "g": list("xyz") * 10 + ["rare"]})
    release = ma.protect(frame, k=3, quasi_identifiers=["a", "g"], missing="suppress")
    release.write({"report": tmp_path / "report.html"}, original=frame)
    with pytest.raises(ma.MicroaggError, match="different order"):
        release.write(
            {"report": tmp_path / "other.html"}, original=frame.iloc[::-1].reset_index(drop=True)
        )


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [1.0, 1.0, 1.0, 1.0]}),
        pd.DataFrame({"a": [1.0, None, 3.0, 4.0], "b": [None, None, None, 1.0]}),
        pd.DataFrame({"a": list("xyzz")}),
        pd.DataFrame({f"c{j}": [float(j), 2.0, 3.0] for j in range(50)}),
    ],
    ids=["constant", "missing", "words", "many columns"],
)
def test_odd_files(frame):
    for audience in ("internal", "external"):
        text = render(page_of_assessment(assess(frame, frame, measures=["k"]), audience=audience))
        assert Reader(text).open == []
        assert not re.search(r"\bnan\b", text)


def test_the_map_where_compare_ran(released):
    frame, release = released
    keys = list(frame.columns[:3])
    found = ma.compare(frame, [4, 8], quasi_identifiers=keys, methods=["mdav", "cbfs-nc"])
    text = render(page_of_release(release.outcome, frame, comparison=found))
    assert Reader(text).open == []
    assert "risk-utility map" in text
    assert "cbfs-nc, k=8" in text
    with pytest.raises(ma.MicroaggError, match="'comparison' parameter must be a Comparison"):
        page_of_release(release.outcome, frame, comparison=frame)
    with pytest.raises(ma.MicroaggError, match="'comparison' parameter must be None in a report"):
        page_of_release(release.outcome, frame, comparison=found, audience="external")
