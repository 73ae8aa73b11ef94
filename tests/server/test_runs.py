"""Runs: progress, success, failure, cancellation, waiting, limits."""

import asyncio
import errno
import json
import signal
import sys
from pathlib import Path

import pytest

from microagg.server.runs import RunLimits, Runs
from microagg.server.workspace import Workspace

SLOW = ["protect", "people.csv", "-k", "3", "--qi", "a,b", "--method", "lns", "-o", "release.csv"]


def follow(command, tmp_path, limits=None, during=None):
    """Start a command, follow its events, and return the run and the events."""

    async def whole():
        runs = Runs(limits or RunLimits())
        run = await runs.start(command, tmp_path, "test")
        states = []
        async for event in runs.events(lambda: [run]):
            if event.startswith("data: "):
                states += json.loads(event.removeprefix("data: "))
            if during is not None:
                await during(runs, run, states)
        return run, states

    return asyncio.run(asyncio.wait_for(whole(), 100))


def test_a_run_ends_with_its_messages(tmp_path):
    run, states = follow(["--version"], tmp_path)
    assert run.state == states[-1]["state"] == "finished"
    assert [state["state"] for state in states[:2]] == ["waiting", "running"]


def test_a_run_that_fails_says_why_and_which_options_it_is_about(tmp_path):
    run, _ = follow(["protect", "nowhere.csv", "-k", "5", "--qi", "age"], tmp_path)
    assert run.state == "failed"
    assert "nowhere.csv" in run.error
    (tmp_path / "a.csv").write_text("age,pay\n1,2\n3,4\n")
    run, _ = follow(["protect", "a.csv", "-k", "5", "--qi", "age"], tmp_path)
    assert run.parameters == ("k",)


@pytest.mark.skipif(sys.platform != "linux", reason="reads the list of processes of Linux")
def test_the_command_line_of_a_run_shows_no_column(tmp_path):
    shown = []

    async def look(runs, run, states):
        if run.state == "running":
            shown.append(Path(f"/proc/{run.process.pid}/cmdline").read_text())

    run, _ = follow(["protect", "a.csv", "-k", "5", "--qi", "secret"], tmp_path, during=look)
    assert run.state == "failed"
    assert shown
    assert not any("secret" in line or "protect" in line for line in shown)


def test_a_cancelled_run_ends(tmp_path):
    async def cancel(runs, run, states):
        if run.state == "running":
            runs.cancel(run)

    run, _ = follow(["demo", "--folder", str(tmp_path / "demo")], tmp_path, during=cancel)
    assert run.state == "cancelled"


@pytest.mark.parametrize("end", ["cancel", "remove", "close"])
def test_a_run_that_is_ended_while_its_process_is_started(end, tmp_path, monkeypatch):
    """Starting a process takes a moment, in which the run has none that could be stopped."""
    create, command = asyncio.create_subprocess_exec, ["demo", "--folder", str(tmp_path / "demo")]
    processes = []

    async def whole():
        runs, workspace = Runs(RunLimits()), Workspace()
        endings = []

        async def meanwhile(*arguments, **options):
            process = await create(*arguments, **options)
            processes.append(process)
            if end == "cancel":
                runs.cancel(run)
            else:
                ending = runs.close() if end == "close" else runs.remove(run.id, workspace)
                endings.append(asyncio.create_task(ending))
                await asyncio.sleep(0)
            return process

        monkeypatch.setattr(asyncio, "create_subprocess_exec", meanwhile)
        run = await runs.start(command, tmp_path, "test")
        while run.active or not processes or processes[0].returncode is None:
            await asyncio.sleep(0.01)
        await asyncio.gather(*endings)
        workspace.remove()
        return run

    run = asyncio.run(asyncio.wait_for(whole(), 60))
    assert run.state == "cancelled"
    assert processes[0].returncode == -signal.SIGKILL
    assert not (tmp_path / "demo").exists()


def test_a_run_whose_process_cannot_be_started_fails(tmp_path, monkeypatch):
    async def refuse(*arguments, **options):
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", refuse)
    run, _ = follow(["--version"], tmp_path)
    assert run.state == "failed"
    assert "Resource temporarily unavailable" in run.error


@pytest.mark.slow
def test_a_search_that_is_stopped_keeps_its_best(tmp_path):
    rows = (f"{i * 7919 % 1009},{i * 104729 % 1013}\n" for i in range(3000))
    (tmp_path / "people.csv").write_text("a,b\n" + "".join(rows))

    async def cancel(runs, run, states):
        if states[-1]["what"] == "Searching" and states[-1]["done"] > 9 and not run.interrupts:
            runs.cancel(run)

    options = ["--set", "max_iterations=100000000", "--set", "time_limit=60"]
    run, _ = follow([*SLOW, *options], tmp_path, during=cancel)
    assert run.state == "finished", (run.error, run.messages)
    assert run.interrupts == 1
    assert (tmp_path / "release.csv").exists()
    assert run.seconds < 60


def test_a_run_that_takes_too_long_is_ended(tmp_path):
    run, _ = follow(["demo", "--folder", str(tmp_path / "d")], tmp_path, RunLimits(seconds=0.05))
    assert run.state == "failed"
    assert run.process.returncode == -signal.SIGKILL
    assert "ended after" in run.error


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited on Linux")
def test_a_run_that_needs_too_much_memory_fails_alone(tmp_path):
    run, _ = follow(["demo", "--folder", str(tmp_path / "d")], tmp_path, RunLimits(memory=10**8))
    assert run.state == "failed"


def test_runs_beyond_the_limit_wait_and_can_be_cancelled_meanwhile(tmp_path):
    async def whole():
        runs = Runs(RunLimits(at_once=1))
        first, second, third = [await runs.start(["--version"], tmp_path, str(i)) for i in range(3)]
        runs.cancel(third)
        at_work = []
        async for _ in runs.events(lambda: [first, second, third]):
            at_work.append(sum(run.state == "running" for run in (first, second, third)))
        return max(at_work), [run.state for run in (first, second, third)]

    most, states = asyncio.run(asyncio.wait_for(whole(), 60))
    assert most == 1
    assert states == ["finished", "finished", "cancelled"]


def test_closing_ends_all_runs_and_streams(tmp_path):
    async def whole():
        runs = Runs(RunLimits(at_once=1))
        started = [await runs.start(["demo", "--folder", "d"], tmp_path, "") for _ in range(2)]
        events = [event async for event in _closing(runs, started)]
        return events, [run.state for run in started]

    async def _closing(runs, started):
        async for event in runs.events(lambda: started):
            yield event
            if started[0].state == "running":
                await runs.close()

    _, states = asyncio.run(asyncio.wait_for(whole(), 60))
    assert states == ["failed", "cancelled"]
