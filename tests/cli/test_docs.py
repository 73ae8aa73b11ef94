"""Every command and option has help and a place in docs/cli.md, whose examples run."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from microagg.cli.app import app
from microagg.cli.group import load

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
COMMANDS = {name: load(name) for name in app.commands}
PARAMETERS = [
    pytest.param(name, parameter, id=f"{name} {parameter.name}")
    for name, command in COMMANDS.items()
    for parameter in command.params
]


def section(command: str) -> str:
    """Return what the page says of a command."""
    return PAGE.split(f"\n## {command}\n", 1)[1].split("\n## ", 1)[0]


def test_the_commands_are_all_here():
    assert set(COMMANDS) == {
        "protect", "assess", "compare", "bound", "schema", "select", "methods", "datasets",
        "demo", "info", "serve", "verify", "warm",
    }  # fmt: skip
    assert len(PARAMETERS) > 30


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_a_section(name):
    assert COMMANDS[name].help
    assert f"| [`{name}`](#{name}) |" in PAGE
    assert f"microagg {name}" in section(name)


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_every_option_has_help_and_a_place_in_its_section(name, parameter):
    assert parameter.help
    argument = parameter.param_type_name == "argument"
    for word in [parameter.metavar or parameter.name.upper()] if argument else parameter.opts:
        assert re.search(rf"`{re.escape(word)}[` ]", section(name)), word


def test_the_options_of_microagg_itself():
    for parameter in app.params:
        assert parameter.help
        assert parameter.opts[0] in PAGE


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_names_no_option_that_is_not_there(name):
    there = {
        option
        for parameter in COMMANDS[name].params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    named = set(re.findall(r"^\| (`-.*?) \|", section(name), re.MULTILINE))
    options = {option for cell in named for option in re.findall(r"`(-[^`]*)`", cell)}
    assert options <= there


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.skipif(os.name == "nt", reason="the examples are for a shell")
def test_the_examples_run_one_after_the_other(microagg, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MICROAGG_DATA", raising=False)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    examples = "".join(re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
    assert examples.count("microagg ") > 15
    for line in examples.splitlines():
        if line.startswith("microagg ") and not set("|>") & set(line):
            said = microagg(*shlex.split(line)[1:])  # in this process: fast
            assert said.code == 0, (line, said.err)
        else:
            subprocess.run(line, shell=True, check=True, stdout=subprocess.DEVNULL)
    released = Path("released.csv").read_text()
    assert released == "age;pay\n30,5;2,0\n30,5;2,0\n50,5;9,0\n50,5;9,0\n"


def test_the_message_on_the_page_is_the_real_one(microagg, people):
    said = microagg("protect", people, "-k", "3", "--qi", "agee")
    assert said.err.strip() in PAGE
