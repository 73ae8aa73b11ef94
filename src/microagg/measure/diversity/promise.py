"""A promise about confidential values, checked on the released values like that of k."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from microagg.errors import AnonymityError
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.diversity.l_diversity import fewest_values
from microagg.measure.diversity.t_closeness import largest_distance
from microagg.measure.diversity.within_classes import Counts, counts_within

ROUNDING = 1e-9
"""How far a distance may lie above its limit: it is a sum of shares, each rounded."""

_MEASURES: dict[str, Callable[[Iterable[Counts]], float]] = {
    "l_diversity": fewest_values,
    "t_closeness": largest_distance,
}
NAMES = {
    "l_diversity": "l-diversity",
    "t_closeness": "t-closeness",
}
"""The measure of each parameter of `protect`."""


@dataclass(frozen=True)
class ConfidentialPromise:
    """What a release promises of confidential values among records with equal `columns`.

    Attributes
    ----------
    columns : tuple of str
        The released quasi-identifiers.
    confidential : tuple of str
        The columns of which it is promised, each.
    what : str
        "l_diversity" or "t_closeness".
    limit : float
        The fewest values, or the largest distance.
    nominal : tuple of str
        Those of the confidential columns that are compared by equality; the others have an order,
        also where a file holds their numbers as text.
    """

    columns: tuple[str, ...]
    confidential: tuple[str, ...]
    what: str
    limit: float
    nominal: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the measure."""
        return NAMES[self.what]

    def as_written(self) -> ConfidentialPromise:
        """Return the promise with the column names as files know them: as text."""
        columns, confidential, nominal = (
            tuple(map(str, names)) for names in (self.columns, self.confidential, self.nominal)
        )
        return replace(self, columns=columns, confidential=confidential, nominal=nominal)

    def achieved(self, classes: EquivalenceClasses) -> float:
        """Return the value that a release has, counted on its values alone."""
        values = [
            classes.values(name, "nominal" if name in self.nominal else "continuous")
            for name in self.confidential
        ]
        return _MEASURES[self.what](counts_within(classes.of(self.columns), values))

    def holds(self, value: float) -> bool:
        """Tell whether a value is within the limit."""
        excess = value - self.limit if self.what == "t_closeness" else self.limit - value
        return excess <= ROUNDING

    def require(self, classes: EquivalenceClasses) -> float:
        """Return the value that a release has, or raise when it does not hold the promise."""
        return self.required_of(self.achieved(classes))

    def required_of(self, value: float) -> float:
        """Return the value that was counted, or raise when it does not hold the promise."""
        if not self.holds(value):
            raise AnonymityError(
                f"The records that share their quasi-identifiers have {self.name} {value:.4g}, and "
                f"{self.limit:g} is promised. Nothing was released."
            )
        return value
