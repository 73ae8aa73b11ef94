"""Adult, eight mixed quasi-identifiers with blanks: k counted by pandas, loss against plain MDAV.

The whole file, as the figures of docs/records.md: on parts of it v-mdav can lose more than mdav.
"""

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.data.frames import Frame
from microagg.prepare.options import Options
from microagg.prepare.read_records import make_ready
from microagg.schema import Schema
from tests.twins.registry import MIXED_TWINS

QUASI = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex",
         "native-country"]  # fmt: skip
MIXED = [method.name for method in ma.methods() if method.mixed]


@pytest.fixture(scope="module")
def adult(data_folder):
    return ma.datasets.load("adult").frame.to_pandas()


@pytest.fixture(scope="module")
def plain(adult):
    return {
        k: ma.protect(adult, k, quasi_identifiers=QUASI, missing="group", method="mdav")
        for k in (5, 10)
    }


@pytest.mark.parametrize("k", [5, 10])
@pytest.mark.parametrize("name", MIXED)
def test_k_holds_and_the_loss_is_at_most_that_of_mdav(adult, plain, name, k):
    release = plain[k]
    if name != "mdav":
        release = ma.protect(adult, k, quasi_identifiers=QUASI, missing="group", method=name)
    assert release.data.groupby(QUASI, dropna=False).size().min() >= k
    assert release.measures["sse"] <= plain[k].measures["sse"]


def test_plain_mdav_is_that_of_the_reference_code(adult):
    some = adult[:700]
    ready = make_ready(Frame(some), Schema(QUASI), Options(missing="group"), 10, 0)
    twin = MIXED_TWINS["mdav"](ready.prepared, 10, None, leftovers="group")
    release = ma.protect(some, 10, quasi_identifiers=QUASI, missing="group", method="mdav")
    assert np.array_equal(release.partition.labels, twin)
    assert isinstance(release.data, pd.DataFrame)
