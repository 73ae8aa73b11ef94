"""A registry that tests may add to."""

import pytest

from microagg.partition import registry


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
