"""What a memory has room for while two files are compared."""

from __future__ import annotations

from dataclasses import dataclass

from microagg.errors import ParameterError, Phrase
from microagg.large.memory import LARGEST_PIECE, LARGEST_TABLE, PROGRAM, SMALLEST_PIECE
from microagg.large.tally import VALUED

_BYTES = 200  # of one value of a table while it is read, hashed and summed up
_FEWEST_BYTES = 100_000_000  # for the sample and its measures


@dataclass(frozen=True)
class Room:
    """What the memory has room for.

    Attributes
    ----------
    rows, table : int
        Records and bytes of a table that is read.
    counted : int
        Hashed records that are counted at a time.
    """

    rows: int
    table: int
    counted: int

    @classmethod
    def of(cls, memory: int, columns: int) -> Room:
        """Return what so many bytes have room for, of two files with so many columns together."""
        rest = memory - PROGRAM
        least = SMALLEST_PIECE * columns * _BYTES + _FEWEST_BYTES
        if rest < least:
            enough = -(-(PROGRAM + least) // 10**7) * 10
            raise ParameterError(
                f"must be at least {enough}MB for two files with {columns} columns.",
                parameter="memory",
                hint=Phrase("Set {memory}.", memory=f"{enough}MB"),
            )
        rows = min(LARGEST_PIECE, rest // 2 // (columns * _BYTES))
        return cls(rows, min(LARGEST_TABLE, rest // 8), rest // 4 // (4 * VALUED.itemsize))

    def bins(self, n: int) -> int:
        """Return in how many bins n records are counted; there is room for unequal ones."""
        return max(1, -(-2 * n // self.counted))
