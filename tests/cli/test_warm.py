"""Compiling ahead covers every kernel that a method, a refinement or a measure uses."""

import subprocess
import sys

import pytest

from microagg.cli.commands.warm import _shared_tasks, tasks_of
from microagg.partition.constrain import exchange, swap
from microagg.partition.registry import methods


def test_a_method_is_used_by_scans_on_an_index_and_on_mixed_records():
    assert list(tasks_of(["mdav"])) == ["mdav on mixed records", "mdav on an index", "mdav"]
    assert list(tasks_of(["kwd"])) == ["kwd"]


@pytest.mark.parametrize(
    "name", [*tasks_of(["mdav", "auto"]), "assess", "bound", "limits", "refinement decompose"]
)
def test_every_kind_of_task_runs(name):
    {**tasks_of(["mdav", "auto"]), **_shared_tasks()}[name]()


def test_all_methods_and_refinements_have_a_task():
    tasks = {**tasks_of([m.name for m in methods()]), **_shared_tasks()}
    assert {m.name for m in methods()} <= set(tasks)
    assert "refinement swap-shift" in tasks


def test_a_second_run_finds_everything_in_the_cache():
    command = [sys.executable, "-m", "microagg", "warm", "fixed-1d", "--processes", "1"]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "fixed-1d: in the cache already" in done.stderr + done.stdout


def test_the_loops_that_enforce_limits_are_used(monkeypatch):
    used = []
    for module, name in ((swap, "swap_many"), (exchange, "reduce_many")):
        monkeypatch.setattr(module, name, _noting(getattr(module, name), used))
    _shared_tasks()["limits"]()
    assert {"swap_many", "reduce_many"} <= set(used)


def _noting(function, used):
    def call(*arguments):
        used.append(function.__name__)
        return function(*arguments)

    return call
