"""What the reader of a release must know, in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from microagg.data.categories import is_text
from microagg.data.frames import Frame
from microagg.errors import AnonymityError, DataError, Phrase, quoted_name
from microagg.measure.anonymity import Anonymity, anonymity_of
from microagg.measure.blanks import Blanks
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.copies import Copy, copies_in_words
from microagg.measure.exposure import Exposure
from microagg.pipeline.outcome import CheckedUnits
from microagg.prepare.column import Column
from microagg.settings import Settings
from microagg.typing import Floats

NEXT_TO_NOTHING = 1.0
"""Percent of information loss below which released values are nearly the originals."""


def interrupted(*, promised: bool) -> str:
    """Return a caution if Ctrl-C ended the search."""
    if not promised:
        return (
            "The search was stopped by Ctrl-C; the values are those found so far, and the loss "
            "could be lower."
        )
    return (
        "The search was stopped by Ctrl-C; the groups are the best found so far. k holds; the loss "
        "could be lower."
    )


def one_group(n_groups: int, rules: Mapping[str, str]) -> tuple[str, ...]:
    """Return a caution if a single group has all records."""
    if n_groups > 1:
        return ()
    left = "the mean" if set(rules.values()) <= {"mean"} else "one value of each column"
    return (f"All records are in one group; only {left} is left.",)


DOMINANT = 0.9
"""The share of the weight of a group above which one record determines what is released for it."""


def has_dominant_record(labels: NDArray[np.integer], weights: Floats | None) -> bool:
    """Tell whether a record has nearly all the weight of its group.

    Examples
    --------
    >>> has_dominant_record(np.array([0, 0, 1, 1], dtype=np.int32), np.array([1.0, 1.0, 1.0, 99.0]))
    True
    """
    if weights is None:
        return False
    return bool(np.any(weights > DOMINANT * np.bincount(labels, weights)[labels]))


def dominated(dominant: bool) -> tuple[str, ...]:
    """Return a caution if a record has nearly all the weight of its group."""
    if not dominant:
        return ()
    return (
        f"A record has more than {100 * DOMINANT:.0f} % of the weight of its group, so the released "
        "values of the group are nearly its own. Reduce the largest weights, or leave the weights out.",
    )


def crossed_strata(classes: EquivalenceClasses, settings: Settings) -> tuple[str, ...]:
    """Return what columns of joined strata, which are released unchanged, say of people."""
    kept = strata_kept(settings)
    if not kept:
        return ()
    return across_strata(anonymity_of(classes, (*settings.quasi_identifiers, *kept)), settings)


def strata_kept(settings: Settings) -> tuple[str, ...]:
    """Return the columns of strata that are released unchanged."""
    gone = ("identifier", "quasi-identifier")
    return tuple(name for name in settings.strata if settings.schema.role(name) not in gone)


def across_strata(counted: Anonymity | None, settings: Settings) -> tuple[str, ...]:
    """Return the same from what was counted over the quasi-identifiers together with these columns."""
    kept = strata_kept(settings)
    if counted is None or not kept:
        return ()
    listed = ", ".join(map(quoted_name, kept))
    alone = f": {listed} can single people out" if counted.k < settings.k else ""
    return (
        f"Groups cross {listed}, which is released unchanged. Counted on the quasi-identifiers together "
        f"with {listed}, k = {counted.k}{alone}.",
    )


def not_jointly(counted: Anonymity, k: int, il: float, *, private: bool) -> tuple[str, ...]:
    """Return a caution if fewer than k records share all quasi-identifiers.

    Where the masking is differentially `private`, unique values may be noise alone; they count only if
    hardly any noise was added.

    Examples
    --------
    >>> single = Anonymity(k=1, n_classes=50, class_sizes={1: 50})
    >>> not_jointly(single, 3, 7.0, private=False)[0].split(":")[0]
    'On all quasi-identifiers together, k = 1'
    """
    alike = il < NEXT_TO_NOTHING
    if counted.k >= k or (private and not alike):
        return ()
    below, n = counted.below(k), sum(size * n for size, n in counted.class_sizes.items())
    many = "all" if below == n else "most" if below > n / 2 else "some"
    close = (
        f" The information loss of only {il:.2g} % means that anyone who knows several of these "
        "columns about a person recognises the record."
        if alike
        else ""
    )
    return (
        f"On all quasi-identifiers together, k = {counted.k}: {many} records share them with fewer than "
        f"k = {k} records.{close}",
    )


def rounded_away(columns: Mapping[str, Column], round_to: Mapping[str, float]) -> tuple[str, ...]:
    """Return a caution if numbers are rounded to more than their whole range.

    Examples
    --------
    >>> age = Column("age", "continuous", np.array([18.0, 90.0]))
    >>> rounded_away({"age": age}, {"age": 1000.0})[0].split(",")[0]
    'The numbers of age are rounded to multiples of 1000'
    """
    return tuple(
        f"The numbers of {quoted_name(name)} are rounded to multiples of {step:g}, which is more than "
        "their whole range: hardly any information is left in the column."
        for name, step in round_to.items()
        if step > _range(columns[name])
    )


def _range(column: Column) -> float:
    present = column.values[~column.blank]
    with np.errstate(over="ignore"):
        return float(np.ptp(present)) if present.size else np.inf


def exposed(exposure: Exposure, below_k: str = "") -> tuple[str, ...]:
    """Return a caution if unchanged columns single records out; `below_k` replaces their exact number.

    Examples
    --------
    >>> found = Exposure(("city",), records=200, k=5, below_k=40, by_column={"city": 40})
    >>> exposed(found)[0].split(";")[0]
    'Together with the unchanged columns, 40 of 200 records are in classes of fewer than k = 5'
    """
    if not exposure.below_k:
        return ()
    listed = ", ".join(map(quoted_name, exposure.worst))
    worst = f"; {listed} expose{'s' if len(exposure.worst) == 1 else ''} the most" if listed else ""
    of_units = " units" if exposure.counted == "units" else ""
    count = f"{below_k or f'{exposure.below_k:,}'} of {exposure.records:,}"
    count = f"all {exposure.records:,}" if exposure.below_k == exposure.records else count
    sample = " of a sample of whole classes" if exposure.sampled_from else ""
    return (
        f"Together with the unchanged columns, {count} records{sample} "
        f"are in classes of fewer than k = {exposure.k}{of_units}{worst}. If others may know such a "
        "column, make it a quasi-identifier.",
    )


def given_away(copies: Sequence[Copy], *, figures: bool = True) -> tuple[str, ...]:
    """Return the cautions about unchanged columns that reveal quasi-identifiers."""
    return copies_in_words(copies, figures=figures)


def filled_in(blanks: Blanks) -> tuple[str, ...]:
    """Return a caution if more than 1 % of a column was filled in.

    Examples
    --------
    >>> filled_in(Blanks(records=50, missing={"pay": 9}, filled={"pay": 9}))[0].split(".")[0]
    'Missing values of pay were filled in for 9 of 50 records (18 %)'
    """
    return tuple(
        f"Missing values of {quoted_name(name)} were filled in for {count:,} of {blanks.records:,} "
        f"records ({blanks.percent(count):.2g} %). These values are invented: totals and counts of "
        'the column change. The choice "keep" leaves missing values missing.'
        for name, count in blanks.many(blanks.filled).items()
    )


def blanked(blanks: Blanks, settings: Settings) -> tuple[str, ...]:
    """Return a caution if more than 1 % of a column was released as missing."""
    limited = any(
        each is not None for each in (settings.l_diversity, settings.t_closeness, settings.unit)
    )
    instead = '"group" or "suppress" for missing values' + (", or weaker limits" if limited else "")
    return tuple(
        f"{count:,} of {blanks.records:,} values of {quoted_name(name)} "
        f"({blanks.percent(count):.2g} %) are released as missing, because another record of the "
        f"group lacks the value. Alternatives: {instead}."
        for name, count in blanks.many(blanks.blanked).items()
    )


def several_records_each(repeated: Mapping[str, int], n: int, k: int) -> tuple[str, ...]:
    """Return a caution for each identifier of which classes have fewer than k different values.

    `repeated` says how many different values each of these identifiers has in n records.
    """
    return tuple(
        f"Column '{name}' has {count:,} different values in {n:,} records, and some released "
        f"combinations of quasi-identifiers belong to fewer than k = {k} of them. If the column identifies "
        "people, k counts records and not people: use it as the unit (unit, --unit)."
        for name, count in repeated.items()
    )


def linked_by_unit(units: CheckedUnits) -> tuple[str, ...]:
    """Return a caution if the column that names the units is released."""
    if not units.released:
        return ()
    name = quoted_name(units.promise.unit)
    return (
        f"{name} is released and links the records of a unit. Each record shares its quasi-identifiers "
        f"with records of at least {units.promise.k} units; all records of a unit together may share "
        "theirs with fewer units.",
    )


def index_kept(levels: Sequence[str]) -> tuple[str, ...]:
    """Return a caution if an index that identifies each record is released."""
    if not levels:
        return ()
    listed = ", ".join(map(quoted_name, levels))
    return (f"The index ({listed}) is unique in each record and is released.",)


_SIGN = "[-+\uff0b\uff0d]"
FORMULA = f"^[\\s\u200b\ufeff]*(?:[=@\uff1d\uff20]|{_SIGN}\\s*[A-Za-z(]|{_SIGN}.*[(!|])"
"""Text that spreadsheets take for a formula; some also read signs of full width, or skip unseen ones."""


def formulas(columns: Sequence[str]) -> tuple[str, ...]:
    """Return a caution if a spreadsheet would run text of some columns as formulas.

    Examples
    --------
    >>> formulas(["note"])[0].split(".")[0]
    'Spreadsheet programs may run text in these columns as formulas: note'
    """
    if not columns:
        return ()
    listed = ", ".join(map(quoted_name, columns))
    return (
        f"Spreadsheet programs may run text in these columns as formulas: {listed}. The text is "
        "released unchanged: tell recipients to import it as text.",
    )


def columns_with_formulas(frame: Frame) -> list[str]:
    """Return the columns whose name or text a spreadsheet would run as a formula.

    Examples
    --------
    >>> import pyarrow as pa
    >>> columns_with_formulas(Frame(pa.table({"note": ["=1+1", "none"], "pay": ["-1.5", "+2"]})))
    ['note']
    """
    return [
        name for name in frame.names if re.match(FORMULA, str(name)) or _holds_formulas(frame, name)
    ]


def _holds_formulas(frame: Frame, name: str) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        column = frame.arrow(name)
        kind = column.type
        if not is_text(kind.value_type if pa.types.is_dictionary(kind) else kind):
            return False
        texts = pc.unique(column)
    except (DataError, pa.ArrowNotImplementedError):  # a type that cannot be compared is no text
        return False
    if pa.types.is_dictionary(texts.type):
        texts = texts.dictionary
    return bool(pc.any(pc.match_substring_regex(texts, FORMULA)).as_py())


def refuse_if_strict(cautions: Sequence[str], settings: Settings) -> None:
    """Raise where the settings are strict and there is a caution about what is released."""
    if settings.strict and cautions:
        raise AnonymityError(
            "\n- ".join(
                ["Nothing was released, because the release would need these cautions:", *cautions]
            ),
            hint=Phrase(
                "Change the roles of these columns or the treatment of missing values, or leave out "
                "{strict}.",
                strict=...,
            ),
        )
