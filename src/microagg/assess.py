"""`assess`: evaluate a file masked by any tool by comparing it with the original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from microagg.assessment import (
    OUT_OF_ORDER,
    Assessment,
    alike_but_for_missing,
    doubts_about,
    records_left_out,
    with_doubts,
)
from microagg.data.codes import looks_like_codes
from microagg.data.frames import Frame
from microagg.data.matching import matched_rows
from microagg.errors import ParameterError, Phrase
from microagg.measure.at_risk import AtRisk, most_at_risk
from microagg.measure.copies import Copy, copies_in_words, find_copies
from microagg.measure.diversity.present_values import ALIKE, diverse_by_missing
from microagg.measure.keys import default_keys, same_values
from microagg.measure.other_columns import OtherColumns, other_columns
from microagg.measure.pair import Pair, pair_of
from microagg.measure.plausibility import in_order, new_categories, same_population
from microagg.measure.registry import evaluate, find
from microagg.measure.registry import measures as all_measures
from microagg.measure.score import scoring_index
from microagg.measure.units import unit_in_file
from microagg.measure.utility.utility import Utility, utility_of
from microagg.reporter import Reporter
from microagg.settings import Settings
from microagg.signatures import with_options

LOSS_WEIGHT = 0.5
"""The weight of the loss in the score, unless another one is chosen."""


@with_options("assess")
def assess(
    original: Any,
    released: Any = None,
    *,
    match_on: str | None = None,
    rows: ArrayLike | None = None,
    measures: str | Sequence[str] | None = None,
    loss_weight: float = LOSS_WEIGHT,
    progress: Reporter | None = None,
    **options: Any,
) -> Assessment:
    """Measure the loss and the risk of a masked frame by comparing it with the original.

    Parameters
    ----------
    original, released : DataFrame
        pandas, polars or pyarrow frames. Columns are matched by name, rows by position or by
        `match_on`. By default, every column that was changed is a quasi-identifier. With a single
        frame, only its anonymity is measured, which requires `quasi_identifiers`: k, the number of
        units, l-diversity and t-closeness, with warnings about its other columns. Loss and linkage
        compare two frames.
    {options}
    match_on : column name, optional
        The column of both frames that identifies a record, if rows were left out or moved.
    rows : array of int, optional
        The rows of the original that were released, from 0, in the order of the release: `release.rows` of
        a release that left records out.
    measures : str or list of str, optional
        Names of `measures()`; all by default.
    loss_weight : float, from 0 to 1
        The weight of the loss in the score.
    progress : Reporter, optional
        Shows the progress.

    Returns
    -------
    Assessment
        The value of each measure, with warnings about the comparison.

    Examples
    --------
    >>> import microagg as ma, pyarrow as pa
    >>> people = pa.table({"age": [30, 32, 60, 64]})
    >>> masked = pa.table({"age": [31, 31, 62, 62]})
    >>> assess(people, masked).measures["k"]
    2.0
    """
    scoring_index(0.0, 0.0, loss_weight)
    settings = Settings.create("assess", **options)
    if released is None:
        _refuse_for_one_frame(settings, match_on, rows, loss_weight)
        return _of_one_frame(original, settings, measures, progress)
    if rows is not None and match_on is not None:
        raise ParameterError(
            Phrase("cannot be combined with {match_on}.", match_on=...),
            parameter="rows",
            hint="Leave one of them out.",
        )
    before, after, numbers, left_out = matched_rows(original, released, match_on, rows)
    frame = Frame(before)
    keys: Sequence[str] | None = settings.quasi_identifiers or None
    if keys is None and match_on is not None:
        aside_from_keys = {match_on, settings.weights, settings.unit, *settings.confidential}
        keys = default_keys(frame, Frame(after), aside_from_keys)
    pair, aside, copies = _compared(frame, after, keys, settings, match_on)
    alike = _alike_but_for_missing(pair)
    warnings = (
        *unit_in_file(settings.unit, pair.after.frame.names),
        *same_population(pair),
        *doubts_about(pair, frame, _averaged_codes(frame, pair, settings), aside, copies),
        *alike_but_for_missing(alike, pair.n),
    )
    if left_out:
        warnings += (records_left_out(f"{left_out:,}"),)
    matched = match_on is not None or in_order(pair)
    if not matched:
        warnings += (OUT_OF_ORDER,)
    foreign = new_categories(pair)
    warnings += foreign
    findings = evaluate(pair, measures, progress)
    return Assessment(
        pair=pair,
        findings=with_doubts(findings, matched=matched, foreign=bool(foreign)),
        matched_by=_matched_by(match_on, rows),
        left_out=left_out,
        warnings=warnings,
        other_columns=aside,
        copies=copies,
        at_risk=most_at_risk(pair, numbers) if matched else AtRisk(),
        loss_weight=loss_weight,
        utility=_utility(settings.target, frame, pair, aside),
        alike_but_for_missing=alike,
    )


def _matched_by(match_on: str | None, rows: ArrayLike | None) -> str:
    """Return how the rows of two frames were matched, in words."""
    if match_on is not None:
        return f"column '{match_on}'"
    return "position" if rows is None else "row number"


def _refuse_for_one_frame(
    settings: Settings, match_on: str | None, rows: ArrayLike | None, loss_weight: float
) -> None:
    """Raise for a parameter that requires two frames."""
    usual = Settings.create("assess")
    compared = {name: getattr(settings, name) != getattr(usual, name) for name in OF_TWO_FRAMES}
    compared |= {"match_on": match_on is not None, "rows": rows is not None}
    compared |= {"loss_weight": loss_weight != LOSS_WEIGHT}
    for parameter, differs in compared.items():
        if differs:
            raise ParameterError(
                "compares two files, but there is only one.",
                parameter=parameter,
                hint="Leave it out, or add the released file.",
            )


OF_TWO_FRAMES = (
    "target",
    "distance",
    "scale",
    "column_weights",
    "hierarchies",
    "distance_tables",
)
"""The options that require two frames."""


def _of_one_frame(
    original: Any,
    settings: Settings,
    names: str | Sequence[str] | None,
    progress: Reporter | None,
) -> Assessment:
    """Measure the anonymity of a frame without another one to compare it with."""
    keys = settings.quasi_identifiers
    if not keys:
        raise ParameterError(
            "must name the columns that an intruder may know, because a single file does not show which "
            "columns were changed.",
            parameter="quasi_identifiers",
            hint=Phrase(
                "Set {quasi_identifiers}, for example.", quasi_identifiers=["age", "income"]
            ),
        )
    possible = [one.name for one in all_measures() if one.kind == "anonymity"]
    chosen = possible if names is None else [names] if isinstance(names, str) else list(names)
    if others := [name for name in chosen if find(name).name not in possible]:
        raise ParameterError(
            f"must be measures of anonymity if there is only one file: {', '.join(possible)}. "
            f"Got {', '.join(others)}.",
            parameter="measures",
        )
    frame = Frame(original)
    pair, aside, copies = _compared(frame, original, keys, settings)
    aside, alike = replace(aside, compared=False), _alike_but_for_missing(pair)
    return Assessment(
        pair=pair,
        findings=evaluate(pair, chosen, progress),
        matched_by="",
        left_out=0,
        warnings=(
            *unit_in_file(settings.unit, frame.names),
            *aside.warnings(),
            *copies_in_words(copies),
            *alike_but_for_missing(alike, pair.n),
        ),
        other_columns=aside,
        copies=copies,
        at_risk=AtRisk(),
        alike_but_for_missing=alike,
    )


def _alike_but_for_missing(pair: Pair) -> dict[str, int]:
    """Return the records of each confidential column in classes with a single value that is present."""
    kinds = pair.confidential_kinds.items()
    return diverse_by_missing(pair.after, tuple(pair.columns), kinds, ALIKE)


def _compared(
    frame: Frame,
    released: Any,
    keys: Sequence[str] | None,
    settings: Settings,
    match_on: str | None = None,
) -> tuple[Pair, OtherColumns, tuple[Copy, ...]]:
    """Return the pair of both frames, their other columns, and what these reveal."""
    by_column = (settings.kinds, settings.orders)
    pair = pair_of(frame, released, keys, settings.confidential, *by_column, settings)
    named = [name for name in (settings.weights, settings.unit) if name is not None]
    roles = {*pair.confidential, *named}
    aside = other_columns(frame, pair.after, tuple(pair.columns), roles, match_on)
    return pair, aside, _copies(frame, pair, aside, settings.weights)


def _copies(frame: Frame, pair: Pair, aside: OtherColumns, weights: str | None) -> tuple[Copy, ...]:
    """Return the unchanged columns that reveal quasi-identifiers, including confidential ones."""
    released = pair.after.frame
    kept = [name for name in (*pair.confidential_kinds, weights) if name in released.names]
    same = [n for n in kept if n in frame.names and same_values(frame.arrow(n), released.arrow(n))]
    others = [name for name in frame.names if str(name) in aside.unchanged or name in same]
    return find_copies(frame, tuple(pair.columns), others)


def _utility(target: str | None, frame: Frame, pair: Pair, aside: OtherColumns) -> Utility | None:
    """Return the utility for a target in both files, without columns that identify records."""
    if target is None:
        return None
    frame.require([target], "target", "the original")
    same = {*aside.unchanged, *pair.confidential_kinds}
    others = [name for name in pair.after.frame.names if name in same and name in frame.names]
    return utility_of(pair, target, others, frame)


def _averaged_codes(frame: Frame, pair: Pair, settings: Settings) -> list[str]:
    """Return the columns of codes that are treated as amounts."""
    amounts = [name for name in pair.of_kind("continuous") if name not in settings.kinds]
    numbers = [name for name in amounts if frame.is_numeric(name)]
    return [name for name in numbers if looks_like_codes(frame, name)]
