"""Segments and individual ranking: k for each set of columns, and the truth about the whole."""

import json

import numpy as np
import pyarrow as pa
import pytest

import microagg as ma
from microagg.budget import Stop
from microagg.errors import ParameterError
from microagg.mask.masked import Task
from microagg.mask.segments import _alike_in_all
from microagg.partition.grouping import Facts
from microagg.partition.names import resolve
from microagg.prepare.prepared import prepare

NAMES = ["a", "b", "c", "d"]
X = np.random.default_rng(0).gamma(2, 10, size=(50, 4))
TABLE = pa.table({name: X[:, j] for j, name in enumerate(NAMES)})
PAIRS = [["a", "c"], ["b", "d"]]


def protect(k=3, names=NAMES, **options):
    return ma.protect(TABLE, k, quasi_identifiers=names, **options)


def test_each_segment_is_what_it_would_be_alone():
    release = protect(segments=PAIRS, refine="swap-shift")
    sse = 0.0
    for pair in PAIRS:
        alone = protect(names=pair, refine="swap-shift")
        assert release.data.select(pair) == alone.data.select(pair)
        assert release.segments[tuple(pair)] == alone.partition
        assert ma.anonymity(release.data, pair).k == 3
        sse += alone.measures["sse"]
    assert release.measures["sse"] == pytest.approx(sse)
    assert release.measures["sst"] == pytest.approx(50 * 4)  # the loss is that of the whole


def test_the_partition_of_the_whole_has_the_k_it_really_has():
    release = protect(segments=PAIRS, method="mdav")
    part = release.partition
    tuples = set(zip(*(own.labels.tolist() for own in release.segments.values()), strict=True))
    assert part.n_groups == len(tuples)
    assert part.k == part.sizes.min() == release.measures["k"]
    assert part.k < 3
    assert part.method == "mdav on each of 2 segments"


def test_the_summary_and_the_report_open_with_the_caution(tmp_path):
    release = protect(segments=PAIRS)
    summary = release.summary()
    caution = (
        "k-anonymity holds for each segment of columns only, not for records as a whole: a, c; b"
    )
    assert summary.startswith(f"CAUTION: {caution}")
    assert "each combination of b, d belongs to at least 3 released records" in summary
    assert f"On all quasi-identifiers together, k = {release.partition.k}." in summary
    release.write({"report": tmp_path / "r.html"}, original=TABLE)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert caution in page
    assert (
        "on each of 2 segments, and the values of each segment were replaced with the means" in page
    )


def test_groups_and_provenance_keep_the_segments(tmp_path):
    release = protect(segments=PAIRS)
    paths = release.save(tmp_path)
    groups = ma.read_file(paths["groups"])
    assert groups.column_names == ["row", "group", "segment_1: a, c", "segment_2: b, d"]
    assert groups["segment_2: b, d"].to_pylist() == release.segments["b", "d"].labels.tolist()
    found = json.loads(paths["provenance"].read_text(encoding="utf-8"))["result"]["segments"]
    assert [part["columns"] for part in found] == PAIRS
    again = ma.protect(TABLE, **ma.read_arguments(paths["provenance"]))
    assert again.data == release.data


def test_some_at_a_time():
    for size, count in ((1, 4), (2, 2), (3, 2), (4, 1)):
        release = protect(segments=size)
        assert len(release.segments) == len(release.promises) == count
    assert release.measures["k"] >= 3
    assert release.data == protect().data  # one segment is all
    assert "CAUTION" not in release.summary()


@pytest.mark.parametrize(
    ("segments", "words"),
    [
        (0, "from 1 to 4"),
        (5, "from 1 to 4"),
        (True, "must be lists of column names"),
        ("ab", "must be lists of column names"),
        ([], "must be lists of column names"),
        (["a", "b"], "must be lists of column names"),
        ([["a"], []], "must be lists of column names"),
        ([["a", "b"], ["c"]], "leaves out quasi-identifiers, which would not be replaced: d"),
        ([["a", "b"], ["b", "c", "d"]], "names 'b' more than once"),
        ([["a", "b"], ["c", "x"]], "'x', which is not a quasi-identifier"),
    ],
)
def test_what_segments_cannot_be(segments, words):
    with pytest.raises(ParameterError, match=words):
        protect(segments=segments)


def test_columns_keep_k_for_the_whole():
    release = protect(columns=["a"], method="mdav")
    assert release.measures["k"] == 3
    assert release.measures["il"] > protect().measures["il"]
    assert "groups, formed by mdav on a alone." in release.summary()
    assert release.provenance["arguments"]["columns"] == ["a"]
    with pytest.raises(ParameterError, match="cannot be combined"):
        protect(columns=["a"], segments=2)


@pytest.mark.parametrize("univariate", ["optimal-1d", "fixed-1d"])
def test_individual_ranking_is_each_column_alone(univariate):
    release = protect(method="Individual-Ranking", parameters={"univariate": univariate})
    for name in NAMES:
        alone = protect(names=[name], method=univariate)
        assert release.data[name] == alone.data[name]
        assert release.segments[(name,)] == alone.partition
    assert [promise.columns for promise in release.promises] == [(name,) for name in NAMES]
    assert release.measures["k"] == 1
    assert release.measures["il"] < protect(segments=2).measures["il"]
    assert release.partition.method == "individual-ranking"


def test_individual_ranking_says_loudly_what_it_is_not(tmp_path):
    release = protect(method="individual-ranking")
    assert release.summary().startswith("CAUTION: The records are NOT k-anonymous as a whole")
    assert "no groups of whole records were formed" in release.summary()
    release.write({"report": tmp_path / "r.html"}, original=TABLE, audience="external")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "NOT k-anonymous as a whole" in page
    [masking] = [m for m in ma.maskings() if m.name == "individual-ranking"]
    assert "NOT k-anonymous" in masking.summary


def test_one_column_needs_no_caution():
    release = protect(names=["a"], method="individual-ranking")
    assert release.measures["k"] >= 3
    assert "for each column only" not in release.summary()


def test_constant_columns_are_one_group():
    table = pa.table({"a": [1.0] * 6, "b": [1.0, 2.0, 3.0, 7.0, 8.0, 9.0]})
    release = ma.protect(table, 2, quasi_identifiers=["a", "b"], method="individual-ranking")
    assert release.data["a"].to_pylist() == [1.0] * 6


@pytest.mark.parametrize("name", ["refine", "columns", "segments"])
def test_what_is_for_groups_is_refused(name):
    with pytest.raises(ParameterError, match=f"'{name}' parameter applies to groups"):
        protect(method="individual-ranking", **{name: "swap-shift" if name == "refine" else 2})


def test_partition_and_the_estimator_point_to_protect():
    with pytest.raises(ParameterError, match="no groups of whole records; only protect"):
        ma.partition(X, 3, "individual-ranking")
    with pytest.raises(ParameterError, match="form no groups of whole records"):
        ma.Microaggregator(3, "individual-ranking").fit(X)


def test_compare_takes_maskings_and_says_what_they_are_not():
    from microagg.compare import compare

    options = {"quasi_identifiers": NAMES, "methods": ["mdav", "individual-ranking"]}
    found = compare(TABLE, 3, **options, refine=[None, "swap-shift"])
    assert [(t.choice.method, t.choice.refine) for t in found.trials].count(
        ("individual-ranking", None)
    ) == 1
    assert len(found.trials) == 3
    assert found.sentence().endswith("NOT k-anonymous: individual-ranking.")
    with pytest.raises(ParameterError, match="individual-ranking forms no groups of whole records"):
        compare(TABLE, 3, **options, refine=["swap-shift"])


def test_the_worst_end_of_the_segments_is_told():
    ends = [Stop.LOSS_STAYS, Stop.MAX_ITERATIONS, Stop.TIME_LIMIT, Stop.INTERRUPTED]
    parts = {
        (str(i),): ma.Partition([0, 0], k=2, facts=Facts(stopped=end)) for i, end in enumerate(ends)
    }
    for most in range(1, 5):
        some = dict(list(parts.items())[:most])
        assert _alike_in_all(some, "x").facts == Facts(stopped=ends[most - 1])


def test_segments_share_one_limit_of_time():
    release = protect(segments=PAIRS, method="omma", parameters={"time_limit": 0})
    assert release.partition.facts.stopped == "time limit"
    numbers = prepare([X[:, 0]], ["a"])
    task = Task(
        {}, numbers, "zscore", 3, resolve("omma"), parameters={"time_limit": 60, "depth": 4}
    )
    parts = list(task.in_parts([3, 1]))
    assert [dict(part.parameters) for part in parts] == [{"depth": 4}] * 2
    first, second = (part.context.budget.left() for part in parts)
    assert 44 < first <= 45
    assert 59 < second <= 60  # the first took none of it
