"""Runs: progress, success, failure, cancellation, limits."""

import asyncio
import json
import signal

import pytest

pytest.importorskip("starlette")

from microagg.server.runs import RunLimits, Runs


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

    return asyncio.run(asyncio.wait_for(whole(), 60))


def test_a_run_ends_with_its_messages(tmp_path):
    run, states = follow(["--version"], tmp_path)
    assert run.state == states[-1]["state"] == "finished"


def test_a_run_that_fails_says_why(tmp_path):
    run, _ = follow(["protect", "nowhere.csv", "-k", "5", "--qi", "age"], tmp_path)
    assert run.state == "failed"
    assert "nowhere.csv" in run.error


def test_a_cancelled_run_ends(tmp_path):
    async def cancel(runs, run, states):
        runs.cancel(run)
        runs.cancel(run)

    run, _ = follow(["demo", "--folder", str(tmp_path / "demo")], tmp_path, during=cancel)
    assert run.state == "cancelled"


def test_a_run_that_takes_too_long_is_ended(tmp_path):
    run, _ = follow(["demo", "--folder", str(tmp_path / "d")], tmp_path, RunLimits(seconds=0.05))
    assert run.state == "failed"
    assert run.process.returncode == -signal.SIGKILL
    assert "ended after" in run.error
