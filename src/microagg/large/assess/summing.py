"""Sums over all records of both files, from which losses and other exact measures follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from microagg.large.codes import Codes
from microagg.large.survey import Survey, measured
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.covariation import Covariation
from microagg.measure.loss.information_loss import (
    InformationLoss,
    RecordSums,
    loss_from_record_sums,
    loss_from_sums,
    record_sums,
    squared_errors,
)
from microagg.measure.loss.mean_variation import relative_change
from microagg.measure.pair import Pair, unusual_exponents
from microagg.prepare.column import Column
from microagg.prepare.moments import Sums, joined_sums, sums_of
from microagg.prepare.records import ColumnSummary, Records
from microagg.settings import Settings
from microagg.typing import Floats, Integers

MOST_COMBINATIONS = 1_000_000
"""Different combinations of categories that are kept in memory."""


@dataclass(eq=False)
class KeySums:
    """What is summed up of the keys.

    Attributes
    ----------
    columns : mapping of str to Column
        The keys without records.
    sizes : mapping of str to float
        The largest absolute number of each column.
    """

    columns: Mapping[str, Column]
    sizes: Mapping[str, float]
    weight: float = 0.0
    change: Floats = field(default_factory=lambda: np.zeros(0))
    blank: bool = False

    def __post_init__(self) -> None:
        kinds = [column.kind for column in self.columns.values()]
        self._numbers = [j for j, kind in enumerate(kinds) if kind == "continuous"]
        self._categories = [j for j, kind in enumerate(kinds) if kind != "continuous"]
        d = len(kinds)
        self.low, self.high = np.full((2, d), np.inf), np.full((2, d), -np.inf)
        self._sums: list[Sums | None] = [None] * d
        labels = [max(len(column.labels), 1) for column in self.columns.values()]
        self._by_code = [np.zeros(count) for count in labels]
        self._released = [np.zeros(count, dtype=np.int64) for count in labels]
        self.change = np.zeros(len(self._numbers))
        names = [*self.columns]
        largest = np.array([self.sizes.get(names[j], 0.0) for j in self._numbers])
        self._exponents = unusual_exponents(largest)[:, None]
        none = np.empty((len(self._numbers), 0))
        self.covariations = Covariation.of(none), Covariation.of(none)
        self.codes = Codes([names[j] for j in self._numbers])
        self.combinations: Combinations | None = Combinations.of(
            [labels[j] for j in self._categories]
        )

    def add(self, before: Floats, after: Floats, weights: Floats | None) -> None:
        """Take note of more records, float64[d, m] of both files."""
        masses = np.ones(before.shape[1]) if weights is None else weights
        self.weight += float(masses.sum())
        self.blank |= bool(np.isnan(before).any())
        for place, values in enumerate((before, after)):
            self.low[place] = np.fmin(self.low[place], np.fmin.reduce(values, 1, initial=np.inf))
            self.high[place] = np.fmax(self.high[place], np.fmax.reduce(values, 1, initial=-np.inf))
        for j, column in enumerate(self.columns.values()):
            self._summarise(j, column, before[j], after[j], masses)
        numbers = before[self._numbers], after[self._numbers]
        self.change += relative_change(*numbers) @ masses
        usual = [np.ldexp(values, -self._exponents) for values in numbers]
        own = [Covariation.of(values, weights) for values in usual]
        self.covariations = (
            self.covariations[0].joined(own[0]),
            self.covariations[1].joined(own[1]),
        )
        self.codes.add(numbers[0])
        if self.combinations is not None:
            codes = np.stack([before[self._categories], after[self._categories]])
            self.combinations = self.combinations.with_more(codes, masses)

    def _summarise(
        self, j: int, column: Column, before: Floats, after: Floats, masses: Floats
    ) -> None:
        present = ~np.isnan(before)
        if present.any():
            own = sums_of(before[present], masses[present])
            self._sums[j] = joined_sums(self._sums[j], own)
        if column.kind != "continuous":
            count = self._by_code[j].size
            codes = before[present].astype(np.int64)
            self._by_code[j] += np.bincount(codes, masses[present], count)
            released = after[~np.isnan(after)].astype(np.int64)
            self._released[j] += np.bincount(released, minlength=count)

    def variation_data(self) -> float:
        """Return the mean relative change of a number, in percent."""
        return float(100 * np.mean(self.change / self.weight))

    def extremes(self) -> Pair:
        """Return a pair of two records: the lowest and the highest value of each key."""
        keep = np.isfinite(self.low) & np.isfinite(self.high)
        ends = np.where(keep[:, None], np.stack([self.low, self.high], axis=1), np.nan)
        columns = {
            name: replace(column, values=ends[0, :, j])
            for j, (name, column) in enumerate(self.columns.items())
        }
        values = {name: ends[1, :, j] for j, name in enumerate(self.columns)}
        return Pair(columns=columns, values=values, after=_rows(2))

    def foreign(self, n: int) -> list[str]:
        """Return the nominal keys of which most released categories are not in the original."""
        names = []
        for j, (name, column) in enumerate(self.columns.items()):
            others = int(self._released[j][self._by_code[j] == 0].sum())
            if column.nominal and 2 * others > n:
                names.append(name)
        return names

    def survey(self, settings: Settings, *, weighted: bool) -> Survey:
        """Return how the keys are compared."""
        summaries = [
            None
            if own is None
            else ColumnSummary(
                float(self.low[0, j]),
                float(self.high[0, j]),
                own,
                np.trim_zeros(self._by_code[j], "b") if column.nominal else np.zeros(0),
            )
            for j, (own, column) in enumerate(zip(self._sums, self.columns.values(), strict=True))
        ]
        nominal = any(column.nominal for column in self.columns.values())
        return measured(self.columns, settings, summaries, mixed=nominal or self.blank or weighted)

    def original_codes(self) -> dict[int, Integers]:
        """Return the categories of the original, by the number of each nominal key."""
        return {
            j: np.flatnonzero(self._by_code[j])
            for j, column in enumerate(self.columns.values())
            if column.nominal
        }

    def of_categories(self) -> Pair | None:
        """Return the keys that are categories as a pair of each combination once, with weights."""
        if self.combinations is None or not self._categories:
            return None
        before, after = self.combinations.codes()
        own = list(self.columns.values())
        columns = {
            own[j].name: replace(own[j], values=c)
            for j, c in zip(self._categories, before, strict=True)
        }
        values = {own[j].name: c for j, c in zip(self._categories, after, strict=True)}
        weights = self.combinations.counts
        return Pair(columns=columns, values=values, after=_rows(weights.size), weights=weights)


def _rows(count: int) -> EquivalenceClasses:
    """Return classes of so many records without columns that matter."""
    import pyarrow as pa

    return EquivalenceClasses(pa.table({"row": np.arange(count)}))


@dataclass(frozen=True, eq=False)
class Combinations:
    """The combinations of original and released categories, with the weight of each.

    Attributes
    ----------
    sizes : tuple of int
        The codes of each column, in the original and then in the release; blanks have the last code.
    keys : int64[m]
        The combinations that occur, as one number each.
    counts : float64[m]
        Their weights.
    """

    sizes: tuple[int, ...]
    keys: Integers
    counts: Floats

    @classmethod
    def of(cls, labels: list[int]) -> Combinations | None:
        """Return no combination yet; None if there may be too many to number."""
        sizes = tuple(count + 1 for count in labels) * 2
        if not sizes or float(np.prod([float(size) for size in sizes])) > 2.0**62:
            return None
        return cls(sizes, np.empty(0, dtype=np.int64), np.empty(0))

    def with_more(self, codes: Floats, masses: Floats) -> Combinations | None:
        """Return the same with more records, float64[2, c, m]; None if there are too many."""
        keys = np.zeros(masses.size, dtype=np.int64)
        for column, size in zip(np.concatenate(codes), self.sizes, strict=True):
            keys = keys * size + np.where(np.isnan(column), size - 1, column).astype(np.int64)
        both = np.concatenate([self.keys, keys])
        unique, place = np.unique(both, return_inverse=True)
        if unique.size > MOST_COMBINATIONS:
            return None
        counts = np.bincount(place, np.concatenate([self.counts, masses]))
        return replace(self, keys=unique, counts=counts.astype(np.float64))

    def codes(self) -> tuple[list[Floats], list[Floats]]:
        """Return the codes of each column in the original and in the release, NaN if missing."""
        columns: list[Floats] = []
        keys = self.keys
        for size in reversed(self.sizes):
            keys, code = np.divmod(keys, size)
            columns.append(np.where(code == size - 1, np.nan, code.astype(np.float64)))
        columns.reverse()
        half = len(columns) // 2
        return columns[:half], columns[half:]


@dataclass(eq=False)
class LossSums:
    """What is summed up for the information loss, once it is known how the keys are compared.

    Attributes
    ----------
    survey : Survey
        How they are compared.
    original_codes : mapping of int to int64[m]
        The categories of the original, by the number of each nominal key.
    """

    survey: Survey
    original_codes: Mapping[int, Integers]

    def __post_init__(self) -> None:
        d = len(self.survey.names)
        self._sse, self._sums = np.zeros(d), [RecordSums()] * d

    def add(self, before: Floats, after: Floats, weights: Floats | None) -> None:
        """Take note of more records, float64[d, m] of both files."""
        survey = self.survey
        if not survey.mixed:
            filled = np.where(np.isnan(after), survey.middles[:, None], after)
            self._sse += squared_errors(survey.scaled(before), survey.scaled(filled))
            return
        records = survey.prepared(before, weights)
        assert isinstance(records, Records)
        for j, own in self.original_codes.items():
            after[j] = np.where(np.isin(after[j], own), after[j], np.nan)
        for j, (column, measure) in enumerate(zip(records.columns, records.measures, strict=True)):
            one = float(survey.middles[j])
            more = record_sums(column, measure, records.weights, after[j], one, gower=False)
            self._sums[j] = self._sums[j] + more

    def loss(self) -> InformationLoss:
        """Return the loss."""
        names = self.survey.names
        if self.survey.mixed:
            return loss_from_record_sums(dict(zip(names, self._sums, strict=True)))
        return loss_from_sums(names, self._sse, self.survey.sst)
