"""Every registered method passes every check of the kit."""

import pytest

from microagg.partition.registry import methods
from microagg.testing import checks_of

CASES = [
    pytest.param(check, id=f"{method.name}-{name}")
    for method in methods()
    for name, check in checks_of(method.name)
]


@pytest.mark.parametrize("check", CASES)
def test_method(check):
    check()
