"""The types in which the files of a folder store their columns, and the common ones.

Values of different types would be compared by their bits: 7 and 7.0 would be two units.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from microagg.data.arrow_types import extension_name
from microagg.data.common_type import common_type
from microagg.data.layouts import plain_type
from microagg.data.remote import FilePath
from microagg.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

SAME_TYPES = "Write the files with the same types."


class TypesOfParts:
    """The different types of each column, by name.

    Parameters
    ----------
    source : path
        The folder, for messages.
    removed : collection of str
        Columns whose types do not matter.
    """

    def __init__(self, source: FilePath, removed: Collection[str] = ()) -> None:
        self._source, self._removed = source, removed
        self._types: dict[str, dict[tuple[str, Any], None]] = {}

    def add(self, schema: pa.Schema | None) -> None:
        """Take note of the types of a file; None for text, which has no types."""
        for own in () if schema is None else schema:
            kind = (extension_name(own), plain_type(own.type))
            self._types.setdefault(own.name, {})[kind] = None

    def common(self) -> dict[str, Any]:
        """Return the common type of each column that has several, or raise where there is none."""
        several = {
            name: list(kinds)
            for name, kinds in self._types.items()
            if len(kinds) > 1 and name not in self._removed
        }
        return {name: self._common(name, kinds) for name, kinds in several.items()}

    def _common(self, name: str, kinds: list[tuple[str, Any]]) -> Any:
        same_extension = len({extension for extension, _ in kinds}) == 1
        common = common_type([kind for _, kind in kinds]) if same_extension else None
        if common is None:
            one, two = (extension or kind for extension, kind in kinds[:2])
            raise DataError(
                f"Column '{name}' has the type {one} in one file of '{self._source}' and {two} in "
                "another. Their values cannot be compared.",
                hint=SAME_TYPES,
            )
        return common
