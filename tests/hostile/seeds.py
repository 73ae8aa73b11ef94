"""The random numbers of a case; `MICROAGG_HOSTILE_SEED` makes other cases of the same numbers."""

from __future__ import annotations

import os

import numpy as np

SEED = int(os.environ.get("MICROAGG_HOSTILE_SEED", "0"))


def rng_of(case: int) -> np.random.Generator:
    """Return the generator of a case; those of the seed 0 are the fixed sample of `make test`."""
    return np.random.default_rng([SEED, case] if SEED else case)
