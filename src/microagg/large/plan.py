"""What the tasks of a release share, and the pieces of the input that they read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from microagg.aggregate.by_kind import rules_of
from microagg.aggregate.round import steps_of
from microagg.data.frames import Frame
from microagg.large.columns import Reader, refuse_missing
from microagg.large.confidential import units_of
from microagg.large.dataset import SourceFiles, Split
from microagg.large.domains import Domain
from microagg.large.memory import Sizes
from microagg.large.parts import Parts
from microagg.large.work import Work
from microagg.settings import Settings
from microagg.typing import Floats, Integers

if TYPE_CHECKING:
    import pyarrow as pa

    from microagg.large.survey import Survey


@dataclass(frozen=True, eq=False)
class Piece:
    """Some records of the input, as numbers.

    Attributes
    ----------
    numbers : float64[d, m]
        The quasi-identifiers, NaN if missing.
    strata : int64[s, m]
        The categories in each column of strata.
    weights : float64[m], optional
        Of the records.
    codes : int32[c, m]
        The confidential values that limits are about.
    units : int64[m], optional
        The unit of each record, where limits are about units.
    """

    numbers: Floats
    strata: Integers
    weights: Floats | None
    codes: NDArray[np.int32]
    units: Integers | None = None

    def only(self, rows: NDArray[Any] | slice) -> Piece:
        """Return some of the records."""
        return Piece(
            self.numbers[:, rows],
            self.strata[:, rows],
            None if self.weights is None else self.weights[rows],
            self.codes[:, rows],
            None if self.units is None else self.units[rows],
        )


@dataclass(frozen=True, eq=False)
class Plan:
    """What tasks share.

    Attributes
    ----------
    data : SourceFiles
        The input.
    settings : Settings
        What is asked for.
    sizes : Sizes
        What the memory of a process has room for.
    work : Work
        The work folder that all workers can access.
    splits : tuple of Split
        What tasks read.
    blank : tuple of str
        Texts that stand for a missing value.
    empty : tuple of Domain
        The columns that are read, before any record.
    reader, parts, survey
        What the first passes have found, once they have.
    """

    data: SourceFiles
    settings: Settings
    sizes: Sizes
    work: Work
    splits: tuple[Split, ...]
    blank: tuple[str, ...] = ()
    empty: tuple[Domain, ...] = ()
    reader: Reader | None = None
    parts: Parts | None = None
    survey: Survey | None = None

    def read(self) -> Reader:
        """Return how columns are read, which the first pass has found."""
        assert self.reader is not None
        return self.reader

    def divided(self) -> Parts:
        """Return the parts of the records."""
        assert self.parts is not None
        return self.parts

    def surveyed(self) -> Survey:
        """Return what the survey has found."""
        assert self.survey is not None
        return self.survey

    @property
    def rules(self) -> dict[str, str]:
        """The representative of a group in each column."""
        return rules_of(self.read().columns, self.settings.aggregate)

    @property
    def steps(self) -> dict[str, float]:
        """What released numbers are rounded to."""
        reader = self.read()
        return steps_of(reader.columns, reader.calendars, self.settings.round_to)

    def pieces(self, split: Split) -> Iterator[Piece]:
        """Yield the records of a split in pieces of one size, the last of fewer.

        Pieces do not depend on the tables that are read, which have fewer records where they are large.
        """
        waiting: list[Piece] = []
        done, missing = 0, self.sizes.piece
        for table in self.data.tables(split, self.sizes.piece, self.read().names):
            rest = self.piece(table, split, done)
            done += table.num_rows
            while rest.numbers.shape[1]:
                waiting.append(rest.only(slice(missing)))
                rest = rest.only(slice(missing, None))
                missing -= waiting[-1].numbers.shape[1]
                if missing == 0:
                    yield _joined(waiting)
                    waiting, missing = [], self.sizes.piece
        if waiting:
            yield _joined(waiting)

    def piece(self, table: pa.Table, split: Split, done: int) -> Piece:
        """Return the records of a table, before which `done` records of the split come."""

        def where(row: int) -> str:
            return self.data.row(split, done + row)

        reader = self.read()
        frame = Frame(reader.typed(table, where))
        numbers = reader.numbers(frame, where)
        if self.settings.missing == "error":
            refuse_missing(numbers, list(reader.columns), where)
        unit = reader.secrets.unit
        return Piece(
            numbers,
            reader.strata_codes(frame),
            reader.weights_of(frame, where),
            reader.secrets.codes(frame),
            None if unit is None else units_of(frame, unit, where),
        )

    def released_pieces(self, split: Split) -> Iterator[tuple[Piece, Integers]]:
        """Yield the records of a split that are released, and the part of each."""
        for piece in self.pieces(split):
            part = self.divided().of(piece.numbers, piece.strata)
            kept = part >= 0
            if kept.all():
                yield piece, part
            else:
                yield piece.only(kept), part[kept]


def _joined(pieces: list[Piece]) -> Piece:
    if len(pieces) == 1:
        return pieces[0]
    weights = [piece.weights for piece in pieces if piece.weights is not None]
    units = [piece.units for piece in pieces if piece.units is not None]
    return Piece(
        np.concatenate([piece.numbers for piece in pieces], axis=1),
        np.concatenate([piece.strata for piece in pieces], axis=1),
        np.concatenate(weights) if weights else None,
        np.concatenate([piece.codes for piece in pieces], axis=1),
        np.concatenate(units) if units else None,
    )
