"""`microagg` itself: its version, its help, and words that are no command."""

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
