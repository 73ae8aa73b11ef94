"""Columns that may not be what they were taken for, in words."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from microagg.data.categories import is_text
from microagg.data.codes import looks_like_codes
from microagg.data.date_formats import recognise
from microagg.data.dates import Calendar
from microagg.data.frames import Frame
from microagg.data.numerals import MISSING_CODES
from microagg.errors import quoted_name
from microagg.prepare.column import Column
from microagg.prepare.folded import folded, number_in
from microagg.schema import Schema

CODES_AS_NUMBERS = "Quasi-identifiers that look like codes rather than amounts"


def codes_for_blanks(columns: Mapping[str, Column]) -> list[str]:
    """Say which columns have a category that looks like a code for a blank.

    The category is not quoted: others read this, and a single record may have it.
    """
    return [_code_for_blank(name) for name, column in columns.items() if _has_code(column.labels)]


def codes_among_text(frame: Frame) -> list[str]:
    """Say the same of the columns of text of a frame."""
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
    codes = MISSING_CODES - {"n"}  # which may be an answer
    return any(text.strip().lower() in codes for text in texts)


def alike_in_form(values: Mapping[str, Any]) -> list[str]:
    """Say which confidential columns, whose values limits count, have text that should not count.

    It only looks different from other text, or it looks like a code for a blank.

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
                f"Column '{name}' has values that differ only in case, spaces or the form of characters. "
                "They count as different values for l-diversity and t-closeness: write them in one form "
                "first."
            )
        if _same_numbers(texts):
            cautions.append(
                f"Column '{name}' has numbers in several notations, such as 5 and 5.0. They count as "
                "different values for l-diversity and t-closeness: write them in one form first."
            )
        if _has_code(texts):
            cautions.append(
                f"Column '{name}' has values that look like codes for missing values, such as NA. They "
                "count as values for l-diversity and t-closeness: use one form for missing values."
            )
    return cautions


def _same_numbers(texts: Iterable[str]) -> bool:
    """Tell whether texts that differ also when they are folded are the same number."""
    numbers = [number_in(text) for text in set(map(folded, texts))]
    written = [number for number in numbers if number is not None]
    return len(set(written)) < len(written)


def many_names(columns: Mapping[str, Column], k: int) -> list[str]:
    """Say which names are too many for groups of k to keep: hardly any two records share one."""
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
    """Say which text is taken as names although it is dates, unless its kind was given."""
    names = [
        name
        for name in columns
        if name not in schema.kinds
        and name not in schema.orders
        and frame.is_text(name)
        and name not in calendars
        and recognise(frame.arrow(name)) is not None
    ]
    if not names:
        return ()
    listed = ", ".join(map(quoted_name, names))
    return (
        f"Columns of text that looks like dates: {listed}. They are treated as nominal, so the most "
        "frequent value of a group replaces the others. Set their kind to continuous for dates, or to "
        "nominal for names.",
    )


def codes_as_amounts(
    frame: Frame,
    schema: Schema,
    columns: Mapping[str, Column],
    calendars: Mapping[str, Calendar],
) -> tuple[str, ...]:
    """Say which columns are averaged although they look like codes, unless their kind was given."""
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
    """Say what is done with columns that look like codes, if there are any."""
    if not names:
        return ()
    listed = ", ".join(map(quoted_name, names))
    return (
        f"{CODES_AS_NUMBERS}: {listed}. They are treated as amounts. Specify their kinds: nominal or "
        "ordinal for codes, continuous for amounts.",
    )
