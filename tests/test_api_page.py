"""docs/api.md names everything that is public, with its signature and an example."""

import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

import microagg as ma

PAGE = (Path(__file__).parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### (\S+)\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))


def signature(name):
    found = inspect.signature(getattr(ma, name))
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values()]
    text = str(found.replace(parameters=plain, return_annotation=inspect.Signature.empty))
    return name + text.replace("<factory>", "{}")


def test_every_public_name_has_a_section_and_no_other_has():
    assert {name.replace("\\", "") for name in SECTIONS} == set(ma.__all__)


@pytest.mark.parametrize("name", SECTIONS)
def test_a_section_shows_an_example_and_the_signature(name):
    public = getattr(ma, name.replace("\\", ""))
    assert "```pycon" in SECTIONS[name]
    if not isinstance(public, ModuleType | str):
        assert f"\n`{signature(name)}`\n" in SECTIONS[name]
