"""How files of delimited text are read: the options of every command that reads one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from microagg.constraints import IsText
from microagg.declare import checked, option, recorded
from microagg.values import FLAG, One, Texts


@dataclass(frozen=True)
class Reading:
    """How a file of delimited text is read.

    Examples
    --------
    >>> Reading.create(separator=";", decimal=",").form()
    {'separator': ';', 'decimal': ','}
    """

    separator: str | None = option(
        IsText(),
        "The character between the fields of a CSV file; detected by default.",
        "Text files",
        default=None,
    )
    encoding: str | None = option(
        IsText(),
        "The encoding of a text file, such as latin-1; utf-8 by default.",
        "Text files",
        default=None,
    )
    decimal: str | None = option(
        IsText(),
        "The decimal mark of a CSV file: a point (the default) or a comma.",
        "Text files",
        default=None,
    )
    numeric_names: bool = option(
        One(FLAG),
        "Allow numbers, such as 2019, as column names of a CSV file.",
        "Text files",
        default=False,
    )
    blank: tuple[str, ...] = option(
        Texts("a text"),
        "A code that means missing in the quasi-identifiers of a CSV file, such as ?.",
        "Text files",
        default=None,
    )

    @classmethod
    def create(cls, caller: str = "read_file", **values: Any) -> Reading:
        """Return how to read, checked as far as possible without the file."""
        return cls(**checked(cls, values, caller))

    def form(self) -> dict[str, Any]:
        """Return the arguments of `read_file` that are not defaults."""
        return {name: value for name, value in recorded(self).items() if name != "blank"}

    def as_dict(self) -> dict[str, Any]:
        """Return the values that are not defaults, for JSON."""
        return recorded(self)
