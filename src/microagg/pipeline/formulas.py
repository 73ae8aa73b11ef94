"""Formulas: released text that a spreadsheet program could run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from microagg.data.categories import is_text
from microagg.data.frames import Frame
from microagg.errors import DataError, quoted_name

_SIGN = "[-+\uff0b\uff0d]"
FORMULA = f"^[\\s\u200b\ufeff]*(?:[=@\uff1d\uff20]|{_SIGN}\\s*[A-Za-z(]|{_SIGN}.*[(!|])"
"""Text that spreadsheets interpret as a formula, including full-width signs and invisible characters."""


def formulas(columns: Sequence[str]) -> tuple[str, ...]:
    """Return a caution if a spreadsheet could run text of some columns as formulas.

    Examples
    --------
    >>> formulas(["note"])[0].split(".")[0]
    'Spreadsheet programs may run text in these columns as formulas: note'
    """
    if not columns:
        return ()
    listed = ", ".join(map(quoted_name, columns))
    return (
        f"Spreadsheet programs may run text in these columns as formulas: {listed}. The text is "
        "released unchanged: tell recipients to import it as text.",
    )


def columns_with_formulas(frame: Frame) -> list[str]:
    """Return the columns whose name or text a spreadsheet could run as a formula.

    Examples
    --------
    >>> import pyarrow as pa
    >>> columns_with_formulas(Frame(pa.table({"note": ["=1+1", "none"], "pay": ["-1.5", "+2"]})))
    ['note']
    """
    return [
        name for name in frame.names if re.match(FORMULA, str(name)) or _holds_formulas(frame, name)
    ]


def _holds_formulas(frame: Frame, name: str) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        column = frame.arrow(name)
        kind = column.type
        if not is_text(kind.value_type if pa.types.is_dictionary(kind) else kind):
            return False
        texts = pc.unique(column)
    except (DataError, pa.ArrowNotImplementedError):  # a type that cannot be compared is no text
        return False
    if pa.types.is_dictionary(texts.type):
        texts = texts.dictionary
    return bool(pc.any(pc.match_substring_regex(texts, FORMULA)).as_py())
