"""Adult, eight mixed quasi-identifiers with blanks: k counted by pandas, loss against plain MDAV.

The whole file, as the figures of docs/records.md: on parts of it v-mdav can lose more than mdav.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.data.frames import Frame
from microagg.pipeline.prepare import prepare_for_grouping
from microagg.pipeline.read import read_records
from microagg.settings import Settings
from tests.examples import sample
from tests.twins.registry import MIXED_TWINS

QUASI = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex",
         "native-country"]  # fmt: skip
MIXED = [method.name for method in ma.methods() if method.mixed]


@pytest.fixture(scope="module")
def adult(data_folder):
    return ma.datasets.load("adult").frame.to_pandas()


@pytest.fixture(scope="module")
def plain(adult):
    """Return a function that protects by mdav, each k once."""

    @cache
    def protected(k):
        return ma.protect(adult, k, quasi_identifiers=QUASI, missing="group", method="mdav")

    return protected


@pytest.mark.slow
@pytest.mark.parametrize("k", [pytest.param(5, marks=pytest.mark.slow), 10])
@pytest.mark.parametrize("name", sample(MIXED, quick=[MIXED.index("mdav-nc")]))
def test_k_holds_and_the_loss_is_at_most_that_of_mdav(adult, plain, name, k):
    release = plain(k)
    if name != "mdav":
        release = ma.protect(adult, k, quasi_identifiers=QUASI, missing="group", method=name)
    assert release.data.groupby(QUASI, dropna=False).size().min() >= k
    assert release.measures["sse"] <= plain(k).measures["sse"]


def test_plain_mdav_is_that_of_the_reference_code(adult):
    some = adult[:700]
    settings = Settings.create(k=10, quasi_identifiers=QUASI, missing="group")
    prepared = prepare_for_grouping(read_records(Frame(some), settings), settings).scaled
    twin = MIXED_TWINS["mdav"](prepared, 10, None, leftovers="group")
    release = ma.protect(some, 10, quasi_identifiers=QUASI, missing="group", method="mdav")
    assert np.array_equal(release.partition.labels, twin)
    assert isinstance(release.data, pd.DataFrame)
