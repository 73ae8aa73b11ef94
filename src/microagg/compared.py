"""What a comparison found: every choice with its score, which ones nothing beats, and that in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from microagg.measure.score import pareto_front, scoring_index
from microagg.renamed import renamed_attribute
from microagg.trials import Choice


@dataclass(frozen=True)
class Comparison:
    """All choices with what was measured, the best score first."""

    rows: tuple[dict[str, Any], ...]
    loss_weight: float
    loss: str = "g-il"

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise renamed_attribute("Comparison", name)

    @property
    def front(self) -> list[dict[str, Any]]:
        """The choices that no other beats in loss or risk without being worse in the other."""
        return [row for row in self.rows if row["unbeaten"]]

    def sentence(self) -> str:
        """Say which choices nothing else beats."""
        by_k: dict[int, list[str]] = {}
        for row in sorted(self.front, key=lambda row: int(row["k"])):
            by_k.setdefault(row["k"], []).append(name_of(row).rpartition(", ")[0])
        listed = "; ".join(f"{', '.join(names)} at k={k}" for k, names in by_k.items())
        return (
            f"{self._best_score()} Nothing else beats {listed} in loss without more risk."
            f"{self._least_loss()}{self._not_whole()}{self._stopped()}{self._other_loss()}"
            f"{self._estimates()}"
        )

    def _best_score(self) -> str:
        """Say which choice has the best score, and which of those that hold k."""
        best = self.rows[0]
        if _holds(best):
            return f"The best score has {name_of(best)}."
        holding = next(filter(_holds, self.rows), None)
        other = "none holds it" if holding is None else f"of those that do, {name_of(holding)}"
        return f"The best score has {name_of(best)}, which does not hold k; {other}."

    def _least_loss(self) -> str:
        """Say which choice loses least for each k, of those that hold it."""
        best: dict[int, dict[str, Any]] = {}
        for row in sorted(self.rows, key=lambda row: float(row[self.loss])):
            if _holds(row):
                best.setdefault(row["k"], row)
        listed = "; ".join(name_of(best[k]) for k in sorted(best))
        return f" Least loss for each k, among those that hold it: {listed}." if best else ""

    def _not_whole(self) -> str:
        """Say which choices leave records that are not k-anonymous as a whole."""
        broken = sorted({row["method"] for row in self.rows if not _holds(row)})
        return f" NOT k-anonymous as a whole: {', '.join(broken)}." if broken else ""

    def _stopped(self) -> str:
        """Say which choices a limit of time ended."""
        ended = [name_of(row) for row in self.rows if row["stopped"]]
        return f" Stopped by the time limit: {'; '.join(ended)}." if ended else ""

    def _other_loss(self) -> str:
        """Say that the usual loss has no value, where that is so."""
        without = sum(row["g-il"] is None for row in self.rows)
        if self.loss != "il" or not without:
            return ""
        return f" The loss is il, as g-il has no value for {without} of {len(self.rows)} choices."

    def _estimates(self) -> str:
        """Say that some numbers come from a part of the records or subsets of keys."""
        some = [row for row in self.rows if row["estimated"]]
        if not some:
            return ""
        return (
            f" Numbers of {len(some)} of {len(self.rows)} choices are estimates; of {name_of(some[0])}: "
            f"{some[0]['estimated']}."
        )

    def points(self) -> list[tuple[str, float, float, bool]]:
        """Return the risk-utility map: name, loss, risk, and whether nothing beats it."""
        return [(name_of(row), row[self.loss], row["g-dr"], row["unbeaten"]) for row in self.rows]


def judged(rows: list[dict[str, Any]], loss_weight: float, loss: str) -> Comparison:
    """Add score and front, and sort by score."""
    front = set(pareto_front([r[loss] for r in rows], [r["g-dr"] for r in rows]))
    rated = []
    for place, row in enumerate(rows):
        score = scoring_index(row[loss], row["g-dr"], loss_weight)
        named = {name: row[name] for name in ("method", "refine", "k")}
        rated.append(
            {**named, "score": score, "unbeaten": place in front, "loss": row[loss], **row}
        )
    rated.sort(key=lambda row: (row["score"], row["k"], row["method"]))
    return Comparison(tuple(rated), loss_weight, loss)


def _holds(row: dict[str, Any]) -> bool:
    return bool(row["k-anonymity"] >= row["k"])


def name_of(row: Mapping[str, Any]) -> str:
    """Return the choice of a row in words."""
    return str(Choice(row["method"], row["refine"], row["k"]))
