"""Every registered method passes every check of the kit."""

import pytest

from microagg.partition.registry import methods
from microagg.testing import checks_of
from tests.twins.registry import MIXED_TWINS, TWINS

SLOW = {
    ("genetic-1d", "check_twin"),  # thousands of strings bred in plain NumPy
    ("best", "check_groups_every_record"),  # proves bounds for fifteen data sets
}

CASES = [
    pytest.param(
        check,
        id=f"{method.name}-{name}",
        marks=[pytest.mark.slow] if (method.name, name) in SLOW else [],
    )
    for method in methods()
    for name, check in checks_of(method.name, TWINS.get(method.name), MIXED_TWINS.get(method.name))
]


@pytest.mark.parametrize("check", CASES)
def test_method(check):
    check()
