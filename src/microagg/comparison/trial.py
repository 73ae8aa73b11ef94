"""A trial: one choice of method, refinement and k, and what was measured of its release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Choice:
    """One way to protect: a method, a refinement or none, and k."""

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
    """How well a model predicts a target from the quasi-identifiers, of originals and of a release.

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
    """A choice and what was measured of its release.

    Attributes
    ----------
    choice : Choice
        What was tried.
    k_counted : int
        The k of the released values.
    measures : mapping of str to float
        The measures that are compared, by name; None where one has no value.
    records, suppressed : int
        How many records were released, and how many were left out.
    seconds : float
        How long the protection took.
    estimated : str, optional
        Which measures are estimates, and from how much they come.
    stopped : str, optional
        What ended the search early.
    utility : ModelUtility, optional
        What analysts can still predict, where a target was named.
    warnings : tuple of str
        What may be a mistake of the user.
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
        """Whether the release has the k that was asked for."""
        return self.k_counted >= self.choice.k

    def value(self, name: str) -> float:
        """Return a measure that has a value for every release."""
        value = self.measures[name]
        if value is None:
            raise ValueError(f"{name} has no value for {self.choice}")
        return value

    def to_json(self) -> dict[str, Any]:
        """Return the trial as JSON holds it."""
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
    """A trial among others.

    Attributes
    ----------
    rank : int, optional
        Its place by information loss among those that hold the same k; None where k does not hold.
    score : float, optional
        Loss and risk in one number, lower is better; None where k does not hold.
    pareto_optimal : bool
        Whether no other that holds k has less loss without more risk.
    loss : float
        The loss in the score.
    """

    rank: int | None
    score: float | None
    pareto_optimal: bool
    loss: float

    def as_row(self) -> dict[str, Any]:
        """Return the trial as a row of the table that `compare` gives back."""
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
