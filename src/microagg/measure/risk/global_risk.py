"""G_DR: the mean of the risk of re-identification and the risk that values are guessed."""

from __future__ import annotations

from microagg.measure.pair import Pair
from microagg.measure.registry import measure
from microagg.measure.risk.interval_disclosure import interval_disclosure
from microagg.measure.risk.subset_linkage import rld


@measure(
    "g-dr",
    "Overall risk",
    kind="risk",
    summary="the mean of two risks: linkage on some of the quasi-identifiers (rld), and values "
    "close to the original (interval-disclosure)",
    formula="(RLD + ID) / 2",
    source="Fayyoumi 2008, equation 4.3 (G_DR)",
    priority=4,
    head="risk %",
    parts=("rld", "interval-disclosure"),
)
def g_dr(pair: Pair) -> float:
    """Return G_DR in percent."""
    risk = (rld(pair) + interval_disclosure(pair)) / 2
    if "rld" in pair.notes:
        pair.notes["g-dr"] = f"rld is {pair.notes['rld']}"
    return risk
