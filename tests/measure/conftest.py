"""How many random cases measures are compared on with an independent computation."""

import os

import pytest


@pytest.fixture
def cases():
    """A few in a usual run; MICROAGG_CASES=1000 for the long one."""
    return range(int(os.environ.get("MICROAGG_CASES", "20")))
