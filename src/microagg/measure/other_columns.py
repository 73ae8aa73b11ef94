"""The columns of a masked file that are not evaluated, and what they reveal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from microagg.data.frames import Frame
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.exposure import exposure_of
from microagg.measure.keys import same_values
from microagg.percent import short_percent


@dataclass(frozen=True)
class OtherColumns:
    """Columns of both files that are not evaluated.

    Attributes
    ----------
    kept : tuple of str
        All these columns.
    naming : tuple of str
        The columns that identify each record: unique in each record, and also in the original.
    unchanged : tuple of str
        The other columns that were released unchanged.
    alone : int
        The number of the `n` records that are unique on the keys and `unchanged` together.
    missing : tuple of str
        Columns that only one file has.
    compared : bool
        Whether there are two files. A single file does not show what is unchanged, so every column that is
        not evaluated counts as unchanged.
    """

    kept: tuple[str, ...] = ()
    naming: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    alone: int = 0
    n: int = 0
    missing: tuple[str, ...] = ()
    compared: bool = True

    @property
    def released(self) -> int:
        """The number of columns that were released unchanged."""
        return len(self.naming) + len(self.unchanged)

    @property
    def percent(self) -> float:
        """The percentage of records that are unique."""
        return 100 * self.alone / self.n if self.n else 0.0

    def warnings(self, share: str | None = None) -> tuple[str, ...]:
        """Return warnings about columns that make the file less safe than the measures suggest.

        `share` is the share of unique records, as it is shown.
        """
        lines = []
        if self.naming:
            one = len(self.naming) == 1
            names = ", ".join(f"'{name}'" for name in self.naming)
            place = "release" if self.compared else "file"
            lines.append(
                f"{'Column' if one else 'Columns'} {names} {'identifies' if one else 'identify'} each "
                f"record in the {place}: remove {'it' if one else 'them'}."
            )
        if self.alone:
            count = len(self.unchanged)
            subject = "1 column is" if count == 1 else f"{count} columns are"
            how = "released unchanged and " if self.compared else ""
            lines.append(
                f"{subject} {how}not evaluated; with {'it' if count == 1 else 'them'} and the "
                f"quasi-identifiers, {share or short_percent(self.percent)} of the records are "
                "unique. Name the columns that an intruder may know as quasi-identifiers, and the "
                "others as confidential."
            )
        return tuple(lines)

    def notes(self) -> tuple[str, ...]:
        """Return sentences about the columns that are left out."""
        lines = []
        if self.kept:
            lines.append(
                f"Not evaluated, because they are not quasi-identifiers: {', '.join(self.kept)}. If an "
                "intruder may know them, name them as quasi-identifiers."
            )
        if self.missing:
            lines.append(f"Not compared, as only one file has them: {', '.join(self.missing)}.")
        return tuple(lines)

    def as_dict(self) -> dict[str, Any]:
        """Return the columns for a program."""
        return {
            "columns": [*self.naming, *self.unchanged],
            "naming_records": list(self.naming),
            "records_alone": self.alone,
            "records_alone_percent": self.percent,
        }


def other_columns(
    original: Frame,
    classes: EquivalenceClasses,
    keys: Sequence[str],
    excepted: Iterable[Any],
    matched_by: str | None = None,
) -> OtherColumns:
    """Return the columns of two files with the same rows, without the keys and those in `excepted`.

    The column by which rows were `matched_by` identifies each record. `classes` are those of the release.
    """
    released = classes.frame
    one, other, out = original.names, released.names, {str(name) for name in (*keys, *excepted)}
    kept = [name for name in one if name in other and str(name) not in out]
    naming = [
        name
        for name in kept
        if name == matched_by or _names_records(original.arrow(name), released.arrow(name))
    ]
    unchanged = [
        name
        for name in kept
        if name not in naming and same_values(original.arrow(name), released.arrow(name))
    ]
    return OtherColumns(
        kept=tuple(map(str, kept)),
        naming=tuple(map(str, naming)),
        unchanged=tuple(map(str, unchanged)),
        alone=exposure_of(classes, keys, unchanged, k=2).unique if unchanged else 0,
        n=released.n,
        missing=tuple(str(n) for n in (*one, *other) if (n in one) != (n in other)),
    )


def _names_records(before: Any, after: Any) -> bool:
    """Return whether each record has a unique value that also occurs in the original.

    Amounts and widely spaced whole numbers are often all different. They are not considered here and
    count as unchanged columns.
    """
    from pyarrow import compute, types

    kind = after.type
    if not (types.is_integer(kind) or types.is_string(kind) or types.is_large_string(kind)):
        return False
    if after.null_count or len(after) < 2 or compute.count_distinct(after).as_py() < len(after):
        return False
    if types.is_integer(kind) and _span(after) > 2 * len(after):
        return False
    if before.type != kind:
        return same_values(before, after)
    return bool(compute.all(compute.is_in(after, value_set=before.combine_chunks())).as_py())


def _span(column: Any) -> int:
    from pyarrow import compute

    ends = compute.min_max(column).as_py()
    return int(ends["max"] - ends["min"])
