"""Constraints: declared in a signature, checked in one form of words."""

from typing import Annotated, Literal

import numpy as np
import pytest

from microagg.constraints import AtLeast, IsBounds, check, check_all, constraint_of
from microagg.errors import ParameterError, did_you_mean, shown


@pytest.mark.parametrize(
    ("annotation", "words", "allowed", "refused"),
    [
        (int, "an integer", [0, -5, np.int64(3), 10**30], [1.0, True, "1", None, np.nan]),
        (float, "a number", [0, 1.5, np.float32(2)], [True, "1", None, np.inf, np.nan, 1j]),
        (bool, "True or False", [True, False], [0, 1, "True", None]),
        (Literal["a", "b", "c"], "'a', 'b' or 'c'", ["a", "c"], ["A", "d", 1, None]),
        (Literal["only"], "'only'", ["only"], ["any"]),
        (Annotated[int, AtLeast(2)], "an integer of at least 2", [2, 9], [1, 2.0]),
        (int | None, "an integer or None", [3, None], ["3", 1.5]),
        (Annotated[int, AtLeast(1)] | Literal["auto"], "an integer of at least 1 or 'auto'",
         [1, "auto"], [0, "self"]),
    ],
)  # fmt: skip
def test_an_annotation_becomes_a_constraint(annotation, words, allowed, refused):
    constraint = constraint_of(annotation)
    assert str(constraint) == words
    for value in allowed:
        check("p", value, constraint, "m")
    for value in refused:
        with pytest.raises(ParameterError) as caught:
            check("p", value, constraint, "m")
        assert caught.value.message == f"The 'p' parameter of m must be {words}. Got {value!r}."


@pytest.mark.parametrize(
    ("annotation", "text", "value"),
    [
        (int, "12", 12),
        (float, "1e-3", 0.001),
        (bool, "true", True),
        (bool, "False", False),
        (Literal["group", "nearest"], "NEAREST", "nearest"),
        (int | None, "none", None),
        (int | Literal["auto"], "7", 7),
        (int | Literal["auto"], "auto", "auto"),
    ],
)
def test_text_of_the_command_line_becomes_a_value(annotation, text, value):
    found = constraint_of(annotation).parse(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("annotation", "text"), [(int, "1.5"), (float, "x"), (bool, "1"), (int | None, "no")]
)
def test_text_that_is_no_value(annotation, text):
    with pytest.raises(ValueError, match=text):
        constraint_of(annotation).parse(text)


def test_a_word_nearly_right_is_suggested():
    with pytest.raises(ParameterError) as caught:
        check("leftovers", "nearst", constraint_of(Literal["group", "nearest"]), "mdav")
    assert caught.value.hint == "Did you mean 'nearest'?"


def test_a_parameter_that_is_not_declared_is_an_error_that_lists_the_others():
    allowed = {"gamma": constraint_of(float)}
    check_all({"gamma": 1.0}, allowed, "m")
    with pytest.raises(ParameterError) as caught:
        check_all({"gama": 1.0}, allowed, "m")
    assert caught.value.message == "m has no parameter 'gama'. It takes: gamma."
    assert caught.value.hint == "Did you mean 'gamma'?"
    with pytest.raises(ParameterError, match="It takes: none"):
        check_all({"gamma": 1.0}, {}, "m")


def test_a_message_shows_plain_values_only():
    assert shown("mdva") == "'mdva'"
    assert shown(None) == "None"
    assert shown(3) == "3"
    assert shown([4711]) == "a list"
    assert shown(np.array([4711])) == "a ndarray"
    assert shown({"a": 4711}) == "a dict"
    assert shown(object()) == "an object"
    with pytest.raises(ParameterError) as caught:
        check("k", np.array([4711]), constraint_of(int), "m")
    assert "4711" not in str(caught.value)


def test_nothing_close_is_no_hint():
    assert did_you_mean("zzz", ["mdav"]) is None
    assert did_you_mean(["mdav"], ["mdav"]) is None
    assert did_you_mean("MDVA", ["mdav"]) == "Did you mean 'mdav'?"


def test_integers_have_a_ceiling_that_the_error_tells():
    with pytest.raises(
        ParameterError, match=r"an integer of at least 1[^0-9]*Got 1180591620717411303424"
    ):
        check("parts", 2**70, constraint_of(Annotated[int, AtLeast(1)]), "kwr")
    with pytest.raises(ParameterError, match="The largest integer is 2147483647"):
        check("parts", 2**31, constraint_of(Annotated[int, AtLeast(1)] | None), "kwr")


@pytest.mark.parametrize(
    ("pair", "fault"),
    [
        ((5, 1), "The lower bound of 'pay' is not below its upper bound."),
        ((0, np.inf), "The bounds of 'pay' are not both finite numbers."),
        (3, "The bounds of 'pay' are not two numbers."),
    ],
)
def test_wrong_bounds_are_named(pair, fault):
    with pytest.raises(ParameterError) as caught:
        check("bounds", {"age": (0, 9), "pay": pair}, IsBounds(), "dp")
    assert caught.value.hint == fault
