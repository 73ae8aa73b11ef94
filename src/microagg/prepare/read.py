"""Reading the columns to group from a frame: kinds, categories, dates and distances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from microagg.data import categories as coded
from microagg.data import dates
from microagg.data.date_formats import date_format_of
from microagg.data.frames import Frame
from microagg.data.number_checks import check_finite, missing_code
from microagg.data.numerals import not_numbers, to_numbers
from microagg.data.tables_of_distances import by_hierarchy, by_table
from microagg.errors import DataError, ParameterError, Phrase
from microagg.prepare.column import Column
from microagg.prepare.folded import unit_called
from microagg.prepare.strata import Strata, strata_of
from microagg.schema import Schema
from microagg.settings import Settings

FILL_IN_UNITS = (
    "Remove such records, or fill in the unit of each. Codes such as NA and ? count as missing."
)
"""What helps if records have no unit."""


def read_columns(
    frame: Frame, schema: Schema, options: Settings
) -> tuple[dict[str, Column], dict[str, dates.Calendar]]:
    """Return the quasi-identifiers as numbers, with NaN if missing, and the conversion back to dates."""
    if frame.n == 0:
        raise DataError("There are no records.", hint="Use data with at least k records.")
    columns: dict[str, Column] = {}
    calendars: dict[str, dates.Calendar] = {}
    for name in schema.quasi_identifiers:
        frame.refuse_extension(name)
        form = options.date_format.get(name)
        by_type = form is None or name in {*schema.kinds, *schema.orders}
        kind = kind_of(frame, name, schema) if by_type else "continuous"
        if kind != "continuous":
            order = schema.orders.get(name)
            columns[name] = read_categories(frame.arrow(name), name, kind, order, options)
        elif form is not None:
            values, calendars[name] = dates.text_as_numbers(frame.arrow(name), str(name), form)
            columns[name] = Column(name, kind, values)
        elif not frame.is_numeric(name) and dates.is_date(frame.arrow(name).type):
            values, calendars[name] = dates.as_numbers(frame.arrow(name))
            columns[name] = Column(name, kind, values)
        elif frame.is_text(name) and (form := date_format_of(frame.arrow(name), name)) is not None:
            values, calendars[name] = dates.text_as_numbers(frame.arrow(name), str(name), form)
            columns[name] = Column(name, kind, values)
        else:
            columns[name] = Column(name, kind, frame.numbers(name, blanks=True))
    for parameter in ("hierarchies", "distance_tables"):
        for name in getattr(options, parameter):
            if columns[name].kind != "nominal":
                raise ParameterError(
                    f"applies to nominal columns, and {name!r} is {columns[name].kind}.",
                    parameter=parameter,
                    hint=Phrase("Set {kinds}.", kinds={name: "nominal"}),
                )
    return columns, calendars


def kind_of(frame: Frame, name: str, schema: Schema, *, numerals: bool = False) -> str:
    """Return the kind in the schema, or otherwise the kind of the column's type.

    Numbers and dates are continuous, categories with an order ordinal, text, booleans and other
    categories nominal. Text that looks like numbers is an error, as it may be meant as such, unless
    `numerals` says that it is text like any other.
    """
    import pyarrow as pa

    if name in schema.kinds or name in schema.orders:
        return schema.kinds.get(name, "ordinal")
    if frame.is_numeric(name):
        return "continuous"
    column = frame.arrow(name)
    if dates.is_date(column.type):
        return "continuous"
    if pa.types.is_null(column.type):  # nothing but blanks
        return "nominal"
    if frame.is_text(name):
        if not numerals:
            _refuse_numerals(column, name)
        return "nominal"
    if pa.types.is_dictionary(column.type):
        return "ordinal" if coded.is_ordered(column.type) else "nominal"
    if pa.types.is_boolean(column.type):
        return "nominal"
    raise DataError(
        f"Column '{name}' contains {frame.type_of(name)} values, which cannot be a quasi-identifier.",
        hint="Leave it out of the quasi-identifiers, or convert it to numbers or text first.",
    )


def _refuse_numerals(column: Any, name: str) -> None:
    """Raise if text looks like numbers, possibly with one code for missing values."""
    problems = not_numbers(column)
    if problems.code is not None:
        raise missing_code(str(name), problems)
    numbers = problems.decimal_commas or problems.thousands or not problems.rows
    if numbers and column.null_count < len(column):
        raise DataError(
            f"Column '{name}' contains {problems.form} as text.",
            hint=Phrase(
                "Convert it to numbers first, or declare it as nominal: {kinds}.",
                kinds={name: "nominal"},
            ),
        )


def read_categories(
    column: Any, name: str, kind: str, order: Sequence[Any] | None, options: Settings
) -> Column:
    """Return an Arrow column of categories as ranks or codes, with its distances."""
    if kind == "ordinal" and order is None and coded.is_text(column.type):
        raise ParameterError(
            f"Column {name!r} is ordinal, but its text has no order.",
            hint=Phrase(
                "List its categories from the lowest to the highest: {orders}.",
                orders={name: ["low", "high"]},
            ),
        )
    categories = coded.categories(column, name, order)
    between = None
    if name in options.hierarchies:
        between = by_hierarchy(options.hierarchies[name], categories.labels, name)
    elif name in options.distance_tables:
        between = by_table(options.distance_tables[name], categories.labels, name)
    return Column(name, kind, categories.codes, categories.labels, between)


def read_weights(frame: Frame, name: str | None, schema: Schema) -> Any:
    """Return the weights of the records, or None if there are none or all are equal."""
    if name is None:
        return None
    frame.require([name], "weights")
    if name in schema.quasi_identifiers:
        raise ParameterError(f"names a quasi-identifier, {name!r}.", parameter="weights")
    text = frame.is_text(name)
    weights = _numerals(frame, name) if text else frame.numbers(name, blanks=True)
    blank = int(np.count_nonzero(np.isnan(weights)))
    if blank:
        raise DataError(
            f"{blank} weights in column '{name}' are missing.",
            hint="Remove these records, or correct their weights.",
        )
    wrong = int(np.count_nonzero(weights <= 0))
    if wrong:
        raise DataError(
            f"{wrong} weights in column '{name}' are not above 0.",
            hint="Remove these records, or correct their weights.",
        )
    return None if weights.min() == weights.max() else weights


def _numerals(frame: Frame, name: str) -> Any:
    """Return the numbers of a column of a text file that was read as text."""
    column = to_numbers(frame.arrow(name))
    if column is None:
        raise DataError(
            f"Column '{name}' contains values that are not numbers, so it cannot be used "
            "as weights.",
            hint=Phrase("Name a column of numbers, such as {weights}.", weights="weight"),
        )
    values = column.to_numpy().astype(np.float64)
    check_finite(str(name), values[~np.isnan(values)])
    return values


def read_units(frame: Frame, name: str | None) -> Any:
    """Return the number of the unit of each record, -1 if missing; None if there are no units.

    Names that differ only in form may belong to one unit, so they count as one: k is never overstated.
    """
    if name is None:
        return None
    frame.require([name], "unit")
    units = coded.categories(frame.arrow(name), name)
    names = [unit_called(label) for label in units.labels]
    number = {name: code for code, name in enumerate(dict.fromkeys(names))}
    number[""] = -1
    codes = np.where(np.isnan(units.codes), -1, units.codes).astype(np.int64)
    return np.array([*(number[name] for name in names), -1], dtype=np.int64)[codes]


def read_strata(frame: Frame, options: Settings) -> Strata | None:
    """Return the stratum of each record, or None if there are no strata."""
    if not options.strata:
        return None
    frame.require(options.strata, "strata")
    return strata_of([coded.categories(frame.arrow(name), name) for name in options.strata])
