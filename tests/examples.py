"""How much of a test runs: a share of its examples and cases in `make test`, all in `make test-slow`."""

import os
from collections.abc import Collection
from typing import Any

import pytest

SHARE = float(os.environ.get("MICROAGG_EXAMPLES", "0.2"))
"""The share of the examples that a test draws; `make test-slow` sets it to 1."""

FEWEST = 5


def examples(most: int) -> int:
    """Return how many of `most` examples to draw."""
    return min(most, max(FEWEST, round(SHARE * most)))


def frozen(array: Any) -> Any:
    """Return a read-only view, as prepared records are: a kernel is compiled for each kind."""
    view = array.view()
    view.flags.writeable = False
    return view


def sample(cases: Collection[Any], quick: Collection[int] = (0,)) -> list[Any]:
    """Return the cases of a parametrized test, all marked slow but those at the `quick` positions."""
    return [
        case
        if position in quick
        else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
        for position, case in enumerate(cases)
    ]
