"""Copies: unchanged columns that reveal a quasi-identifier, such as GenderID beside Sex.

Masking a quasi-identifier protects nobody if an unchanged column determines it. A pair of columns is
compared on a sample in three ways:

- determination, for categories and for amounts in intervals: of two records with the same value of the
  column, how often have both the same quasi-identifier, beyond chance? With P the share of such pairs, by
  records, and P0 that among all pairs, the strength is (P - P0) / (1 - P0). A record is never compared
  with itself, so independent columns have strength 0 on average, however many values they have. (It is
  Goodman and Kruskal's tau, a conditional entropy of order 2, left one out.)
- rank correlation, for amounts and dates.
- a fixed share, for amounts: the share of records whose ratio is the most frequent one.

A column that is unique in each record trivially determines everything; it is reported as
unique instead.

Cost: time O(n c) for c columns of the whole frame, and O(m log m) for each pair on a sample of m. If there
are many pairs, a few records of the sample rule most of them out (`copies_screen`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

import numpy as np

from microagg.data.frames import Frame
from microagg.errors import DataError
from microagg.measure.column_values import ColumnValues
from microagg.measure.copies_screen import Screen
from microagg.measure.exact import counts
from microagg.typing import Codes, Floats

Kind = Literal["one-to-one", "determines", "rank", "share", "unique"]

SAMPLE = 20_000
"""The number of records on which pairs of columns are compared."""
PROBE = 500
"""The number of records that are examined first for a fixed share."""
FEWEST = 20
"""With fewer records, a relation cannot be distinguished from chance."""
MANY = 10
"""The number of quasi-identifiers from which pairs of columns are screened first."""
RARE = 10
"""The minimum number of records outside the most frequent value of a column that is compared."""

DETERMINES, RANK, SHARE, UNIQUE = 0.95, 0.99, 0.5, 0.9
"""The minimum strength of each kind."""

INTERVALS, FINE = 20, 1000
"""Intervals of equal frequency for amounts: of a quasi-identifier, and of the column beside it."""


@dataclass(frozen=True)
class Copy:
    """An unchanged column that reveals a quasi-identifier.

    Attributes
    ----------
    column : str
        The unchanged column.
    of : str or None
        The quasi-identifier; None for a column that is unique per record.
    kind : str
        "one-to-one", "determines", "rank", "share" or "unique".
    strength : float
        At most 1: the strength of the determination beyond chance, the absolute rank correlation, the
        share of records with the same ratio, or the share of records with a unique value.
    """

    column: str
    of: str | None
    kind: Kind
    strength: float

    def __str__(self) -> str:
        return self.in_words()

    def in_words(self, *, figures: bool = True) -> str:
        """Return a sentence about the column, with or without the strength.

        In small files, the strength reveals the number of exceptions, so external readers do not see it.

        Examples
        --------
        >>> Copy("code", None, "unique", 0.985).in_words(figures=False)
        "Column 'code' has a unique value in nearly all records, which singles them out."
        """
        number = f"{100 * self.strength:.4g} %"
        nearly = "" if self.strength >= 0.9995 else "nearly "
        chance = f" ({number} beyond chance)" if figures else ""
        rank = f" (rank correlation {self.strength:.4f})" if figures else ""
        many = f"{number} of the records" if figures else "many records"
        most = f"{number} of the records" if figures else "nearly all records"
        says = {
            "one-to-one": f"has one value for each value of '{self.of}'",
            "determines": f"{nearly}determines '{self.of}'{chance}",
            "rank": f"has {nearly}the same order as '{self.of}', or the reverse{rank}",
            "share": f"is a fixed multiple of '{self.of}' in {many}",
            "unique": f"has a unique value in {most}, which singles them out",
        }
        return f"Column '{self.column}' {says[self.kind]}."


MOST_COPIES = 5
"""The number of columns that are described individually."""


def copies_in_words(copies: Sequence[Copy], *, figures: bool = True) -> tuple[str, ...]:
    """Return a warning for each of a few columns, and one that names the others.

    Examples
    --------
    >>> copies_in_words([Copy("GenderID", "sex", "one-to-one", 1.0)])[0]
    "Column 'GenderID' has one value for each value of 'sex'. It reveals the original: make it a \
quasi-identifier or remove it."
    """
    by_column: dict[str, list[Copy]] = {}
    for copy in copies:
        by_column.setdefault(copy.column, []).append(copy)
    lines = [_of_column(same, figures) for same in list(by_column.values())[:MOST_COPIES]]
    others = list(by_column.values())[MOST_COPIES:]
    away = [same[0].column for same in others if same[0].of is not None]
    unique = [same[0].column for same in others if same[0].of is None]
    if away:
        lines.append(f"Other unchanged columns also reveal quasi-identifiers: {_listed(away)}.")
    if unique:
        lines.append(f"Other columns also have unique values in most records: {_listed(unique)}.")
    return tuple(lines)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _of_column(copies: Sequence[Copy], figures: bool) -> str:
    first = copies[0]
    if len(copies) == 1:
        return f"{first.in_words(figures=figures)} {_advice(first)}"
    listed = _listed([str(copy.of) for copy in copies])
    return f"Column '{first.column}' reveals {listed}: make it a quasi-identifier or remove it."


def _advice(copy: Copy) -> str:
    if copy.of is None:
        return "Remove it, make it a quasi-identifier, or round it if it contains numbers."
    return "It reveals the original: make it a quasi-identifier or remove it."


def find_copies(
    frame: Frame, quasi_identifiers: Sequence[str], others: Sequence[str], *, seed: int = 0
) -> tuple[Copy, ...]:
    """Return the unchanged columns that determine or nearly determine a quasi-identifier.

    Parameters
    ----------
    frame : Frame
        The original records.
    quasi_identifiers : sequence of str
        The columns that are masked.
    others : sequence of str
        The columns that are released unchanged.
    seed : int
        The seed of the sample.

    Returns
    -------
    tuple of Copy
        For each column and quasi-identifier, the strongest evidence only. Unique columns are listed if
        there is no other evidence.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"sex": list("mf") * 30, "GenderID": [1, 0] * 30})
    >>> print(*find_copies(Frame(people), ["sex"], ["GenderID"]))
    Column 'GenderID' has one value for each value of 'sex'.
    """
    if frame.n < FEWEST:
        return ()
    sample = _sample(frame, seed)
    keys = [ColumnValues(sample, name) for name in quasi_identifiers]
    screen = Screen(keys, INTERVALS, FINE, seed) if len(keys) >= MANY else None
    copies: list[Copy] = []
    for name in (name for name in others if name not in quasi_identifiers):
        with suppress(DataError, NotImplementedError, ValueError):  # a type that cannot be compared
            column = ColumnValues(sample, name)
            likely = keys if screen is None else screen.likely(column)
            compared = [copy for key in likely for copy in _compared(column, key, seed)]
            copies += compared or _unique(frame, name)
    return tuple(copies)


def _sample(frame: Frame, seed: int) -> Frame:
    if frame.n <= SAMPLE:
        return frame
    rows = np.random.default_rng(seed).choice(frame.n, SAMPLE, replace=False)
    return frame.rows(np.sort(rows).astype(np.int64))


def _compared(column: ColumnValues, key: ColumnValues, seed: int) -> Iterator[Copy]:
    """Yield the strongest evidence that a column reveals a quasi-identifier, if there is any."""
    determined = _determined(column, key)
    if determined >= 1.0 and column.distinct == key.distinct and _one_to_one(column, key):
        yield Copy(column.name, key.name, "one-to-one", 1.0)
        return
    evidence: list[tuple[float, Kind]] = []
    if column.ranks is not None and key.ranks is not None:
        if min(column.distinct, key.distinct) > INTERVALS:
            evidence += [(_fixed_share(column, key, seed), "share")]
        evidence += [(_rank_correlation(column.ranks, key.ranks), "rank")]
    evidence += [(determined, "determines")]
    least = {"share": SHARE, "rank": RANK, "determines": DETERMINES}
    strong = [(strength, kind) for strength, kind in evidence if strength >= least[kind]]
    if strong:
        strength, kind = max(strong, key=lambda each: each[0])
        yield Copy(column.name, key.name, kind, min(strength, 1.0))


def _one_to_one(column: ColumnValues, key: ColumnValues) -> bool:
    return np.unique(column.codes * key.distinct + key.codes).size == key.distinct


def _determined(column: ColumnValues, key: ColumnValues) -> float:
    """Return how strongly the column determines the key beyond chance, by value or in intervals."""
    classes = key.intervals(INTERVALS) if key.ranks is not None else key.codes
    strength = _strength(column.codes, classes)
    if column.ranks is not None and column.distinct > FINE:
        strength = max(strength, _strength(column.intervals(FINE), classes))
    return strength


def _strength(codes: Codes, classes: Codes) -> float:
    """Return (P - P0) / (1 - P0) among records that share their value of `given`, or 0."""
    size = np.bincount(codes)
    shared = size[codes] >= 2
    n = int(np.count_nonzero(shared))
    if n < max(FEWEST, codes.size // 20):
        return 0.0
    codes, classes = codes[shared], classes[shared]
    often = np.bincount(classes)
    if n - int(often.max()) < RARE:
        return 0.0
    cell, count = _counted(codes * often.size + classes, size.size * often.size)
    alike = float((count * (count - 1) / (size[cell // often.size] - 1)).sum()) / n
    chance = float((often * (often - 1.0)).sum()) / (n * (n - 1.0))
    return (alike - chance) / (1.0 - chance)


def _counted(cells: Codes, possible: int) -> tuple[Codes, Codes]:
    """Return the distinct cells and their counts; few cells are counted without sorting."""
    if possible > 50 * cells.size:
        return np.unique(cells, return_counts=True)
    count = np.bincount(cells, minlength=possible)
    cell = np.flatnonzero(count)
    return cell, count[cell]


def _rank_correlation(one: Floats, other: Floats) -> float:
    present = ~np.isnan(one) & ~np.isnan(other)
    one, other = one[present], other[present]
    if one.size < max(FEWEST, present.size // 20) or not np.ptp(one) or not np.ptp(other):
        return 0.0
    return float(abs(np.corrcoef(one, other)[0, 1]))


def _fixed_share(column: ColumnValues, key: ColumnValues, seed: int) -> float:
    """Return the share of records with the most frequent ratio, or 0 if chance explains it."""
    assert column.numbers is not None
    assert key.numbers is not None
    present = ~np.isnan(column.numbers) & ~np.isnan(key.numbers)
    present &= (column.numbers != 0) & (key.numbers != 0)
    one, other = column.numbers[present], key.numbers[present]
    if one.size < max(FEWEST, present.size // 2):
        return 0.0
    # A few records tell nearly always that there is none.
    if _most_frequent_ratio(one[:PROBE], other[:PROBE]) < SHARE / 2:
        return 0.0
    share = _most_frequent_ratio(one, other)
    if share < SHARE:
        return 0.0
    shuffled = _most_frequent_ratio(np.random.default_rng(seed).permutation(one), other)
    share *= one.size / present.size
    return share if share - shuffled >= SHARE / 2 else 0.0


def _most_frequent_ratio(one: Floats, other: Floats) -> float:
    """Return the share of the most frequent ratio, with a tolerance of 0.1 % for rounding."""
    # Not the logarithm of the ratio, which may be too large or too small for a number.
    ratio = np.sort((np.log(np.abs(one)) - np.log(np.abs(other))) * 1000)
    upper = np.searchsorted(ratio, ratio + 1, side="right")
    return float((upper - np.arange(ratio.size)).max()) / ratio.size


def _unique(frame: Frame, name: str) -> Iterator[Copy]:
    """Yield a column if nearly every record of the whole frame has a unique value."""
    column = frame.arrow(name)
    once = np.count_nonzero(counts(column) == 1)
    single = int(once) - int(column.null_count == 1)  # a blank is not one
    if single >= UNIQUE * frame.n:
        yield Copy(str(name), None, "unique", single / frame.n)
