"""`Ready`: the records that will be released, read, completed and made comparable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.data.codes import looks_like_codes
from microagg.data.date_formats import recognise
from microagg.data.dates import Calendar
from microagg.data.frames import Frame
from microagg.data.numerals import MISSING_CODES
from microagg.errors import DataError, quoted_name
from microagg.prepare import missing
from microagg.prepare.column import Column
from microagg.prepare.options import Options
from microagg.prepare.prepared import Prepared, prepare
from microagg.prepare.read import read_columns, read_strata, read_weights
from microagg.prepare.records import Records, prepare_records
from microagg.prepare.strata import Strata, merged, refuse_small
from microagg.schema import Schema

Floats = NDArray[np.float64]

CODES_AS_NUMBERS = "Quasi-identifiers that look like codes rather than amounts"

FEWEST = 5
"""Smaller counts of records are not said."""


@dataclass(frozen=True, eq=False)
class Ready:
    """Records on their way.

    Attributes
    ----------
    frame : Frame
        The records that will be released.
    kept : bool[n], optional
        Which of the given records they are; None when all.
    columns : mapping of str to Column
        Their quasi-identifiers, NaN where blank.
    filled : mapping of str to Column
        The same as they are grouped: blanks filled in if that was asked for.
    prepared : Prepared or Records
        The same made comparable: numbers alone where that is all there is.
    weights : float64[n], optional
        Of the records, where they are not all alike.
    strata : Strata, optional
        Parts that groups do not cross.
    joined : bool
        Whether small strata were joined, which groups do cross.
    cautions : tuple of str
        What was left out or joined.
    warnings : tuple of str
        What may be a mistake of the user.
    """

    frame: Frame
    kept: NDArray[np.bool_] | None
    columns: Mapping[str, Column]
    filled: Mapping[str, Column]
    calendars: Mapping[str, Calendar]
    prepared: Prepared | Records
    weights: Floats | None
    strata: Strata | None
    joined: bool
    cautions: tuple[str, ...]
    warnings: tuple[str, ...]

    def numbers_of(self, released: Frame, columns: Mapping[str, Floats]) -> dict[str, Floats]:
        """Return the quasi-identifiers of a release in the numbers of `columns`.

        Categories are as they were made; numbers and dates may have been rounded since.
        """
        out = dict(columns)
        for name, column in self.columns.items():
            if name in self.calendars:
                out[name] = self.calendars[name].numbers(released.arrow(name))
            elif column.kind == "continuous":
                out[name] = released.numbers(name, blanks=True)
        return out

    def values_of(self, columns: Mapping[str, Floats]) -> dict[str, Any]:
        """Return numbers of columns as `Frame.with_columns` takes them."""
        return {name: self._values(name, new) for name, new in columns.items()}

    def more_than_numbers(self, options: Options) -> tuple[str, ...]:
        """Return what those cannot honour that take complete numbers alone."""
        kinds = sorted({column.kind for column in self.columns.values()} - {"continuous"})
        return (
            *(f"{kind} columns" for kind in kinds),
            *(f"'{name}'" for name in options.given() if name != "date_format"),
        )

    def _values(self, name: str, new: Floats) -> Any:
        if name in self.calendars:
            return self.calendars[name].dates(new)
        if self.columns[name].kind == "continuous":
            return new
        return _rows_with(self.columns[name], new)


def _rows_with(column: Column, codes: Floats) -> NDArray[np.int64]:
    """Return for each code a record that has it, and for a blank one that is blank."""
    known = np.nan_to_num(column.values, nan=-1.0).astype(np.int64) + 1
    found, first = np.unique(known, return_index=True)
    row = np.zeros(len(column.labels) + 1, dtype=np.int64)
    row[found] = first
    return row[np.nan_to_num(codes, nan=-1.0).astype(np.int64) + 1]


def make_ready(frame: Frame, schema: Schema, options: Options, k: int, seed: int) -> Ready:
    """Read the quasi-identifiers, weights and strata of a frame as the options say."""
    columns, calendars = read_columns(frame, schema, options)
    weights = read_weights(frame, options.weights, schema)
    strata, joined = read_strata(frame, options), False
    kept, cautions = np.ones(frame.n, dtype=bool), _codes_for_blanks(columns)
    cautions += _many_names(columns, k)
    warnings = (
        *_codes_as_numbers(frame, schema, columns, calendars),
        *_dates_as_names(frame, schema, columns, calendars),
    )
    if options.missing == "error":
        missing.refuse(list(columns.values()))
    if options.missing == "suppress":
        kept = missing.complete(list(columns.values()))
        if not kept.all():
            cautions.append(_left_out(kept, "a blank among the quasi-identifiers"))
    if strata is not None:
        strata, within, words = _large_enough(strata.subset(kept), options.small_strata, k)
        joined = options.small_strata == "merge" and bool(words)
        kept[kept] = within
        cautions += words
    if not kept.any():
        raise DataError("No record is left to be released.", hint="Choose otherwise.")
    if not kept.all():
        frame = frame.rows(np.flatnonzero(kept))
        columns = {n: replace(c, values=c.values[kept]) for n, c in columns.items()}
        weights = None if weights is None else weights[kept]
        weights = None if weights is None or weights.min() == weights.max() else weights
    filled = columns
    if options.missing == "impute":
        given = missing.imputed(list(columns.values()), np.random.default_rng(seed), weights)
        filled = {column.name: column for column in given}
    return Ready(
        frame=frame,
        kept=None if kept.all() else kept,
        columns=columns,
        filled=filled,
        calendars=calendars,
        prepared=_prepared(filled, options, weights),
        weights=weights,
        strata=strata,
        joined=joined,
        cautions=tuple(cautions),
        warnings=warnings,
    )


def _prepared(
    columns: Mapping[str, Column], options: Options, weights: Floats | None
) -> Prepared | Records:
    """Return one matrix where all is complete numbers without weights, else mixed records."""
    mixed = any(column.nominal or column.blank.any() for column in columns.values())
    assert options.scale is not None
    if mixed or options.gower or weights is not None:
        return prepare_records(
            list(columns.values()),
            scale=options.scale,
            gower=options.gower,
            column_weights=options.column_weights,
            weights=weights,
        )
    return prepare(
        [column.values for column in columns.values()],
        tuple(columns),
        scale=options.scale,
        column_weights=options.column_weights,
    )


def _large_enough(
    strata: Strata, small: str, k: int
) -> tuple[Strata, NDArray[np.bool_], list[str]]:
    """Return strata of at least k records, which records are in them, and what was done."""
    everyone = np.ones(strata.codes.size, dtype=bool)
    few = strata.small(k).size
    if small == "error" or not few:
        refuse_small(strata, k)
        return strata, everyone, []
    if small == "merge":
        words = f"{few} strata of fewer than k={k} records were joined: groups cross these."
        joined = merged(strata, k)
        refuse_small(joined, k)
        return joined, everyone, [words]
    kept = strata.sizes[strata.codes] >= k
    if not kept.any():
        refuse_small(strata, k)
    reason = f"a stratum of fewer than k={k} records"
    return strata.subset(kept), kept, [_left_out(kept, reason)]


def _codes_for_blanks(columns: Mapping[str, Column]) -> list[str]:
    """Say which categories look like codes for a blank; such a code says nothing of a person."""
    return [
        f"Column '{name}' has a category '{label}', which looks like a code for missing values."
        for name, column in columns.items()
        for label in column.labels
        if label.lower() in MISSING_CODES - {"n"}  # which may be an answer
    ]


def _many_names(columns: Mapping[str, Column], k: int) -> list[str]:
    """Say which names are too many for groups of k to keep: hardly any two records share one."""
    return [
        f"The nominal column '{name}' has more different values than there can be groups of k={k}, so "
        "most of them are lost. Coarsen it, or give its kind if it is an amount or a date."
        for name, column in columns.items()
        if column.nominal and np.unique(column.values[~column.blank]).size * k > column.values.size
    ]


def _dates_as_names(
    frame: Frame,
    schema: Schema,
    columns: Mapping[str, Column],
    calendars: Mapping[str, Calendar],
) -> tuple[str, ...]:
    """Say which text is taken as names although it is dates, unless its kind was given."""
    found = [
        name
        for name in columns
        if name not in schema.kinds
        and name not in schema.orders
        and frame.is_text(name)
        and name not in calendars
        and recognise(frame.arrow(name)) is not None
    ]
    if not found:
        return ()
    listed = ", ".join(map(quoted_name, found))
    return (
        f"Text that looks like dates: {listed}. It is taken as names, of which the most frequent "
        "stands for a group. Give the kind continuous for dates, nominal for names.",
    )


def _codes_as_numbers(
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


def taken_as_amounts(found: Sequence[str]) -> tuple[str, ...]:
    """Say what is done with columns that look like codes, if there are any."""
    if not found:
        return ()
    listed = ", ".join(map(quoted_name, found))
    return (
        f"{CODES_AS_NUMBERS}: {listed}. They are taken as amounts. Give their kinds: nominal or ordinal "
        "for codes, continuous for amounts.",
    )


def _left_out(kept: NDArray[np.bool_], reason: str) -> str:
    out = int(np.count_nonzero(~kept))
    count = f"{out:,}" if out >= FEWEST else f"Fewer than {FEWEST}"  # others read this, too
    return f"{count} of {kept.size:,} records have {reason} and are left out."
