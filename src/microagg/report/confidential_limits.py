"""Sentences about promises other than k, and about synthetic records compared with means."""

from __future__ import annotations

from microagg.aggregate.mean import group_means
from microagg.errors import quoted_name
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.diversity.promise import ConfidentialPromise
from microagg.measure.pair import Pair
from microagg.measure.registry import compared_measures, evaluate
from microagg.partition.partition import Partition
from microagg.pipeline.outcome import CheckedLimit, CheckedUnits
from microagg.report.audience import Audience
from microagg.report.findings import value_text


def beyond_words(promise: ConfidentialPromise) -> str:
    """Return the promise about confidential columns in words.

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
            f"{start} a distribution at a distance of at most {promise.limit:g} from that of all records "
            f"({promise.name})"
        )
    return f"{start} at least {promise.limit:g} different values ({promise.name})"


def units_words(units: CheckedUnits) -> str:
    """Return the promise about units in words."""
    promise = units.promise
    return (
        f"each combination of quasi-identifiers belongs to at least {promise.k} of the "
        f"{promise.count:,} units (different values of {quoted_name(promise.unit)})"
    )


def counted_words(limit: CheckedLimit) -> str:
    """Return the count, rounded to the weaker side."""
    value = limit.achieved
    return f"{value:.4f}" if limit.promise.what == "t_closeness" else f"{value:g}"


def beside_means(pair: Pair, part: Partition, audience: Audience) -> list[tuple[str, str]]:
    """Return the loss and risk of synthetic records and of the means of the same groups."""
    means = {name: group_means(column.values, part) for name, column in pair.columns.items()}
    frame = pair.after.frame.with_columns(means)
    plain = pair.with_values(means, EquivalenceClasses(frame))
    names = [one.name for one in compared_measures()]
    return [
        (
            f"{ours.measure.name}: synthetic / means",
            " / ".join(audience.finding(f, pair.n, value_text(f)) for f in (ours, theirs)),
        )
        for ours, theirs in zip(evaluate(pair, names), evaluate(plain, names), strict=True)
        if ours.value is not None and theirs.value is not None
    ]
