"""The registry of measures.

A measure is a function ``(pair) -> float`` in a separate file, with one decorator that describes
the number. The command line, the report and the table in the documentation are derived from it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Literal

from microagg.budget import CLOCK
from microagg.errors import ParameterError, shown, unknown_name
from microagg.lazy import import_all
from microagg.measure.pair import Pair
from microagg.measure.side_by_side import MANY, OneShown, side_by_side
from microagg.renamed import OLD_MEASURES
from microagg.reporter import Reporter
from microagg.threads import workers

Function = Callable[[Pair], float]
Kind = Literal["loss", "risk", "anonymity", "score"]

Counted = Literal["keys", "numbers", "categories"]

KINDS: tuple[Kind, ...] = ("loss", "risk", "anonymity", "score")

LAST = 99
"""The priority of a measure that declares none."""


class NotApplicable(Exception):
    """A measure has no value for this pair of files; the message states the reason."""


@dataclass(frozen=True)
class Measure:
    """A registered measure and its description.

    Attributes
    ----------
    name, title, summary : str
        The name to type, the title to display, and one line that completes "It is ...".
    kind : {"loss", "risk", "anonymity", "score"}
        What it measures.
    formula, source : str
        Its formula, and its publication.
    low, high : float
        The range of its values.
    better : {"lower", "higher"}
        Which values are better.
    unit : str
        "%" or nothing.
    counts : {"keys", "numbers", "categories"}
        The columns that it covers: all keys, or only those with numbers or categories.
    any_order : bool
        Whether it does not depend on the order of the released rows.
    compares_values : bool
        Whether it compares released values with original ones.
    sums : bool
        Whether it follows from sums and counts over all records, so that it is computed exactly for files
        larger than memory; other measures are estimated from a sample there.
    priority : int
        Its position among the measures of its kind; the smallest comes first.
    head : str
        The heading of its column in a comparison of settings; empty if it is not compared.
    share_of_records : bool
        Whether it is a share of the records, from which a count of records follows.
    parts : tuple of str
        The measures from which it is computed, and which its value may reveal.
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

        `matched` means that rows are in the order of the original, `foreign` that the release has
        categories that the original does not have.
        """
        return (foreign and self.compares_values) or not (matched or self.any_order)

    def left_out(self, pair: Pair) -> str:
        """Return a remark if the measure does not cover all keys, otherwise nothing."""
        counted = _counted(pair, self.counts)
        if counted == len(pair.columns):
            return ""
        kind = "categorical" if self.counts == "categories" else "numeric"
        return f"only {kind} columns: {counted} of {len(pair.columns)} quasi-identifiers"


@dataclass(frozen=True)
class Finding:
    """The result of a measure: a value with remarks, or the reason why there is none."""

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
    """Register the decorated function as the measure `name`; its value is stored in the pair.

    It is not computed for pairs with fewer than `fewest` of the columns that it covers. Percentages of
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
            with pair.locks.of(f"measure {name}"):
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
    """Raise if the pair has too few of the columns that the measure covers."""
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
    """Return the measures by which settings are compared.

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
            f"The measure {shown(name)} no longer exists.",
            hint=f"It is now called {OLD_MEASURES[name]}.",
        )
    raise unknown_name("measure", name, _MEASURES)


def evaluate(
    pair: Pair, names: str | Iterable[str] | None = None, progress: Reporter | None = None
) -> tuple[Finding, ...]:
    """Compute the named measures, or all; a measure without a value has a reason."""
    names = [names] if isinstance(names, str) else names
    chosen = measures() if names is None else tuple(find(name) for name in names)
    pair.progress = progress or pair.progress
    if workers() < 2 or len(chosen) < 2 or pair.n < MANY:
        return tuple(_finding(pair, one, one.name) for one in chosen)
    return _side_by_side(pair, chosen)


def _side_by_side(pair: Pair, chosen: Sequence[Measure]) -> tuple[Finding, ...]:
    """Compute measures in several threads; measures of different kinds take turns to begin."""
    kinds = [one.kind for one in chosen]
    turns = sorted(range(len(chosen)), key=lambda at: kinds[:at].count(kinds[at]))
    whole, shown = pair.progress, OneShown(pair.progress)
    pair.progress = shown
    try:
        with _compiling_shown(whole, "measures"):
            findings = side_by_side(lambda at: _finding(pair, chosen[at]), turns, shown)
    finally:
        pair.progress = whole
    in_turn = dict(zip(turns, findings, strict=True))
    return tuple(in_turn[at] for at in range(len(chosen)))


def _finding(pair: Pair, one: Measure, compiling: str = "") -> Finding:
    """Compute a measure, and show what is compiled for it under the name `compiling`, if there is one."""
    showing = _compiling_shown(pair.progress, compiling) if compiling else nullcontext()
    try:
        with showing:
            value = one.function(pair)
    except NotApplicable as why:
        return Finding(one, None, str(why))
    notes = filter(None, (one.left_out(pair), pair.notes.get(one.name)))
    parts = tuple(Finding(find(part), pair.measured.get(part)) for part in one.parts)
    return Finding(one, value, note="; ".join(notes), parts=parts)


@contextmanager
def _compiling_shown(progress: Reporter, part: str) -> Iterator[None]:
    """Show the progress of compiling during a measure."""
    compiled = CLOCK.compiled
    try:
        with CLOCK.notifying(partial(progress.compiling, part)):
            yield
    finally:
        if CLOCK.compiled > compiled:
            progress.compiled()
