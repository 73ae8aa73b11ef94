"""Every test that the threat model names exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "threat-model.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(?:\w+::)?(\w+)`", PAGE)


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_a_test_that_is_named_exists(file, name):
    assert re.search(rf"^\s*def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)


def test_every_promise_names_a_test():
    rows = [
        line for line in PAGE.split("## The author of the input")[1].splitlines() if "|" in line
    ]
    promises = [line for line in rows if not re.match(r"\| (promise|---)", line)]
    assert len(promises) == len(NAMED) >= 20
