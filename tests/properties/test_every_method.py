"""Every registered method passes every check of the kit."""

import pytest

from microagg.partition.registry import methods
from microagg.testing import checks_of
from tests.twins.registry import MIXED_TWINS, TWINS

SLOW = {
    ("genetic-1d", "check_twin"),  # thousands of strings bred in plain NumPy
    ("gsms", "check_twin"),
    ("dba-1", "check_twin"),
}
QUICK = {
    "best": {"check_keeps_totals"},
    "auto": {"check_keeps_totals", "check_duplicates", "check_mixed_records"},
    "lns": {"check_keeps_totals", "check_any_number_of_threads"},
    "genetic": {"check_twin"},
    "genetic-hybrid": {"check_twin"},
    "omma": {"check_twin"},
}
"""The checks of `make test`, for methods that take long in all of them."""


def is_slow(method, check):
    return (method, check) in SLOW or check not in QUICK.get(method, {check})


CASES = [
    pytest.param(
        check,
        id=f"{method.name}-{name}",
        marks=[pytest.mark.slow, pytest.mark.timeout(600)] if is_slow(method.name, name) else [],
    )
    for method in methods()
    for name, check in checks_of(method.name, TWINS.get(method.name), MIXED_TWINS.get(method.name))
]


@pytest.mark.parametrize("check", CASES)
def test_method(check):
    check()
