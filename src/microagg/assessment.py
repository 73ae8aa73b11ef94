"""`Assessment`: the result of `assess`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from microagg.data.frames import Frame
from microagg.errors import visible
from microagg.measure.at_risk import AtRisk
from microagg.measure.copies import Copy, copies_in_words
from microagg.measure.diversity.k_units import k_units
from microagg.measure.other_columns import OtherColumns
from microagg.measure.pair import Pair
from microagg.measure.plausibility import numbers_as_categories, other_units
from microagg.measure.registry import Finding
from microagg.measure.score import scoring_index
from microagg.measure.utility.utility import Utility
from microagg.pipeline.cautions import Shown, in_full
from microagg.prepare.cautions import COMPARED, taken_as_amounts, text_like_dates
from microagg.renamed import knowing_old_names, renamed_attribute
from microagg.report import findings as words
from microagg.report.audience import Audience
from microagg.report.text import kinds_of
from microagg.report.utility import for_audience, utility_text


@dataclass(frozen=True, eq=False)
class Assessment:
    """The measures of a masked file.

    Attributes
    ----------
    findings : tuple of Finding
        The value of each measure with remarks, or the reason why there is none.
    warnings : tuple of str
        Reasons to doubt the comparison.
    other_columns : OtherColumns
        The columns that the comparison leaves out, and what they reveal.
    at_risk : AtRisk
        The rows of the original, counted from 1, that are most at risk of re-identification, never
        their values. It also has the maximum probability that a re-identification is correct, and the
        number of unique released records whose only nearest original is their own.
    loss_weight : float
        The weight of the loss in the score.
    copies : tuple of Copy
        Unchanged columns that reveal a quasi-identifier, or that are unique in nearly every record.
    utility : Utility, optional
        How well the release still predicts a target column, if one was named.
    """

    pair: Pair
    findings: tuple[Finding, ...]
    matched_by: str
    left_out: int
    warnings: tuple[str, ...]
    other_columns: OtherColumns
    at_risk: AtRisk
    loss_weight: float = 0.5
    copies: tuple[Copy, ...] = ()
    utility: Utility | None = None
    alike_but_for_missing: Mapping[str, int] = field(default_factory=dict)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise renamed_attribute("Assessment", name)

    @property
    def n(self) -> int:
        """The number of records that were compared."""
        return self.pair.sample_of or self.pair.n

    @property
    def not_judged(self) -> tuple[str, ...]:
        """The columns that the comparison leaves out, in words."""
        return self.other_columns.notes()

    def warnings_for(self, audience: str) -> tuple[str, ...]:
        """Return the warnings for an audience: the external one sees no small counts."""
        reader = self._reader(audience)
        if reader.inside:
            return self.warnings
        aside = self.other_columns
        share = reader.percent(aside.alone, aside.n) if aside.n else None
        other = reader.without_figures(self.copies)
        other |= dict(zip(aside.warnings(), aside.warnings(share), strict=True))
        counts, n = self.alike_but_for_missing, self.n
        shown = alike_but_for_missing(counts, n, reader.count)
        other |= dict(zip(alike_but_for_missing(counts, n), shown, strict=True))
        whole = self.pair.n + self.left_out
        if self.left_out:
            few = reader.count(self.left_out, whole).capitalize()
            other[records_left_out(f"{self.left_out:,}")] = records_left_out(few)
        return tuple(other.get(w, w) for w in self.warnings)

    @property
    def measures(self) -> dict[str, float]:
        """The values of the measures that have one, by name."""
        return {f.measure.name: f.value for f in self.findings if f.value is not None}

    @property
    def score(self) -> float | None:
        """The score SI with the requested weight, lower is better; None if k = 1 or a part is missing."""
        values = self.measures
        if "g-il" not in values or "g-dr" not in values or self.pair.anonymity.k == 1:
            return None
        return scoring_index(values["g-il"], values["g-dr"], self.loss_weight)

    def __repr__(self) -> str:
        values, facts = self.measures, [f"n={self.n}", f"k={self.pair.anonymity.k}"]
        if "k-units" in values:
            facts.append(f"units={values['k-units']:.0f}")
        if "il" in values:
            facts.append(f"il={values['il']:.3f} %")
        return f"Assessment({', '.join(facts)}, warnings={len(self.warnings)})"

    @knowing_old_names("Assessment.summary")
    def summary(self, audience: str = "internal") -> str:
        """Return the summary as text, without row numbers for the external audience."""
        matched = f"matched by {self.matched_by}" if self.matched_by else "of one file"
        lines = [
            f"{self.n:,} records {matched}; quasi-identifiers: {', '.join(self.pair.keys)}.",
            *(f"{title}: {names}." for title, names in kinds_of(self.pair)),
            *(f"Warning: {warning}" for warning in self.warnings_for(audience)),
            *self.not_judged,
            "",
            words.render(self.findings, self.pair.n, self._reader(audience)).rstrip(),
        ]
        score = self._reader(audience).score(self.score, self.findings, self.pair.n)
        if score is not None and self.loss_weight != 0.5:
            lines.append(
                f"  With a weight of {self.loss_weight:g} on loss, the score is {score:.3f}; "
                "lower is better."
            )
        if self.utility is not None:
            lines += ["", *utility_text(self.utility, self._reader(audience))]
        if not self.matched_by:
            lines += ["", "Loss and linkage were not measured: they compare two files."]
        elif audience == "internal":
            lines += ["", *self.at_risk.words()]
        return "\n".join([*lines, ""])

    def _reader(self, audience: str) -> Audience:
        return Audience.of_assessed(audience, self.pair.anonymity.k).of_pair(self.pair)

    @knowing_old_names("Assessment.as_dict")
    def as_dict(self, audience: str = "internal") -> dict[str, Any]:
        """Return the values for other programs, without single rows for the external audience."""
        numbers = self._numbers()
        if audience == "internal":
            return numbers
        shown = {name: value for name, value in numbers.items() if name not in _OF_ROWS}
        reader, aside = self._reader(audience), self.other_columns
        if reader.hides(self.left_out, self.pair.n + self.left_out):
            shown["left_out"] = None
        if reader.hides(aside.alone, aside.n):
            hidden = dict.fromkeys(("records_alone", "records_alone_percent"))
            shown["unchanged"] = {**aside.as_dict(), **hidden}
        if self.utility is not None:
            shown["utility"] = for_audience(self.utility, reader).as_dict()
        shown["copies"] = [{**asdict(copy), "strength": None} for copy in self.copies]
        values = {f.measure.name: reader.value(f, self.pair.n) for f in self.findings}
        shown["measures"] = {
            name: {**each, "value": values[name]} for name, each in numbers["measures"].items()
        }
        shown["score"] = reader.score(self.score, self.findings, self.pair.n)
        return {**shown, "warnings": list(self.warnings_for(audience))}

    def _numbers(self) -> dict[str, Any]:
        return {
            "records": self.n,
            "matched_by": self.matched_by or None,
            "left_out": self.left_out,
            "keys": list(self.pair.keys),
            "kinds": {str(name): column.kind for name, column in self.pair.columns.items()},
            "warnings": list(self.warnings),
            "not_judged": list(self.not_judged),
            "unchanged": self.other_columns.as_dict(),
            "copies": [asdict(copy) for copy in self.copies],
            "measures": {
                f.measure.name: {
                    "kind": f.measure.kind,
                    "title": f.measure.title,
                    "value": f.value,
                    "unit": f.measure.unit,
                    "better": f.measure.better,
                    "doubtful": f.doubtful,
                    "note": f.reason or f.note,
                }
                for f in self.findings
            },
            "utility": None if self.utility is None else self.utility.as_dict(),
            "score": self.score,
            "loss_weight": self.loss_weight,
            "worst_rows": list(self.at_risk.rows),
            "worst_chance": self.at_risk.chance,
            "linked_for_certain": self.at_risk.certain,
            "looked_at": self.at_risk.looked_at or self.pair.n,
        }


_OF_ROWS = ("worst_rows", "worst_chance", "linked_for_certain")
"""The entries that describe single records."""


def records_left_out(count: str) -> str:
    """Return the warning about records that the release does not contain."""
    return f"{count} original records are not in the release; they are ignored."


OUT_OF_ORDER = (
    "No released column is correlated with its original, so the rows may be in a different order. "
    "Only measures that do not depend on the order are then valid, such as uniqueness, k, means and "
    "correlations, and no row is named. Match the rows by a column that identifies each record "
    "(match_on, --match-on)."
)
"""The warning about rows that may not match."""


def doubts_about(
    pair: Pair,
    before: Frame,
    codes: Sequence[str],
    others: OtherColumns,
    copies: Sequence[Copy],
) -> tuple[str, ...]:
    """Return the warnings that are the same for frames and files.

    They are about people with several records, the units of measurement and kinds of the keys, dates that
    are treated as text, codes that are treated as amounts, and columns that the comparison leaves out.
    """
    return (
        *_units_below_k(pair),
        *other_units(pair),
        *numbers_as_categories(pair, before),
        *_dates_as_names(pair, before),
        *taken_as_amounts(codes),
        *others.warnings(),
        *copies_in_words(copies),
    )


def _dates_as_names(pair: Pair, before: Frame) -> tuple[str, ...]:
    """Return the warning about text that looks like dates."""
    described = {*pair.options.kinds, *pair.options.orders}
    names = [name for name in pair.of_kind("nominal") if name not in described]
    return text_like_dates(before, names, COMPARED)


def _units_below_k(pair: Pair) -> tuple[str, ...]:
    """Return a warning if k records may belong to fewer than k units."""
    if pair.units is None or (fewest := int(k_units(pair))) >= pair.anonymity.k:
        return ()
    those = "a single unit" if fewest < 2 else f"only {fewest:,} units"
    return (
        f"k = {pair.anonymity.k:,} counts records. Some combinations of quasi-identifiers belong to "
        f"{those}, so the probabilities that a record is recognised understate the risk for a unit.",
    )


def alike_but_for_missing(
    counts: Mapping[str, int], n: int, shown: Shown = in_full
) -> tuple[str, ...]:
    """Return warnings about classes that have several values only because a missing value is one.

    `shown` writes a number of the n records.

    Examples
    --------
    >>> alike_but_for_missing({"ill": 12}, 200)[0].split(":")[0]
    "12 of 200 records are in classes with at most one value of 'ill' that is not missing"
    """
    return tuple(
        f"{shown(count, n)} of {n:,} records are in classes with at most one value of "
        f"'{visible(name)}' that is not missing: l-diversity and homogeneity count a missing value, or a "
        "code for one such as NA, as a value."
        for name, count in counts.items()
    )


def with_doubts(
    findings: Iterable[Finding], *, matched: bool, foreign: bool
) -> tuple[Finding, ...]:
    """Return the findings, marked as doubtful if rows may not match or categories are new."""
    return tuple(
        replace(finding, doubtful=finding.measure.doubted(matched=matched, foreign=foreign))
        for finding in findings
    )
