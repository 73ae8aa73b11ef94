"""The paragraph of the README that quotes figures, written from docs/figures.json."""

from __future__ import annotations

import json
import re
from pathlib import Path

DOCS = Path(__file__).parent
BLOCK = re.compile(r"(<!-- figures: quality -->\n).*?(<!-- end of figures -->)", re.DOTALL)


def readme() -> str:
    """Return the README with the latest figures."""
    figures = json.loads((DOCS / "figures.json").read_text(encoding="utf-8"))["diabetes"]
    words = (
        f"On these records, with k = {figures['k']}, MDAV loses {figures['mdav']:.1f} % of the "
        f"information and the default loses {figures['auto']:.1f} %. In {figures['seconds']} s, `best` "
        f"finds groups that lose {figures['best']:.1f} % and proves that no grouping can lose less than "
        f"{figures['bound']:.1f} %.\n"
    )
    text = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    return BLOCK.sub(lambda block: block[1] + words + block[2], text)
