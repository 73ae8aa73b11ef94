"""Facts as JSON, for files and for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def to_json(values: Mapping[str, Any] | list[Any], *, ascii_only: bool = False) -> str:
    """Return facts as text; NumPy's numbers and arrays become plain ones.

    Examples
    --------
    >>> print(to_json({"k": 5}), end="")
    {
      "k": 5
    }
    """
    text = json.dumps(values, indent=2, ensure_ascii=ascii_only, allow_nan=False, default=_plain)
    return f"{text}\n"


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)
