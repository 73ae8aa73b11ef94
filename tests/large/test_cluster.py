"""The same release on a Dask cluster: the same bytes for any number of workers, whatever fails."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import microagg as ma
from microagg.errors import FileError, ParameterError
from microagg.large import memory
from microagg.large.executors import local
from microagg.large.executors.choose import executor_of
from tests.clusters import IGNORED, OPTIONS, files_of, two_workers

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

pytestmark = [pytest.mark.timeout(300), IGNORED]


@pytest.mark.slow
def test_a_cluster_writes_the_bytes_of_one_process(parts, people, tmp_path, client):
    ma.protect_file(parts, tmp_path / "alone", **OPTIONS)
    release = ma.protect_file(parts, tmp_path / "both", client=client, **OPTIONS)
    assert files_of(tmp_path / "both") == files_of(tmp_path / "alone")
    assert len(files_of(tmp_path / "both")) == 7
    in_memory = ma.protect(people, method="blocks", **OPTIONS)
    groups = [pq.read_table(path) for path in sorted(release.paths["groups"].iterdir())]
    assert np.array_equal(pa.concat_tables(groups)["group"], in_memory.partition.labels)


def test_a_task_that_runs_twice_does_no_harm(parts, tmp_path, monkeypatch):
    ma.protect_file(parts, tmp_path / "once", **OPTIONS)
    runs = {"count": 0}
    plain = local.LocalExecutor.run

    def run(self, stage, plan, items, context, **options):
        def again(plan, item, own):
            done = set(plan.work.folder.rglob("*.npz"))
            found = stage(plan, item, own)
            made = set(plan.work.folder.rglob("*.npz")) - done
            before = {path: path.read_bytes() for path in made}
            for path in made:
                path.unlink()  # as if nobody knew that it was done
            stage(plan, item, own)
            runs["count"] += len(made)
            assert {path: path.read_bytes() for path in made} == before
            return found

        return plain(self, again, plan, items, context, **options)

    monkeypatch.setattr(local.LocalExecutor, "run", run)
    monkeypatch.setattr(memory, "workers", lambda: 1)
    ma.protect_file(parts, tmp_path / "twice", **OPTIONS)
    assert runs["count"] > 20
    assert files_of(tmp_path / "twice") == files_of(tmp_path / "once")


def slow_then_dead(worker_pids, started):
    """Kill the first worker by its process id once the run has begun."""
    while not started.exists():
        time.sleep(0.01)
    os.kill(worker_pids[0], signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no SIGKILL")
def test_a_worker_that_is_killed_in_mid_run(parts, tmp_path):
    ma.protect_file(parts, tmp_path / "whole", **OPTIONS)
    with two_workers() as client:
        pids = list(client.run(os.getpid).values())
        started = tmp_path / "out" / ".microagg-work" / "grouped"
        killer = threading.Thread(target=slow_then_dead, args=(pids, started))
        killer.start()
        ma.protect_file(parts, tmp_path / "out", client=client, **OPTIONS)
        killer.join()
        with pytest.raises(ProcessLookupError):
            os.kill(pids[0], 0)
    assert files_of(tmp_path / "out") == files_of(tmp_path / "whole")


@pytest.fixture
def separate(tmp_path):
    """Start a scheduler and a worker as processes; return its address and the scheduler's process."""
    file = tmp_path / "scheduler.json"
    options = ["--scheduler-file", str(file)]
    module = [sys.executable, "-m", "distributed.cli.dask_"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    commands = [
        [*module[:2], f"{module[2]}scheduler", *options, "--port", "0", "--no-dashboard"],
        [*module[:2], f"{module[2]}worker", *options, "--nthreads", "1", "--no-dashboard"],
    ]
    processes = [subprocess.Popen(command, cwd=tmp_path, **quiet) for command in commands]
    try:
        while not file.exists() or not file.read_text().strip():
            time.sleep(0.05)
        yield json.loads(file.read_text())["address"], processes[0]
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.mark.slow
def test_a_scheduler_that_is_gone_keeps_what_is_done(parts, tmp_path, separate):
    ma.protect_file(parts, tmp_path / "whole", **OPTIONS)
    address, scheduler = separate
    started = tmp_path / "out" / ".microagg-work" / "routed"

    def end():
        while not started.exists():
            time.sleep(0.01)
        scheduler.kill()

    ender = threading.Thread(target=end)
    ender.start()
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "2s"}),
        pytest.raises(FileError, match=r"(?s)scheduler does not respond.*Finished work is kept"),
    ):
        ma.protect_file(parts, tmp_path / "out", cluster=address, **OPTIONS)
    ender.join()
    assert not (tmp_path / "out" / "release").exists()
    assert (tmp_path / "out" / ".microagg-work" / "manifest.json").exists()
    ma.protect_file(parts, tmp_path / "out", **OPTIONS)
    assert files_of(tmp_path / "out") == files_of(tmp_path / "whole")


def test_errors_of_tasks_are_those_of_one_process(people, tmp_path, client):
    values = people["x1"].to_pylist()
    values[300] = None
    path = tmp_path / "people.parquet"
    pq.write_table(people.set_column(2, "x1", pa.array(values)), path)
    with pytest.raises(ma.DataError, match=r"'x1' has a missing value .* in data row 301"):
        ma.protect_file(path, tmp_path / "out", client=client, **OPTIONS)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"workers": 0}, "'workers' parameter"),
        ({"workers": 1, "cluster": "tcp://a:1"}, "'cluster' and 'workers' parameters cannot be"),
        ({"client": "tcp://a:1"}, "'client' parameter must be a distributed.Client"),
        ({"cluster": "nowhere"}, "'cluster' parameter is 'nowhere', where no Dask scheduler"),
        ({"cluster": "tls://127.0.0.1:9"}, "(?s)but Dask has no certificates.*comm.tls"),
    ],
)
def test_what_is_no_cluster(parts, tmp_path, monkeypatch, wrong, words):
    monkeypatch.setattr("microagg.large.executors.dask.WAIT", 1)
    with pytest.raises(ParameterError, match=words):
        ma.protect_file(parts, tmp_path / "out", **OPTIONS, **wrong)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_workers_obey_nobody_else(tmp_path):
    """Whoever could speak to a scheduler could have it run any code as the owner of the records."""
    with executor_of(None, None, 1, lambda link: None) as cluster:
        client = cluster._client
        address = client.scheduler.address
        assert client.submit(os.getpid).result() != os.getpid()
        assert address.startswith("tls://127.0.0.1:")
        assert client.dashboard_link.startswith("http://127.0.0.1:")
        scratch = Path(client.run(lambda dask_worker: dask_worker.local_directory).popitem()[1])
        assert any(folder.stat().st_mode & 0o777 == 0o700 for folder in scratch.parents)
        for wrong in (address, address.replace("tls", "tcp")):
            with pytest.raises((OSError, TypeError)):
                distributed.Client(wrong, timeout=2)


FAULTS = """
import resource
import numpy as np
from microagg.large.executors.allocation import keep_freed_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(40):
        np.ones(500_000)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

print(faults(), keep_freed_memory(), faults())
"""
"""Prints how many pages 40 arrays of 4 MB take from the system, before and after the setting."""


@pytest.mark.skipif(sys.platform != "linux", reason="the setting is one of glibc")
def test_a_worker_takes_freed_memory_again():
    """Its environment is that of Dask's workers, in which each array would get fresh pages."""
    environment = {**os.environ, "MALLOC_TRIM_THRESHOLD_": "65536"}
    words = subprocess.run(
        [sys.executable, "-c", FAULTS], env=environment, capture_output=True, text=True, check=True
    ).stdout.split()
    if words[1] == "False" or int(words[0]) < 10_000:
        pytest.skip("the C library has no such setting, or the system has huge pages")
    assert int(words[2]) < int(words[0]) / 5
