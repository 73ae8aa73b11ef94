"""Records that are left out of a release: how many, and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ORIGINAL_ROW = "original_row"
"""The column of a groups file that says from which row of the input, from 1, each record is."""


@dataclass(frozen=True)
class LeftOut:
    """Records that are left out for one reason.

    Attributes
    ----------
    count : int
        Their number.
    reason : str
        What they have in common, as it follows "records".

    Examples
    --------
    >>> LeftOut(1, "in a small stratum").in_words()
    '1 record in a small stratum was left out.'
    """

    count: int
    reason: str

    @classmethod
    def of(
        cls, kept: NDArray[np.bool_], reason: str, counts: NDArray[np.int64] | None = None
    ) -> tuple[LeftOut, ...]:
        """Return what is not kept, if anything; an entry may stand for several records."""
        count = int((~kept).sum() if counts is None else counts[~kept].sum())
        return (cls(count, reason),) if count else ()

    def in_words(self, least: int = 0) -> str:
        """Return a sentence, without a count below `least`.

        Others read it beside the number of records that are left. A small count must not follow from
        the other numbers, so the number of all records is not stated.
        """
        if self.count < least:
            return f"Fewer than {least} records {self.reason} were left out."
        one = self.count == 1
        what, were = ("record", "was") if one else ("records", "were")
        return f"{self.count:,} {what} {self.reason} {were} left out."
