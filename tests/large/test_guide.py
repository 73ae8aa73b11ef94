"""The guide from a laptop to a cluster: its steps give the same release, and its compose file is sound."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from microagg.cli.app import app

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guides" / "laptop-to-cluster.md"
COMPOSE = ROOT / "examples" / "cluster" / "docker-compose.yml"


def blocks(language):
    text = GUIDE.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def steps():
    """Return the commands of the guide that run without a cluster of one's own."""
    return [block for block in blocks("sh") if block.startswith("microagg protect people.parquet")]


def options_of(command):
    """Return the words of a command but those that a step changes."""
    words = shlex.split(command.replace("\\\n", " "))
    words = words[words.index("protect") + 1 :]
    changing = {"--memory", "--workers", "--cluster", "--method", "-o"}
    kept, skip = [], True  # the input comes first
    for word in words:
        if not skip and word not in changing:
            kept.append(word)
        skip = word in changing
    return kept


def test_every_step_has_the_same_options():
    commands = [
        line
        for block in blocks("sh")
        for line in block.replace("\\\n", " ").splitlines()
        if "protect" in line
    ]
    assert len(commands) == 5
    assert len({tuple(options_of(command)) for command in commands}) == 1


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with the records of the guide."""
    monkeypatch.chdir(tmp_path)
    exec(blocks("python")[0], {})
    return tmp_path


def test_the_first_two_steps_release_the_same_values(folder):
    runner = CliRunner()
    for command in steps()[:2]:
        done = runner.invoke(app, shlex.split(command)[1:])
        assert done.exit_code == 0, done.output
    large, small = (pq.read_table(p) for p in ("release/release.parquet", "release.parquet"))
    assert large.equals(small)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_step_with_workers_writes_the_same_bytes(folder):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in steps()[1:]:
        subprocess.run(["sh", "-c", command], check=True, env={**os.environ, "PATH": path})
    files = [folder / name / "release.parquet" for name in ("release", "release-workers")]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_the_compose_file_names_a_scheduler_and_two_workers():
    yaml = pytest.importorskip("yaml")
    content = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))
    services = content["services"]
    assert set(services) == {"scheduler", "worker", "microagg"}
    assert services["worker"]["deploy"]["replicas"] == 2
    assert {service["image"] for service in services.values()} == {"microagg-dask"}
    (volume,) = {volume for service in services.values() for volume in service["volumes"]}
    assert volume == "./data:/data"
    for service in services.values():
        assert set(service.get("depends_on", [])) <= set(services)
    port = re.search(r"--port (\d+)", services["scheduler"]["command"])[1]
    assert f"tcp://scheduler:{port}" in services["worker"]["command"]
    assert f"--cluster tcp://scheduler:{port}" in GUIDE.read_text(encoding="utf-8")
    assert (COMPOSE.parent / "Dockerfile").exists()


@pytest.mark.parametrize("name", ["scheduler", "worker"])
def test_the_options_of_the_compose_file_are_those_of_dask(name):
    yaml = pytest.importorskip("yaml")
    pytest.importorskip("distributed")
    command = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"][name]["command"]
    words = shlex.split(command)
    assert words[:2] == ["dask", name]
    module = __import__(f"distributed.cli.dask_{name}", fromlist=["main"])
    known = {option for parameter in module.main.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known
