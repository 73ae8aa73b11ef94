"""`microagg` itself: its version, its help, and words that are no command."""

import signal
import sys
import warnings

import pytest

import microagg as ma
from microagg.cli import app

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


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        ImportError("libx.so: failed to map segment from shared object"),
        OSError(12, "Cannot allocate memory"),
        RuntimeError("can't start new thread"),
    ],
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_lack_of_memory_ends_in_words(error, wrapped, monkeypatch, capsys):
    def command(**options):
        if not wrapped:
            raise error
        raise OSError("Could not find/load shared object file") from error

    monkeypatch.setattr(app.app, "main", command)
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    with pytest.raises(SystemExit, match="1"):
        app.run()
    assert "There is not enough memory for this command." in capsys.readouterr().err


def test_other_errors_are_not_taken_for_a_lack_of_memory():
    assert not app.lacks_memory(OSError(28, "No space left on device"))
    assert not app.lacks_memory(ImportError("No module named 'x'"))


def test_a_warning_is_a_sentence_without_a_line_of_python(monkeypatch, capsys):
    def command(**options):
        warnings.warn("The cache is damaged.", ma.MicroaggWarning, stacklevel=1)

    monkeypatch.setattr(app.app, "main", command)
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        app.run()
    assert capsys.readouterr().err == "Warning: The cache is damaged.\n"
