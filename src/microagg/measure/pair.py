"""`Pair`: an original and a released file, row by row, as all measures use them.

The columns that are compared are the keys: columns that an intruder may know, or that were changed. Each is
of a kind, as in `protect`: amounts and dates are continuous, categories are ordinal or nominal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from microagg.data.dates import Calendar
from microagg.data.frames import Frame
from microagg.errors import DataError, Phrase
from microagg.measure.anonymity import Anonymity, anonymity_of
from microagg.measure.classes import EquivalenceClasses, classes_of_numbers
from microagg.measure.covariation import Covariation
from microagg.measure.keys import default_keys, read_keys
from microagg.measure.loss.information_loss import InformationLoss
from microagg.prepare.column import Column
from microagg.prepare.read import read_units, read_weights
from microagg.reporter import Reporter
from microagg.schema import Schema
from microagg.settings import Settings
from microagg.threads import Locks
from microagg.typing import Codes, Floats

Result = TypeVar("Result")

BLANK = "(missing)"

USUAL = 200
"""Values below two to this power, and above its reciprocal, are of the usual size."""


@dataclass(frozen=True)
class Category:
    """A column of categories in both files: one code per value, in the order of the values.

    A missing value has the last code. `labels` are the values themselves; they belong to records,
    so no message may show them.
    """

    original: Codes
    released: Codes
    ordinal: bool
    labels: tuple[str, ...] = field(repr=False, default=())

    @property
    def size(self) -> int:
        """Number of codes."""
        return len(self.labels)

    @property
    def blank(self) -> int:
        """The code of a missing value, or -1 if there is none."""
        return self.size - 1 if self.labels[-1:] == (BLANK,) else -1


@dataclass(eq=False)
class Pair:
    """Original and released records in the same order.

    Attributes
    ----------
    columns : mapping of column name to Column
        The keys of the original: amounts, ranks or codes, NaN if missing.
    values : mapping of column name to float64[n]
        The keys of the release, on the same scale.
    after : EquivalenceClasses
        The classes of the released frame.
    before : EquivalenceClasses, optional
        The classes of the original frame; without them, classes are counted on `columns`.
    confidential_kinds : mapping of str to str or None
        The confidential columns, with their kinds if specified.
    options : Settings
        The options that determine the information loss.
    weights : float64[n], optional
        The weights of the records, if they differ. They affect losses, not risks.
    units : int64[n], optional
        The number of the unit of each record, -1 if missing.
    loss : InformationLoss, optional
        The loss of the released keys, if already measured.
    counted : Anonymity, optional
        The sizes of the classes of released keys, if already counted.
    homogeneous : mapping of str to int, optional
        For each confidential column the records in classes that share one value, where they were counted
        already.
    covariations : pair of Covariation, optional
        The means and covariances of the numbers of both files, once they were summed.
    measured : dict
        The values of the measures that were computed so far, by name.
    not_applicable : dict
        The reasons why measures have no value, by name, if already known.
    notes : dict
        Remarks on such values, by measure, for example that a value is an estimate.
    calendars : mapping of str to Calendar
        The conversion from numbers to dates for columns of dates, if it was kept.
    sample_of : int, optional
        The number of all records, if these are a sample.
    record_risk : float64[n], optional
        The probability that each record is linked, once linkage was measured; NaN for records that were
        not examined.
    shared : dict
        Intermediate results that several measures need, by name.
    locks : Locks
        The locks of these results, because several threads compute measures.
    """

    columns: Mapping[str, Column]
    values: Mapping[str, Floats]
    after: EquivalenceClasses
    before: EquivalenceClasses | None = None
    confidential_kinds: Mapping[str, str | None] = field(default_factory=dict)
    options: Settings = field(default_factory=Settings.create)
    weights: Floats | None = None
    units: Codes | None = None
    loss: InformationLoss | None = None
    counted: Anonymity | None = None
    homogeneous: Mapping[str, int] | None = None
    covariations: tuple[Covariation, Covariation] | None = None
    measured: dict[str, float] = field(default_factory=dict)
    not_applicable: dict[str, str] = field(default_factory=dict)
    progress: Reporter = field(default_factory=Reporter)
    notes: dict[str, str] = field(default_factory=dict)
    calendars: Mapping[str, Calendar] = field(default_factory=dict)
    sample_of: int | None = None
    record_risk: Floats | None = None
    shared: dict[str, Any] = field(default_factory=dict, repr=False)
    locks: Locks = field(default_factory=Locks, repr=False)

    def once(self, what: str, compute: Callable[[], Result]) -> Result:
        """Return an intermediate result of several measures; it is computed when it is first needed."""
        with self.locks.of(what):
            if what not in self.shared:
                self.shared[what] = compute()
            result: Result = self.shared[what]
            return result

    def with_values(self, values: Mapping[str, Floats], after: EquivalenceClasses) -> Pair:
        """Return a pair of the same original records and other released values, without any measures."""
        return Pair(
            columns=self.columns,
            values=values,
            after=after,
            before=self.before,
            confidential_kinds=self.confidential_kinds,
            options=self.options,
            weights=self.weights,
            units=self.units,
            progress=self.progress,
            calendars=self.calendars,
            sample_of=self.sample_of,
        )

    @property
    def n(self) -> int:
        """Number of records."""
        return self.after.frame.n

    @cached_property
    def original_classes(self) -> Codes:
        """The equivalence class of each original record; records with equal keys have equal numbers."""
        if self.before is not None:
            return self.before.of(tuple(self.columns))
        return classes_of_numbers([column.values for column in self.columns.values()])

    @property
    def released_classes(self) -> Codes:
        """The equivalence class of each released record."""
        with self.locks.of("released classes"):
            return self.after.of(tuple(self.columns))

    @cached_property
    def anonymity(self) -> Anonymity:
        """The sizes of the classes of released keys."""
        with self.locks.of("released classes"):
            return self.counted or anonymity_of(self.after, tuple(self.columns))

    @cached_property
    def confidential(self) -> dict[str, tuple[Codes, bool]]:
        """The released confidential columns as codes, and whether they have an order."""
        kinds = self.confidential_kinds
        return {str(name): self.after.values(name, kind) for name, kind in kinds.items()}

    @property
    def keys(self) -> tuple[str, ...]:
        """All key columns."""
        return tuple(map(str, self.columns))

    def of_kind(self, *kinds: str) -> tuple[str, ...]:
        """Return the keys of the specified kinds, in the order of the kinds."""
        return tuple(name for kind in kinds for name in self.columns if self._is(name, kind))

    def _is(self, name: str, kind: str) -> bool:
        return self.columns[name].kind == kind

    @property
    def names(self) -> tuple[str, ...]:
        """The continuous keys, which are the rows of `original` and `released`."""
        return tuple(map(str, self.of_kind("continuous")))

    @cached_property
    def original(self) -> Floats:
        """The continuous keys of the original, float64[d, n]."""
        return self._stacked(
            {n: c.values for n, c in self.columns.items()}, self.of_kind("continuous")
        )

    @cached_property
    def released(self) -> Floats:
        """The continuous keys of the release, float64[d, n]."""
        return self._stacked(self.values, self.of_kind("continuous"))

    def ordered(self) -> tuple[Floats, Floats]:
        """Return the keys that are ordered in both files, continuous ones and ranks, by name.

        Samples are taken along the keys, so the order does not depend on the caller.
        """
        before = {name: column.values for name, column in self.columns.items()}
        names = sorted(self.of_kind("continuous", "ordinal"), key=str)
        return self._stacked(before, names), self._stacked(self.values, names)

    def _stacked(self, values: Mapping[str, Floats], names: Sequence[str]) -> Floats:
        return np.stack([values[name] for name in names]) if names else np.empty((0, self.n))

    @cached_property
    def categories(self) -> dict[str, Category]:
        """The keys that are categories."""
        return {str(name): self._category(name) for name in self.of_kind("ordinal", "nominal")}

    def unordered(self) -> list[Category]:
        """Return the nominal keys, by name."""
        return [self.categories[name] for name in sorted(map(str, self.of_kind("nominal")))]

    def _category(self, name: str) -> Category:
        column = self.columns[name]
        blank = len(column.labels)
        codes = [
            np.where(np.isnan(values), blank, values).astype(np.int64)
            for values in (column.values, self.values[name])
        ]
        some = any((of_file == blank).any() for of_file in codes)
        labels = (*column.labels, BLANK) if some else column.labels
        return Category(codes[0], codes[1], column.kind == "ordinal", labels)

    @cached_property
    def joint_classes(self) -> tuple[Codes, Codes]:
        """Number the records of both files together: equal records have equal numbers."""
        both = [np.concatenate([c.values, self.values[n]]) for n, c in self.columns.items()]
        classes = classes_of_numbers(both)
        return classes[: self.n], classes[self.n :]

    def mean(self, of_records: Floats) -> float:
        """Return the weighted mean over records, which are the last axis."""
        return float(np.mean(np.average(of_records, axis=-1, weights=self.weights)))

    def counts(self, codes: Codes, size: int = 0) -> Floats:
        """Return the weighted number of records with each code."""
        return np.bincount(codes, self.weights, minlength=size).astype(np.float64)


def of_usual_size(before: Floats, after: Floats) -> tuple[Floats, Floats]:
    """Return columns, float64[d, n], rescaled so that powers of their values do not overflow.

    The unit of a column is a power of two, so nothing is rounded: correlations and relative changes
    are the same in any unit. Fourth powers of values above 1e77 would overflow, and those of values
    below 1e-77 would be lost.

    Examples
    --------
    >>> of_usual_size(np.array([[2.0**300, 0.0]]), np.array([[2.0**299, 0.0]]))
    (array([[0.5, 0. ]]), array([[0.25, 0.  ]]))
    """
    sizes = [np.abs(v).max(axis=1, initial=0.0, where=~np.isnan(v)) for v in (before, after)]
    exponents = unusual_exponents(np.maximum(*sizes))
    return np.ldexp(before, -exponents[:, None]), np.ldexp(after, -exponents[:, None])


def unusual_exponents(sizes: Floats) -> NDArray[np.int32]:
    """Return the exponent of each absolute value; 0 if it is of the usual size."""
    exponents = np.frexp(sizes)[1]
    exponents[np.abs(exponents) < USUAL] = 0
    return exponents


def standardised(values: Floats, reference: Floats) -> Floats:
    """Scale columns by the means and standard deviations of `reference`; NaN stays NaN."""
    center, spread = np.zeros((len(reference), 1)), np.ones((len(reference), 1))
    for j, column in enumerate(reference):
        finite = column[np.isfinite(column)]
        if finite.size and finite.max() > finite.min():
            center[j], spread[j] = finite.mean(), finite.std()
        elif finite.size:
            center[j] = finite[0]
    return (values - center) / spread


def pair_of(
    original: Any,
    released: Any,
    quasi_identifiers: Sequence[str] | None = None,
    confidential: Sequence[str] = (),
    kinds: Mapping[str, str] | None = None,
    orders: Mapping[str, Sequence[Any]] | None = None,
    options: Settings | None = None,
) -> Pair:
    """Pair two frames with the same rows in the same order.

    By default, the keys are the columns that differ, or all common columns if none differs,
    without confidential columns and weights.

    Examples
    --------
    >>> import pyarrow as pa
    >>> before = pa.table({"age": [30, 32, 60, 64], "ill": [0, 1, 0, 0]})
    >>> after = pa.table({"age": [31, 31, 62, 62], "ill": [0, 1, 0, 0]})
    >>> pair_of(before, after).keys
    ('age',)
    """
    before = original if isinstance(original, Frame) else Frame(original)
    after, chosen = Frame(released), options or Settings.create()
    if not before.n and not after.n:
        raise DataError("There are no records.", hint="Use files with at least one record.")
    if before.n != after.n:
        raise DataError(
            f"The original has {before.n} records and the release {after.n}; the numbers must be equal.",
            hint=Phrase(
                "If records were left out or moved, name the column that identifies each record: "
                f"{{match_on}}.{_OF_A_RELEASE if after.n < before.n else ''}",
                match_on="id",
            ),
        )
    if quasi_identifiers is None:
        aside = {*confidential, chosen.weights, chosen.unit}
        quasi_identifiers = default_keys(before, after, aside)
    schema = Schema(quasi_identifiers, (), confidential, kinds or {}, orders or {})
    _require(before, after, schema, chosen)
    columns, values = read_keys(before, after, schema, chosen)
    return Pair(
        columns=columns,
        values=values,
        before=EquivalenceClasses(before),
        after=EquivalenceClasses(after),
        confidential_kinds={name: schema.kinds.get(name) for name in schema.confidential},
        options=chosen,
        weights=read_weights(before, chosen.weights, schema),
        units=read_units(before, chosen.unit),
    )


_OF_A_RELEASE = " For a release of microagg, `rows=release.rows` names the rows that were released."


def _require(before: Frame, after: Frame, schema: Schema, options: Settings) -> None:
    """Raise if a parameter names a column that is not in the data."""
    before.require(schema.quasi_identifiers, "quasi_identifiers")
    after.require(schema.quasi_identifiers, "quasi_identifiers", "the release")
    after.require(schema.confidential, "confidential", "the release")
    before.require(schema.kinds, "kinds")
    before.require(schema.orders, "orders")
    for parameter, names in options.named_by_column().items():
        before.require(names, parameter)
