"""The public names are imported when they are used, and no module of the same name hides one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import microagg
from microagg import renamed

CLASHING = ["assess", "compare", "partition", "protect", "verify"]


def run(code):
    """Return what a fresh process prints, as JSON."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", microagg.__all__)
def test_every_public_name_is_there(name):
    assert getattr(microagg, name) is getattr(microagg, name)
    assert name in dir(microagg)


def test_another_name_is_not():
    with pytest.raises(AttributeError, match="no attribute 'protekt'"):
        microagg.protekt  # noqa: B018


def test_importing_microagg_imports_none_of_its_modules():
    code = "import sys, json, microagg; print(json.dumps(sorted(sys.modules)))"
    names = run(code)
    assert [name for name in names if name.startswith("microagg.")] == []
    assert "numpy" not in names


@pytest.mark.parametrize("first", ["module", "function"])
def test_modules_do_not_hide_functions_of_the_same_name(first):
    imports = "; ".join(f"import microagg.{name}" for name in CLASHING)
    uses = "; ".join(f"microagg.{name}" for name in CLASHING)
    steps = [imports, f"import microagg; {uses}"]
    code = f"""
import json
{chr(10).join(steps if first == "module" else steps[::-1])}
from microagg import {", ".join(CLASHING)}
print(json.dumps([callable(getattr(microagg, name)) for name in {CLASHING}] + [callable(protect)]))
"""
    assert run(code) == [True] * (len(CLASHING) + 1)


def test_a_public_name_can_be_replaced(monkeypatch):
    monkeypatch.setattr(microagg, "protect", len)
    assert microagg.protect is len


def test_an_old_name_is_answered_by_the_new_one():
    with pytest.raises(
        AttributeError, match=r"it is now called 'release.write\(\{\"report\": path\}\)'"
    ):
        microagg.write_report  # noqa: B018


def test_the_changelog_lists_every_old_name():
    text = (Path(__file__).parents[1] / "CHANGELOG.md").read_text(encoding="utf-8")
    table = text.split("### From 0.1 to 0.2")[1].split("###")[0]
    old = [
        *(f"{name}=" for keywords in renamed.KEYWORDS.values() for name in keywords),
        *renamed.FLAGS,
        *renamed.COMMANDS,
        *renamed.OLD_MEASURES,
        *(name.removeprefix("microagg.").split(".")[-1] for name in renamed.ATTRIBUTES),
    ]
    assert [name for name in old if name not in table] == []
