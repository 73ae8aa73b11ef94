"""Utility for analysts in words and tables."""

from __future__ import annotations

from dataclasses import replace

from microagg.measure.utility.regression import SubgroupMean
from microagg.measure.utility.utility import Utility
from microagg.report.audience import Audience

NO_BETTER = {"AUC": 0.55, "R^2": 0.05}
"""Below these figures, a model predicts hardly better than chance."""

Tables = list[tuple[str, list[list[str]]]]


def utility_words(utility: Utility, audience: Audience) -> list[str]:
    """Return the utility in sentences."""
    utility = for_audience(utility, audience)
    model = utility.prediction
    interval = f"95 % interval over the folds: {model.low:+.3f} to {model.high:+.3f}"
    if model.low <= 0 <= model.high:
        change = f"The difference is not distinguishable from zero ({interval})."
    else:
        by = f"{model.difference:+.3f} ({interval})"
        change = f"Training on the release changes the {model.figure} by {by}."
    lines = [
        f"A gradient boosting model that predicts {utility.target} reaches a mean {model.figure} of "
        f"{model.original:.3f} when it is trained on the original and of {model.released:.3f} when it is "
        f"trained on the release. Both models were tested on original records that were not used to "
        f"train them ({model.records:,} in all). {change}"
    ]
    if model.original < NO_BETTER[model.figure]:
        lines.append(
            "Even the model that is trained on the original hardly predicts the target, so the comparison "
            "says little about the release."
        )
    if utility.overlap is not None:
        lines.append(
            f"The confidence intervals of the {len(utility.coefficients)} regression coefficients overlap "
            f"by {utility.overlap:.0f} % on average (100 % means identical, and 0 % disjoint intervals)."
        )
    return lines


def utility_tables(utility: Utility, audience: Audience) -> Tables:
    """Return coefficients and subgroup means as tables that the audience may see."""
    tables: Tables = []
    utility = for_audience(utility, audience)
    rows = [
        [c.name, _number(c.original), _number(c.released), f"{c.overlap:.0f} %"]
        for c in utility.coefficients
    ]
    if rows:
        head = ["coefficient", "original", "release", "interval overlap"]
        tables.append((f"Linear regression of {utility.target}", [head, *rows]))
    if utility.means:
        what = f"Share of {utility.target} = {utility.event}" if utility.event else "Mean"
        title = f"{what} by subgroup" if utility.event else f"Mean {utility.target} by subgroup"
        shown = [
            [f"{m.column}: {m.subgroup}", *(_number(v) for v in (m.original, m.released))]
            for m in utility.means
        ]
        tables.append((title, [["subgroup", "original", "release"], *shown]))
    return tables


def for_audience(utility: Utility, audience: Audience) -> Utility:
    """Return a utility without figures that describe few records or few changed records."""
    if audience.few_changed:
        return replace(utility, coefficients=(), means=())
    means = [
        each
        for each in utility.means
        if each.records >= audience.least and not (utility.event and _few(each, audience))
    ]
    if not audience.inside and utility.event and not any(0 < m.original < 1 for m in means):
        means = []  # the event itself may be of a few records
    return replace(
        utility,
        coefficients=tuple(c for c in utility.coefficients if c.records >= audience.least),
        means=tuple(means),
    )


def _few(mean: SubgroupMean, audience: Audience) -> bool:
    """Return whether a share reveals that few records of a subgroup have the value, or lack it."""
    counts = (round(share * mean.records) for share in (mean.original, mean.released))
    return any(audience.hides(count, mean.records) for count in counts)


def utility_text(utility: Utility, audience: Audience) -> list[str]:
    """Return the utility as lines for a terminal."""
    lines = [
        "What analysts can still do",
        *(f"  {line}" for line in utility_words(utility, audience)),
    ]
    for title, rows in utility_tables(utility, audience):
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines += ["", f"  {title}"]
        for row in rows:
            first, *rest = zip(row, widths, strict=True)
            cells = "".join(f"  {cell:>{width}}" for cell, width in rest)
            lines.append(f"    {first[0]:<{first[1]}}{cells}")
    return lines


def _number(value: float) -> str:
    """Return a number for a table, with thousands separators.

    Examples
    --------
    >>> _number(0.08651), _number(50_150_000.4), _number(-1717.4)
    ('0.08651', '50,150,000', '-1,717')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
