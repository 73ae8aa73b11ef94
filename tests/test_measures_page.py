"""docs/measures.md says what the code says."""

import importlib.util
from pathlib import Path

from microagg.measure.registry import measures

DOCS = Path(__file__).parents[1] / "docs"


def test_the_page_is_up_to_date():
    spec = importlib.util.spec_from_file_location("docs_measures", DOCS / "measures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    written = (DOCS / "measures.md").read_text(encoding="utf-8")
    assert written == module.page(), "run `python docs/measures.py`"
    assert all(f"| `{one.name}` |" in written for one in measures())
