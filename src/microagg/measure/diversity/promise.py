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
"""The tolerance for a distance above its limit, because it is a sum of rounded shares."""

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
    """A promise about the confidential values of records with equal `columns`.

    Attributes
    ----------
    columns : tuple of str
        The released quasi-identifiers.
    confidential : tuple of str
        The columns to which the promise applies, each separately.
    what : str
        "l_diversity" or "t_closeness".
    limit : float
        The minimum number of values, or the maximum distance.
    nominal : tuple of str
        The confidential columns that are compared by equality. The others have an order,
        even if a file contains their numbers as text.
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
        """Return the promise with column names as text, as in files."""
        columns, confidential, nominal = (
            tuple(map(str, names)) for names in (self.columns, self.confidential, self.nominal)
        )
        return replace(self, columns=columns, confidential=confidential, nominal=nominal)

    def achieved(self, classes: EquivalenceClasses) -> float:
        """Return the value of a release, counted on its values alone."""
        values = [
            classes.values(name, "nominal" if name in self.nominal else "continuous")
            for name in self.confidential
        ]
        return _MEASURES[self.what](counts_within(classes.of(self.columns), values))

    def holds(self, value: float) -> bool:
        """Return whether a value is within the limit."""
        excess = value - self.limit if self.what == "t_closeness" else self.limit - value
        return excess <= ROUNDING

    def require(self, classes: EquivalenceClasses) -> float:
        """Return the value of a release, or raise if it does not satisfy the promise."""
        return self.required_of(self.achieved(classes))

    def required_of(self, value: float) -> float:
        """Return the value that was counted, or raise if it does not satisfy the promise."""
        if not self.holds(value):
            raise AnonymityError(
                f"The records that share their quasi-identifiers have {self.name} {value:.4g}, but "
                f"{self.limit:g} is promised. Nothing was released."
            )
        return value
