"""`assess`: judge any masked file, of any tool, by comparing it with the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.data.frames import Frame
from microagg.errors import DataError, ParameterError
from microagg.measure.linkage import most_at_risk
from microagg.measure.pair import Pair, changed, pair_of
from microagg.measure.registry import Finding, evaluate
from microagg.measure.score import scoring_index
from microagg.progress import Progress
from microagg.report import findings as words

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Assessment:
    """What was found about a masked file.

    Attributes
    ----------
    findings : tuple of Finding
        A value for each measure, or the reason why there is none.
    notes : mapping
        What a reader must know of a value, such as that it is an estimate.
    warnings : tuple of str
        What makes the comparison doubtful.
    not_judged : tuple of str
        The columns that the comparison leaves out.
    worst_rows : tuple of int
        Data rows of the original, from 1, that are most likely recognised. Never their values.
    certain : int
        How many released records have their own original as the only nearest.
    weight : float
        That of the loss in the score.
    """

    pair: Pair
    findings: tuple[Finding, ...]
    matched_by: str
    left_out: int
    warnings: tuple[str, ...]
    not_judged: tuple[str, ...]
    worst_rows: tuple[int, ...]
    certain: int
    weight: float = 0.5
    notes: Mapping[str, str] = field(default_factory=dict)

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
            f"keys: {', '.join(self.pair.keys)}.",
            *(f"Warning: {warning}" for warning in self.warnings),
            *self.not_judged,
            "",
            words.render(self.findings, self.notes).rstrip(),
        ]
        if self.score is not None and self.weight != 0.5:
            lines.append(
                f"  With a weight of {self.weight:g} on loss, the score is {self.score:.3f}."
            )
        if self.worst_rows and face == "internal":
            rows = ", ".join(map(str, self.worst_rows))
            more = ", and more" if self.certain > len(self.worst_rows) else ""
            lines += ["", f"Data rows most likely recognised: {rows}{more}."]
            lines.append(
                f"Released records whose nearest original is their own alone: {self.certain:,}. Of "
                "records that are equal in the release, at most one such claim is right."
            )
        return "\n".join([*lines, ""])

    def as_dict(self) -> dict[str, Any]:
        """Return the numbers for a program."""
        return {
            "records": self.pair.n,
            "matched_by": self.matched_by,
            "left_out": self.left_out,
            "keys": list(self.pair.keys),
            "warnings": list(self.warnings),
            "not_judged": list(self.not_judged),
            "measures": {
                f.measure.name: {
                    "kind": f.measure.kind,
                    "value": f.value,
                    "unit": f.measure.unit,
                    "better": f.measure.better,
                    "verdict": f.verdict,
                    "note": f.reason or self.notes.get(f.measure.name, ""),
                }
                for f in self.findings
            },
            "score": self.score,
            "weight": self.weight,
            "worst_rows": list(self.worst_rows),
            "linked_for_certain": self.certain,
        }


def assess(
    original: Any,
    released: Any,
    *,
    quasi_identifiers: Sequence[str] | None = None,
    confidential: Sequence[str] = (),
    key: str | None = None,
    kinds: Mapping[str, str] | None = None,
    measures: Sequence[str] | None = None,
    weight: float = 0.5,
    progress: Progress | None = None,
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
    kinds : mapping of column name to kind
        "ordinal" or "nominal" for columns of numbers that are categories.
    measures : list of str, optional
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
    before, after, rows, left_out = _matched(original, released, key)
    if quasi_identifiers is None and key is not None:
        quasi_identifiers = _changed_but(before, after, key)
    pair = pair_of(before, after, quasi_identifiers, confidential, kinds)
    warnings = _same_population(pair)
    warnings += _other_units(pair)
    if left_out:
        warnings += (f"{left_out:,} original records are not in the release; they do not count.",)
    in_order = key is not None or pair.n < 30 or _goes_together(pair)
    if not in_order:
        warnings += (
            "No released column goes together with its original, so the rows are perhaps not in the "
            "same order. Row by row nothing can be said then, so no verdict is given: match the rows "
            "by a key column. Only uniques-released does not depend on the order.",
        )
    found = evaluate(pair, measures, progress)
    found = tuple(replace(f, doubtful=not in_order and _needs_rows(f)) for f in found)
    worst, certain = most_at_risk(pair, rows)
    return Assessment(
        pair=pair,
        findings=found,
        matched_by="position" if key is None else f"column '{key}'",
        left_out=left_out,
        warnings=warnings,
        not_judged=_not_judged(pair, before, after, key),
        worst_rows=worst,
        certain=certain,
        weight=weight,
        notes=dict(pair.notes),
    )


def _matched(original: Any, released: Any, key: str | None) -> tuple[Any, Any, Rows, int]:
    """Return both frames with the same rows, the original's row numbers, and how many are left."""
    before, after = Frame(original), Frame(released)
    if key is None:
        return original, released, np.arange(1, before.n + 1), 0
    import pyarrow.compute as pc

    for frame in (before, after):
        frame.require([key], "key")
    one, other = before.select(before.names), after.select(after.names)
    keys = [_key_column(table, str(key)) for table in (one, other)]
    rows = pc.index_in(keys[1], value_set=keys[0])
    unknown = rows.null_count
    if unknown:
        raise DataError(
            f"{unknown:,} released records have a '{key}' that no original record has.",
            hint="Is it the right original? Only records of the same population can be compared.",
        )
    taken = rows.to_numpy().astype(np.int64)
    return one.take(taken), other, taken + 1, one.num_rows - other.num_rows


def _key_column(table: Any, key: str) -> Any:
    import pyarrow as pa

    column = table[key].combine_chunks().cast(pa.string())
    repeated = len(column) - len(column.unique())
    if column.null_count or repeated:
        raise DataError(
            f"Column '{key}' does not name each record: {column.null_count} values are missing and "
            f"{repeated} are repeated.",
            hint="Choose a column with a value of its own for each record, or match by position.",
        )
    return column


def _changed_but(before: Any, after: Any, key: str) -> list[str]:
    one, other = Frame(before), Frame(after)
    shared = [name for name in one.names if name in other.names and name != key]
    if not shared:
        raise ParameterError(f"The two files have no column in common but the key {key!r}.")
    return changed(one, other, shared) or shared


def _needs_rows(finding: Finding) -> bool:
    """Tell whether a measure compares released records with their own originals."""
    return finding.measure.kind != "anonymity" and not finding.measure.name.startswith("unique")


def _same_population(pair: Pair) -> tuple[str, ...]:
    """Return what speaks against both files having the same records."""
    if not len(pair.names):
        return ()
    apart = [_apart(one, other) for one, other in zip(pair.original, pair.released, strict=True)]
    if all(apart):
        raise DataError(
            "No released column of numbers overlaps with the range of its original.",
            hint="Is it the right original, in the same units?",
        )
    return tuple(
        f"Column '{name}' was released in a range that does not overlap with the original's."
        for name, far in zip(pair.names, apart, strict=True)
        if far
    )


def _other_units(pair: Pair) -> tuple[str, ...]:
    """Return a warning for each column whose original a straight line gives back."""
    lines = []
    for name, one, other in zip(pair.names, pair.original, pair.released, strict=True):
        known = ~np.isnan(one) & ~np.isnan(other)
        if known.sum() < 3 or np.ptp(one[known]) == 0 or np.ptp(other[known]) == 0:
            continue
        slope = np.std(other[known]) / np.std(one[known])
        if np.corrcoef(one[known], other[known])[0, 1] > 0.9999 and abs(slope - 1) > 0.01:
            lines.append(
                f"Column '{name}' was only released in other units: a straight line gives the "
                "original back. Of the linkages, linkage-own-scale sees that."
            )
    return tuple(lines)


def _not_judged(pair: Pair, before: Any, after: Any, key: str | None) -> tuple[str, ...]:
    """Return what the files hold beside the columns that are judged."""
    one, other = Frame(before).names, Frame(after).names
    judged = {*pair.keys, *pair.confidential, key}
    kept = [str(name) for name in one if name in other and name not in judged]
    missing = [str(name) for name in (*one, *other) if (name in one) != (name in other)]
    lines = []
    if kept:
        lines.append(
            f"Not judged, as they are no keys: {', '.join(kept)}. If an intruder may know them, "
            "name them as quasi-identifiers."
        )
    if missing:
        lines.append(f"Not compared, as only one file has them: {', '.join(missing)}.")
    return tuple(lines)


def _apart(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    one, other = one[~np.isnan(one)], other[~np.isnan(other)]
    if not one.size or not other.size:
        return False
    return bool(one.min() > other.max() or one.max() < other.min())


def _goes_together(pair: Pair) -> bool:
    """Tell whether any column correlates with its release more than chance would have it."""
    for one, other in zip(pair.original, pair.released, strict=True):
        known = ~np.isnan(one) & ~np.isnan(other)
        if known.sum() < 3 or np.ptp(one[known]) == 0 or np.ptp(other[known]) == 0:
            continue
        if np.corrcoef(one[known], other[known])[0, 1] > 3 / np.sqrt(known.sum()):
            return True
    return bool(
        not len(pair.names) or all(np.ptp(np.nan_to_num(other)) == 0 for other in pair.released)
    )
