"""Cautions about columns whose kind may be wrong."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from microagg.data.categories import is_text
from microagg.data.codes import looks_like_codes
from microagg.data.date_formats import recognise
from microagg.data.dates import Calendar
from microagg.data.frames import Frame
from microagg.data.numerals import CODES_IN_TEXT
from microagg.errors import quoted_name
from microagg.prepare.column import Column
from microagg.prepare.folded import folded
from microagg.prepare.notations import (
    DIGITS,
    numbers_among,
    same_days,
    same_digits,
    same_numbers,
)
from microagg.schema import Schema

CODES_AS_NUMBERS = "These quasi-identifiers look like codes rather than amounts"


def codes_for_blanks(columns: Mapping[str, Column]) -> list[str]:
    """Return warnings about categories that look like codes for missing values.

    The category is not quoted, because external readers see the warning, and a single record may have it.
    """
    return [_code_for_blank(name) for name, column in columns.items() if _has_code(column.labels)]


def codes_among_text(frame: Frame) -> list[str]:
    """Return the same warnings about the text columns of a frame."""
    texts = {
        n: frame.arrow(n).unique().drop_null().to_pylist() for n in frame.names if frame.is_text(n)
    }
    return [_code_for_blank(name) for name, own in texts.items() if _has_code(own)]


def _code_for_blank(name: str) -> str:
    return (
        f"Column '{name}' has a category that looks like a code for missing values, such as NA or ?. "
        "Declare the code with --blank for a CSV file, or replace it by a missing value in Python."
    )


def _has_code(texts: Iterable[str]) -> bool:
    return not CODES_IN_TEXT.isdisjoint(map(str.lower, map(str.strip, texts)))


def alike_in_form(values: Mapping[str, Any]) -> list[str]:
    """Return warnings about text in confidential columns that limits should not count as different values.

    Such text differs only in form from other text, or looks like a code for missing values. Numbers may
    agree in all digits that others see.

    `values` are the different values of each column, as Arrow arrays.

    Examples
    --------
    >>> import pyarrow as pa
    >>> alike_in_form({"ill": pa.array(["flu", "Flu "]), "pay": pa.array([1, 2])})[0].split(",")[0]
    "Column 'ill' has values that differ only in case"
    """
    cautions = []
    for name, every in values.items():
        texts = every.drop_null().to_pylist() if is_text(every.type) else []
        if len(set(map(folded, texts))) < len(texts):
            cautions.append(
                f"Column '{name}' has values that differ only in case, spaces or Unicode form. "
                "They count as different values for l-diversity and t-closeness: write them in one form "
                "first."
            )
        if same_numbers(set(map(folded, texts))):
            cautions.append(
                f"Column '{name}' has numbers in several notations, such as 5 and 5.0. They count as "
                "different values for l-diversity and t-closeness: write them in one form first."
            )
        if same_days(set(map(folded, texts))):
            cautions.append(
                f"Column '{name}' has dates in several notations, and some may be the same day. They count "
                "as different values for l-diversity and t-closeness: write them in one form first."
            )
        if same_digits(every if _is_number(every.type) else numbers_among(texts)):
            cautions.append(
                f"Column '{name}' has numbers that agree in their first {DIGITS} digits, which is all that "
                "spreadsheet programs show. They count as different values for l-diversity and "
                "t-closeness: round them first."
            )
        if _has_code(texts):
            cautions.append(
                f"Column '{name}' has values that look like codes for missing values, such as NA. They "
                "count as values for l-diversity and t-closeness: replace them by missing values."
            )
    return cautions


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def many_names(columns: Mapping[str, Column], k: int) -> list[str]:
    """Return warnings about nominal columns with more values than groups of k can preserve."""
    return [
        f"The nominal column '{name}' has more different values than there can be groups of k={k}, so "
        "most of them are lost. Coarsen it, or specify its kind if it is an amount or a date."
        for name, column in columns.items()
        if column.nominal and np.unique(column.values[~column.blank]).size * k > column.values.size
    ]


def dates_as_names(
    frame: Frame,
    schema: Schema,
    columns: Mapping[str, Column],
    calendars: Mapping[str, Calendar],
) -> tuple[str, ...]:
    """Return warnings about text that is treated as nominal although it looks like dates."""
    described = {*schema.kinds, *schema.orders, *calendars}
    return text_like_dates(frame, [name for name in columns if name not in described])


REPLACED = "the most frequent value of a group replaces the others"
COMPARED = (
    "a day of difference counts as much as a year, and the risk of linkage may be understated"
)
"""What it means for a release and for the measures of two files that dates are nominal."""


def text_like_dates(
    frame: Frame, columns: Iterable[str], effect: str = REPLACED
) -> tuple[str, ...]:
    """Return warnings about text columns that look like dates; `effect` is what follows for the reader."""
    names = [
        name for name in columns if frame.is_text(name) and recognise(frame.arrow(name)) is not None
    ]
    if not names:
        return ()
    listed = ", ".join(map(quoted_name, names))
    return (
        f"These columns of text look like dates: {listed}. They are treated as nominal, so {effect}. Set "
        "their kind to continuous if they are dates, or to nominal if they are not.",
    )


def codes_as_amounts(
    frame: Frame,
    schema: Schema,
    columns: Mapping[str, Column],
    calendars: Mapping[str, Calendar],
) -> tuple[str, ...]:
    """Return warnings about columns that are averaged although they look like codes."""
    return taken_as_amounts(
        [
            name
            for name in columns
            if name not in schema.kinds
            and name not in calendars
            and frame.is_numeric(name)
            and looks_like_codes(frame, name)
        ]
    )


def numbers_like_codes(frame: Frame, described: Container[str]) -> list[str]:
    """Return the columns of numbers that look like codes and whose kind is not among those `described`."""
    return [
        name
        for name in frame.names
        if name not in described and frame.is_numeric(name) and looks_like_codes(frame, name)
    ]


def taken_as_amounts(names: Sequence[str]) -> tuple[str, ...]:
    """Return a warning about columns that look like codes, if there are any."""
    if not names:
        return ()
    listed = ", ".join(map(quoted_name, names))
    return (
        f"{CODES_AS_NUMBERS}: {listed}. They are treated as amounts. Specify their kinds: nominal or "
        "ordinal for codes, continuous for amounts.",
    )
