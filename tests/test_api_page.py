"""docs/api.md lists every public name, and every public name documents itself."""

import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

import microagg as ma

PAGE = (Path(__file__).parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
LISTED = re.findall(r"^   (\w+)$", PAGE, re.MULTILINE)
OBJECTS = [name for name in LISTED if not isinstance(getattr(ma, name), ModuleType)]


def test_the_page_lists_every_public_name_once():
    assert sorted([*LISTED, "__version__"]) == sorted(ma.__all__)


@pytest.mark.parametrize("name", OBJECTS)
def test_parameters_are_those_of_the_signature(name):
    """A parameter that is documented exists, and one that exists is documented."""
    public = getattr(ma, name)
    text = inspect.getdoc(public)
    if "Parameters\n-----" not in text:
        return
    section = text.split("Parameters\n----------\n", 1)[1]
    section = re.split(r"\n\w+\n-{3,}\n", section)[0]
    heads = re.findall(r"^(\w+(?:, \w+)*)(?: : .*)?$", section, re.MULTILINE)
    documented = {part for head in heads for part in head.split(", ")}
    accepted = set(inspect.signature(public).parameters) - {"self"}
    assert documented == accepted


@pytest.mark.parametrize("name", OBJECTS)
def test_public_methods_have_docstrings(name):
    public = getattr(ma, name)
    assert inspect.getdoc(public)
    if inspect.isclass(public) and not issubclass(public, Exception):
        own = [m for m in vars(public) if not m.startswith("_")]
        bare = [
            m
            for m in own
            if callable(getattr(public, m)) and not inspect.getdoc(getattr(public, m))
        ]
        assert not bare
