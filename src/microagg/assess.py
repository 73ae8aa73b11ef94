"""`assess`: judge any masked file, of any tool, by comparing it with the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from microagg.data.frames import Frame
from microagg.data.matching import matched_rows
from microagg.measure.beside import Beside, beside
from microagg.measure.doubts import (
    in_order,
    new_categories,
    numbers_as_categories,
    other_units,
    same_population,
)
from microagg.measure.keys import default_keys
from microagg.measure.linkage import AtRisk, most_at_risk
from microagg.measure.pair import Pair, pair_of
from microagg.measure.registry import Finding, evaluate
from microagg.measure.score import scoring_index
from microagg.prepare.options import Options
from microagg.report import findings as words
from microagg.report.page import kinds_of
from microagg.reporter import Reporter


@dataclass(frozen=True, eq=False)
class Assessment:
    """What was found about a masked file.

    Attributes
    ----------
    findings : tuple of Finding
        A value for each measure and what to know of it, or the reason why there is none.
    warnings : tuple of str
        What makes the comparison doubtful.
    beside : Beside
        The columns that the comparison leaves out, and what they give away.
    at_risk : AtRisk
        The data rows of the original, from 1, that are most likely recognised, and never their
        values; with what chance a claim is right at most; how many released records that no other
        equals have their own original as the only nearest; and of how many records that is known,
        where not all were looked at.
    weight : float
        That of the loss in the score.
    quoting : tuple of str
        The warnings that quote a value of the data.
    """

    pair: Pair
    findings: tuple[Finding, ...]
    matched_by: str
    left_out: int
    warnings: tuple[str, ...]
    beside: Beside
    at_risk: AtRisk
    weight: float = 0.5
    quoting: tuple[str, ...] = ()

    @property
    def not_judged(self) -> tuple[str, ...]:
        """The columns that the comparison leaves out, in words."""
        return self.beside.notes()

    def warnings_for(self, face: str) -> tuple[str, ...]:
        """Return the warnings for a reader: others see none that quotes a value of the data."""
        return tuple(w for w in self.warnings if face == "internal" or w not in self.quoting)

    @property
    def measures(self) -> dict[str, float]:
        """The values by name, of measures that have one."""
        return {f.measure.name: f.value for f in self.findings if f.value is not None}

    @property
    def score(self) -> float | None:
        """SI with the weight that was asked for; None where a part of it is missing."""
        found = self.measures
        if "g-il" not in found or "g-dr" not in found:
            return None
        return scoring_index(found["g-il"], found["g-dr"], self.weight)

    def __repr__(self) -> str:
        return f"Assessment(n={self.pair.n}, keys={list(self.pair.keys)}, score={self.score})"

    def summary(self, face: str = "internal") -> str:
        """Return what a person wants to know, as text; without row numbers for the external face."""
        lines = [
            f"{self.pair.n:,} records matched by {self.matched_by}; "
            f"quasi-identifiers: {', '.join(self.pair.keys)}.",
            *(f"{said}: {names}." for said, names in kinds_of(self.pair)),
            *(f"Warning: {warning}" for warning in self.warnings_for(face)),
            *self.not_judged,
            "",
            words.render(self.findings).rstrip(),
        ]
        if self.score is not None and self.weight != 0.5:
            lines.append(
                f"  With a weight of {self.weight:g} on loss, the score is {self.score:.3f}."
            )
        if face == "internal":
            lines += ["", *self.at_risk.words()]
        return "\n".join([*lines, ""])

    def as_dict(self, face: str = "internal") -> dict[str, Any]:
        """Return the numbers for a program; without those of single rows for the external face."""
        numbers = self._numbers()
        if face == "internal":
            return numbers
        shown = {name: value for name, value in numbers.items() if name not in _OF_ROWS}
        return {**shown, "warnings": list(self.warnings_for(face))}

    def _numbers(self) -> dict[str, Any]:
        return {
            "records": self.pair.n,
            "matched_by": self.matched_by,
            "left_out": self.left_out,
            "keys": list(self.pair.keys),
            "kinds": {str(name): column.kind for name, column in self.pair.columns.items()},
            "warnings": list(self.warnings),
            "not_judged": list(self.not_judged),
            "unchanged": self.beside.as_dict(),
            "measures": {
                f.measure.name: {
                    "kind": f.measure.kind,
                    "title": f.measure.title,
                    "value": f.value,
                    "unit": f.measure.unit,
                    "better": f.measure.better,
                    "verdict": f.verdict,
                    "note": f.reason or f.note,
                }
                for f in self.findings
            },
            "score": self.score,
            "weight": self.weight,
            "worst_rows": list(self.at_risk.rows),
            "worst_chance": self.at_risk.chance,
            "linked_for_certain": self.at_risk.certain,
            "looked_at": self.at_risk.looked_at or self.pair.n,
        }


_OF_ROWS = ("worst_rows", "worst_chance", "linked_for_certain")
"""What describes single records."""


def assess(
    original: Any,
    released: Any,
    *,
    quasi_identifiers: Sequence[str] | None = None,
    confidential: Sequence[str] = (),
    key: str | None = None,
    kinds: Mapping[str, str] | None = None,
    orders: Mapping[str, Sequence[Any]] | None = None,
    weights: str | None = None,
    scale: str | None = None,
    distance: str = "euclidean",
    column_weights: Mapping[str, float] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    distance_tables: Mapping[str, Any] | None = None,
    measures: str | Sequence[str] | None = None,
    weight: float = 0.5,
    progress: Reporter | None = None,
) -> Assessment:
    """Judge a masked frame by comparing it with the original.

    Parameters
    ----------
    original, released : DataFrame
        pandas, polars or pyarrow. Columns are matched by name, rows by position or by `key`.
    quasi_identifiers : list of column names, optional
        What an intruder may know; by default every column that was changed.
    confidential : list of column names
        For l-diversity, p-sensitivity and t-closeness.
    key : column name, optional
        Which column of both frames names a record, when rows were left out or moved.
    kinds, orders : mappings of column name to kind, and to list of categories
        As in `protect`, whose rules apply to columns without one.
    weights : column name, optional
        Sampling weights in the original, above 0: they count in what was lost, not in risks.
    scale, distance, column_weights, hierarchies, distance_tables
        How records are compared in the information loss, as in `protect`.
    measures : str or list of str, optional
        Names of `measures()`; all by default.
    weight : float, from 0 to 1
        That of the loss in the score.

    Examples
    --------
    >>> import microagg as ma, pyarrow as pa
    >>> people = pa.table({"age": [30, 32, 60, 64]})
    >>> masked = pa.table({"age": [31, 31, 62, 62]})
    >>> assess(people, masked).measures["k-anonymity"]
    2.0
    """
    scoring_index(0.0, 0.0, weight)
    before, after, rows, left_out = matched_rows(original, released, key)
    options = Options(
        scale=scale,
        distance=distance,
        column_weights=column_weights or {},
        hierarchies=hierarchies or {},
        distance_tables=distance_tables or {},
        weights=weights,
    )
    if quasi_identifiers is None and key is not None:
        frames = Frame(before), Frame(after)
        quasi_identifiers = default_keys(*frames, {key, weights, *confidential})
    pair = pair_of(before, after, quasi_identifiers, confidential, kinds, orders, options)
    aside = beside(before, after, pair.keys, {*pair.confidential, weights}, key)
    quoting = numbers_as_categories(pair, Frame(before))
    warnings = (*same_population(pair), *other_units(pair), *quoting, *aside.warnings())
    if left_out:
        warnings += (f"{left_out:,} original records are not in the release; they do not count.",)
    matched = key is not None or in_order(pair)
    if not matched:
        warnings += (_OUT_OF_ORDER,)
    foreign = new_categories(pair)
    warnings += foreign
    found = tuple(
        replace(f, doubtful=(bool(foreign) and _compares(f)) or not (matched or _any_order(f)))
        for f in evaluate(pair, measures, progress)
    )
    return Assessment(
        pair=pair,
        findings=found,
        matched_by="position" if key is None else f"column '{key}'",
        left_out=left_out,
        warnings=warnings,
        beside=aside,
        at_risk=most_at_risk(pair, rows) if matched else AtRisk(),
        weight=weight,
        quoting=quoting,
    )


_OUT_OF_ORDER = (
    "No released column goes together with its original, so the rows are perhaps not in the same "
    "order. Row by row nothing can be said then: no row is named, and verdicts are given only on "
    "what does not depend on the order, such as uniqueness, k, means and correlations. Match the "
    "rows by a key column."
)

_ANY_ORDER = (
    "contingency",
    "error-communalities",
    "error-correlations",
    "error-factor-scores",
    "error-loadings",
    "probabilistic",
    "uniqueness-after",
    "uniqueness-before",
    "uniques-released",
    "variation-covariances",
    "variation-means",
    "variation-variances",
)
"""Measures that are the same whatever the order of the released rows; so are those of anonymity."""


def _any_order(finding: Finding) -> bool:
    """Tell whether a measure does not depend on the order of the released rows."""
    return finding.measure.kind == "anonymity" or finding.measure.name in _ANY_ORDER


def _compares(finding: Finding) -> bool:
    """Tell whether a measure compares released values with those of the original."""
    return finding.measure.kind != "anonymity" and not finding.measure.name.startswith("unique")
