"""`assess`: evaluate a file masked by any tool by comparing it with the original."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from microagg.assessment import (
    OUT_OF_ORDER,
    Assessment,
    doubts_about,
    records_left_out,
    with_doubts,
)
from microagg.data.codes import looks_like_codes
from microagg.data.frames import Frame
from microagg.data.matching import matched_rows
from microagg.errors import ParameterError
from microagg.measure.copies import Copy, find_copies
from microagg.measure.keys import default_keys, same_values
from microagg.measure.linkage import AtRisk, most_at_risk
from microagg.measure.other_columns import OtherColumns, other_columns
from microagg.measure.pair import Pair, pair_of
from microagg.measure.plausibility import in_order, new_categories, same_population
from microagg.measure.registry import evaluate, find
from microagg.measure.registry import measures as all_measures
from microagg.measure.score import scoring_index
from microagg.measure.utility.utility import Utility, utility_of
from microagg.reporter import Reporter
from microagg.settings import Settings
from microagg.signatures import with_options


@with_options("assess")
def assess(
    original: Any,
    released: Any = None,
    *,
    match_on: str | None = None,
    measures: str | Sequence[str] | None = None,
    loss_weight: float = 0.5,
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
        units, l-diversity and t-closeness. Loss and linkage compare two frames.
    {options}
    match_on : column name, optional
        The column of both frames that identifies a record, if rows were left out or moved.
    measures : str or list of str, optional
        Names of `measures()`; all by default.
    loss_weight : float, from 0 to 1
        The weight of the loss in the score.
    progress : Reporter, optional
        Shows the progress.

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
        return _of_one_frame(original, settings, match_on, measures, progress)
    before, after, rows, left_out = matched_rows(original, released, match_on)
    frame, weights = Frame(before), settings.weights
    keys: Sequence[str] | None = settings.quasi_identifiers or None
    if keys is None and match_on is not None:
        aside_from_keys = {match_on, weights, settings.unit, *settings.confidential}
        keys = default_keys(frame, Frame(after), aside_from_keys)
    by_column = (settings.kinds, settings.orders)
    pair = pair_of(frame, after, keys, settings.confidential, *by_column, settings)
    others = {*pair.confidential, weights}
    aside = other_columns(frame, pair.after, tuple(pair.columns), others, match_on)
    copies = _copies(frame, pair, aside, weights)
    warnings = (
        *same_population(pair),
        *doubts_about(pair, frame, _averaged_codes(frame, pair, settings), aside, copies),
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
        matched_by="position" if match_on is None else f"column '{match_on}'",
        left_out=left_out,
        warnings=warnings,
        other_columns=aside,
        copies=copies,
        at_risk=most_at_risk(pair, rows) if matched else AtRisk(),
        loss_weight=loss_weight,
        utility=_utility(settings.target, frame, pair, aside),
    )


def _of_one_frame(
    original: Any,
    settings: Settings,
    match_on: str | None,
    names: str | Sequence[str] | None,
    progress: Reporter | None,
) -> Assessment:
    """Measure the anonymity of a frame without another one to compare it with."""
    for parameter, value in (("match_on", match_on), ("target", settings.target)):
        if value is not None:
            raise ParameterError(
                "compares two files, but there is only one.",
                parameter=parameter,
                hint="Leave it out, or add the released file.",
            )
    keys = settings.quasi_identifiers
    if not keys:
        raise ParameterError(
            "must name the columns that an intruder may know, because a single file does not show which "
            "columns were changed.",
            parameter="quasi_identifiers",
        )
    possible = [one.name for one in all_measures() if one.kind == "anonymity"]
    chosen = possible if names is None else [names] if isinstance(names, str) else list(names)
    if others := [name for name in chosen if find(name).name not in possible]:
        raise ParameterError(
            f"must be measures of anonymity if there is only one file: {', '.join(possible)}. "
            f"Got {', '.join(others)}.",
            parameter="measures",
        )
    frame, by_column = Frame(original), (settings.kinds, settings.orders)
    pair = pair_of(frame, original, keys, settings.confidential, *by_column, settings)
    known = {*keys, *settings.confidential, settings.weights, settings.unit}
    return Assessment(
        pair=pair,
        findings=evaluate(pair, chosen, progress),
        matched_by="",
        left_out=0,
        warnings=(),
        other_columns=OtherColumns(kept=tuple(str(n) for n in frame.names if n not in known)),
        at_risk=AtRisk(),
    )


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
