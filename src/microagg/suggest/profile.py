"""What the values of a column say, before its name is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from microagg.data import dates
from microagg.data.categories import decoded
from microagg.data.codes import Numbers, few
from microagg.data.column_names import words_of
from microagg.data.date_formats import DatesInText, recognise
from microagg.data.date_text import trimmed
from microagg.data.frames import Frame
from microagg.data.numerals import CODES_IN_TEXT, has_leading_zeros, not_numbers, to_numbers
from microagg.suggest.blanks import number_markers
from microagg.typing import Floats

Kind = Literal["empty", "boolean", "whole", "number", "date", "text", "else"]

_SHOWN = 1000
"""Different texts that patterns are looked for in."""


@dataclass(frozen=True, eq=False)
class Profile:
    """A column by its values.

    Attributes
    ----------
    name, words
        The column's name, and the words it is made of.
    n, present, distinct
        Records, those with a value, and the different values among these.
    kind
        What the values are, apart from codes for missing values.
    markers, marked
        The code for missing values, and the number of records with it.
    numbers, codes
        The values of a column of numbers, and whether they look like codes.
    texts
        Different values of text, in the order of the file, up to a thousand.
    dates
        The format of dates that are written as text.
    labelled, decimal_commas, thousands, leading_zeros
        Whether values have labels, and which marks are in numbers that are still text.
    """

    name: str
    words: tuple[str, ...]
    n: int
    present: int
    distinct: int
    kind: Kind
    markers: tuple[str, ...] = ()
    marked: int = 0
    numbers: Floats | None = None
    codes: Numbers | None = None
    texts: tuple[str, ...] = ()
    dates: DatesInText | None = None
    labelled: bool = False
    decimal_commas: bool = False
    thousands: bool = False
    leading_zeros: bool = False

    @property
    def unique(self) -> float:
        """Different values by records with a value."""
        return self.distinct / max(self.present, 1)

    @property
    def few(self) -> bool:
        """Whether there are few different values, each of them often."""
        return few(self.distinct, self.present)

    @property
    def missing(self) -> int:
        """Records without a value, markers included."""
        return self.n - self.present


def profile(frame: Frame, name: str) -> Profile:
    """Return what the values of a column say."""
    import pyarrow as pa
    import pyarrow.types as types

    column = decoded(frame.arrow(name))
    labelled = frame.has_value_labels(name)
    if types.is_string(column.type) or types.is_large_string(column.type):
        return _of_text(str(name), column, labelled)
    if (
        types.is_integer(column.type)
        or types.is_floating(column.type)
        or types.is_decimal(column.type)
    ):
        return _of_numbers(str(name), column.cast(pa.float64(), safe=False), labelled)
    present = column.drop_null()
    kind: Kind = "boolean" if types.is_boolean(column.type) else "else"
    kind = "date" if dates.is_date(column.type) else kind
    kind = "empty" if not len(present) else kind
    return Profile(
        str(name), words_of(name), frame.n, len(present), _distinct(frame, present), kind
    )


def _distinct(frame: Frame, present: Any) -> int:
    """Return how many different values there are; a list or a record in a cell has no number."""
    import pyarrow as pa

    try:
        return len(present.unique())
    except pa.ArrowNotImplementedError:
        return frame.n


def _of_numbers(
    name: str, column: Any, labelled: bool, markers: tuple[str, ...] = (), marked: int = 0
) -> Profile:
    values = column.to_numpy(zero_copy_only=False)
    values = values[np.isfinite(values)]
    sentinels = () if labelled else number_markers(values)
    kept = values[~np.isin(values, sentinels)]
    codes = Numbers(name)
    codes.add(kept)
    whole = bool((kept == np.rint(kept)).all())
    return Profile(
        name,
        words_of(name),
        len(column),
        kept.size,
        int(np.unique(kept).size),
        ("whole" if whole else "number") if kept.size else "empty",
        markers=(*markers, *(f"{marker:g}" for marker in sentinels)),
        marked=marked + values.size - kept.size,
        numbers=kept,
        codes=codes,
        labelled=labelled,
    )


def _of_text(name: str, column: Any, labelled: bool) -> Profile:
    import pyarrow as pa
    import pyarrow.compute as pc

    text = trimmed(column)
    odd = not_numbers(text)
    different = pc.unique(text.drop_null()).to_pylist()
    codes = [value for value in different if value.lower() in CODES_IN_TEXT]
    codes = codes if len(codes) < len(different) else []
    codes = sorted({*codes, *([odd.code] if odd.code is not None else [])})
    marked = pc.fill_null(pc.is_in(text, pa.array(codes, pa.string())), False)
    text = pc.if_else(marked, pa.scalar(None, pa.string()), text)
    count = int(pc.sum(marked).as_py() or 0)
    numbers = to_numbers(text, asked=False)
    if numbers is not None:
        return _of_numbers(name, numbers.cast(pa.float64()), labelled, tuple(codes), count)
    different = [value for value in different if value not in codes]
    recognised = recognise(text)
    kind: Kind = "text" if different else "empty"
    return Profile(
        name,
        words_of(name),
        len(text),
        len(text) - text.null_count,
        len(different),
        "date" if recognised is not None else kind,
        markers=tuple(codes),
        marked=count,
        texts=tuple(different[:_SHOWN]),
        dates=recognised,
        labelled=labelled,
        decimal_commas=odd.decimal_commas,
        thousands=odd.thousands,
        leading_zeros=to_numbers(text) is not None and has_leading_zeros(text),
    )
