"""The comparisons with other tools: what the guides print is in the results."""

import re

import pandas as pd
import pytest

from benchmarks.peers import arx, guide, mu_argus, sdcmicro


@pytest.mark.parametrize(
    ("page", "module"),
    [("from-arx.md", arx), ("from-mu-argus.md", mu_argus), ("from-sdcmicro.md", sdcmicro)],
)
def test_the_table_of_a_guide_is_that_of_the_results(page, module):
    text = (guide.GUIDES / page).read_text(encoding="utf-8")
    table = guide.lines(module.RESULTS, module.NAMES)
    assert len(table) == 2 + len(module.CASES) * len(guide.KS)
    assert "\n".join(["", *table, ""]) in text


def test_the_guide_to_arx_quotes_the_program_that_was_run():
    text = (guide.GUIDES / "from-arx.md").read_text(encoding="utf-8")
    (quoted,) = re.findall(r"^```java\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    program = (arx.HERE / "Microaggregate.java").read_text(encoding="utf-8").splitlines()
    lines = [line.strip() for line in quoted.splitlines() if line.strip()]
    assert len(lines) >= 8
    assert set(lines) <= {line.strip() for line in program}


def test_k_held_in_every_release_that_was_compared():
    for module in (arx, mu_argus, sdcmicro):
        results = pd.read_csv(module.RESULTS)
        assert (results["k_counted"] >= results["k"]).all()


def test_a_hierarchy_for_arx_has_nested_levels():
    rows = arx.hierarchy(pd.Series([3.0, 1.0, 2.0, 2.0, 9.0]))
    assert [row[0] for row in rows] == ["1.0", "2.0", "3.0", "9.0"]
    assert {row[-1] for row in rows} == {"*"}
    for finer in range(1, len(rows[0]) - 1):
        groups = {row[finer]: row[finer + 1] for row in rows}
        assert all(groups[row[finer]] == row[finer + 1] for row in rows)
