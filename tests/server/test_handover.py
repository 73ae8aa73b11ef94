"""What is handed over for a run: the names in it are text."""

import json

from microagg.server import handover


def test_the_name_of_a_file_is_no_markup_in_a_notebook():
    name = "![](\\\\example.org\\x.png).csv"
    words = json.loads(handover.notebook(name, ["pass"]))["cells"][0]["source"]
    assert [line for line in words if "![](" in line] == [f"    {name!r}\n"]
