"""What files larger than memory do not take, and why: for errors and for the documentation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Refusal:
    """Options, or values of options, that need the whole table in memory.

    Attributes
    ----------
    what : str
        As the documentation names it.
    reason : str
        Why, as the end of a sentence.
    options : tuple of str
        Options that are refused whatever their value.
    values : mapping of str to object
        Values that are refused, by option.
    """

    what: str
    reason: str
    options: tuple[str, ...] = ()
    values: dict[str, Any] = field(default_factory=dict)


REFUSED = (
    Refusal(
        "methods other than `auto` and `blocks`",
        "all records are needed at once; `--set within=` chooses the method inside the blocks",
    ),
    Refusal(
        "`refine`",
        "blocks and the groups near their borders are always refined by `swap-shift`",
        ("refine",),
    ),
    Refusal(
        "`columns`, `segments`",
        "blocks are cut by all quasi-identifiers; grouping by some of them is not implemented",
        ("columns", "segments"),
    ),
    Refusal("`engine`", "blocks are grouped on the processors of each worker", ("engine",)),
    Refusal("`distance`", "Gower's distance needs the median of each column", ("distance",)),
    Refusal("`index`", "files have no pandas index", ("index",)),
    Refusal(
        '`missing="impute"`',
        "a median needs all values of a column at once",
        values={"missing": "impute"},
    ),
    Refusal(
        '`aggregate="hybrid"`',
        "synthetic records are drawn for all groups in turn",
        values={"aggregate": "hybrid"},
    ),
    Refusal(
        "`--target`",
        "models are fitted to all records at once",
        ("target",),
    ),
    Refusal(
        "`--report-data`",
        "the report of a large release is written only as an HTML page",
        ("report_data",),
    ),
    Refusal(
        "`--spend-again`",
        "releases of large files are grouped, and are not differentially private",
        ("spend_again",),
    ),
    Refusal(
        "`l_diversity` or `unit`, if similar records have too few values or units",
        "a block that cannot satisfy the limit is merged with its neighbour, and the merged block does "
        "not fit into memory",
    ),
    Refusal(
        "a column with more than 1,000,000 categories, or as many confidential values under a limit",
        "they are kept in memory",
    ),
)


def reason_for(option: str) -> str | None:
    """Return why an option is refused whatever its value; None if it is not.

    Examples
    --------
    >>> reason_for("index")
    'files have no pandas index'
    """
    return next((each.reason for each in REFUSED if option in each.options), None)


def reason_for_value(option: str, value: object) -> str | None:
    """Return why a value of an option is refused; None if it is not."""
    own = (each for each in REFUSED if option in each.values)
    return next((each.reason for each in own if each.values[option] == value), None)
