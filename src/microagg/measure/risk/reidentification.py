"""Re-identification by equal quasi-identifiers: the probability of a correct guess within a class.

Anyone who knows the released quasi-identifiers of a person finds a class of equal records and picks one of
them. The measure is the mean of the prosecutor risk, whose maximum is 1/k.
"""

from __future__ import annotations

from microagg.measure.anonymity import Anonymity
from microagg.measure.pair import Pair
from microagg.measure.registry import measure


@measure(
    "reidentification",
    "Re-identified among equal records",
    kind="risk",
    summary="the mean probability of picking the right one of the released records with the same "
    "quasi-identifiers, for an intruder who knows that it is among them",
    formula="100/n Σ_r 1/(size of the class of r) = 100 x classes / n",
    source="El Emam and Dankar 2008 (prosecutor risk)",
    any_order=True,
    compares_values=False,
    sums=True,
    priority=5,
)
def reidentification(pair: Pair) -> float:
    """Return the mean probability in percent."""
    return mean_chance(pair.anonymity)


def mean_chance(anonymity: Anonymity) -> float:
    """Return the mean over records of the reciprocal of the size of their class, in percent.

    Examples
    --------
    >>> mean_chance(Anonymity(k=2, n_classes=2, class_sizes={2: 1, 3: 1}))
    40.0
    """
    return 100 * anonymity.n_classes / anonymity.records
