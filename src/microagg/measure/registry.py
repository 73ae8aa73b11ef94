"""Where measures are registered and found by name.

A measure is a function ``(pair) -> float`` in a file of its own, with one decorator that says what
the number means. The command line, the report and the documentation's table follow from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import wraps
from typing import Literal

from microagg.errors import ParameterError, shown, unknown_name
from microagg.lazy import import_all
from microagg.measure.pair import Pair
from microagg.renamed import OLD_MEASURES
from microagg.reporter import Reporter

Function = Callable[[Pair], float]
Kind = Literal["loss", "risk", "anonymity", "score"]

Counted = Literal["keys", "numbers", "categories"]

KINDS: tuple[Kind, ...] = ("loss", "risk", "anonymity", "score")

LAST = 99
"""The place of a measure that names none."""


class NotApplicable(Exception):
    """A measure has no value for this pair of files, for the reason given."""


@dataclass(frozen=True)
class Measure:
    """A registered measure and what its number means.

    Attributes
    ----------
    name, title, summary : str
        What a user types, what a person reads, and one line that completes "It is ...".
    kind : {"loss", "risk", "anonymity", "score"}
        What it judges.
    formula, source : str
        How it is computed, and where it is published.
    low, high : float
        The range of its values.
    better : {"lower", "higher"}
        Which direction is good.
    unit : str
        "%" or nothing.
    counts : {"keys", "numbers", "categories"}
        Which columns it looks at: all keys, or those of numbers or categories alone.
    any_order : bool
        Whether it is the same whatever the order of the released rows.
    compares_values : bool
        Whether it compares released values with those of the original.
    sums : bool
        Whether sums and counts over all records give it, so that files larger than memory have it
        exactly; others are estimated there from a sample.
    priority : int
        Its place among those of its kind, the smallest first; those without one come last.
    head : str
        What its column is called in a comparison of settings; empty where it is not compared.
    share_of_records : bool
        Whether it is a share of the records, which anyone can turn into a count of them.
    parts : tuple of str
        The measures that it is computed from, which its value may reveal.
    """

    name: str
    title: str
    kind: Kind
    summary: str
    formula: str
    source: str
    low: float
    high: float
    better: Literal["lower", "higher"]
    unit: str = "%"
    counts: Counted = "keys"
    any_order: bool = False
    compares_values: bool = True
    sums: bool = False
    priority: int = LAST
    head: str = ""
    share_of_records: bool = False
    parts: tuple[str, ...] = ()
    function: Function = field(repr=False, default=lambda pair: math.nan)

    @property
    def direction(self) -> str:
        """Which direction is better, in words."""
        return f"{self.better} is better"

    @property
    def range(self) -> str:
        """The range of its values, in words.

        Examples
        --------
        >>> find("linkage").range, find("k").range
        ('0 to 100 %', '1 and above')
        """
        if math.isinf(self.high):
            return f"{self.low:g} and above"
        return f"{self.low:g} to {self.high:g} {self.unit}".rstrip()

    def doubted(self, *, matched: bool, foreign: bool) -> bool:
        """Return whether a value is in doubt.

        `matched` says that rows are in the order of the original, `foreign` that the release has
        categories which the original does not have.
        """
        return (foreign and self.compares_values) or not (matched or self.any_order)

    def left_out(self, pair: Pair) -> str:
        """Return which of several keys it does not look at, in words, or nothing."""
        counted = _counted(pair, self.counts)
        if counted == len(pair.columns):
            return ""
        return f"only columns of {self.counts}: {counted} of {len(pair.columns)} quasi-identifiers"


@dataclass(frozen=True)
class Finding:
    """What was measured: a value and what to know of it, or the reason why there is none."""

    measure: Measure
    value: float | None
    reason: str = ""
    note: str = ""
    doubtful: bool = False
    parts: tuple[Finding, ...] = ()


_MEASURES: dict[str, Measure] = {}


def measure(
    name: str,
    title: str,
    *,
    kind: Kind,
    summary: str,
    formula: str,
    source: str,
    high: float = 100.0,
    low: float = 0.0,
    better: Literal["lower", "higher"] = "lower",
    unit: str = "%",
    counts: Counted = "keys",
    fewest: int = 1,
    any_order: bool = False,
    compares_values: bool = True,
    sums: bool = False,
    priority: int = LAST,
    head: str = "",
    share_of_records: bool | None = None,
    parts: tuple[str, ...] = (),
) -> Callable[[Function], Function]:
    """Register the decorated function as the measure `name`; a pair keeps its value.

    It is not asked of a pair with fewer than `fewest` columns of those that it counts. Percentages of
    the kinds risk and anonymity are shares of records unless `share_of_records` says otherwise.
    """

    def register(function: Function) -> Function:
        if name in _MEASURES:
            raise ParameterError(
                f"A measure called {name!r} exists already.", hint="Choose another name."
            )

        @wraps(function)
        def remembered(pair: Pair) -> float:
            if name in pair.not_applicable:
                raise NotApplicable(pair.not_applicable[name])
            if name not in pair.measured:
                _require(pair, counts, fewest)
                pair.measured[name] = float(function(pair))
            return pair.measured[name]

        about = (name, title, kind, summary, formula, source, low, high, better, unit)
        counting = unit == "%" and kind in ("risk", "anonymity")
        shares = counting if share_of_records is None else share_of_records
        traits = (counts, any_order, compares_values, sums, priority, head, shares, parts)
        _MEASURES[name] = Measure(*about, *traits, remembered)
        return remembered

    return register


def _counted(pair: Pair, counts: Counted) -> int:
    numbers = len(pair.names)
    return {
        "keys": len(pair.columns),
        "numbers": numbers,
        "categories": len(pair.columns) - numbers,
    }[counts]


def _require(pair: Pair, counts: Counted, fewest: int) -> None:
    """Say that there is no answer when there are too few columns of those that count."""
    if _counted(pair, counts) >= fewest:
        return
    number = _NUMBERS.get(fewest, str(fewest))
    if counts == "keys":
        raise NotApplicable(f"there are fewer than {number} quasi-identifiers")
    if fewest == 1:
        raise NotApplicable(f"no quasi-identifier contains {counts}")
    raise NotApplicable(f"fewer than {number} quasi-identifiers contain {counts}")


_NUMBERS = {2: "two", 3: "three", 4: "four"}


def measures() -> tuple[Measure, ...]:
    """Return every measure, by kind, priority and name.

    Examples
    --------
    >>> [m.name for m in measures() if m.kind == "score"]
    ['score']
    """
    import_all("microagg.measure")
    return tuple(
        sorted(_MEASURES.values(), key=lambda m: (KINDS.index(m.kind), m.priority, m.name))
    )


def compared_measures() -> tuple[Measure, ...]:
    """Return the measures that settings are compared by.

    Examples
    --------
    >>> [m.name for m in compared_measures() if m.kind == "loss"]
    ['il', 'g-il', 'error-correlations']
    """
    return tuple(one for one in measures() if one.head)


def find(name: str) -> Measure:
    """Return the measure called `name`."""
    import_all("microagg.measure")
    if name in _MEASURES:
        return _MEASURES[name]
    if name in OLD_MEASURES:
        raise ParameterError(
            f"There is no measure {shown(name)} any more.",
            hint=f"It is now called {OLD_MEASURES[name]}.",
        )
    raise unknown_name("measure", name, _MEASURES)


def evaluate(
    pair: Pair, names: str | Iterable[str] | None = None, progress: Reporter | None = None
) -> tuple[Finding, ...]:
    """Compute the measures called `names`, or all, with the reason where one has no value."""
    names = [names] if isinstance(names, str) else names
    chosen = measures() if names is None else tuple(find(name) for name in names)
    pair.progress = progress or pair.progress
    findings = []
    for one in chosen:
        try:
            value = one.function(pair)
            notes = filter(None, (one.left_out(pair), pair.notes.get(one.name)))
            parts = tuple(Finding(find(part), pair.measured.get(part)) for part in one.parts)
            findings.append(Finding(one, value, note="; ".join(notes), parts=parts))
        except NotApplicable as why:
            findings.append(Finding(one, None, str(why)))
    return tuple(findings)
