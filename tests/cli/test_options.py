"""The commands have the options that are declared, under all their flags."""

import inspect
import re
from dataclasses import dataclass

import pytest

import microagg as ma
from microagg.cli import options
from microagg.cli.app import app
from microagg.cli.group import load
from microagg.cli.parameters import command_of
from microagg.constraints import IsInteger
from microagg.declare import option, options_of
from microagg.reading import Reading
from microagg.settings import Settings

COMMANDS = {name: load(name) for name in app.commands}
OF_0_1 = {
    "protect": "-k --k --qi --id --confidential --schema --output -o --method --refine --columns "
    "--segments --set --scale --kinds --order --distance --column-weight --hierarchy --distance-table "
    "--aggregate --integers --round-to --missing --blank --weights --strata --small-strata "
    "--l-diversity --t-closeness --seed --repeat --report --separator --encoding --decimal "
    "--numeric-names --memory --overwrite --quiet -q --json",
    "assess": "--qi --confidential --schema --kinds --order --weights --blank --scale --distance "
    "--column-weight --hierarchy --distance-table --report --overwrite --separator --encoding "
    "--decimal --numeric-names --quiet -q --json",
    "compare": "--qi --confidential --schema -k --k --methods --refine --set --kinds --order --scale "
    "--distance --column-weight --hierarchy --distance-table --aggregate --integers --round-to "
    "--missing --blank --weights --strata --small-strata --l-diversity --t-closeness --loss --seed "
    "--jobs --cache --output -o --report --overwrite --separator --encoding --decimal --numeric-names "
    "--quiet -q --json",
    "bound": "-k --k --qi --groups --time-limit --scale --separator --encoding --decimal "
    "--numeric-names --quiet -q --json",
    "select": "--qi --measure --width -m --most --picture --separator --encoding --decimal "
    "--numeric-names --overwrite --quiet -q --json",
}
"""The flags of version 0.1 that keep working."""

PLACES = {"protect": "memory", "assess": "assess", "compare": "compare"}


def flags(command):
    return {flag for each in COMMANDS[command].params for flag in each.opts}


@pytest.mark.parametrize("command", OF_0_1)
def test_flags_of_0_1_keep_working(command):
    assert set(OF_0_1[command].split()) <= flags(command)


@pytest.mark.parametrize("command", PLACES)
def test_every_declared_option_has_all_its_flags_and_its_topic(command):
    own = {each.name: each for each in COMMANDS[command].params}
    for name, each in (options_of(Settings, PLACES[command]) | options_of(Reading)).items():
        if (command, name) in {("compare", "identifiers"), ("compare", "k"), ("protect", "index")}:
            continue
        assert set(each.flags) == set(own[name].opts)
        assert own[name].topic == each.topic
        assert own[name].help


FUNCTIONS = {
    ma.protect: "memory",
    ma.protect_file: "large",
    ma.compare: "compare",
    ma.assess: "assess",
}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_signatures_and_docstrings_show_every_option(function):
    parameters = inspect.signature(function).parameters
    assert "options" not in parameters
    for name in options_of(Settings, FUNCTIONS[function]):
        if (function, name) != (ma.compare, "identifiers"):
            assert name in parameters
            assert re.search(rf"^    ({name}|k) : ", function.__doc__, re.MULTILINE)
    assert "{options}" not in function.__doc__


def test_partition_has_the_same_options():
    declared = options_of(Settings, "partition")
    parameters = inspect.signature(ma.partition).parameters
    assert declared.keys() <= parameters.keys()
    assert parameters["method"].default == declared["method"].default == "auto"


@dataclass(frozen=True)
class More(Settings):
    """The settings with one option more."""

    sparkle: int | None = option(
        IsInteger(1),
        "How much the release sparkles.",
        "Release",
        default=None,
        flags=("--glow",),
        places=("memory",),
    )


def test_a_new_option_is_on_the_command_line_at_once(monkeypatch, capsys):
    monkeypatch.setattr(options, "Settings", More)
    seen = {}

    @options.with_flags("memory")
    def command(file: str, **texts):
        """Protect."""
        seen.update(texts)

    small = command_of(command, "small")
    small.main(["x.csv", "--glow", "3"], standalone_mode=False)
    assert seen["sparkle"] == 3
    small.main(["--help"], standalone_mode=False)
    shown = " ".join(capsys.readouterr().out.split())
    assert "--sparkle" in shown
    assert "How much the release sparkles." in shown


def test_a_new_option_is_in_the_documentation_and_in_the_provenance_at_once():
    from tests.test_docs import build

    row = build().option_tables.options_page(More)
    assert (
        "| `sparkle`<br>`--glow`<br>`--sparkle` | How much the release sparkles. | an integer"
        in row
    )
    settings = More.create(k=2, quasi_identifiers=["age"], sparkle=3)
    assert settings.as_dict()["sparkle"] == 3


def test_a_new_option_is_in_the_signature_at_once(monkeypatch):
    from microagg import signatures

    monkeypatch.setattr(signatures, "Settings", More)

    @signatures.with_options("memory")
    def function(data, **chosen):
        """Do it.

        Parameters
        ----------
        data : object
        {options}
        """
        return chosen

    assert "sparkle" in inspect.signature(function).parameters
    assert "sparkle : an integer of at least 1, optional" in function.__doc__
    assert function(1, sparkle=2) == {"sparkle": 2}
