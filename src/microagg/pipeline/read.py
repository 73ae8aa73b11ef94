"""The first stage: the columns of a frame are read, once, and the records to release are chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.constraints import check_k
from microagg.data.categories import decoded
from microagg.data.dates import Calendar
from microagg.data.frames import Frame
from microagg.errors import DataError
from microagg.measure.copies import Copy, find_copies
from microagg.pipeline.left_out import LeftOut
from microagg.prepare import missing
from microagg.prepare.cautions import (
    alike_in_form,
    codes_as_amounts,
    codes_for_blanks,
    dates_as_names,
    many_names,
)
from microagg.prepare.column import Column
from microagg.prepare.patterns import by_pattern
from microagg.prepare.read import (
    FILL_IN_UNITS,
    read_columns,
    read_strata,
    read_units,
    read_weights,
)
from microagg.prepare.strata import Strata, merged, refuse_small
from microagg.settings import Settings
from microagg.typing import Floats

NUMBERS_ALONE = ("Distances", "Release", "Records")
"""The topics of options that a masking of complete numbers may be unable to honour."""


@dataclass(frozen=True, eq=False)
class RecordsToRelease:
    """The records that will be released, as columns of numbers.

    Attributes
    ----------
    frame : Frame
        The records that will be released.
    kept : bool[n], optional
        Whether each record of the input is released; None if all are.
    columns : mapping of str to Column
        Their quasi-identifiers, NaN if missing.
    calendars : mapping of str to Calendar
        The conversion from numbers to dates.
    weights : float64[n], optional
        The weights of the records, if they differ.
    strata : Strata, optional
        The strata, which groups do not cross.
    patterns : Strata, optional
        Parts of the strata that lack the same values, if missing values stay missing.
    units : int64[n], optional
        The unit of each record, if units are counted.
    joined : bool
        Whether small strata were merged, which groups may cross.
    left_out : tuple of LeftOut
        How many records are not released, by reason.
    copies : tuple of Copy
        Unchanged columns that reveal a quasi-identifier or identify records.
    cautions : tuple of str
        Cautions about records that were left out and strata that were merged.
    warnings : tuple of str
        Possible mistakes of the user.
    """

    frame: Frame
    kept: NDArray[np.bool_] | None
    columns: Mapping[str, Column]
    calendars: Mapping[str, Calendar]
    weights: Floats | None
    strata: Strata | None
    patterns: Strata | None
    units: NDArray[np.int64] | None
    joined: bool
    left_out: tuple[LeftOut, ...]
    copies: tuple[Copy, ...]
    cautions: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def rows(self) -> NDArray[np.int64] | None:
        """The row numbers of the released records, counted from 0; None if all are released."""
        return None if self.kept is None else np.flatnonzero(self.kept)

    @property
    def has_blanks(self) -> bool:
        """Whether a quasi-identifier has missing values."""
        return any(column.blank.any() for column in self.columns.values())

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

    def more_than_numbers(self, options: Settings) -> tuple[str, ...]:
        """Return the options that a masking of complete numbers cannot honour."""
        kinds = sorted({column.kind for column in self.columns.values()} - {"continuous"})
        return (
            *(f"{kind} columns" for kind in kinds),
            *(f"'{name}'" for name in options.refused("masking", *NUMBERS_ALONE)),
        )

    def _values(self, name: str, new: Floats) -> Any:
        if name in self.calendars:
            return self.calendars[name].dates(new)
        if self.columns[name].kind == "continuous":
            return new
        return rows_with(self.columns[name], new)


def rows_with(column: Column, codes: Floats) -> NDArray[np.int64]:
    """Return for each code a record that has it, and for a blank one that is blank."""
    codes_from_1 = np.nan_to_num(column.values, nan=-1.0).astype(np.int64) + 1
    present, first = np.unique(codes_from_1, return_index=True)
    row = np.zeros(len(column.labels) + 1, dtype=np.int64)
    row[present] = first
    return row[np.nan_to_num(codes, nan=-1.0).astype(np.int64) + 1]


def read_records(frame: Frame, settings: Settings) -> RecordsToRelease:
    """Read the quasi-identifiers, weights and strata of a frame according to the settings."""
    schema, k = settings.schema, settings.k
    columns, calendars = read_columns(frame, schema, settings)
    weights = read_weights(frame, settings.weights, schema)
    strata, joined = read_strata(frame, settings), False
    units = _named_units(frame, settings)
    kept, cautions = np.ones(frame.n, dtype=bool), codes_for_blanks(columns)
    omitted: tuple[LeftOut, ...] = ()
    cautions += many_names(columns, k)
    cautions += alike_in_form(_limited(frame, settings))
    warnings = (
        *codes_as_amounts(frame, schema, columns, calendars),
        *dates_as_names(frame, schema, columns, calendars),
    )
    if settings.missing == "error":
        missing.refuse(list(columns.values()))
    if settings.missing == "suppress":
        kept = missing.complete(list(columns.values()))
        omitted += LeftOut.of(kept, WITHOUT_VALUE)
    if strata is not None:
        strata = replace(strata, units=units)
        strata, within, merges = large_enough(strata.subset(kept), settings.small_strata, k)
        joined, kept[kept] = bool(merges), within
        omitted += LeftOut.of(within, in_small_strata(k, strata.counted))
        cautions += merges
    if not kept.any():
        raise DataError(
            "All records would be left out of the release.",
            hint="Choose another treatment of missing values or of small strata.",
        )
    if not kept.all():
        frame = frame.rows(np.flatnonzero(kept))
        check_k(k, frame.n, "protect")
        columns = {n: replace(c, values=c.values[kept]) for n, c in columns.items()}
        weights = None if weights is None else weights[kept]
        weights = None if weights is None or weights.min() == weights.max() else weights
        units = None if units is None else units[kept]
    _refuse_few_units(units, k)
    keeping = settings.missing == "keep" and any(c.blank.any() for c in columns.values())
    return RecordsToRelease(
        frame=frame,
        kept=None if kept.all() else kept,
        columns=columns,
        calendars=calendars,
        weights=weights,
        strata=strata,
        patterns=by_pattern(list(columns.values()), strata, k) if keeping else None,
        units=units,
        joined=joined,
        left_out=omitted,
        copies=_copies(frame, settings),
        cautions=(*(each.in_words() for each in omitted), *cautions),
        warnings=warnings,
    )


def _limited(frame: Frame, settings: Settings) -> dict[str, Any]:
    """Return the distinct values of confidential columns of text and numbers that limits apply to."""
    if settings.l_diversity is None and settings.t_closeness is None:
        return {}
    names = [
        name
        for name in settings.confidential
        if frame.is_text_or_categories(name) or frame.is_numeric(name)
    ]
    return {name: decoded(frame.arrow(name)).unique() for name in names}


def _named_units(frame: Frame, settings: Settings) -> NDArray[np.int64] | None:
    """Return the unit of each record, or raise if a record has none."""
    units: NDArray[np.int64] | None = read_units(frame, settings.unit)
    if units is None or units.min() >= 0:
        return units
    raise DataError(
        f"{int(np.count_nonzero(units < 0)):,} records have no unit in column '{settings.unit}'.",
        hint=FILL_IN_UNITS,
    )


def _refuse_few_units(units: NDArray[np.int64] | None, k: int) -> None:
    """Raise if all records together have fewer than k units."""
    count = k if units is None else np.unique(units).size
    if count < k:
        raise DataError(
            f"There are {count} different units, and k is {k}.", hint="Choose a smaller k."
        )


def _copies(frame: Frame, settings: Settings) -> tuple[Copy, ...]:
    """Return the unchanged columns that reveal quasi-identifiers or identify records."""
    schema = settings.schema
    roles = {name: schema.role(name) for name in frame.names}
    unchanged = [name for name, role in roles.items() if role in ("other", "confidential")]
    return find_copies(frame, schema.quasi_identifiers, unchanged, seed=settings.seed)


def large_enough(strata: Strata, small: str, k: int) -> tuple[Strata, NDArray[np.bool_], list[str]]:
    """Return strata of at least k records, the records in them, and sentences about merged strata."""
    everyone = np.ones(strata.codes.size, dtype=bool)
    few = strata.small(k).size
    if small == "error" or not few:
        refuse_small(strata, k)
        return strata, everyone, []
    if small == "merge":
        counted = strata.counted
        words = f"{few} strata of fewer than k={k} {counted} were merged: groups cross them."
        joined = merged(strata, k)
        refuse_small(joined, k)
        return joined, everyone, [words]
    kept = strata.sizes[strata.codes] >= k
    if not kept.any():
        refuse_small(strata, k)
    return strata.subset(kept), kept, []


WITHOUT_VALUE = "with a missing value among the quasi-identifiers"
"""Why a record may be left out."""


def in_small_strata(k: int, counted: str) -> str:
    """Return another reason: `counted` are records or units."""
    return f"in a stratum of fewer than k={k} {counted}"
