"""The cautions of a release: what its reader must know."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from microagg.data.frames import Frame
from microagg.errors import AnonymityError, Phrase, quoted_name, visible
from microagg.measure.anonymity import Anonymity, anonymity_of
from microagg.measure.blanks import Blanks
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.copies import Copy, copies_in_words
from microagg.measure.exposure import Exposure
from microagg.percent import short_percent
from microagg.pipeline.outcome import CheckedUnits, SharedIdentifier
from microagg.prepare.column import Column
from microagg.settings import Settings
from microagg.suggest.blanks import number_markers
from microagg.typing import Floats

Shown = Callable[[int, int], str]
"""Writes a number of records, of so many."""


def in_full(count: int, of: int) -> str:
    """Return a number of records, whatever it is."""
    return f"{count:,}"


FEW = 5
"""Counts of fewer records than this, or than k, describe single people."""

NEXT_TO_NOTHING = 1.0
"""Percent of information loss below which released values are nearly the originals."""


def interrupted(*, promised: bool) -> str:
    """Return a caution if Ctrl-C ended the search."""
    if not promised:
        return (
            "The search was stopped by Ctrl-C. The released values are those that it had reached; a "
            "longer search could have lost less."
        )
    return (
        "The search was stopped by Ctrl-C. The groups are the best found so far: k holds, but a longer "
        "search could have lost less."
    )


def one_group(n_groups: int, rules: Mapping[str, str]) -> tuple[str, ...]:
    """Return a caution if a single group has all records."""
    if n_groups > 1:
        return ()
    left = "the mean" if set(rules.values()) <= {"mean"} else "one value"
    return (f"All records are in one group, so only {left} of each column is left.",)


DOMINANT = 0.9
"""The share of the weight of a group above which one record determines its representative."""


def has_dominant_record(labels: NDArray[np.integer], weights: Floats | None) -> bool:
    """Return whether a record has nearly all the weight of its group.

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
        "values of the group are nearly those of this record. Reduce the largest weights, or leave the "
        "weights out.",
    )


def crossed_strata(classes: EquivalenceClasses, settings: Settings) -> tuple[str, ...]:
    """Return what unchanged columns of merged strata reveal about people."""
    kept = strata_kept(settings)
    if not kept:
        return ()
    return across_strata(anonymity_of(classes, (*settings.quasi_identifiers, *kept)), settings)


def strata_kept(settings: Settings) -> tuple[str, ...]:
    """Return the strata columns that are released unchanged."""
    gone = ("identifier", "quasi-identifier")
    return tuple(name for name in settings.strata if settings.schema.role(name) not in gone)


def across_strata(counted: Anonymity | None, settings: Settings) -> tuple[str, ...]:
    """Return the same from counts on the quasi-identifiers together with these columns."""
    kept = strata_kept(settings)
    if counted is None or not kept:
        return ()
    listed = ", ".join(map(quoted_name, kept))
    alone = f": {listed} can single people out" if counted.k < settings.k else ""
    return (
        f"Groups cross {listed}, which is released unchanged. Counted on the quasi-identifiers together "
        f"with {listed}, k = {counted.k}{alone}.",
    )


def not_jointly(
    counted: Anonymity, k: int, il: float, *, private: bool, figures: bool = True
) -> tuple[str, ...]:
    """Return a caution if fewer than k records share all quasi-identifiers.

    Without `figures`, it does not state the loss, from which a small number of changed categories may
    follow.

    If the masking is differentially `private`, unique values may be mere noise; they count only if
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
        f" The information loss of {f'only {il:.2g}' if figures else 'less than 1'} % means that anyone "
        "who knows the values of a person "
        "in several of these columns recognises the record."
        if alike
        else ""
    )
    return (
        f"On all quasi-identifiers together, k = {counted.k}: {many} records have a combination of values "
        f"that fewer than k = {k} records share.{close}",
    )


def rounded_away(columns: Mapping[str, Column], round_to: Mapping[str, float]) -> tuple[str, ...]:
    """Return a caution if the rounding step exceeds the range of a column.

    Examples
    --------
    >>> age = Column("age", "continuous", np.array([18.0, 90.0]))
    >>> rounded_away({"age": age}, {"age": 1000.0})[0].split(",")[0]
    'The numbers of age are rounded to multiples of 1000'
    """
    return tuple(
        f"The numbers of {quoted_name(name)} are rounded to multiples of {step:g}, which is more than "
        "the whole range of the column: hardly any information is left."
        for name, step in round_to.items()
        if step > _range(columns[name])
    )


def _range(column: Column) -> float:
    present = column.values[~column.blank]
    with np.errstate(over="ignore"):
        return float(np.ptp(present)) if present.size else np.inf


def exposed(exposure: Exposure, below_k: str = "") -> tuple[str, ...]:
    """Return cautions if unchanged columns single records out, or may; `below_k` replaces an exact number.

    Examples
    --------
    >>> found = Exposure(("city",), records=200, k=5, below_k=40, by_column={"city": 40})
    >>> exposed(found)[0].split(".")[0]
    'On the quasi-identifiers and the unchanged columns together, 40 of 200 records are in classes of \
fewer than k = 5 records with the same values (the column that exposes the most records: city)'
    """
    single = (_singled_out(exposure, below_k),) if exposure.below_k else ()
    unknown = ", ".join(map(quoted_name, exposure.not_compared))
    not_counted = (
        f"Records were not counted together with the values of {unknown}, which cannot be compared. Make "
        "sure that they identify nobody, or remove them."
    )
    return (*single, not_counted) if unknown else single


def _singled_out(exposure: Exposure, below_k: str) -> str:
    listed = ", ".join(map(quoted_name, exposure.worst))
    most = "column that exposes" if len(exposure.worst) == 1 else "columns that expose"
    worst = f" (the {most} the most records: {listed})" if listed else ""
    counted = "units" if exposure.counted == "units" else "records"
    count = f"{below_k or f'{exposure.below_k:,}'} of {exposure.records:,}"
    count = f"all {exposure.records:,}" if exposure.below_k == exposure.records else count
    sample = " of a sample of complete classes" if exposure.sampled_from else ""
    return (
        f"On the quasi-identifiers and the unchanged columns together, {count} records{sample} are in "
        f"classes of fewer than k = {exposure.k} {counted} with the same values{worst}. If others could "
        "know an unchanged column, make it a quasi-identifier or remove it."
    )


def given_away(copies: Sequence[Copy], *, figures: bool = True) -> tuple[str, ...]:
    """Return the cautions about unchanged columns that reveal quasi-identifiers."""
    return copies_in_words(copies, figures=figures)


def filled_in(blanks: Blanks) -> tuple[str, ...]:
    """Return a caution if more than 1 % of a column was filled in.

    Examples
    --------
    >>> filled_in(Blanks(records=50, missing={"pay": 9}, filled={"pay": 9}))[0].split(". ")[0]
    'Missing values of pay were filled in for 9 of 50 records (18.0 %)'
    """
    return tuple(
        f"Missing values of {quoted_name(name)} were filled in for {count:,} of {blanks.records:,} "
        f"records ({short_percent(blanks.percent(count))}). These values are invented: they change the "
        'totals and counts of the column. To leave missing values missing, choose "keep".'
        for name, count in blanks.many(blanks.filled).items()
    )


def blanked(blanks: Blanks, settings: Settings) -> tuple[str, ...]:
    """Return a caution if more than 1 % of a column was released as missing."""
    limited = any(
        each is not None for each in (settings.l_diversity, settings.t_closeness, settings.unit)
    )
    instead = '"group" or "suppress" for missing values' + (
        ", or weaken the limits" if limited else ""
    )
    return tuple(
        f"{count:,} of {blanks.records:,} values of {quoted_name(name)} "
        f"({short_percent(blanks.percent(count))}) are released as missing, because another record of the "
        f"group lacks the value. To avoid this, choose {instead}."
        for name, count in blanks.many(blanks.blanked).items()
    )


def codes_among_amounts(frame: Frame, columns: Mapping[str, Column]) -> tuple[str, ...]:
    """Return a caution for each column of amounts with numbers such as -99 far from all others.

    The number is not quoted, because external readers see the caution.

    Examples
    --------
    >>> import pyarrow as pa
    >>> ages = np.array([30.0, 40.0, 50.0, -99.0, -99.0])
    >>> columns = {"age": Column("age", "continuous", ages)}
    >>> codes_among_amounts(Frame(pa.table({"age": ages})), columns)[0].split(",")[0]
    "Column 'age' has numbers that look like codes for missing values"
    """
    return tuple(
        f"Column '{visible(name)}' has numbers that look like codes for missing values, such as -99 or "
        "999, but count as amounts. Declare such a code with --blank for a CSV file, or replace it by a "
        "missing value in Python."
        for name, column in columns.items()
        if column.kind == "continuous"
        and frame.is_numeric(name)
        and number_markers(column.values[~column.blank])
    )


def several_records_each(shared: Sequence[SharedIdentifier], n: int, k: int) -> tuple[str, ...]:
    """Return a caution for each identifier of which classes have fewer than k different values.

    A number is not stated if it describes only a few records, because external readers see the caution.

    Examples
    --------
    >>> patients = SharedIdentifier("patient", different=300, below_k=80)
    >>> several_records_each([patients], 1000, 5)[0].split(". If")[0]
    "Column 'patient' has 300 different values in 1,000 records, and 80 records are in classes with fewer \
than k = 5 of these values"
    """
    return tuple(_several_records_each(each, n, k) for each in shared)


def _several_records_each(shared: SharedIdentifier, n: int, k: int) -> str:
    few = max(k, FEW)
    known = n - shared.different >= few
    different = f"{shared.different:,}" if known else "nearly as many"
    among = f"in {n:,} records" if known else f"as there are records ({n:,})"
    below_k = f"{shared.below_k:,}" if few <= shared.below_k <= n - few else "some"
    return (
        f"Column '{visible(shared.name)}' has {different} different values {among}, and {below_k} records "
        f"are in classes with fewer than k = {k} of these values. If the column identifies people, k "
        "counts records and not people: use it as the unit (unit, --unit). If it is an amount, declare "
        "its kind as continuous."
    )


def diverse_only_by_missing(
    counts: Mapping[str, int], n: int, limit: float | None, shown: Shown = in_full
) -> tuple[str, ...]:
    """Return a caution for each column that has enough values only because missing values count.

    `shown` writes a number of the n records.

    Examples
    --------
    >>> diverse_only_by_missing({"ill": 12}, 200, 2)[0].split(":")[0]
    "12 of 200 records are in classes with fewer than l = 2 values of 'ill' that are not missing"
    """
    return tuple(
        f"{shown(count, n)} of {n:,} records are in classes with fewer than l = {limit:g} values of "
        f"'{visible(name)}' that are not missing: l-diversity counts a missing value, or a code for one "
        "such as NA, as a value. Anyone who knows that the value of a person is not missing may learn it. "
        "Leave out the records without a value, or require a larger l."
        for name, count in counts.items()
    )


def linked_by_unit(units: CheckedUnits) -> tuple[str, ...]:
    """Return a caution if the column that names the units is released."""
    if not units.released:
        return ()
    name = quoted_name(units.promise.unit)
    return (
        f"{name} is released and links the records of a unit. The quasi-identifiers of each single record "
        f"are shared by at least {units.promise.k} units, but those of all records of a unit together may "
        "be shared by fewer.",
    )


def index_kept(levels: Sequence[str]) -> tuple[str, ...]:
    """Return a caution if an index that identifies each record is released."""
    if not levels:
        return ()
    listed = ", ".join(map(quoted_name, levels))
    return (f"The index ({listed}) is released and has a different value in each record.",)


def index_exposes(levels: Sequence[str], k: int) -> tuple[str, ...]:
    """Return a caution if the labels of a released index single records out."""
    if not levels:
        return ()
    listed = ", ".join(map(quoted_name, levels))
    return (
        f"The index ({listed}) is released, and some of its labels single records out: fewer than k = {k} "
        "records share them and their quasi-identifiers. Remove the index (reset_index), or make it a "
        "column with a role.",
    )


def refuse_if_strict(cautions: Sequence[str], settings: Settings) -> None:
    """Raise if the settings are strict and a caution applies to the release."""
    if settings.strict and cautions:
        raise AnonymityError(
            "\n- ".join(
                ["Nothing was released, because these cautions apply to the release:", *cautions]
            ),
            hint=Phrase(
                "Change the roles of these columns or the treatment of missing values, name the unit, "
                "require a larger l, or leave out {strict}.",
                strict=...,
            ),
        )
