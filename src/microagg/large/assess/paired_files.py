"""An original and a released file, read side by side in tables of the same records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from microagg.data.categories import is_text
from microagg.data.numerals import Numerals, parsed_as
from microagg.data.text_columns import without_codes
from microagg.errors import DataError
from microagg.large.dataset import SourceFiles
from microagg.measure.paired_sample import in_step
from microagg.reporter import Reporter

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class TypedFile:
    """A file or a folder of files, whose tables have the types that `read_file` gives all records.

    Attributes
    ----------
    data : SourceFiles
        The files.
    rows : int
        Records of a table that is read, at most.
    blank : tuple of str
        Texts that stand for a missing value.
    blanked : tuple of str
        The columns in which they do.
    numbers : mapping of str to Arrow type
        The columns of text that are numbers, with the type of these.
    """

    data: SourceFiles
    rows: int
    blank: tuple[str, ...] = ()
    blanked: tuple[str, ...] = ()
    numbers: dict[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The columns."""
        return self.data.names

    @property
    def expected(self) -> int:
        """About the number of records."""
        return sum(self.data.stream(file).expected for file in range(len(self.data.files)))

    def typed(self, reporter: Reporter) -> TypedFile:
        """Return the same with the types of all columns; delimited text is read for that."""
        if self.data.dialect is None:
            return self
        numerals = {name: Numerals() for name in self.names}
        reporter.begin(f"Reading '{self.data.source}'", self.expected)
        done = 0
        for table in self._tables(self.names):
            for name, before in numerals.items():
                if before.numbers:
                    numerals[name] = before.joined(_numerals(table[name], self.data.decimal))
            done += table.num_rows
            reporter.reach(done)
        types = {name: own.type for name, own in numerals.items()}
        return replace(self, numbers={name: own for name, own in types.items() if own is not None})

    def tables(self, names: Sequence[str]) -> Iterator[pa.Table]:
        """Yield all records in tables, with some of the columns."""
        for table in self._tables(names):
            for name, kind in self.numbers.items():
                if (at := table.schema.get_field_index(name)) >= 0:
                    numbers = parsed_as(table.column(at), kind, self.data.decimal)
                    if numbers is None:
                        raise DataError(
                            f"Column '{name}' of '{self.data.source}' changed while it was read."
                        )
                    table = table.set_column(at, name, numbers)
            yield table

    def _tables(self, names: Sequence[str]) -> Iterator[pa.Table]:
        for split in self.data.splits(self.rows):
            for table in self.data.tables(split, self.rows, names):
                yield without_codes(table, self.blanked, self.blank)


def _numerals(column: pa.ChunkedArray, decimal: str) -> Numerals:
    return Numerals.of(column, decimal) if is_text(column.type) else Numerals(numbers=False)


@dataclass(frozen=True, eq=False)
class PairedFiles:
    """Two files with the same records in the same order.

    Attributes
    ----------
    before, after : TypedFile
        The original and the release.
    reporter : Reporter
        Shows the progress.
    """

    before: TypedFile
    after: TypedFile
    reporter: Reporter

    @property
    def shared(self) -> list[str]:
        """The columns that both files have."""
        return [name for name in self.before.names if name in self.after.names]

    def tables(
        self, what: str, before: Sequence[str], after: Sequence[str]
    ) -> Iterator[tuple[pa.Table, pa.Table]]:
        """Yield tables with as many records of both files, with some columns of each."""
        self.reporter.begin(what, self.before.expected)
        done = 0
        for pair in in_step(self.before.tables(before), self.after.tables(after)):
            yield pair
            done += pair[0].num_rows
            self.reporter.reach(done)
