"""Errors carry the parameters they are about, and every reader sees them in its own words."""

import pickle

import pytest

from microagg.errors import DataError, Either, ParameterError, Phrase


class Flags:
    """A command line, as small as can be."""

    def named(self, parameters, caller):
        return "Option " + "/".join(f"--{name}" for name in parameters)

    def assigned(self, parameter, value):
        return f"--{parameter}" if value is ... else f"--{parameter} {value}"


def test_one_parameter():
    error = ParameterError("must be 3.", parameter="k", caller="mdav", hint="Give 3.")
    assert str(error) == "The 'k' parameter of mdav must be 3.\nHint: Give 3."
    assert error.parameters == ("k",)


def test_two_parameters():
    error = ParameterError("must differ.", parameter=("separator", "decimal"))
    assert error.message == "The 'separator' and 'decimal' parameters must differ."


def test_a_sentence_without_a_parameter():
    assert ParameterError("Nothing is left.").message == "Nothing is left."


@pytest.mark.parametrize("kind", [ParameterError, DataError])
def test_other_words_for_another_reader(kind):
    hint = Phrase("Try {encoding}, or {strata} {braces}.", encoding=Either("a", "b"), strata=...)
    error = kind("Wrong.", hint=hint)
    assert error.hint == 'Try encoding="a" or encoding="b", or strata= {braces}.'
    error.speech = Flags()
    assert error.hint == "Try --encoding a or --encoding b, or --strata {braces}."


def test_the_subject_changes_with_the_reader():
    error = ParameterError(Phrase("cannot go with {b}.", b=2), parameter="a")
    error.speech = Flags()
    assert str(error) == "Option --a cannot go with --b 2."


def test_errors_survive_a_pickle_because_workers_send_them():
    before = ParameterError(
        Phrase("must be {k}.", k=1),
        parameter="k",
        caller="x",
        hint=Phrase("Give {k}.", k=5),
    )
    after = pickle.loads(pickle.dumps(before))
    after.speech = before.speech = Flags()
    assert str(after) == str(before) == "Option --k must be --k 1.\nHint: Give --k 5."
