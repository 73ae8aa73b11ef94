"""The types of text columns: which of them become numbers.

A file of text has no types. `parse_columns` gives some columns a type as `read_file` says;
`typed_by_role` is stricter, because a quasi-identifier of numbers and words is a mistake.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from microagg.data.categories import is_text
from microagg.data.layouts import with_columns
from microagg.data.number_checks import missing_code
from microagg.data.numerals import NotNumbers, has_leading_zeros, not_numbers, to_numbers
from microagg.errors import DataError, Either, Phrase

if TYPE_CHECKING:
    import pyarrow as pa


def parse_columns(table: pa.Table, parse: Iterable[str] | None, *, decimal: str = ".") -> pa.Table:
    """Turn text columns into numbers, as `read_file` says of its `parse` parameter."""
    import pyarrow as pa

    asked = None if parse is None else set(parse)
    replaced: dict[int, tuple[pa.Field, pa.ChunkedArray]] = {}
    for position, field in enumerate(table.schema):
        if is_text(field.type) and (asked is None or field.name in asked):
            column = to_numbers(table.column(position), decimal=decimal, asked=asked is not None)
            if column is not None:
                replaced[position] = pa.field(field.name, column.type), column
    return with_columns(table, replaced)


def typed_by_role(
    table: pa.Table,
    quasi_identifiers: Sequence[str],
    *,
    categories: Iterable[str] = (),
    declared: Iterable[str] = (),
    blanks: Sequence[str] = (),
    decimal: str = ".",
) -> pa.Table:
    """Return a table of text with numbers where the quasi-identifiers have them.

    All other columns remain text and are released exactly as they were read.

    Parameters
    ----------
    table : pyarrow.Table
        As read from delimited text.
    quasi_identifiers : sequence of str
        The columns to be replaced.
    categories : iterable of str
        Those of them that hold categories, even if these look like numbers.
    declared : iterable of str
        The columns whose kind is declared. In other columns, numbers with leading zeros are refused.
    blanks : sequence of str
        Texts that stand for a blank in quasi-identifiers, such as "?".
    decimal : str
        The decimal mark.

    Raises
    ------
    DataError
        A column holds numbers in some records and text in others, or numbers with leading zeros.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"age": ["40", "?"], "zip": ["007", "080"], "pay": ["1.50", "2"]})
    >>> typed_by_role(table, ["age", "zip"], categories=["zip"], blanks=["?"]).to_pydict()
    {'age': [40, None], 'zip': ['007', '080'], 'pay': ['1.50', '2']}
    """
    table = without_codes(table, quasi_identifiers, blanks)
    named = set(categories)
    numbers = [name for name in quasi_identifiers if name not in named]
    typed = with_numbers(table, numbers, decimal)
    described = set(declared)
    for name in numbers:
        if name not in described:
            refuse_leading_zeros(table, typed, name)
    return typed


def refuse_leading_zeros(table: pa.Table, typed: pa.Table, name: str) -> None:
    """Raise if a column of numbers was text with leading zeros, which codes such as postcodes have."""
    if name not in table.column_names or not is_text(table.schema.field(name).type):
        return
    if not is_text(typed.schema.field(name).type) and has_leading_zeros(table[name]):
        raise leading_zeros(name)


def leading_zeros(name: str) -> DataError:
    """Return the error about a column of numbers with leading zeros whose kind is not declared."""
    return DataError(
        f"Column '{name}' contains numbers with leading zeros, so it may contain codes, which cannot be "
        "averaged.",
        hint=Phrase(
            "Declare its kind: {kinds}.", kinds=Either({name: "nominal"}, {name: "continuous"})
        ),
    )


def without_codes(table: pa.Table, columns: Sequence[str], codes: Sequence[str]) -> pa.Table:
    """Return a table of text with nothing in place of texts that stand for a blank."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for name in columns if codes else ():
        at = table.schema.get_field_index(name)
        if at >= 0:
            column = table.column(at)
            blank = pc.is_in(pc.utf8_trim_whitespace(column), value_set=pa.array(codes))
            table = table.set_column(at, name, pc.if_else(blank, "", column))
    return table


def with_numbers(table: pa.Table, columns: Sequence[str], decimal: str) -> pa.Table:
    """Turn columns of numerals into numbers, or raise a DataError where only some are.

    A column in which nothing is a number is left as the text it is: its values are categories.
    """
    table = parse_columns(table, columns, decimal=decimal)
    for name in columns:
        if name not in table.column_names or not is_text(table.schema.field(name).type):
            continue
        others = not_numbers(table[name], decimal=decimal)
        if others.code is not None:
            raise missing_code(name, others)
        beside_numbers = _some_are_numbers(table[name], others)
        if others.decimal_commas or others.thousands or beside_numbers:
            raise _text_among_numbers(name, others, beside_numbers)
    return table


def _some_are_numbers(column: pa.ChunkedArray, others: NotNumbers) -> bool:
    import pyarrow.compute as pc

    empty = int(pc.sum(pc.equal(pc.utf8_trim_whitespace(column), "")).as_py() or 0)
    return bool(len(others.rows) + empty + column.null_count < len(column))


def _text_among_numbers(name: str, others: NotNumbers, beside_numbers: bool) -> DataError:
    plural = "" if len(others.rows) == 1 else "s"
    hint = Phrase(
        "Leave it out of the quasi-identifiers, correct the file, or name the decimal mark or the "
        "separator. If these are categories, set {kinds}.",
        kinds={name: "nominal"},
    )
    if others.decimal_commas:
        hint = Phrase("They look like decimal commas: set {decimal}.", decimal=",")
    if others.thousands:
        hint = Phrase(
            f"They look like {others.form}: remove the separators first"
            + (", and set {decimal}." if others.decimal_commas else "."),
            decimal=",",
        )
    and_numbers = ", and numbers in others" if beside_numbers else ""
    return DataError(
        f"Column '{name}' contains text in {len(others.rows):,} record{plural}, the first in data row "
        f"{others.rows[0] + 1}{and_numbers}.",
        hint=hint,
    )
