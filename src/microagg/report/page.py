"""The numbers and words of an HTML report, without any markup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from microagg.measure.pair import Pair
from microagg.measure.registry import Finding
from microagg.report.audience import Audience
from microagg.report.charts.risk_utility import MapPoint
from microagg.report.distributions import (
    Distribution,
    columns_left_out,
    correlation_of,
    correlations_left_out,
    distributions_of,
    group_cloud,
    group_sizes,
)
from microagg.report.findings import Row, annex_of
from microagg.report.verdict import Box

Choice = tuple[str, float, float, bool] | MapPoint
"""A choice on the risk-utility map: its name, loss, risk, and whether it is Pareto-optimal."""

Table = Sequence[Sequence[str]]
"""Rows of cells; the first row has the heads."""


@dataclass(frozen=True)
class Page:
    """All that a report shows.

    Attributes
    ----------
    about : sequence of (str, str)
        What the report is about: data set, date, version.
    verdict : sequence of Box
        What a decision needs, each with one number.
    annex : mapping of str to rows
        All measures by group, with what their numbers mean.
    annex_words : str
        Which measures have no value, and why.
    """

    title: str
    audience: str
    lead: str
    about: Sequence[tuple[str, str]]
    verdict: Sequence[Box]
    done: Sequence[str]
    facts: Sequence[tuple[str, str]]
    promises: Sequence[tuple[bool, str]]
    provenance: Sequence[tuple[str, str]]
    warnings: Sequence[str] = ()
    utility: Sequence[tuple[str, Table]] = ()
    utility_words: Sequence[str] = ()
    columns: Sequence[Distribution] = ()
    columns_words: str = ""
    correlation: tuple[list[str], list[list[float]], list[list[float]]] | None = None
    correlation_words: str = ""
    sizes: Sequence[tuple[str, int]] = ()
    sizes_words: str = ""
    sizes_remark: str = ""
    cloud: Sequence[tuple[float, float, float, float]] = ()
    cloud_remark: str = ""
    at_risk: Sequence[str] = ()
    annex: Sequence[tuple[str, Sequence[Row]]] = ()
    annex_words: str = ""
    choices: Sequence[Choice] = ()
    choice_words: str = ""
    choice_loss: str = "g-il"
    choice_table: Table = ()
    choice_legend: str = ""


def shared(pair: Pair, findings: tuple[Finding, ...], audience: Audience) -> dict[str, Any]:
    """Return the parts that both reports have."""
    sizes, words, remark = group_sizes(pair)
    lines, cloud_remark = audience.only_inside(group_cloud(pair), ([], ""))
    annex, without = annex_of(findings, pair.n, audience)
    return {
        "annex": annex,
        "annex_words": without,
        "columns": distributions_of(pair, audience.least),
        "columns_words": columns_left_out(pair),
        "correlation": correlation_of(pair),
        "correlation_words": correlations_left_out(pair),
        "sizes": audience.only_inside(sizes, []),
        "sizes_words": words,
        "sizes_remark": remark,
        "cloud": lines,
        "cloud_remark": cloud_remark,
    }


def kinds_of(pair: Pair) -> list[tuple[str, str]]:
    """Return which quasi-identifiers were taken for which kind, in words."""
    words = {
        "continuous": "Counted as numbers",
        "ordinal": "Counted as ordered categories",
        "nominal": "Counted as unordered categories",
    }
    found = [(said, ", ".join(map(str, pair.of_kind(kind)))) for kind, said in words.items()]
    if pair.weights is not None:
        found.append(("Sampling weights", f"{pair.options.weights}; they count in the loss"))
    return [(said, names) for said, names in found if names]


def software() -> list[tuple[str, str]]:
    """Return when and with what a page was made."""
    from datetime import UTC, datetime
    from importlib.metadata import version

    created = datetime.now(UTC).isoformat(timespec="seconds")
    return [("Created", created), ("microagg", version("microagg"))]


def about(data_set: str, created: str, version: str) -> list[tuple[str, str]]:
    """Return what a report is about: the data set, the date in words, and the version.

    Examples
    --------
    >>> about("people.csv", "2026-11-16T10:46:45+00:00", "0.2.0")[1]
    ('Date', '16 November 2026, 10:46 UTC')
    """
    from datetime import UTC, datetime

    moment = datetime.fromisoformat(created).astimezone(UTC)
    date = f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}, {moment:%H:%M} UTC"
    return [("Data set", data_set), ("Date", date), ("Made with", f"microagg {version}")]


_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
