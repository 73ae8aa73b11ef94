"""`Pair`: an original and a released file, row by row, as every measure sees them.

The columns that are compared are the keys: what an intruder may know, and what was changed.
Columns of numbers are float64 with NaN where a value is missing; all others, and those whose
kind says so, are codes that count a missing value as a value of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.data.frames import Frame
from microagg.errors import DataError
from microagg.measure.anonymity import Anonymity, anonymity, classes_of
from microagg.progress import Progress

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Category:
    """A column of categories in both files: one code a value, in the order of the values.

    `labels` are the values themselves; they are records' values, so no message may show them.
    """

    original: Codes
    released: Codes
    ordinal: bool
    labels: tuple[str, ...] = field(repr=False, default=())

    @property
    def size(self) -> int:
        """Number of codes in use, both files together."""
        return int(max(self.original.max(), self.released.max())) + 1


@dataclass(eq=False)
class Pair:
    """Original and released records in the same order.

    Attributes
    ----------
    names : tuple of str
        The keys that hold numbers, a row each of `original` and `released`, float64[d, n].
    categories : mapping of str to Category
        The other keys.
    confidential : mapping of str to (codes, whether they are numbers)
        Released confidential columns, coded in the order of their values.
    anonymity : Anonymity
        Of the released keys.
    original_classes, released_classes : int64[n]
        Records with equal numbers have equal keys.
    found : dict
        What measures have found already.
    notes : dict
        What a reader must know of a found value, by measure; such as that it is an estimate.
    record_risk : float64[n], optional
        The chance of each record to be linked, once linkage was measured.
    """

    names: tuple[str, ...]
    original: Floats
    released: Floats
    categories: Mapping[str, Category]
    confidential: Mapping[str, tuple[Codes, bool]]
    anonymity: Anonymity
    original_classes: Codes
    released_classes: Codes
    found: dict[str, float] = field(default_factory=dict)
    progress: Progress = field(default_factory=Progress)
    notes: dict[str, str] = field(default_factory=dict)
    record_risk: Floats | None = None

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.released_classes.size)

    @property
    def keys(self) -> tuple[str, ...]:
        """All key columns, numbers first."""
        return (*self.names, *self.categories)

    def standardised(self, values: Floats) -> Floats:
        """Scale columns by the mean and standard deviation of the original; NaN stays."""
        return standardised(values, self.original)

    @cached_property
    def joint_classes(self) -> tuple[Codes, Codes]:
        """Number the keys of both files together: equal records have equal numbers in either."""
        both = [np.concatenate(pair) for pair in zip(self.original, self.released, strict=True)]
        both += [np.concatenate([c.original, c.released]) for c in self.categories.values()]
        classes = np.zeros(2 * self.n, dtype=np.int64)
        for column in both:
            codes = np.unique(column, return_inverse=True)[1]
            classes = np.unique(classes * (codes.max() + 1) + codes, return_inverse=True)[1]
        return classes[: self.n], classes[self.n :]


def standardised(values: Floats, reference: Floats) -> Floats:
    """Scale columns by the mean and standard deviation of those of `reference`; NaN stays."""
    center, spread = np.zeros((len(reference), 1)), np.ones((len(reference), 1))
    for j, column in enumerate(reference):
        known = column[np.isfinite(column)]
        if known.size and known.max() > known.min():
            center[j], spread[j] = known.mean(), known.std()
        elif known.size:
            center[j] = known[0]
    return (values - center) / spread


def pair_of(
    original: Any,
    released: Any,
    quasi_identifiers: Sequence[str] | None = None,
    confidential: Sequence[str] = (),
    kinds: Mapping[str, str] | None = None,
) -> Pair:
    """Pair two frames with the same rows in the same order.

    By default the keys are the columns that differ, or all that both have when none does.

    Examples
    --------
    >>> import pyarrow as pa
    >>> before = pa.table({"age": [30, 32, 60, 64], "ill": [0, 1, 0, 0]})
    >>> after = pa.table({"age": [31, 31, 62, 62], "ill": [0, 1, 0, 0]})
    >>> pair_of(before, after).keys
    ('age',)
    """
    before, after = Frame(original), Frame(released)
    if before.n != after.n or not before.n:
        raise DataError(
            f"The original has {before.n} records and the release {after.n}; they must be the same.",
            hint="Give a key column when records were left out or are in another order.",
        )
    names = _keys(before, after, quasi_identifiers)
    both = list(names)
    tables = before.select(both), after.select(both)
    chosen = kinds or {}
    numbers = [name for name in names if _is_number(before, after, name, chosen)]
    rest = [name for name in names if name not in numbers]
    return Pair(
        names=tuple(map(str, numbers)),
        original=_matrix(tables[0], numbers),
        released=_matrix(tables[1], numbers),
        categories={str(name): _category(*tables, name, chosen) for name in rest},
        confidential={str(name): coded(after, name, chosen.get(name)) for name in confidential},
        anonymity=anonymity(released, names),
        original_classes=classes_of(tables[0]),
        released_classes=classes_of(tables[1]),
    )


def _keys(before: Frame, after: Frame, wanted: Sequence[str] | None) -> list[str]:
    if wanted is not None:
        before.require(wanted, "quasi_identifiers")
        after.require(wanted, "quasi_identifiers")
        return list(wanted)
    shared = [name for name in before.names if name in after.names]
    if not shared:
        raise DataError(
            "The two files have no column in common.",
            hint="Columns are matched by name; is it the right file?",
        )
    return changed(before, after, shared) or shared


def changed(before: Frame, after: Frame, names: Sequence[str]) -> list[str]:
    """Return those of `names` whose values differ anywhere."""
    one, other = before.select(names), after.select(names)
    return [name for name in names if not _same(one[str(name)], other[str(name)])]


def _same(before: Any, after: Any) -> bool:
    if _numeric(before.type) and _numeric(after.type):
        return bool(np.array_equal(_floats(before), _floats(after), equal_nan=True))
    return _texts(before) == _texts(after)


def _is_number(before: Frame, after: Frame, name: str, kinds: Mapping[str, str]) -> bool:
    numeric = before.is_numeric(name) and after.is_numeric(name)
    return numeric and kinds.get(name, "continuous") == "continuous"


def _matrix(table: Any, names: Sequence[str]) -> Floats:
    if not names:
        return np.empty((0, table.num_rows))
    return np.stack([_floats(table[str(name)]) for name in names])


def _floats(column: Any) -> Floats:
    import pyarrow as pa

    values = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    plain: Floats = np.ascontiguousarray(values, dtype=np.float64)
    if np.isinf(plain).any():
        raise DataError(
            f"{int(np.isinf(plain).sum())} values of a key column are infinite.",
            hint="Replace or remove these records first.",
        )
    return plain


def _category(before: Any, after: Any, name: str, kinds: Mapping[str, str]) -> Category:
    one, other = before[str(name)], after[str(name)]
    if _numeric(one.type) and _numeric(other.type):
        values: Any = np.concatenate([_floats(one), _floats(other)])
    else:
        values = np.array(_texts(one) + _texts(other), dtype=object).astype(str)
    found, inverse = np.unique(values, return_inverse=True)
    codes, n = inverse.astype(np.int64), len(one)
    labels = tuple(_label(value) for value in found.tolist())
    return Category(codes[:n], codes[n:], kinds.get(name) == "ordinal", labels)


def _label(value: str | float) -> str:
    if isinstance(value, str):
        return "(missing)" if value == _MISSING else value.removeprefix("=")
    return "(missing)" if np.isnan(value) else f"{value:g}"


def coded(frame: Frame, name: str, kind: str | None) -> tuple[Codes, bool]:
    """Number the values of a confidential column, and tell whether their order means something.

    Numbers that were left as text, as the command line leaves what it need not change, are numbers:
    the same release must not be judged otherwise when it is read in another way.
    """
    frame.require([name], "confidential")
    column = frame.select([name])[str(name)]
    numbers = _as_numbers(column)
    ordered = numbers is not None if kind is None else kind != "nominal"
    values = np.array(_texts(column), dtype=object).astype(str) if numbers is None else numbers
    return np.unique(values, return_inverse=True)[1].astype(np.int64), ordered


def _as_numbers(column: Any) -> Floats | None:
    import pyarrow as pa

    if _numeric(column.type):
        return _floats(column)
    try:
        return _floats(column.cast(pa.float64()))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def _numeric(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


_MISSING = "missing"
"""A text that no value has: theirs begin with an equals sign."""


def _texts(column: Any) -> list[str]:
    """Return values as text; a missing one as a text that no value has."""
    return [_MISSING if value is None else f"={value}" for value in column.to_pylist()]
