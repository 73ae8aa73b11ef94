"""A promise about confidential values, checked on the released values like that of k."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from microagg.errors import AnonymityError
from microagg.measure.diversity.l_diversity import l_diversity
from microagg.measure.diversity.p_sensitivity import p_sensitivity
from microagg.measure.diversity.t_closeness import t_closeness
from microagg.measure.pair import Pair, pair_of

ROUNDING = 1e-9
"""How far a distance may lie above its limit: it is a sum of shares, each rounded."""

_MEASURES: dict[str, Callable[[Pair], float]] = {
    "l_diversity": l_diversity,
    "p_sensitive": p_sensitivity,
    "t_closeness": t_closeness,
}
NAMES = {
    "l_diversity": "l-diversity",
    "p_sensitive": "p-sensitivity",
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
        "l_diversity", "p_sensitive" or "t_closeness".
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

    def achieved(self, data: Any) -> float:
        """Return the value that `data` has, counted on its values alone."""
        kinds = {
            name: "nominal" if name in self.nominal else "continuous" for name in self.confidential
        }
        return _MEASURES[self.what](pair_of(data, data, self.columns, self.confidential, kinds))

    def holds(self, value: float) -> bool:
        """Tell whether a value is within the limit."""
        excess = value - self.limit if self.what == "t_closeness" else self.limit - value
        return excess <= ROUNDING

    def require(self, data: Any) -> float:
        """Return the value that `data` has, or raise when it does not hold the promise."""
        found = self.achieved(data)
        if not self.holds(found):
            raise AnonymityError(
                f"The records that share their quasi-identifiers have {self.name} {found:.4g}, and "
                f"{self.limit:g} is promised. Nothing was released."
            )
        return found
