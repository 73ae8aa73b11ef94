"""How a search ended is told: in the summary, in the report, and before it is repeated."""

import json

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.budget import Stop
from microagg.partition.grouping import Facts
from microagg.pipeline.ending import ending_of
from microagg.provenance import difference, not_repeatable
from microagg.report.ending import ending_words
from microagg.reporter import Reporter

TABLE = pd.DataFrame(np.random.default_rng(0).normal(size=(120, 3)), columns=list("abc"))
SAID = "The search was stopped by Ctrl-C. The groups are the best found so far: k holds, but"


class InterruptedSearch(Reporter):
    """As if Ctrl-C came at the first look at the search."""

    struck = False

    def begin(self, what, total):
        self.now = what

    def reach(self, done):
        if self.now == "Searching" and not self.struck:
            self.struck = True
            raise KeyboardInterrupt


def protect(**options):
    return ma.protect(TABLE, k=3, quasi_identifiers=list("abc"), **options)


def interrupted(**options):
    with pytest.warns(ma.MicroaggWarning, match="stopped by Ctrl-C"):
        return protect(
            method="lns",
            parameters={"max_iterations": 10**9},
            progress=InterruptedSearch(),
            **options,
        )


def test_an_interrupt_is_told_everywhere(tmp_path):
    release = interrupted()
    summary = release.summary()
    assert summary.startswith(f"CAUTION: {SAID} a longer search could have lost less.\n")
    assert "\nStopped: Ctrl-C " in summary
    assert release.partition.facts.stopped is Stop.INTERRUPTED
    release.write({"report": tmp_path / "r.html"}, original=TABLE)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert page.index("<h2>Cautions") < page.index(SAID) < page.index("<svg")


def test_an_interrupt_in_a_stratum_or_a_segment_is_told():
    frame = TABLE.assign(s=["x", "y"] * 60)
    with pytest.warns(ma.MicroaggWarning):
        strata = ma.protect(
            frame, k=3, quasi_identifiers=list("abc"), strata="s", method="lns",
            parameters={"time_limit": 0.5}, progress=InterruptedSearch(),
        )  # fmt: skip
    assert SAID in strata.summary()
    assert strata.partition.facts.stopped is Stop.INTERRUPTED
    with pytest.warns(ma.MicroaggWarning):
        apart = protect(
            segments=[["a", "b"], ["c"]], method="lns", parameters={"time_limit": 0.5},
            progress=InterruptedSearch(),
        )  # fmt: skip
    assert SAID in apart.summary()


def test_a_time_limit_is_told_with_how_far_it_came():
    summary = protect(method="genetic", parameters={"time_limit": 0}).summary()
    assert "\nStopped: time limit (0 s) within the first generation.\n" in summary
    assert "CAUTION" not in summary
    assert "Stopped" not in protect(method="mdav").summary()
    by_stratum = ma.protect(
        TABLE.assign(s=["x", "y"] * 60), k=3, quasi_identifiers=list("abc"), strata="s",
        method="lns", parameters={"time_limit": 0},
    )  # fmt: skip
    assert "Stopped: time limit (0 s)." in by_stratum.summary()


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (Facts(stopped=Stop.INTERRUPTED, steps=1), "Stopped: Ctrl-C after 1 step."),
        (Facts(stopped=Stop.TIME_LIMIT, generations=2500), "Stopped: time limit after 2,500 gen"),
        (Facts(stopped=Stop.LOSS_STAYS, cycles=3), ""),
        (Facts(), ""),
    ],
)
def test_the_words(facts, words):
    assert ending_words(ending_of([facts])).startswith(words)
    assert bool(words) == bool(ending_words(ending_of([facts])))


def test_arguments_of_what_was_cut_short_are_read_with_a_warning(tmp_path):
    paths = protect(method="lns", parameters={"time_limit": 0}).save(tmp_path)
    with pytest.warns(
        ma.MicroaggWarning, match="stopped by its time limit, so it cannot be reproduced exactly"
    ):
        ma.read_arguments(paths["provenance"])


@pytest.mark.parametrize(
    "options",
    [
        {"method": "best", "parameters": {"time_limit": 60, "gap": 0.9}},
        {
            "method": "best",
            "parameters": {"time_limit": 60, "gap": 0.9},
            "segments": [["a", "b"], ["c"]],
        },
        {"method": "lns", "parameters": {"time_limit": 60, "max_iterations": 100}},
    ],
)
def test_a_search_within_time_that_was_left_depends_on_the_clock(tmp_path, options):
    release = protect(**options)
    assert release.outcome.ending.stopped is None
    with pytest.warns(ma.MicroaggWarning, match="had a time limit, so it cannot"):
        ma.read_arguments(release.save(tmp_path)["provenance"])


def test_the_clock_of_a_stratum_counts():
    frame = TABLE.assign(s=["x", "y"] * 60)
    release = ma.protect(
        frame,
        k=3,
        quasi_identifiers=list("abc"),
        strata="s",
        method="best",
        parameters={"time_limit": 60, "gap": 0.9},
    )
    assert "had a time limit" in not_repeatable(release.outcome.ending)


@pytest.mark.parametrize(
    "options",
    [
        {"parameters": {"max_iterations": 100}},
        {
            "method": "best",
            "parameters": {"max_iterations": 1, "gap": 0.9, "time_limit": None},
        },
    ],
)
def test_what_ends_by_itself_can_be_made_again(options):
    release = protect(**{"method": "lns", **options})
    assert not_repeatable(release.outcome.ending) == ""


def test_a_repeated_result_is_compared_with_the_recorded_one():
    one, other = (protect(method=name) for name in ("mdav", "gap-width"))
    first = dict(one.provenance)
    assert difference(first, one.outcome) == ""
    found = difference(first, other.outcome)
    assert found.startswith("The result differs from the recorded release: ")
    assert "information loss in percent " in found
    older = json.loads(json.dumps(first, default=str))
    older["software"]["numpy"] = "1.0"
    older["result"]["groups"] += 1
    assert "versions of the software differ" in difference(older, one.outcome)


def test_the_axis_is_told(tmp_path):
    release = protect(method="optimal-1d")
    along = "by optimal-1d along the first principal component (pc1) alone."
    assert along in release.summary()
    assert release.partition.facts.axis == "pc1"
    release.write({"report": tmp_path / "r.html"}, original=TABLE)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "The method optimal-1d formed " in page
    assert (
        " of similar records along the first principal component (pc1) alone and replaced" in page
    )
    assert (
        "along the column b alone"
        in protect(method="optimal-1d", parameters={"axis": "b"}).summary()
    )
    one = ma.protect(TABLE, k=3, quasi_identifiers=["a"], method="optimal-1d")
    assert "along" not in one.summary()
    with pytest.raises(ma.MicroaggError, match=r"'axis' parameter .* grouped on") as no:
        protect(method="optimal-1d", parameters={"axis": "c"}, segments=[["a", "b"], ["c"]])
    assert no.value.hint == "The columns that are grouped on together here are: a, b."


def test_one_group_is_told():
    release = ma.protect(TABLE.head(5), k=3, quasi_identifiers=["a"])
    text = release.summary()
    assert "CAUTION: All records are in one group, so only the mean of each column is left." in text
    assert "5 records in 1 group, formed by " in text


def test_parameters_of_other_methods_are_known():
    with pytest.raises(ma.MicroaggError, match="no parameter 'axis'") as no:
        protect(method="mdav", parameters={"axis": "a"})
    assert "These methods have it: " in no.value.hint
    assert "optimal-1d" in no.value.hint
