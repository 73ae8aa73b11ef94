"""Roles suggested for public data sets: identifiers are found, and little else is called one."""

from collections import Counter

import pytest

from microagg.suggest import suggest_schema

pytestmark = pytest.mark.slow

LETTERS = {"identifier": "I", "quasi-identifier": "Q", "confidential": "C", "other": "O"}


@pytest.fixture(scope="module")
def judged(public_schemas):
    """Return (schema, column, roles that are right, suggestion) for every column."""
    return [
        (schema, suggestion.column, roles[suggestion.column], suggestion)
        for schema, (table, roles) in public_schemas.items()
        for suggestion in suggest_schema(table).columns
    ]


def test_there_are_enough(public_schemas):
    assert len(public_schemas) >= 60


def test_identifiers_are_found(judged):
    missed = [each[:2] for each in judged if each[2] == "I" and each[3].role != "identifier"]
    identifiers = sum(right == "I" for _, _, right, _ in judged)
    assert identifiers >= 90
    assert len(missed) <= 0.05 * identifiers, missed


def test_little_else_is_called_an_identifier(judged):
    others = [each for each in judged if "I" not in each[2]]
    false = [each[:2] for each in others if each[3].role == "identifier"]
    assert len(others) >= 400
    assert len(false) <= 0.05 * len(others), false


def test_the_other_roles_are_mostly_right(judged):
    wrong = [(*each[:3], each[3].role) for each in judged if LETTERS[each[3].role] not in each[2]]
    assert len(wrong) <= 0.05 * len(judged), wrong


def test_high_confidence_is_earned(judged):
    high = [each for each in judged if each[3].confidence == "high"]
    wrong = [each[:3] for each in high if LETTERS[each[3].role] not in each[2]]
    assert len(wrong) <= 0.02 * len(high), wrong


def test_every_suggestion_has_a_reason(judged):
    assert all(each[3].reason for each in judged)
    assert set(Counter(each[3].confidence for each in judged)) == {"high", "medium", "low"}
