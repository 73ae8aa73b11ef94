"""The promise and its check on the released values."""

from __future__ import annotations

from collections.abc import Iterator

from microagg.comparison.table import Comparison
from microagg.measure.pair import Pair
from microagg.report.comparison import holding_words
from microagg.report.confidential_limits import beyond_words, counted_words, units_words
from microagg.report.content import Checks
from microagg.report.material import AssessmentLike
from microagg.report.section import section
from microagg.report.summary import Summary
from microagg.report.text import no_promise, promise_words

TITLE, PLACE = "The promise and its check", 20


@section(TITLE, place=PLACE)
def of_release(summary: Summary) -> Iterator[Checks]:
    """Yield each promise with the count on the released values."""
    yield Checks(_promises(summary))


@section(TITLE, place=PLACE)
def of_assessment(assessment: AssessmentLike, pair: Pair) -> Iterator[Checks]:
    """Yield the k of an assessed file."""
    k = pair.anonymity.k
    words = f"Each combination of quasi-identifiers belongs to at least {k:,} released records."
    if k == 1:
        words = "Some released records are unique on the quasi-identifiers (k = 1)."
    exposed = bool(assessment.other_columns.warnings())
    if exposed:
        words += " Columns that are released unchanged reveal more: read the cautions."
    yield Checks([(k > 1 and not exposed, words)])


@section(TITLE, place=PLACE)
def of_comparison(comparison: Comparison) -> Iterator[Checks]:
    """Yield how many of the compared releases satisfy their k."""
    yield Checks([(all(trial.holds for trial in comparison.trials), holding_words(comparison))])


def _promises(summary: Summary) -> list[tuple[bool, str]]:
    """Return each promise with the count on the released values."""
    checked = []
    if not summary.promises and not summary.limits:
        words = no_promise(summary)
        nothing = "Nothing is promised" if words == "nothing" else f"Promised: {words}"
        checked.append((False, f"{nothing}."))
    for each in summary.promises:
        words = f"Promised: {promise_words(summary, each.promise)}."
        counted = f"Counted on the released values: {each.achieved}."
        checked.append((each.achieved >= each.promise.k, f"{words} {counted}"))
    for limit in summary.limits:
        words = f"Promised: {beyond_words(limit.promise)}."
        counted = f"Counted on the released values: {counted_words(limit)}."
        checked.append((limit.promise.holds(limit.achieved), f"{words} {counted}"))
    if summary.units is not None:
        words = f"Promised: {units_words(summary.units)}."
        counted = f"Counted on the released values: {summary.units.achieved}."
        holds = summary.units.achieved >= summary.units.promise.k
        checked.append((holds, f"{words} {counted}"))
    return checked
