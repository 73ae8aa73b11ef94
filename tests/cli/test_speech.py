"""The command line speaks of its options, with the errors that Python has."""

from pathlib import Path

import pytest

from microagg.cli.commands import protect
from microagg.cli.parameters import flags_of
from microagg.cli.speech import CommandSpeech
from microagg.errors import DataError, Either, ParameterError, Phrase

FLAGS = flags_of(protect.command)


def spoken(error, schema_file=False):
    error.speech = CommandSpeech(FLAGS, schema_file)
    return str(error)


@pytest.mark.parametrize(
    ("parameter", "subject"),
    [
        ("k", "The '-k' option"),
        ("quasi_identifiers", "The '--qi' option"),
        ("column_weights", "The '--column-weight' option"),
        ("encoding", "The '--encoding' option"),
        ("gamma", "The '--set gamma' option"),
        (("separator", "decimal"), "The '--separator' and '--decimal' options"),
    ],
)
def test_the_subject_of_an_error(parameter, subject):
    assert (
        spoken(ParameterError("is odd.", parameter=parameter, caller="x")) == f"{subject} is odd."
    )


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"encoding": Either("latin-1", "cp1252")}, "--encoding latin-1 or --encoding cp1252"),
        ({"separator": ";"}, "--separator ';'"),
        ({"overwrite": True}, "--overwrite"),
        ({"strata": ...}, "--strata"),
        ({"quasi_identifiers": ["age", "net pay"]}, "--qi 'age,net pay'"),
        ({"kinds": {"zip": "nominal"}}, "--kinds zip=nominal"),
        ({"orders": {"grade": ["low", "high"]}}, "--order grade=low,high"),
        ({"time_limit": 10}, "--set time_limit=10"),
        ({"bounds": {"age": (0, 100)}}, "--set bounds=age:0:100"),
        ({"parameters": {"within": "mdav"}}, "--set within=mdav"),
        ({"t_closeness": 0.5}, "--t-closeness 0.5"),
    ],
)
def test_values_in_a_hint(values, words):
    (name,) = values
    assert spoken(DataError("Odd.", hint=Phrase(f"{{{name}}}", **values))).endswith(f": {words}")


def test_a_command_without_method_parameters_speaks_python_of_them():
    error = ParameterError("is odd.", parameter="gamma", caller="v-mdav")
    error.speech = CommandSpeech({"k": "-k"})
    assert str(error) == "The 'gamma' parameter of v-mdav is odd."


def test_a_schema_file_keeps_its_words():
    error = ParameterError("is odd.", parameter="quasi_identifiers")
    assert spoken(error, True) == "The 'quasi_identifiers' entry of the schema file is odd."


def test_a_parameter_given_by_set_is_called_so(microagg, people):
    wrong = ["-k", "3", "--qi", "age", "--set", "time_limit=-1"]
    for command, method in (("protect", "--method"), ("compare", "--methods")):
        said = microagg(command, people, *wrong, method, "lns")
        assert "'--set time_limit' option must be" in said.err


def test_no_message_of_the_command_line_speaks_python(microagg, people):
    people.write_bytes(people.read_text().encode("latin-1"))
    said = microagg("protect", people, "-k", "3", "--qi", "age", "-o", "r.csv")
    assert "Hint: Try --encoding latin-1 or --encoding cp1252." in said.err
    people.write_text("age\n1\n2\n3\n")
    Path("r.csv").write_text("")
    said = microagg("protect", people, "-k", "3", "--qi", "age", "-o", "r.csv")
    assert "Hint: Use --overwrite or another name." in said.err
    said = microagg("protect", people, "-k", "3", "--decimal", ",", "--separator", ",")
    assert "The '--separator' and '--decimal' options must differ" in said.err


def test_a_schema_file_is_spoken_of_in_its_own_words(microagg, people):
    Path("schema.toml").write_text('quasi_identifiers = ["agee"]')
    said = microagg("protect", people, "-k", "3", "--schema", "schema.toml")
    assert "The 'quasi_identifiers' entry of the schema file names a column 'agee'" in said.err


def test_an_old_command_is_answered_by_what_replaces_it(microagg):
    ended = microagg("reproduce")
    assert ended.code == 2
    assert "python -m benchmarks.reproduce" in " ".join(ended.err.replace("│", " ").split())


@pytest.mark.parametrize(
    ("command", "old", "new"),
    [
        (("protect", "x.csv"), "--face", "--audience"),
        (("protect", "x.csv"), "--p-sensitive", "--l-diversity"),
        (("assess", "x.csv", "y.csv"), "--key", "--match-on"),
        (("assess", "x.csv", "y.csv"), "--weight", "--loss-weight"),
        (("compare", "x.csv"), "--weight", "--loss-weight"),
    ],
)
def test_an_old_flag_is_answered_by_the_new_one(microagg, command, old, new):
    said = microagg(*command, old, "1")
    assert said.code == 2
    assert f"It is now called {new}" in " ".join(said.err.replace("│", " ").split())
