"""The command line speaks of options, with the messages that Python has."""

from pathlib import Path

import pytest
import typer
from microagg.cli.words import OPTIONS, of_the_command_line, translated

from microagg.cli.app import app
from microagg.errors import DataError


def test_every_option_of_the_table_is_an_option():
    commands = typer.main.get_command(app).commands
    there = {option for name in commands for each in commands[name].params for option in each.opts}
    assert set(OPTIONS.values()) <= there


@pytest.mark.parametrize(
    ("python", "shell"),
    [
        ("The 'k' parameter of mdav must be", "The '-k' option must be"),
        ("The 'encoding' parameter must be", "The '--encoding' option must be"),
        ("'separator' and 'decimal' parameters", "'--separator' and '--decimal' options"),
        ('Try encoding="latin-1" or encoding="cp1252".', "Try --encoding latin-1 or --encoding cp1252."),
        ("mostly have separator=';'.", "mostly have --separator ';'."),
        ("Give overwrite=True or", "Give --overwrite or"),
        ('as quasi_identifiers=["age", "net pay"];', "as --qi 'age,net pay';"),
        ("The 'gamma' parameter of v-mdav", "The 'gamma' parameter of v-mdav"),
        ("write index=False, row.names=FALSE", "write index=False, row.names=FALSE"),
    ],
)  # fmt: skip
def test_words(python, shell):
    assert translated(python) == shell


def test_the_kind_of_error_stays_and_a_schema_file_keeps_its_words():
    error = DataError("The 'quasi_identifiers' parameter.", hint="Give overwrite=True.")
    found = of_the_command_line(error)
    assert (type(found), str(found)) == (DataError, "The '--qi' option.\nHint: Give --overwrite.")
    kept = of_the_command_line(error, schema_file=True)
    assert kept.message == "The 'quasi_identifiers' parameter."


def test_a_parameter_given_by_set_is_called_so(microagg, people):
    error = DataError("The 'time_limit' parameter of lns is odd.", hint="Give time_limit=10.")
    found = of_the_command_line(error, settings=True)
    assert str(found) == "The '--set time_limit' option is odd.\nHint: Give --set time_limit=10."
    assert of_the_command_line(error).hint == "Give --time-limit 10."
    given = ["-k", "3", "--qi", "age", "--method", "lns", "--set", "time_limit=-1"]
    assert "'--set time_limit' option must be" in microagg("protect", people, *given).err
    given = ["-k", "3", "--qi", "age", "--methods", "lns", "--set", "time_limit=-1"]
    assert "'--set time_limit' option must be" in microagg("compare", people, *given).err


def test_no_message_of_the_command_line_speaks_python(microagg, people):
    people.write_bytes(people.read_text().encode("latin-1"))
    said = microagg("protect", people, "-k", "3", "--qi", "age", "-o", "r.csv")
    assert "Hint: Try --encoding latin-1 or --encoding cp1252." in said.err
    people.write_text("age\n1\n2\n3\n")
    Path("r.csv").write_text("")
    said = microagg("protect", people, "-k", "3", "--qi", "age", "-o", "r.csv")
    assert "Hint: Give --overwrite or another name." in said.err
    said = microagg("protect", people, "-k", "3", "--decimal", ",", "--separator", ",")
    assert "The '--separator' and '--decimal' options must differ" in said.err


def test_a_schema_file_is_spoken_of_in_its_own_words(microagg, people):
    Path("schema.toml").write_text('quasi_identifiers = ["agee"]')
    said = microagg("protect", people, "-k", "3", "--schema", "schema.toml")
    assert "The 'quasi_identifiers' parameter names a column 'agee'" in said.err
