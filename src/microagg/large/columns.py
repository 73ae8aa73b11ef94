"""Columns of a piece of the input as numbers, and numbers as released values: the same as in memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from microagg.data import categories as coded
from microagg.data.dates import Calendar
from microagg.data.frames import Frame
from microagg.data.number_checks import check_finite
from microagg.data.numerals import to_numbers
from microagg.data.text_columns import leading_zeros, typed_by_role, without_codes
from microagg.errors import DataError, Phrase
from microagg.large.coded_column import CodedColumn
from microagg.large.confidential import Secrets, limited_columns, secrets_of
from microagg.large.domains import Domain
from microagg.partition.constrain.limits import Limits
from microagg.prepare.cautions import alike_in_form, codes_for_blanks, dates_as_names
from microagg.prepare.column import Column
from microagg.prepare.read import read_columns
from microagg.settings import Settings
from microagg.typing import Floats

if TYPE_CHECKING:
    import pyarrow as pa

Where = Callable[[int], str]
"""Tells where a row of a table is in the input, for messages."""


@dataclass(frozen=True, eq=False)
class Reader:
    """How each column is read, decided once for all records.

    Attributes
    ----------
    columns : mapping of str to Column
        The quasi-identifiers without records: kinds, labels and distances between categories.
    calendars : mapping of str to Calendar
        The conversion from numbers to dates.
    categories : mapping of str to CodedColumn
        The categories of quasi-identifiers and of strata.
    types : mapping of str to Arrow type
        The types of numbers that were text.
    cautions, warnings : tuple of str
        What may be a mistake of the user.
    secrets : Secrets
        What limits are about: confidential values and units.
    """

    columns: Mapping[str, Column]
    calendars: Mapping[str, Calendar]
    categories: Mapping[str, CodedColumn]
    types: Mapping[str, Any]
    strata: tuple[str, ...]
    weights: str | None
    blank: tuple[str, ...]
    decimal: str
    text_file: bool
    cautions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    secrets: Secrets = field(default_factory=lambda: Secrets(Limits()))

    @classmethod
    def of(
        cls,
        domains: Sequence[Domain],
        settings: Settings,
        *,
        blank: Sequence[str] = (),
        decimal: str,
        text_file: bool,
    ) -> Reader:
        """Decide how columns are read from what all records hold."""
        import pyarrow as pa

        by_name = {domain.name: domain for domain in domains}
        schema, names = settings.schema, list(settings.schema.quasi_identifiers)
        longest = max(1, *(len(by_name[name].column()) for name in names))
        table = pa.table({name: padded(by_name[name].column(), longest) for name in names})
        with _without_rows():
            if text_file:
                named = [n for n, kind in schema.kinds.items() if kind == "nominal"]
                categories = [*named, *schema.orders]
                table = typed_by_role(table, names, categories=categories, decimal=decimal)
                _refuse_leading_zeros([by_name[name] for name in names], settings)
            frame = Frame(table)
            columns, calendars = read_columns(frame, schema, settings)
        coded_columns = {
            name: CodedColumn.of(
                by_name[name].column(),
                column.values[: len(by_name[name].column())],
                by_name[name].kind,
            )
            for name, column in columns.items()
            if column.kind != "continuous"
        }
        for name in settings.strata or ():
            every = by_name[name].column()
            codes = coded.categories(pa.chunked_array([every]), name).codes
            coded_columns[f"stratum {name}"] = CodedColumn.of(every, codes, by_name[name].kind)
        return cls(
            columns={n: replace(c, values=np.empty(0)) for n, c in columns.items()},
            calendars=_calendars(calendars, by_name),
            categories=coded_columns,
            types={n: by_name[n].column().type for n in names if by_name[n].numbers},
            strata=tuple(settings.strata or ()),
            weights=settings.weights,
            blank=tuple(blank),
            decimal=decimal,
            text_file=text_file,
            cautions=(*codes_for_blanks(columns), *alike_in_form(_limited(by_name, settings))),
            warnings=dates_as_names(frame, schema, columns, calendars),
            secrets=secrets_of(settings, by_name, decimal),
        )

    def of_release(self, strata: tuple[str, ...]) -> Reader:
        """Return how the columns of the release are read, in which integers may have become means."""
        import pyarrow as pa

        return replace(self, types=dict.fromkeys(self.types, pa.float64()), strata=strata)

    @property
    def amounts(self) -> list[int]:
        """The numbers of the columns that hold numbers, not dates or categories."""
        return [
            j
            for j, (name, column) in enumerate(self.columns.items())
            if column.kind == "continuous" and name not in self.calendars
        ]

    @property
    def names(self) -> list[str]:
        """All columns that are read to group."""
        more = [*self.strata, *([] if self.weights is None else [self.weights])]
        more += self.secrets.names
        return list(dict.fromkeys([*self.columns, *more]))

    def typed(self, table: pa.Table, where: Where) -> pa.Table:
        """Return a table with numbers in place of text that is numbers, where it has these columns."""
        import pyarrow as pa

        text = [f.name for f in table.schema if f.name in self.columns and coded.is_text(f.type)]
        table = without_codes(table, text, self.blank)
        for name, kind in self.types.items():
            at = table.schema.get_field_index(name)
            if name not in text:
                continue
            numbers = to_numbers(table.column(at), decimal=self.decimal)
            if numbers is None:
                raise DataError(f"Column '{name}' contains text in {where(0)} or later.")
            # Integers among fractions are read as floats, as they are in memory.
            safe = not pa.types.is_integer(numbers.type)
            table = table.set_column(at, name, numbers.cast(kind, safe=safe))
        return table

    def numbers(self, frame: Frame, where: Where) -> Floats:
        """Return the quasi-identifiers of a typed frame as float64[d, m], NaN if missing."""
        out = np.empty((len(self.columns), frame.n))
        for row, (name, column) in zip(out, self.columns.items(), strict=True):
            if name in self.calendars:
                row[:] = self.calendars[name].numbers(frame.arrow(name))
            elif column.kind != "continuous":
                row[:] = self.categories[name].numbers(frame.arrow(name))
            else:
                with _at(where):
                    row[:] = frame.numbers(name, blanks=True)
        return out

    def columns_with(self, values: Floats) -> dict[str, Column]:
        """Return the quasi-identifiers with values, float64[d, m]."""
        return {
            name: replace(column, values=own)
            for (name, column), own in zip(self.columns.items(), values, strict=True)
        }

    def values(self, columns: Mapping[str, Floats]) -> dict[str, Any]:
        """Return numbers of columns as `Frame.with_columns` takes them."""
        return {name: self._values(name, new) for name, new in columns.items()}

    def _values(self, name: str, new: Floats) -> Any:
        if name in self.calendars:
            return self.calendars[name].dates(new)
        return new if self.columns[name].kind == "continuous" else self.categories[name].taken(new)

    def strata_codes(self, frame: Frame) -> NDArray[np.int64]:
        """Return the number of each record's category in each column of strata; blanks come last."""
        rows = []
        for name in self.strata:
            own = self.categories[f"stratum {name}"]
            codes = own.numbers(frame.arrow(name))
            rows.append(np.where(np.isnan(codes), own.codes.max(initial=-1) + 1, codes))
        return np.array(rows, dtype=np.int64).reshape(len(rows), frame.n)

    def weights_of(self, frame: Frame, where: Where) -> Floats | None:
        """Return the weights of the records; None if there are none."""
        if self.weights is None:
            return None
        name = self.weights
        if frame.is_text(name):
            numbers = to_numbers(frame.arrow(name))
            if numbers is None:
                raise DataError(
                    f"Column '{name}' contains values that are not numbers, so it cannot be used "
                    "as weights."
                )
            weights = np.asarray(numbers.to_numpy(), dtype=np.float64)
            with _at(where):
                check_finite(name, weights[~np.isnan(weights)])
        else:
            with _at(where):
                weights = frame.numbers(name, blanks=True)
        for wrong, what in ((np.isnan(weights), "is blank"), (weights <= 0, "is not above 0")):
            if wrong.any():
                raise DataError(
                    f"A weight in column '{name}' {what}, in {where(int(np.argmax(wrong)))}.",
                    hint="Remove such records, or correct their weights.",
                )
        return weights


def _refuse_leading_zeros(domains: Iterable[Domain], settings: Settings) -> None:
    """Raise as in memory if text with leading zeros would be averaged."""
    for domain in domains:
        if domain.numbers and domain.leading_zeros and domain.name not in settings.declared:
            raise leading_zeros(domain.name)


def padded(column: Any, length: int) -> Any:
    """Return an Arrow array with nulls up to a length."""
    import pyarrow as pa

    rest = pa.nulls(length - len(column), column.type)
    return pa.chunked_array([column, rest])


def _calendars(
    calendars: Mapping[str, Calendar], domains: Mapping[str, Domain]
) -> dict[str, Calendar]:
    """Return calendars with the first date and the step of all records."""
    return {
        name: own
        if own.text is not None
        else replace(own, first=domains[name].first or 0, step=domains[name].step or own.step)
        for name, own in calendars.items()
    }


class _without_rows:
    """Take counts and row numbers out of errors that were found on the different values alone."""

    _COUNTS = re.compile(
        r" in [\d,]+ records?, the first in data row \d+|, the first in data row \d+"
    )

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, DataError):
            error.reword(self._without_counts)

    def _without_counts(self, text: str) -> str:
        some = "but some records are"
        return re.sub(r"but [\d,]+ records? (?:is|are)", some, self._COUNTS.sub("", text))


class _at:
    """Let errors about a table name the row in the input, and no count, as more may come later."""

    def __init__(self, where: Where) -> None:
        self._where = where

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, DataError):
            error.reword(self._in_the_input)

    def _in_the_input(self, text: str) -> str:
        text = re.sub(r"data row (\d+)", lambda m: self._where(int(m[1]) - 1), text)
        return re.sub(r"has [\d,]+ ((?:\w+ )?)values?", r"has \1values", text)


def refuse_missing(numbers: Floats, names: Sequence[str], where: Where) -> None:
    """Raise where a value is missing."""
    for name, column in zip(names, numbers, strict=True):
        blank = np.isnan(column)
        if blank.any():
            raise DataError(
                f"Column '{name}' has a missing value (NaN, null or empty) in "
                f"{where(int(np.argmax(blank)))}.",
                hint=Phrase(
                    "Choose how to treat missing values, such as {missing}, or leave the column out "
                    "of the quasi-identifiers.",
                    missing="keep",
                ),
            )


def _limited(domains: Mapping[str, Domain], settings: Settings) -> dict[str, Any]:
    """Return the different values of the confidential columns that limits are about."""
    every = {name: domains[name].values for name in limited_columns(settings)}
    return {name: values for name, values in every.items() if values is not None}
