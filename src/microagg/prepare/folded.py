"""Text that only looks different: case, spaces, Unicode forms and characters that nobody sees."""

from __future__ import annotations

import unicodedata


def folded(text: str) -> str:
    r"""Return a text as people tell texts apart.

    Examples
    --------
    >>> folded(" P\u200b1 ") == folded("p1"), folded("a  b") == folded("A\u00a0b")
    (True, True)
    """
    plain = unicodedata.normalize("NFKC", text)
    seen = "".join(c for c in plain if unicodedata.category(c) != "Cf")
    return unicodedata.normalize("NFKC", " ".join(seen.split()).casefold())
