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

ATTACKS = float(os.environ.get("MICROAGG_ATTACKS", "1"))
"""The share of the parts of each attack (tests/hostile) that run: at least one of each, or none with 0."""

NO_DATA = "no benchmark data (MICROAGG_DATA is not set)"
"""The reason that every test gives which needs the data and has none."""


@pytest.fixture(scope="session", autouse=True)
def _signals_as_usual():
    """Give signals their usual meaning, for the tests that send them to themselves or to a process.

    A background job of a non-interactive shell ignores SIGINT, `nohup` ignores SIGHUP, and children
    inherit that. A handler they do not inherit, so they start with the default.
    """
    before = {signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler)}
    if os.name != "nt" and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        before[signal.SIGHUP] = signal.signal(signal.SIGHUP, lambda *_: None)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session", autouse=True)
def _no_waiting_for_disks():
    """Leave out that files are flushed to the disk: no test can see a power cut, and many would wait."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


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


def pytest_collection_modifyitems(config, items):
    """Leave out parts of attacks (see `ATTACKS`), and begin with the tests that take longest."""
    config.hook.pytest_deselected(items=[item for item in items if _is_beyond(item)])
    items[:] = [item for item in items if not _is_beyond(item)]
    items.sort(key=lambda item: item.get_closest_marker("exhaustive") is None)


def _is_beyond(item):
    """Return whether an item is a part of an attack beyond the share that is asked for."""
    parts = [
        mark.args[1]
        for mark in item.iter_markers("parametrize")
        if mark.args[0] == "part" and "hostile" in item.path.parts
    ]
    return any(
        item.callspec.params["part"] >= max(ATTACKS > 0, round(ATTACKS * len(all_)))
        for all_ in parts
    )


def pytest_terminal_summary(terminalreporter, config):
    """Print what the attacks counted, and which optional parts were skipped and why."""
    _print_counts(terminalreporter)
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
    )
    without_slow = "not slow" in (config.getoption("markexpr") or "")
    if not reasons and not without_slow and ATTACKS >= 1:
        return
    terminalreporter.section("optional parts that did not run")
    for reason, count in sorted(reasons.items()):
        terminalreporter.line(f"{count:5} skipped: {reason}")
    if without_slow:
        terminalreporter.line("      left out: tests marked slow (make test-slow runs them)")
    elif ATTACKS < 1:
        terminalreporter.line(
            f"      left out: attacks but for {ATTACKS:.0%} (make test-all ATTACKS=1)"
        )


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
