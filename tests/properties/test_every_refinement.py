"""Every registered refinement keeps what it promises."""

import pytest

from microagg.partition.refine.registry import refinements
from microagg.testing import check_refinement
from tests.twins.registry import REFINEMENT_TWINS


@pytest.mark.parametrize("name", [step.name for step in refinements()])
def test_refinement(name):
    check_refinement(name, REFINEMENT_TWINS[name])
