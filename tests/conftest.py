"""Fixtures that all tests share."""

import csv
import os

import pytest

from benchmarks.reproduce.figures import PRINTED


@pytest.fixture(scope="session")
def benchmark():
    """Return a loader of a benchmark's matrix, or skip where the data is not at hand."""
    if "MICROAGG_DATA" not in os.environ:
        pytest.skip("MICROAGG_DATA is not set: the benchmark data is not at hand")
    from microagg.data.datasets import load

    return lambda name: load(name).X


@pytest.fixture(scope="session")
def printed_figures():
    """Return the printed figures of the papers."""
    with PRINTED.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))
