"""The description of the package, for a package index: the README without relative links."""

import re
from pathlib import Path

import pytest

hatch_build = pytest.importorskip("hatch_build", reason="the package 'hatchling' is not installed")
README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
ADDRESS = "https://example.org/microagg"


def targets(text):
    return re.findall(r"\]\(([^)]*)\)", text)


def test_without_an_address_there_is_no_link_and_no_picture():
    text = hatch_build.described(README, "", "main")
    assert [target for target in targets(text) if "://" not in target] == []
    assert "![" not in text
    assert "The quickstart also shows" in text
    assert hatch_build.addresses("", "main") == {}


def test_with_an_address_every_link_is_absolute_and_has_a_target():
    text = hatch_build.described(README, ADDRESS, "v0.2.0")
    assert len(targets(text)) == len(targets(README))
    assert "![63 records in groups of at least five" in text
    for target in targets(text):
        assert target.startswith((f"{ADDRESS}/blob/v0.2.0/", f"{ADDRESS}/raw/v0.2.0/", "https://"))
    for address in hatch_build.addresses(ADDRESS, "v0.2.0").values():
        assert address.startswith(ADDRESS)


def test_pictures_are_shown_and_not_linked():
    text = hatch_build.described("![a](docs/a.png) [b](docs/b.md)", ADDRESS, "main")
    assert text == f"![a]({ADDRESS}/raw/main/docs/a.png) [b]({ADDRESS}/blob/main/docs/b.md)"


def test_code_and_absolute_links_are_unchanged():
    text = "```python\nrun[0](x)\n```\n[a](https://a.org) [b](#b)\n"
    assert hatch_build.described(text, "", "main") == text
