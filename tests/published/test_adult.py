"""Adult, eight mixed quasi-identifiers with blanks: k counted by pandas, loss against plain MDAV.

The whole file, as the figures of docs/records.md: on parts of it v-mdav can lose more than mdav.
"""

import os

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.data.frames import Frame
from microagg.pipeline.prepare import prepare_for_grouping
from microagg.pipeline.read import read_records
from microagg.prepare.options import Options
from microagg.schema import Schema
from tests.twins.registry import MIXED_TWINS

QUASI = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex",
         "native-country"]  # fmt: skip
MIXED = [method.name for method in ma.methods() if method.mixed]


@pytest.fixture(scope="module")
def adult():
    if "MICROAGG_DATA" not in os.environ:
        pytest.skip("MICROAGG_DATA is not set: the benchmark data is not at hand")
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
    options = Options(missing="group")
    records = read_records(Frame(some), Schema(QUASI), options, 10)
    prepared = prepare_for_grouping(records, options, 0).scaled
    twin = MIXED_TWINS["mdav"](prepared, 10, None, leftovers="group")
    release = ma.protect(some, 10, quasi_identifiers=QUASI, missing="group", method="mdav")
    assert np.array_equal(release.partition.labels, twin)
    assert isinstance(release.data, pd.DataFrame)
