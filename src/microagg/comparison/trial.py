"""A trial: one choice of method, refinement and k, and the measures of its release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Choice:
    """A setting to try: a method, an optional refinement, and k."""

    method: str
    refine: str | None
    k: int

    def __str__(self) -> str:
        return f"{self.way}, k={self.k}"

    @property
    def way(self) -> str:
        """The method and the refinement."""
        return self.method if self.refine is None else f"{self.method} + {self.refine}"


@dataclass(frozen=True)
class ModelUtility:
    """How well a model predicts a target from original and from released quasi-identifiers.

    Attributes
    ----------
    target : str
        The column that is predicted.
    figure : str
        "AUC" or "R^2".
    original, released : float
        The figure of the model trained on the original, and on the release.
    """

    target: str
    figure: str
    original: float
    released: float


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A choice and the measures of its release.

    Attributes
    ----------
    choice : Choice
        What was tried.
    k_counted : int
        The k of the released values.
    measures : mapping of str to float
        The measures that are compared, by name; None if a measure has no value.
    records, suppressed : int
        The numbers of records that were released and left out.
    seconds : float
        How long the protection took.
    estimated : str, optional
        Which measures are estimates, and their samples.
    stopped : str, optional
        What ended the search early.
    utility : ModelUtility, optional
        How well the target can be predicted, if one was named.
    warnings : tuple of str
        Possible mistakes of the user.
    """

    choice: Choice
    k_counted: int
    measures: Mapping[str, float | None]
    records: int
    suppressed: int
    seconds: float
    estimated: str | None = None
    stopped: str | None = None
    utility: ModelUtility | None = None
    warnings: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the release has the requested k."""
        return self.k_counted >= self.choice.k

    def value(self, name: str) -> float:
        """Return the value of a measure that every release has."""
        value = self.measures[name]
        if value is None:
            raise ValueError(f"{name} has no value for {self.choice}")
        return value

    def to_json(self) -> dict[str, Any]:
        """Return the trial in the form that JSON stores."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Trial:
        """Return the trial that `to_json` wrote."""
        utility = content["utility"]
        parts = {
            "choice": Choice(**content["choice"]),
            "utility": None if utility is None else ModelUtility(**utility),
            "warnings": tuple(content["warnings"]),
        }
        return cls(**{**content, **parts})


@dataclass(frozen=True, kw_only=True)
class RankedTrial(Trial):
    """A trial with its rank.

    Attributes
    ----------
    rank : int, optional
        Its rank by loss among the trials with the same k; None if k does not hold.
    score : float, optional
        Loss and risk in one number, lower is better; None if k does not hold.
    pareto_optimal : bool
        Whether no other trial that satisfies k has a lower loss without a higher risk.
    loss : float
        The loss in the score.
    """

    rank: int | None
    score: float | None
    pareto_optimal: bool
    loss: float

    def as_row(self) -> dict[str, Any]:
        """Return the trial as a row of the table of `compare`."""
        row = {
            **asdict(self.choice),
            "rank": self.rank,
            "score": self.score,
            "pareto_optimal": self.pareto_optimal,
            "loss": self.loss,
            "k_counted": self.k_counted,
            **self.measures,
            "records": self.records,
            "suppressed": self.suppressed,
            "estimated": self.estimated,
            "seconds": self.seconds,
            "stopped": self.stopped,
        }
        if self.utility is not None:
            row["utility"] = self.utility.released
            row["utility_original"] = self.utility.original
        return row
