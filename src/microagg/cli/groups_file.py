"""The groups file of a release: the group of each record, and its row in the original."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from microagg.data.files import read_file
from microagg.errors import DataError
from microagg.pipeline.left_out import ORIGINAL_ROW
from microagg.typing import Rows

_WHICH_FILE = "Use the file NAME.groups.csv that `microagg protect` wrote."


@dataclass(frozen=True, eq=False)
class GroupsFile:
    """The groups of released records, in the order of the release.

    Attributes
    ----------
    labels : array
        The group of each record.
    rows : int64[m], optional
        The row of each record in the original, from 0; None if no record was left out.
    """

    labels: np.ndarray[Any, Any]
    rows: Rows | None

    @classmethod
    def read(cls, file: Path, n: int, released: int | None = None) -> GroupsFile:
        """Read a file about an original of n records, or raise if it is about another.

        `released` is the number of records of the release, where it is known.
        """
        table = read_file(file)
        if not {"row", "group"} <= set(table.column_names):
            raise DataError(f"'{file}' has no columns 'row' and 'group'.", hint=_WHICH_FILE)
        order = np.argsort(rows := table["row"].to_numpy(), kind="stable")
        labels = table["group"].to_numpy()[order]
        if ORIGINAL_ROW not in table.column_names:
            if not np.array_equal(rows[order], np.arange(1, n + 1)):
                raise DataError(f"'{file}' does not name each of the rows 1 to {n} once.")
            return cls(labels, None)
        kept = table[ORIGINAL_ROW].to_numpy()[order]
        in_turn = np.array_equal(rows[order], np.arange(1, rows.size + 1))
        if released is not None and rows.size != released:
            raise DataError(
                f"'{file}' has {rows.size:,} records, but the release has {released:,}.",
                hint="Use the groups file of this release, with its original.",
            )
        if not in_turn or kept.dtype.kind != "i" or not _are_rows(kept, n):
            raise DataError(
                f"'{file}' does not name different rows from 1 to {n} of the original.",
                hint="Use the groups file of this release, with its original.",
            )
        return cls(labels, kept.astype(np.int64) - 1)


def _are_rows(rows: np.ndarray[Any, Any], n: int) -> bool:
    """Tell whether rows are different, and from 1 to n."""
    return (
        rows.size > 0 and rows.min() >= 1 and rows.max() <= n and np.unique(rows).size == rows.size
    )
