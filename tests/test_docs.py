"""Generated pages say what the code says, and links lead somewhere."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")])


def build():
    spec = importlib.util.spec_from_file_location("docs_build", DOCS / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATED = build().pages()


@pytest.mark.parametrize("name", GENERATED)
def test_generated_page_is_up_to_date(name):
    assert (DOCS / name).read_text(encoding="utf-8") == GENERATED[name], "run `make docs`"


def test_no_page_of_a_method_that_is_gone():
    assert {f"methods/{path.name}" for path in (DOCS / "methods").glob("*.md")} == set(GENERATED)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), target


def test_pictures_are_small():
    pictures = list((DOCS / "img").glob("*.png"))
    assert pictures
    assert all(picture.stat().st_size < 150_000 for picture in pictures)
