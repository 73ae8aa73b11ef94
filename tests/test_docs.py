"""Generated pages say what the code says, and links lead somewhere."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

import microagg as ma
from microagg.mask.registry import maskings
from microagg.partition.refine.registry import refinements

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")])


def build():
    sys.path.insert(0, str(DOCS))  # as for a script there
    spec = importlib.util.spec_from_file_location("docs_build", DOCS / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATED = build().pages()


@pytest.mark.parametrize("name", GENERATED)
def test_generated_page_is_up_to_date(name):
    assert (DOCS / name).read_text(encoding="utf-8") == GENERATED[name], "run `make docs`"


def test_no_page_of_a_method_that_is_gone():
    pages = {f"methods/{path.name}" for path in (DOCS / "methods").glob("*.md")}
    assert pages == {name for name in GENERATED if name.startswith("methods/")}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), target


def test_every_guide_is_linked_from_the_start_page_or_is_a_worked_example():
    linked = re.findall(r"\(guides/([\w-]+)\.md\)", (DOCS / "index.md").read_text("utf-8"))
    guides = {path.stem for path in (DOCS / "guides").glob("*.md")}
    assert guides - {"index", "adult", "nist-acs"} == set(linked)


def test_pictures_are_small():
    pictures = list((DOCS / "img").glob("*.png"))
    assert pictures
    assert all(picture.stat().st_size < 150_000 for picture in pictures)


def test_the_paper_cites_every_reference_and_the_source_of_every_method_and_measure():
    bibliography = (DOCS / "paper.bib").read_text(encoding="utf-8")
    cited = set(re.findall(r"@(\w+)", (DOCS / "paper.md").read_text(encoding="utf-8")))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", bibliography, re.MULTILINE))
    sources = {each.reference.removeprefix("after ") for each in (*ma.methods(), *maskings())}
    sources |= {each.source for each in ma.measures() if re.match("[A-Z]", each.source)}
    first_authors = {re.split(r",| and | et al", source)[0] for source in sources}
    papers = {name for name in first_authors if not name.startswith("developed for microagg")}
    plain = re.sub(r"[{}\\']", "", bibliography)
    names = {re.sub(r" \d{4}$", "", name) for name in papers}
    assert {name for name in names if not re.search(rf"\b{re.escape(name)}\b", plain)} == set()


def test_the_stub_is_up_to_date():
    import type_stub

    assert type_stub.PATH.read_text(encoding="utf-8") == type_stub.stub(), "run `make docs`"


def test_the_appendix_has_the_figures_that_the_summary_counts():
    import printed_figures

    tables = printed_figures.printed()
    reproduced, count = sum(t.reproduced for t in tables), sum(len(t.rows) for t in tables)
    summary = (DOCS / "reproduction.md").read_text(encoding="utf-8")
    assert f"**{reproduced} of {count} figures" in summary


USES = """
import microagg as ma

release: ma.Release = ma.protect(None, k=5, quasi_identifiers=["age"], missing="group")
ma.compare(None, k=[3, 5], methods=["mdav"], loss_weight=0.3)
ma.protect(None, k=5, quasi_identifierz=["age"])
ma.protect(None, k=5, missing="perhaps")
"""


@pytest.mark.slow
def test_type_checkers_see_every_option(tmp_path):
    from mypy import api

    path = tmp_path / "uses.py"
    path.write_text(USES)
    shown = api.run([str(path), "--config-file", str(ROOT / "pyproject.toml")])[0]
    assert [line.split(":")[1] for line in shown.splitlines() if ": error:" in line] == ["6", "7"]


def test_the_pictures_have_as_many_records_as_their_texts_say():
    import pictures

    n, d = pictures.records().shape
    words = f"{n} records with two quasi-identifiers, k = {pictures.K}"
    assert d == 2
    assert all(words in GENERATED[f"methods/{method.name}.md"] for method in ma.methods())
    for page in (ROOT / "README.md", DOCS / "index.md"):
        assert f"{n} records in groups of at least five" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", DOCS / "index.md"], ids=lambda page: page.name
)
def test_the_number_of_methods_is_right(page):
    counts = len(ma.methods()), len(refinements()), len(maskings())
    words = "{} methods, {} refinements and {} maskings".format(*counts)
    assert words in page.read_text(encoding="utf-8")
