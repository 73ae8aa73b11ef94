"""`microagg` itself: its version, its help, and words that are no command."""

import subprocess
import sys

import pytest

import microagg as ma

COMMANDS = [
    "protect",
    "assess",
    "compare",
    "bound",
    "schema",
    "methods",
    "datasets",
    "demo",
    "serve",
]


def test_version_and_help(microagg):
    assert microagg("--version").out.decode().strip() == ma.__version__
    for arguments in (["--help"], ["-h"], ["protect", "--help"]):
        said = microagg(*arguments)
        assert said.code == 0
        assert b"Usage: microagg" in said.out


def test_nothing_at_all_is_answered_with_help(microagg):
    said = microagg()
    assert said.code == 2
    assert "protect" in said.out.decode() + said.err


def test_an_unknown_command(microagg):
    said = microagg("protcet")
    assert (said.code, said.out) == (2, b"")
    assert "protcet" in said.err


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(microagg, command):
    assert command in microagg("--help").out.decode()
    said = microagg(command, "--help")
    assert said.code == 0
    assert f"Usage: microagg {command}" in said.out.decode()


@pytest.mark.skipif(sys.platform != "linux", reason="a limit on memory as Linux has it")
@pytest.mark.parametrize("megabytes", [120, 200])
def test_too_little_memory_ends_in_words(tmp_path, megabytes):
    (tmp_path / "people.csv").write_text("age\n" + "30\n40\n" * 9)
    limited = (
        "import resource, runpy, sys; "
        f"resource.setrlimit(resource.RLIMIT_AS, ({megabytes << 20}, {megabytes << 20})); "
        "sys.argv[:] = ['microagg', *'protect people.csv -k 3 --qi age -o out.csv'.split()]; "
        "runpy.run_module('microagg', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", limited], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "There is not enough memory for this command." in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out.csv").exists()
