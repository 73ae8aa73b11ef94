"""What the reader of a release must know, in words."""

from __future__ import annotations

from collections.abc import Mapping

from microagg.errors import quoted_name
from microagg.measure.anonymity import anonymity_of
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.exposure import Exposure
from microagg.settings import Settings


def interrupted(*, promised: bool) -> str:
    """Return the caution that is due when Ctrl-C ended the search."""
    if not promised:
        return (
            "The search was stopped by Ctrl-C; the values are those found by then, and the loss "
            "could be lower."
        )
    return (
        "The search was stopped by Ctrl-C; the groups are the best found by then. k holds; the loss "
        "could be lower."
    )


def one_group(n_groups: int, rules: Mapping[str, str]) -> tuple[str, ...]:
    """Return the caution that is due where a single group has all records."""
    if n_groups > 1:
        return ()
    left = "the mean" if set(rules.values()) <= {"mean"} else "one value of each column"
    return (f"All records are in one group; nothing but {left} is left.",)


def crossed_strata(classes: EquivalenceClasses, settings: Settings) -> tuple[str, ...]:
    """Return what columns of joined strata, which are released as they are, say of people."""
    roles = settings.schema
    kept = [
        name
        for name in settings.strata
        if roles.role(name) not in ("identifier", "quasi-identifier")
    ]
    if not kept:
        return ()
    k = anonymity_of(classes, (*roles.quasi_identifiers, *kept)).k
    listed = ", ".join(map(quoted_name, kept))
    alone = f": {listed} can single people out" if k < settings.k else ""
    return (
        f"Groups cross {listed}, which stays as it is. Counted over the quasi-identifiers together "
        f"with {listed}, k = {k}{alone}.",
    )


def exposed(exposure: Exposure) -> tuple[str, ...]:
    """Return the caution that is due where unchanged columns single records out.

    Examples
    --------
    >>> found = Exposure(("city",), records=200, k=5, below_k=40, by_column={"city": 40})
    >>> exposed(found)[0].split(";")[0]
    'Together with the unchanged columns, 40 of 200 records are in classes of fewer than k = 5'
    """
    if not exposure.below_k:
        return ()
    listed = ", ".join(map(quoted_name, exposure.worst))
    verb = "is" if len(exposure.worst) == 1 else "are"
    worst = f"; the worst {verb} {listed}" if listed else ""
    return (
        f"Together with the unchanged columns, {exposure.below_k:,} of {exposure.records:,} records "
        f"are in classes of fewer than k = {exposure.k}{worst}. If others may know such a column, "
        "make it a quasi-identifier.",
    )
