"""Every registered refinement keeps what it promises."""

import pytest

from microagg.partition.refine.registry import refinements
from microagg.testing import check_refinement
from tests.twins.registry import REFINEMENT_TWINS

SLOW = {"decompose-shrink", "decompose-2018"}  # long lists of moves in plain NumPy


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(step.name, marks=[pytest.mark.slow] if step.name in SLOW else [])
        for step in refinements()
    ],
)
def test_refinement(name):
    check_refinement(name, REFINEMENT_TWINS[name])
