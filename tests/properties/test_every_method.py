"""Every registered method passes every check of the kit."""

import pytest

from microagg.partition.registry import methods
from microagg.testing import checks_of
from tests.twins.registry import MIXED_TWINS, TWINS

CASES = [
    pytest.param(check, id=f"{method.name}-{name}")
    for method in methods()
    for name, check in checks_of(method.name, TWINS.get(method.name), MIXED_TWINS.get(method.name))
]


@pytest.mark.parametrize("check", CASES)
def test_method(check):
    check()
