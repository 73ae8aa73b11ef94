"""A release with column names and values that want to be markup."""

import numpy as np
import pandas as pd
import pytest

import microagg as ma

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="session")
def released():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            EVIL: rng.normal(40, 9, 300).round(3),
            'a"onload="x': rng.gamma(2, 9000, 300).round(3),
            "b&amp;": rng.normal(size=300).round(5),
            "ill": rng.choice(["yes", "<img src=x onerror=alert(2)>"], 300),
        }
    )
    keys = list(frame.columns[:3])
    return frame, ma.protect(frame, k=4, quasi_identifiers=keys, confidential=["ill"])
