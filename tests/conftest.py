"""Fixtures that all tests share."""

import csv
import os
from pathlib import Path

import pytest

from microagg.partition import registry


@pytest.fixture(scope="session")
def benchmark():
    """Return a loader of a benchmark's matrix, or skip where the data is not at hand."""
    if "MICROAGG_DATA" not in os.environ:
        pytest.skip("MICROAGG_DATA is not set: the benchmark data is not at hand")
    from microagg.data.datasets import load

    return lambda name: load(name).X


@pytest.fixture(scope="session")
def printed_figures():
    """Return the printed figures of the papers, or skip where they are not at hand."""
    folder = os.environ.get("MICROAGG_PUBLISHED")
    if not folder:
        pytest.skip("MICROAGG_PUBLISHED is not set: the printed figures are not at hand")
    with (Path(folder) / "information_loss.csv").open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture
def add_method(monkeypatch):
    """Return the decorator with the facts filled in; what it adds goes when the test ends."""
    registry.methods()
    monkeypatch.setattr(registry, "_METHODS", dict(registry._METHODS))

    def add(name, **facts):
        return registry.method(
            name, **{"summary": "a test", "reference": "none", "time": "O(n)", **facts}
        )

    return add
