"""`Comparison`: all trials with their ranks, and the recommended setting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import narwhals as nw

from microagg.comparison.plot import draw_map
from microagg.comparison.trial import RankedTrial, Trial
from microagg.measure.registry import find
from microagg.measure.score import pareto_front, scoring_index
from microagg.notebook import html_table
from microagg.renamed import renamed_attribute

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Comparison:
    """All trials, sorted by k and then by loss.

    Trials whose release does not satisfy k come last for their k and have neither rank nor score.

    Attributes
    ----------
    trials : tuple of RankedTrial
        The settings that were tried, with their measures.
    loss_weight : float
        The weight of the loss in the score.
    loss : str
        The measure of loss that ranks the trials, in the score and on the map.
    backend : narwhals.Implementation
        The library of the frame that `data` returns.
    """

    trials: tuple[RankedTrial, ...]
    loss_weight: float
    loss: str = "il"
    backend: Any = field(default=nw.Implementation.PYARROW, repr=False, compare=False)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise renamed_attribute("Comparison", name)

    def rows(self) -> list[dict[str, Any]]:
        """Return the trials as rows of a table, for other programs."""
        return [trial.as_row() for trial in self.trials]

    @cached_property
    def data(self) -> Any:
        """The trials as a frame of the caller's type, one row per setting.

        - "rank" is the rank by loss within each k.
        - "pareto_optimal" marks settings for which no other has a lower loss without a higher risk.
        - "score" combines loss and risk; lower is better.
        - "k_counted" is the k of the released values.
        - "estimated" names the measures that are estimates.
        - "stopped" marks searches that a time limit ended.
        - With a `target`, "utility" and "utility_original" are the AUC or R^2 of a model trained on
          the release and on the original.
        """
        rows = self.rows()
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        frame = nw.from_dict(columns, backend=self.backend)
        text = nw.col("refine", "estimated", "stopped").cast(nw.String())
        return frame.with_columns(text).to_native()

    def __repr__(self) -> str:
        ks = sorted({trial.choice.k for trial in self.trials})
        best = self.recommended
        return (
            f"Comparison(settings={len(self.trials)}, k={ks}, "
            f"recommended={None if best is None else str(best.choice)!r})"
        )

    def _repr_html_(self) -> str:
        return html_table(self.rows(), caption=self.sentence())

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the risk-utility map: information loss to the right, disclosure risk upwards.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default, a new figure.

        Returns
        -------
        matplotlib Axes
        """
        return draw_map(self, ax)

    @property
    def cautions(self) -> tuple[str, ...]:
        """Possible mistakes of the user, listed once for all trials."""
        return tuple(dict.fromkeys(line for trial in self.trials for line in trial.warnings))

    @property
    def front(self) -> list[RankedTrial]:
        """The Pareto-optimal trials: no other that satisfies k has a lower loss without a higher risk."""
        return [trial for trial in self.trials if trial.pareto_optimal]

    @property
    def least_loss(self) -> dict[int, RankedTrial]:
        """The trial with the least loss for each k, among those that satisfy k."""
        return {trial.choice.k: trial for trial in self.trials if trial.rank == 1}

    @property
    def recommended(self) -> RankedTrial | None:
        """The trial with the best score among those with the least loss; a larger k wins a tie."""
        scored = [
            (t.score, -t.choice.k, t) for t in self.least_loss.values() if t.score is not None
        ]
        return min(scored, key=lambda each: each[:2])[2] if scored else None

    def sentence(self) -> str:
        """Return the recommendation, followed by remarks on the other settings."""
        return (
            f"{self._recommendation()}{self._others()}{self._not_whole()}{self._stopped()}"
            f"{self._estimates()}"
        )

    def _recommendation(self) -> str:
        best = self.recommended
        if best is None:
            return "No setting can be recommended, because no release satisfies its k."
        among = (
            " and the best score among the settings with the lowest loss for their k"
            if len(self.least_loss) > 1
            else ""
        )
        return (
            f"Recommended: {best.choice}. It has the lowest {self._loss_words()} for k={best.choice.k} "
            f"({best.loss:.1f} %){among}; {best.value('linkage'):.1f} % of its records are linked "
            f"by distance.{_predicted(best)}"
        )

    def _others(self) -> str:
        """Return the setting with the least loss for each other k."""
        best = self.recommended
        listed = [
            f"{trial.choice} ({trial.loss:.1f} %)"
            for k, trial in sorted(self.least_loss.items())
            if best is not None and k != best.choice.k
        ]
        return f" Lowest {self._loss_words()} for other k: {'; '.join(listed)}." if listed else ""

    def _loss_words(self) -> str:
        """Return the name of the loss."""
        return find(self.loss).title.lower()

    def _not_whole(self) -> str:
        """Return the settings whose releases are not k-anonymous."""
        broken = sorted({trial.choice.method for trial in self.trials if not trial.holds})
        return f" NOT k-anonymous: {', '.join(broken)}." if broken else ""

    def _stopped(self) -> str:
        """Return the settings that a time limit stopped."""
        ended = [str(trial.choice) for trial in self.trials if trial.stopped]
        return f" Stopped by the time limit: {'; '.join(ended)}." if ended else ""

    def _estimates(self) -> str:
        """Return a remark if measures were estimated from some records or subsets of columns."""
        some = [trial for trial in self.trials if trial.estimated]
        if not some:
            return ""
        return (
            f" Some measures of {len(some)} of {len(self.trials)} settings are estimates; for "
            f"{some[0].choice}: {some[0].estimated}."
        )


def _predicted(trial: Trial) -> str:
    """Return how well a model still predicts the target, if one was named."""
    utility = trial.utility
    if utility is None:
        return ""
    return (
        f" A model trained on its release predicts {utility.target} with {utility.figure} "
        f"{utility.released:.3f}, and one trained on the original with {utility.original:.3f}."
    )


def ranked(
    trials: Sequence[Trial], loss_weight: float, loss: str, backend: Any = None
) -> Comparison:
    """Add ranks, scores and the Pareto front; sort by k and rank."""
    by_loss = sorted(trials, key=lambda t: (t.value(loss), t.value("g-dr"), str(t.choice)))
    holding = [trial for trial in by_loss if trial.holds]
    front = pareto_front([t.value(loss) for t in holding], [t.value("g-dr") for t in holding])
    optimal = {holding[place].choice for place in front}
    order: dict[int, list[Trial]] = {}
    for trial in holding:
        order.setdefault(trial.choice.k, []).append(trial)
    places = {t.choice: i for same in order.values() for i, t in enumerate(same, start=1)}
    scores = {t.choice: scoring_index(t.value(loss), t.value("g-dr"), loss_weight) for t in holding}
    together = [
        RankedTrial(
            **vars(trial),
            rank=places.get(trial.choice),
            score=scores.get(trial.choice),
            pareto_optimal=trial.choice in optimal,
            loss=trial.value(loss),
        )
        for trial in by_loss
    ]
    together.sort(key=lambda trial: (trial.choice.k, trial.rank or len(trials) + 1))
    return Comparison(tuple(together), loss_weight, loss, backend or nw.Implementation.PYARROW)
