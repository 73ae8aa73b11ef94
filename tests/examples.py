"""How many random examples a test draws: a share in `make test`, all of them in `make test-all`."""

import os

SHARE = float(os.environ.get("MICROAGG_EXAMPLES", "0.2"))
"""The share of the examples that a test draws; `make test-slow` and `make test-all` set it to 1."""

FEWEST = 5


def examples(most: int) -> int:
    """Return how many of `most` examples to draw."""
    return min(most, max(FEWEST, round(SHARE * most)))
