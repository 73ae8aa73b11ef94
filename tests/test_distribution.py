"""The wheel and the source distribution work in an empty environment."""

import importlib.util
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_binary_file, message_from_bytes
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def run(*words, **options):
    done = subprocess.run(
        [*map(str, words)], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def install(python, distribution):
    """Install a distribution; by uv if there is one, which takes a tenth of the time."""
    if importlib.util.find_spec("uv") is None:
        run(python, "-m", "pip", "install", "--quiet", distribution)
        return
    command = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python]
    run(*command, distribution, env={**os.environ, "UV_NATIVE_TLS": "1"})


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build both; return the wheel and the source distribution."""
    pytest.importorskip("build", reason="the package 'build' is not installed")
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT)
    (wheel,) = folder.glob("*.whl")
    (source,) = folder.glob("*.tar.gz")
    return wheel, source


def test_the_wheel_contains_what_users_run(built):
    names = zipfile.ZipFile(built[0]).namelist()
    folders = {name.split("/")[0] for name in names}
    assert {"microagg", "microagg_command.py"} <= folders
    assert not folders & {"tests", "benchmarks", "docs"}
    assert "microagg/py.typed" in names
    assert "microagg/cuda/grouping.cu" in names


def test_the_source_contains_the_tests_and_what_they_use(built):
    with tarfile.open(built[1]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    used = {"tests/test_protect.py", "benchmarks/page.py", "examples/adult.py", "docs/build.py"}
    assert names >= {*used, "Makefile", "pyproject.toml", "LICENSE"}


def metadata_of(distribution):
    """Return the metadata that a package index reads from a wheel or a source distribution."""
    if distribution.suffix == ".whl":
        archive = zipfile.ZipFile(distribution)
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name))
    with tarfile.open(distribution) as archive:
        (name,) = (
            name for name in archive.getnames() if name.count("/") == 1 and "PKG-INFO" in name
        )
        return message_from_binary_file(archive.extractfile(name))


@pytest.mark.parametrize("which", [0, 1], ids=["wheel", "source"])
def test_the_description_has_no_relative_links(built, which):
    metadata = metadata_of(built[which])
    text = metadata.get_payload()
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert "# microagg" in text
    assert "## Licence" in text
    assert [target for target in re.findall(r"\]\(([^)]*)\)", text) if "://" not in target] == []


@pytest.mark.parametrize("which", [0, 1], ids=["wheel", "source"])
def test_an_empty_environment_protects_a_file(built, which, tmp_path):
    run(sys.executable, "-m", "venv", tmp_path / "env")
    bin_folder = tmp_path / "env" / ("Scripts" if sys.platform == "win32" else "bin")
    install(bin_folder / "python", built[which])
    people = tmp_path / "people.csv"
    people.write_text("age,income\n30,10\n31,11\n60,20\n61,21\n")
    command = [bin_folder / "microagg", "protect", people, "-k", "2", "--qi", "age,income"]
    run(*command, "--method", "mdav", "-o", tmp_path / "release.csv", "--quiet", cwd=tmp_path)
    lines = (tmp_path / "release.csv").read_text().splitlines()
    assert lines[1:] == ["30.5,10.5", "30.5,10.5", "60.5,20.5", "60.5,20.5"]
    assert run(bin_folder / "microagg", "--version").strip()
