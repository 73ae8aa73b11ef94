"""What a comparison found: every choice with its rank, and which one is recommended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from microagg.measure.score import pareto_front, scoring_index
from microagg.renamed import renamed_attribute
from microagg.trials import Choice


@dataclass(frozen=True)
class Comparison:
    """All choices with what was measured: by k, and for each k by information loss.

    Choices whose release does not hold k come last for their k, without a rank and a score.
    """

    rows: tuple[dict[str, Any], ...]
    loss_weight: float
    loss: str = "g-il"

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise renamed_attribute("Comparison", name)

    @property
    def front(self) -> list[dict[str, Any]]:
        """The Pareto-optimal choices: no other that holds k has less loss without more risk."""
        return [row for row in self.rows if row["pareto_optimal"]]

    @property
    def least_loss(self) -> dict[int, dict[str, Any]]:
        """For each k the choice that loses least, of those that hold k."""
        return {row["k"]: row for row in self.rows if row["rank"] == 1}

    @property
    def recommended(self) -> dict[str, Any] | None:
        """The choice with the best score among those that lose least for their k; a larger k in a tie."""
        best = sorted(self.least_loss.values(), key=lambda row: (row["score"], -row["k"]))
        return best[0] if best else None

    def sentence(self) -> str:
        """Recommend one choice, and say what else a reader must know."""
        return (
            f"{self._recommendation()}{self._others()}{self._not_whole()}{self._stopped()}"
            f"{self._other_loss()}{self._estimates()}"
        )

    def _recommendation(self) -> str:
        row = self.recommended
        if row is None:
            return "No choice can be recommended, because no release holds its k."
        among = (
            " and, of the choices that lose least for their k, the best score"
            if len(self.least_loss) > 1
            else ""
        )
        return (
            f"Recommended: {name_of(row)}. It has the least information loss for k={row['k']} "
            f"({row['il']:.1f} %){among}; {row['linkage']:.1f} % of its records are linked by distance."
        )

    def _others(self) -> str:
        """Say which choice loses least for each other k."""
        recommended = self.recommended
        listed = [
            f"{name_of(row)} ({row['il']:.1f} %)"
            for k, row in sorted(self.least_loss.items())
            if recommended is not None and k != recommended["k"]
        ]
        return f" Least information loss for other k: {'; '.join(listed)}." if listed else ""

    def _not_whole(self) -> str:
        """Say which choices leave records that are not k-anonymous."""
        broken = sorted({row["method"] for row in self.rows if not _holds(row)})
        return f" NOT k-anonymous: {', '.join(broken)}." if broken else ""

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
        """Say that some numbers come from a part of the records or subsets of quasi-identifiers."""
        some = [row for row in self.rows if row["estimated"]]
        if not some:
            return ""
        return (
            f" Numbers of {len(some)} of {len(self.rows)} choices are estimates; of {name_of(some[0])}: "
            f"{some[0]['estimated']}."
        )

    def points(self) -> list[tuple[str, float, float, bool]]:
        """Return the risk-utility map: name, loss, risk, and whether it is Pareto-optimal."""
        return [
            (name_of(row), row[self.loss], row["g-dr"], row["pareto_optimal"]) for row in self.rows
        ]


def judged(rows: list[dict[str, Any]], loss_weight: float, loss: str) -> Comparison:
    """Add ranks, scores and the Pareto front; sort by k and rank."""
    holding = [row for row in rows if _holds(row)]
    front = pareto_front([r[loss] for r in holding], [r["g-dr"] for r in holding])
    optimal = {_choice(holding[place]) for place in front}
    rated = []
    for row in rows:
        score = scoring_index(row[loss], row["g-dr"], loss_weight) if _holds(row) else None
        named = {name: row[name] for name in ("method", "refine", "k")}
        rank = _rank(row, holding)
        facts = {"rank": rank, "score": score, "pareto_optimal": _choice(row) in optimal}
        rated.append({**named, **facts, "loss": row[loss], **row})
    rated.sort(key=lambda row: (row["k"], row["rank"] or len(rows) + 1, row["il"], row["method"]))
    return Comparison(tuple(rated), loss_weight, loss)


def _rank(row: Mapping[str, Any], holding: list[dict[str, Any]]) -> int | None:
    """Return the place of a choice by information loss among those that hold the same k."""
    if not _holds(row):
        return None
    same = sorted((r for r in holding if r["k"] == row["k"]), key=_by_loss)
    return 1 + [_choice(r) for r in same].index(_choice(row))


def _by_loss(row: Mapping[str, Any]) -> tuple[float, float, str]:
    return row["il"], row["g-dr"], str(_choice(row))


def _choice(row: Mapping[str, Any]) -> Choice:
    return Choice(row["method"], row["refine"], row["k"])


def _holds(row: Mapping[str, Any]) -> bool:
    return bool(row["k-anonymity"] >= row["k"])


def name_of(row: Mapping[str, Any]) -> str:
    """Return the choice of a row in words."""
    return str(_choice(row))
