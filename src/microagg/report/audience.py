"""Who reads a report, and what may be shown: the one filter that everything passes.

The internal audience sees everything. The external audience sees nothing that fewer than k or 5 records
share: no row numbers, no cloud of records, no minima or maxima, no categories held by few, no small counts
and no shares from which one could be computed, and no fingerprint of the input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from microagg.constraints import OneOf, check
from microagg.measure.blanks import Blanks
from microagg.measure.copies import Copy
from microagg.measure.registry import Finding
from microagg.pipeline.cautions import blanked, exposed, filled_in, given_away
from microagg.pipeline.outcome import Outcome

T = TypeVar("T")

AUDIENCES = ("internal", "external")
FEWEST = 5
"""Counts below this, or below k, are not shown to others."""
LARGE = 20
"""Where no k is promised, a k that happens to be larger hides no more than this."""


@dataclass(frozen=True)
class Audience:
    """A reader of a report.

    Attributes
    ----------
    name : {"internal", "external"}
        Who reads it.
    least : int
        The smallest count of records that may be shown; 0 for the internal audience.
    """

    name: str
    least: int = 0

    @classmethod
    def of(cls, name: str, k: int) -> Audience:
        """Return the audience of a file whose classes have at least k records."""
        check("audience", name, OneOf(AUDIENCES), "Release.write")
        return cls(name, 0 if name == "internal" else max(k, FEWEST))

    @classmethod
    def of_assessed(cls, name: str, k: int) -> Audience:
        """Return the audience of a file for which no k was promised, and k was counted."""
        return cls.of(name, min(k, LARGE))

    @property
    def inside(self) -> bool:
        """Whether everything may be shown."""
        return self.name == "internal"

    def only_inside(self, content: T, otherwise: T) -> T:
        """Return what describes single records to the internal audience alone."""
        return content if self.inside else otherwise

    def hides(self, count: int, of: int) -> bool:
        """Tell whether a count, or what it leaves of all, is of few records."""
        return 0 < count < self.least or 0 < of - count < self.least

    def count(self, count: int, of: int) -> str:
        """Return a number of records, or that it is small or nearly all.

        Examples
        --------
        >>> outside = Audience.of("external", 3)
        >>> outside.count(40, 100), outside.count(2, 100), outside.count(98, 100)
        ('40', 'fewer than 5', 'all but a few')
        """
        if 0 < count < self.least:
            return f"fewer than {self.least}"
        return "all but a few" if self.hides(count, of) else f"{count:,}"

    def percent(self, count: int, of: int) -> str:
        """Return a share of the records in percent.

        Examples
        --------
        >>> Audience.of("external", 3).percent(2, 1000), Audience.of("internal", 3).percent(2, 1000)
        ('below 0.5 %', '0.2 %')
        """
        if 0 < count < self.least:
            return f"below {100 * self.least / of:.2g} %"
        if self.hides(count, of):
            return f"above {100 - 100 * self.least / of:.3g} %"
        return short_percent(100 * count / of)

    def finding(self, finding: Finding, n: int, shown: str) -> str:
        """Return the text of a measure; a share that stands for few records is bounded."""
        value = finding.value
        if value is None or self.inside:
            return shown
        if any(self._of_few(part, n) for part in finding.parts):
            return "not shown"
        if not finding.measure.share_of_records:
            return shown
        if not self._of_few(finding, n):
            return f"{value:.1f} %"
        if value * n / 100 < self.least:
            return f"below {100 * self.least / n:.2g} %"
        return f"above {100 - 100 * self.least / n:.3g} %"

    def value(self, finding: Finding, n: int) -> float | None:
        """Return the value of a measure for a program; None if it stands for few records."""
        few = any(self._of_few(each, n) for each in (finding, *finding.parts))
        return None if few else finding.value

    def score(self, score: float | None, findings: Sequence[Finding], n: int) -> float | None:
        """Return a score of loss and risk; None if one of its parts stands for few records."""
        parts = [each for each in findings if each.measure.name in ("g-il", "g-dr")]
        return None if any(self.value(each, n) is None for each in parts) else score

    def _of_few(self, finding: Finding, n: int) -> bool:
        """Tell whether a measure is a share of few of n records, or of all but a few."""
        if finding.value is None or not finding.measure.share_of_records:
            return False
        records = finding.value * n / 100
        return 0 < records < self.least or 0 < n - records < self.least

    def cautions(self, outcome: Outcome) -> list[str]:
        """Return the cautions of a release, with counts that this audience may see."""
        if self.inside:
            return list(outcome.cautions)
        other = self.without_figures(outcome.copies)
        if outcome.exposure is not None:
            exposure = outcome.exposure
            count = self.count(exposure.below_k, exposure.records)
            other |= _paired(exposed(exposure), exposed(exposure, count))
        if outcome.blanks is not None:
            few = self._without_few(outcome.blanks)
            for words in (filled_in, partial(blanked, settings=outcome.settings)):
                kept = set(words(few))
                other |= {line: line if line in kept else "" for line in words(outcome.blanks)}
        return [line for line in (other.get(c, c) for c in outcome.cautions) if line]

    def without_figures(self, copies: Sequence[Copy]) -> dict[str, str]:
        """Return for each warning about copies the one that this audience may see."""
        if self.inside:
            return {}
        return _paired(given_away(copies), given_away(copies, figures=False))

    def _without_few(self, blanks: Blanks) -> Blanks:
        def shown(cells: dict[str, int]) -> dict[str, int]:
            return {n: c for n, c in cells.items() if not self.hides(c, blanks.records)}

        return replace(
            blanks, filled=shown(dict(blanks.filled)), blanked=shown(dict(blanks.blanked))
        )


def _paired(before: Sequence[str], after: Sequence[str]) -> dict[str, str]:
    return dict(zip(before, after, strict=True))


def short_percent(value: float) -> str:
    """Return a share in percent with as many digits as a reader needs.

    Examples
    --------
    >>> [short_percent(v) for v in (0.0, 0.04, 3.21, 48.5, 99.96, 100.0)]
    ['0 %', '0.04 %', '3.2 %', '48.5 %', 'above 99.9 %', '100 %']
    """
    if value in (0.0, 100.0):
        return f"{value:.0f} %"
    if value > 99.9:
        return "above 99.9 %"
    return f"{value:.2g} %" if value < 10 else f"{value:.1f} %"
