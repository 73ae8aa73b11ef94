"""IL of any masked file: squared differences from the original, as a share of its variation."""

from __future__ import annotations

import numpy as np

from microagg.measure.loss.information_loss import InformationLoss, loss_of
from microagg.measure.pair import Pair
from microagg.measure.registry import NotApplicable, measure
from microagg.prepare.comparable import comparable
from microagg.typing import Floats


@measure(
    "il",
    "Information loss",
    kind="loss",
    summary="the squared change of the records as a share of the variation between them, in columns "
    "of all kinds",
    formula="100 SSE / SST: squared changes of standardised numbers and ranks, and the distance "
    "of each category that changed, divided by the same sum for a release with one value per column. A "
    "missing value that stays missing does not count, and one that was filled in counts as lost. A new "
    "missing value, or a category that does not occur in the original, counts like that one value",
    source="Domingo-Ferrer and Mateo-Sanz 2002; for categories, developed for microagg",
    high=float("inf"),
    sums=True,
    priority=1,
    head="loss %",
)
def il(pair: Pair) -> float:
    """Return the information loss in percent, as defined for `protect`."""
    loss = pair.loss = pair.loss or _measured(pair)
    if not loss.sst and loss.sse:
        raise NotApplicable("the original does not vary")
    note = _distance_words(pair)
    if note:
        pair.notes["il"] = note
    return loss.il


def _measured(pair: Pair) -> InformationLoss:
    return loss_of(comparable(pair.columns, pair.options, pair.weights), _released_values(pair))


def _released_values(pair: Pair) -> dict[str, Floats]:
    """Return the release with missing values instead of categories that the original does not have."""
    values = dict(pair.values)
    for name in pair.of_kind("nominal"):
        foreign = ~np.isin(values[name], pair.columns[name].values)
        values[name] = np.where(foreign, np.nan, values[name])
    return values


def _distance_words(pair: Pair) -> str:
    """Return how the distance differs from the default."""
    options, notes = pair.options, []
    if options.gower:
        notes.append("by Gower's distance")
    elif options.scale != "zscore":
        notes.append(
            {"range": "numbers scaled by their range", "none": "not scaled"}[str(options.scale)]
        )
    if options.column_weights:
        notes.append("columns weighted")
    if pair.weights is not None:
        notes.append(f"records weighted with '{options.weights}'")
    return "; ".join(notes)
