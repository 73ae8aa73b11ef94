"""From CSV to report: every fact is computed once, and the written file is counted once more."""

import sys
from collections import Counter
from pathlib import Path

import microagg

ROOT = Path(microagg.__file__).parent

ONCE = {
    "constraints.check_k": 1,
    "mask.registry.named": 1,  # what the name of the method stands for
    "partition.names.resolve": 1,
    "schema.Schema.__post_init__": 1,
    "settings.Settings.create": 1,
    "prepare.read.read_columns": 1,
    "prepare.comparable.comparable": 1,  # scaling
    "prepare.prepared.prepare": 1,
    "partition.partition.Partition.__post_init__": 1,
    "measure.loss.information_loss.loss_of": 1,
    "measure.loss.information_loss.squared_errors": 2,  # SSE and SST
    "measure.diversity.homogeneity.homogeneous": 1,
    "provenance.document": 1,
    "data.atomic._reserve": 4,  # one file each: release, groups, provenance, report
    # In memory, and on the written file.
    "measure.classes.classes_of": 2,
    "measure.anonymity.anonymity_of": 2,
    # The input, and the written file.
    "data.source.read_source": 2,
    "data.content.Content.bytes": 2,
    "data.delimited._sniff": 2,
}


def name_of(code):
    path = Path(code.co_filename).relative_to(ROOT).with_suffix("")
    return ".".join([*path.parts, code.co_qualname])


def calls_of(function):
    """Return how often each function of microagg is called."""
    counts = Counter()

    def count(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(str(ROOT)):
            counts[name_of(frame.f_code)] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(before)
    return counts


def test_each_fact_is_computed_once(microagg, people):
    options = ("--qi", "age,income", "--id", "name", "--confidential", "zip", "--method", "mdav")
    files = ("-o", "release.csv", "--report", "report.html")
    ended = []
    counts = calls_of(lambda: ended.append(microagg("protect", people, "-k", 3, *options, *files)))
    assert ended[0].code == 0, ended[0].err
    assert {name: counts[name] for name in ONCE} == ONCE
