"""Words for what is promised beyond k, and synthetic records beside plain means."""

from __future__ import annotations

from typing import Any

from microagg.aggregate.mean import group_means
from microagg.data.frames import Frame
from microagg.errors import quoted_name
from microagg.measure.diversity.promise import ConfidentialPromise
from microagg.measure.pair import pair_of
from microagg.measure.registry import evaluate, find
from microagg.partition.partition import Partition

COMPARED = ("il", "linkage", "interval-disclosure")
"""What synthetic records and means are compared by: loss, and two ways of disclosure."""


def beyond_words(promise: ConfidentialPromise) -> str:
    """Return what is promised of confidential columns.

    Examples
    --------
    >>> print(beyond_words(ConfidentialPromise(("age",), ("ill",), "l_diversity", 2)))
    among records with the same quasi-identifiers, ill has at least 2 different values (l-diversity)
    """
    names = ", ".join(map(quoted_name, promise.confidential))
    verb = "has" if len(promise.confidential) == 1 else "each have"
    start = f"among records with the same quasi-identifiers, {names} {verb}"
    if promise.what == "t_closeness":
        return (
            f"{start} values that are at most {promise.limit:g} from those of all records "
            f"({promise.name})"
        )
    return f"{start} at least {promise.limit:g} different values ({promise.name})"


def found_words(promise: ConfidentialPromise, value: float) -> str:
    """Return what was counted, rounded to the side that promises less."""
    return f"{value:.4f}" if promise.what == "t_closeness" else f"{value:g}"


def beside_means(
    original: Any, released: Any, part: Partition, keys: tuple[str, ...]
) -> list[tuple[str, str]]:
    """Return loss and risk of synthetic records next to those of the means of the same groups."""
    frame = Frame(original)
    means = frame.with_columns({name: group_means(frame.numbers(name), part) for name in keys})
    found = [
        {f.measure.name: f.value for f in evaluate(pair_of(original, data, keys), COMPARED)}
        for data in (released, means)
    ]
    rows = []
    for name in COMPARED:
        synthetic, plain = (values[name] for values in found)
        if synthetic is not None and plain is not None:
            unit = find(name).unit
            said = (f"{value:.2f} {unit}".strip() for value in (synthetic, plain))
            rows.append((f"{name}: synthetic / means", " / ".join(said)))
    return rows
