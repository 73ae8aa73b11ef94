"""Fixtures that all tests share, and what is said at the end about parts that were skipped."""

import csv
import os
import signal
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

from benchmarks.reproduce.figures import PRINTED
from microagg.data.datasets import load
from microagg.partition import registry
from tests.examples import examples

settings.register_profile("share", max_examples=examples(100), deadline=None)
settings.load_profile("share")

NO_DATA = "no benchmark data (MICROAGG_DATA is not set)"
"""The reason that every test gives which needs the data and has none."""


@pytest.fixture(scope="session", autouse=True)
def _interruptible():
    """Give Ctrl-C its meaning, for the tests that send it to themselves or to a process they start.

    A background job of a non-interactive shell ignores SIGINT, and its children inherit that; a
    handler they do not inherit, so they start with the default.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def data_folder():
    """Return the folder of the benchmark data, or skip where there is none."""
    if "MICROAGG_DATA" not in os.environ:
        pytest.skip(NO_DATA)
    return Path(os.environ["MICROAGG_DATA"])


@pytest.fixture(scope="session")
def benchmark(data_folder):
    """Return a loader of a benchmark's matrix, or skip where the data is not at hand."""
    return lambda name: load(name).X


@pytest.fixture(scope="session")
def printed_figures():
    """Return the printed figures of the papers."""
    with PRINTED.open(encoding="utf-8", newline="") as stream:
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


def pytest_terminal_summary(terminalreporter, config):
    """Print what the attacks counted, and which optional parts were skipped and why."""
    _print_counts(terminalreporter)
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
    )
    without_slow = "not slow" in (config.getoption("markexpr") or "")
    if not reasons and not without_slow:
        return
    terminalreporter.section("optional parts that did not run")
    for reason, count in sorted(reasons.items()):
        terminalreporter.line(f"{count:5} skipped: {reason}")
    if without_slow:
        terminalreporter.line("      left out: tests marked slow (make test-slow runs them)")


def _print_counts(terminalreporter):
    """Print what the tests of tests/hostile recorded, added up by test."""
    counts = {}
    for report in terminalreporter.stats.get("passed", []):
        path, _, test = report.nodeid.partition("::")
        for name, count in report.user_properties:
            if "hostile" in path and isinstance(count, int):
                key = (Path(path).stem, test.partition("[")[0], name)
                counts[key] = counts.get(key, 0) + count
    if counts:
        terminalreporter.section("what the attacks counted")
    for (file, test, name), count in sorted(counts.items()):
        terminalreporter.line(f"{count:7,} {name}: {file}, {test}")
