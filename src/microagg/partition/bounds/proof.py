"""The proofs of a lower bound: their names, and words for them."""

from __future__ import annotations

from enum import StrEnum


class Proof(StrEnum):
    """What proves a bound; `words` completes "Proved by ...".

    Examples
    --------
    >>> str(Proof.COLUMNS), Proof.COLUMNS.words
    ('columns', 'column generation')
    """

    words: str

    def __new__(cls, name: str, words: str = "") -> Proof:
        """Create a member from its name and its words; some need none."""
        member = str.__new__(cls, name)
        member._value_, member.words = name, words
        return member

    ONE_GROUP = "one group"
    EQUAL_RECORDS = "equal records"
    NEIGHBOURS = "neighbours", "the distances to nearest neighbours"
    COLUMNS = "columns", "column generation"
    COLUMNS_AND_CUTS = "columns and cuts", "column generation with cuts"
    INTEGER = "integer", "column generation and an integer program"
    SEMIDEFINITE = "semidefinite", "a semidefinite relaxation"
    SEMIDEFINITE_AND_CUTS = "semidefinite and cuts", "a semidefinite relaxation with triangle cuts"
