"""The audience of a report, which filters everything that the report shows.

The internal audience sees everything. The external audience sees nothing that describes fewer than k or 5
records: no row numbers, no plot of records, no minima or maxima, no rare categories, no small counts or
shares from which they could be computed, and no fingerprint of the input.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np

from microagg.constraints import OneOf, check
from microagg.measure.blanks import Blanks
from microagg.measure.copies import Copy
from microagg.measure.loss.information_loss import InformationLoss
from microagg.measure.pair import Pair
from microagg.measure.registry import Finding
from microagg.percent import short_percent
from microagg.pipeline.cautions import (
    FEW,
    blanked,
    diverse_only_by_missing,
    exposed,
    filled_in,
    given_away,
    not_jointly,
)
from microagg.pipeline.outcome import Outcome

T = TypeVar("T")

AUDIENCES = ("internal", "external")
FEWEST = FEW
"""Counts below this, or below k, are hidden from the external audience."""
SAME, ROUNDING = 1e-12, 1e-18
"""The relative difference up to which numbers count as equal, and the loss in percent of such numbers."""
LARGE = 20
"""Without a promised k, counts of at least this number are shown, whatever k was counted."""


@dataclass(frozen=True)
class Audience:
    """The audience of a report.

    Attributes
    ----------
    name : {"internal", "external"}
        The name of the audience.
    least : int
        The minimum count of records that is shown; 0 for the internal audience.
    few_categories : tuple of str
        The categorical columns in which fewer records than that, or all but fewer than that, have
        a different category.
    few_numbers : tuple of str
        The numeric columns in which fewer records than that have a different number.
    """

    name: str
    least: int = 0
    few_categories: tuple[str, ...] = ()
    few_numbers: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, k: int) -> Audience:
        """Return the audience of a file whose classes have at least k records."""
        check("audience", name, OneOf(AUDIENCES), "Release.write")
        return cls(name, 0 if name == "internal" else max(k, FEWEST))

    @classmethod
    def of_assessed(cls, name: str, k: int) -> Audience:
        """Return the audience of a file without a promised k, for which k was counted."""
        return cls.of(name, min(k, LARGE))

    def of_pair(self, pair: Pair, loss: InformationLoss | None = None) -> Audience:
        """Return this audience with the restrictions for a pair of files.

        `loss` is the loss of all records, if the pair is a sample.
        """
        if self.inside:
            return self
        lost = loss or pair.loss
        by_column = {} if lost is None else lost.by_column
        return replace(
            self,
            few_categories=self._few_categories(pair, by_column),
            few_numbers=self._few_numbers(pair, by_column),
        )

    def _few_categories(self, pair: Pair, lost: Mapping[str, float]) -> tuple[str, ...]:
        changed = {
            name: int((column.original != column.released).sum())
            for name, column in pair.categories.items()
        }
        return tuple(
            name
            for name, count in changed.items()
            if self.hides(count, pair.n)
            or (pair.sample_of is not None and count == pair.n)
            or _unseen(pair, count, lost.get(name))
        )

    def _few_numbers(self, pair: Pair, lost: Mapping[str, float]) -> tuple[str, ...]:
        # All but a few changed is no secret: means of a group seldom equal a value of it.
        changed = {
            name: pair.n - int(np.isclose(one, other, rtol=SAME, atol=0, equal_nan=True).sum())
            for name, one, other in zip(pair.names, pair.original, pair.released, strict=True)
        }
        return tuple(
            name
            for name, count in changed.items()
            if 0 < count < self.least or _unseen(pair, count, lost.get(name))
        )

    @property
    def few_changed(self) -> tuple[str, ...]:
        """The columns whose figures before and after protection must not be shown side by side.

        The losses, or two counts or means, would reveal how few records changed, and often
        their original values.
        """
        return (*self.few_categories, *self.few_numbers)

    @property
    def inside(self) -> bool:
        """Whether everything may be shown."""
        return self.name == "internal"

    def only_inside(self, content: T, otherwise: T) -> T:
        """Return content that describes single records, for the internal audience only."""
        return content if self.inside else otherwise

    def hides(self, count: int, of: int) -> bool:
        """Return whether a count, or its complement, describes few records."""
        return 0 < count < self.least or 0 < of - count < self.least

    def count(self, count: int, of: int) -> str:
        """Return a number of records, or a phrase if it is small or nearly all.

        Examples
        --------
        >>> outside = Audience.of("external", 3)
        >>> outside.count(40, 100), outside.count(2, 100), outside.count(98, 100)
        ('40', 'fewer than 5', 'all but a few')
        """
        if of <= self.least and self.hides(count, of):
            return "some"
        if 0 < count < self.least:
            return f"fewer than {self.least}"
        return "all but a few" if self.hides(count, of) else f"{count:,}"

    def percent(self, count: int, of: int) -> str:
        """Return a share of the records in percent, bounded if it describes few records.

        Examples
        --------
        >>> Audience.of("external", 3).percent(2, 1000), Audience.of("internal", 3).percent(2, 1000)
        ('below 0.5 %', '0.2 %')
        """
        if of <= self.least and self.hides(count, of):
            return "some"  # any bound would hold for every share
        if 0 < count < self.least:
            return f"below {100 * self.least / of:.2g} %"
        if self.hides(count, of):
            return f"above {100 - 100 * self.least / of:.3g} %"
        return short_percent(100 * count / of)

    def finding(self, finding: Finding, n: int, shown: str) -> str:
        """Return the value of a measure as text; a share of few records is replaced by a bound."""
        value = finding.value
        if value is None or self.inside:
            return shown
        if self._tells_of_changes(finding) or any(self._of_few(p, n) for p in finding.parts):
            return "not shown"
        if not finding.measure.share_of_records:
            return shown
        if not self._of_few(finding, n):
            return f"{value:.1f} %"
        if n <= self.least:
            return "not shown"
        if value * n / 100 < self.least:
            return f"below {100 * self.least / n:.2g} %"
        return f"above {100 - 100 * self.least / n:.3g} %"

    def value(self, finding: Finding, n: int) -> float | None:
        """Return the value of a measure for a program; None if it describes few records."""
        few = any(self._of_few(each, n) for each in (finding, *finding.parts))
        return None if few else finding.value

    def score(self, score: float | None, findings: Sequence[Finding], n: int) -> float | None:
        """Return a score of loss and risk; None if one of its parts describes few records."""
        parts = [each for each in findings if each.measure.name in ("g-il", "g-dr")]
        return None if any(self.value(each, n) is None for each in parts) else score

    def _of_few(self, finding: Finding, n: int) -> bool:
        """Return whether a measure is a share of few of n records, or of all but a few."""
        if self._tells_of_changes(finding):
            return True
        if finding.value is None or not finding.measure.share_of_records:
            return False
        records = finding.value * n / 100
        return 0 < records < self.least or 0 < n - records < self.least

    def _tells_of_changes(self, finding: Finding) -> bool:
        """Return whether a loss would reveal how few records have a different category or number."""
        measure = finding.measure
        few = {"categories": self.few_categories, "numbers": self.few_numbers}
        return measure.kind == "loss" and bool(few.get(measure.counts, self.few_changed))

    def cautions(self, outcome: Outcome) -> list[str]:
        """Return the cautions of a release, with counts that this audience may see."""
        if self.inside:
            return list(outcome.cautions)
        other = self.without_figures(outcome.copies)
        jointly = partial(
            not_jointly,
            outcome.anonymity,
            outcome.settings.k,
            outcome.loss.il,
            private=outcome.masking is not None and outcome.masking.private,
        )
        other |= _paired(jointly(), jointly(figures=False))
        other |= {each.in_words(): each.in_words(self.least) for each in outcome.left_out}
        if outcome.exposure is not None:
            exposure = outcome.exposure
            count = self.count(exposure.below_k, exposure.records)
            other |= _paired(exposed(exposure), exposed(exposure, count))
        by_missing = partial(
            diverse_only_by_missing,
            outcome.diverse_by_missing,
            outcome.records,
            outcome.settings.l_diversity,
        )
        other |= _paired(by_missing(), by_missing(self.count))
        if outcome.blanks is not None:
            few = self._without_few(outcome.blanks)
            for words in (filled_in, partial(blanked, settings=outcome.settings)):
                kept = set(words(few))
                other |= {line: line if line in kept else "" for line in words(outcome.blanks)}
        return [line for line in (other.get(c, c) for c in outcome.cautions) if line]

    def without_figures(self, copies: Sequence[Copy]) -> dict[str, str]:
        """Return the version of each warning about copies that this audience may see."""
        if self.inside:
            return {}
        return _paired(given_away(copies), given_away(copies, figures=False))

    def _without_few(self, blanks: Blanks) -> Blanks:
        def shown(cells: dict[str, int]) -> dict[str, int]:
            return {n: c for n, c in cells.items() if not self.hides(c, blanks.records)}

        return replace(
            blanks, filled=shown(dict(blanks.filled)), blanked=shown(dict(blanks.blanked))
        )


def _unseen(pair: Pair, changed: int, lost: float | None) -> bool:
    """Return whether records changed that a sample does not contain; they may be few."""
    return pair.sample_of is not None and not changed and (lost or 0.0) > ROUNDING


def _paired(before: Sequence[str], after: Sequence[str]) -> dict[str, str]:
    return dict(zip(before, after, strict=True))
