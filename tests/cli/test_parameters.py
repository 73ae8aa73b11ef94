"""Functions become commands of click, with the options that their annotations declare."""

from pathlib import Path
from typing import Annotated

import click
import pytest

from microagg.cli.parameters import Flag, Positional, command_of, flags_of

SEEN = {}


def example(
    file: Annotated[Path, Positional("FILE", "The file.")],
    others: Annotated[list[str] | None, Positional("OTHER", "More files.")] = None,
    *,
    names: Annotated[list[str] | None, Flag(help="Names.", topic="Roles")] = None,
    most: Annotated[int, Flag("-m", "--most", help="How many.", minimum=1)] = 3,
    share: Annotated[float | None, Flag(help="A share.", default="half")] = None,
    quiet: Annotated[bool, Flag("--quiet", "-q", help="Be quiet.")] = False,
) -> None:
    """Do something.

    And more.
    """
    SEEN.clear()
    SEEN.update(locals())


def run(*words):
    command_of(example, "example").main(words, "example", standalone_mode=False)
    return {name: value for name, value in SEEN.items() if value not in (None, False)}


def test_what_is_left_out_has_its_default():
    assert run("a.csv") == {"file": Path("a.csv"), "most": 3}


def test_every_kind_of_parameter_is_read():
    words = ("a.csv", "b", "c", "--names", "x", "--names", "y", "-m", "2", "--share", "0.5", "-q")
    assert run(*words) == {
        "file": Path("a.csv"), "others": ["b", "c"], "names": ["x", "y"], "most": 2,
        "share": 0.5, "quiet": True,
    }  # fmt: skip


@pytest.mark.parametrize("words", [(), ("a", "-m", "0"), ("a", "-m", "x"), ("a", "--namse", "x")])
def test_what_cannot_be_read_is_an_error_of_usage(words):
    with pytest.raises(click.UsageError):
        run(*words)


def test_the_help_lists_arguments_then_topics_then_other_options(capsys):
    run("--help")
    shown = capsys.readouterr().out
    assert shown.startswith("Usage: example [OPTIONS] FILE [OTHER]...\n\n  Do something.\n")
    headings = [line for line in shown.splitlines() if line.endswith(":")]
    assert headings == ["Arguments:", "Roles:", "Options:"]
    assert "[default: 3]" in shown
    assert "[default: half]" in shown


def test_messages_name_the_first_flag():
    assert flags_of(example) == {
        "names": "--names", "most": "-m", "share": "--share", "quiet": "--quiet",
    }  # fmt: skip
