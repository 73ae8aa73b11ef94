"""The records that distance-based record linkage is most likely to re-identify."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from microagg.measure.pair import Pair
from microagg.percent import short_percent
from microagg.typing import Rows

MOST_ROWS = 10
"""The maximum number of rows that are named."""


class AtRisk(NamedTuple):
    """The rows that are most likely to be linked, the maximum probability, and the number of certain links.

    `looked_at` is the number of records that were examined; None if all were.
    """

    rows: tuple[int, ...] = ()
    chance: float = 0.0
    certain: int = 0
    looked_at: int | None = None

    def words(self) -> list[str]:
        """Return the result in sentences."""
        if not self.rows:
            return []
        listed = ", ".join(map(str, self.rows))
        more = ", and more" if self.certain > len(self.rows) else ""
        some = "" if self.looked_at is None else f" of {self.looked_at:,} examined"
        sentences = [
            f"Data rows{some} that distance-based record linkage on the quasi-identifiers is most "
            "likely to re-identify, each with a probability of at most "
            f"{short_percent(100 * self.chance)}: {listed}{more}."
        ]
        if self.certain:
            sentences.append(
                f"Unique released records{some} whose only nearest original record is their own: "
                f"{self.certain:,}."
            )
        return sentences


def most_at_risk(pair: Pair, numbers: Rows | None = None) -> AtRisk:
    """Return the rows that are most likely to be linked; none if linkage was not measured.

    Records that are equal in the release lead to the same originals, so the probability that a claim is
    correct is their mean probability. `numbers` are those of the rows, by default from 1; of rows with
    equal risk, those with the rarest released keys come first.
    """
    if pair.record_risk is None:
        return AtRisk()
    rows = np.arange(1, pair.n + 1) if numbers is None else numbers
    measured = ~np.isnan(pair.record_risk)
    risk, classes = np.where(measured, pair.record_risk, 0.0), pair.released_classes
    sizes = np.bincount(classes)
    chance = np.where(risk > 0, (np.bincount(classes, risk) / np.maximum(sizes, 1))[classes], 0.0)
    order = np.lexsort((rows, sizes[classes], -chance))[:MOST_ROWS]
    return AtRisk(
        rows=tuple(int(rows[at]) for at in order if chance[at] > 0),
        chance=float(chance.max()),
        certain=int(np.count_nonzero(chance == 1)),
        looked_at=None if measured.all() else int(np.count_nonzero(measured)),
    )
