"""compare: every choice once, the same for any number of processes, and it goes on after a stop."""

import json
import os
import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import microagg as ma
from microagg.assess import assess
from microagg.compare import compare
from microagg.comparison import run
from microagg.comparison.store import _opened
from microagg.errors import FileError, MicroaggError, ParameterError
from microagg.reporter import Reporter

KEYS = ["a", "b", "c"]
PLAN = {"quasi_identifiers": KEYS, "methods": ["mdav", "cbfs-nc"], "refine": [None, "decompose"]}


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    X = rng.gamma(3, 20, size=(90, 3)).round(2)
    return pd.DataFrame(X, columns=KEYS).assign(name=[f"person {i}" for i in range(90)])


def without_time(comparison):
    return [replace(trial, seconds=0.0) for trial in comparison.trials]


@pytest.mark.parametrize("kind", [lambda frame: frame, pl.from_pandas])
def test_a_frame_of_the_callers_type_ranked_within_each_k(frame, kind):
    found = compare(kind(frame), [3, 5], **PLAN).data
    assert type(found) is type(kind(frame))
    assert len(found) == 8
    assert found["k"].to_list() == [3] * 4 + [5] * 4
    assert found["rank"].to_list() == [1, 2, 3, 4] * 2
    losses = found["il"].to_list()
    assert losses[:4] == sorted(losses[:4])
    assert losses[4:] == sorted(losses[4:])
    first = ["method", "refine", "k", "rank", "score", "pareto_optimal"]
    assert list(found.columns)[:6] == first


def test_numbers_are_those_of_protect_and_assess(frame):
    row = compare(frame, 4, quasi_identifiers=KEYS, methods=["cbfs-nc"], loss_weight=0.25).rows()[0]
    release = ma.protect(frame, k=4, quasi_identifiers=KEYS, method="cbfs-nc")
    found = assess(frame, release.data, quasi_identifiers=KEYS, loss_weight=0.25)
    assert row["g-dr"] == pytest.approx(found.measures["g-dr"])
    assert row["il"] == pytest.approx(release.measures["il"])
    assert row["score"] == pytest.approx(0.25 * row["il"] + 0.75 * row["g-dr"])


def test_the_front_is_pareto_optimal_and_one_choice_is_recommended(frame):
    found = compare(frame, [3, 5, 9], **PLAN)
    for row in found.rows():
        beaten = any(
            other["il"] <= row["il"] and other["g-dr"] <= row["g-dr"]
            and (other["il"], other["g-dr"]) != (row["il"], row["g-dr"])
            for other in found.rows()
        )  # fmt: skip
        assert row["pareto_optimal"] == (not beaten)
    best = min(found.least_loss.values(), key=lambda trial: trial.score)
    assert found.recommended == best
    assert best.pareto_optimal
    assert found.sentence().startswith(f"Recommended: {best.choice}. It has the lowest information")


@pytest.mark.slow
def test_processes_give_the_same(frame):
    one = compare(frame, [3, 5], **PLAN)
    two = compare(frame, [3, 5], jobs=2, **PLAN)
    assert without_time(one) == without_time(two)


class TestCache:
    def test_goes_on_where_it_was(self, frame, tmp_path, monkeypatch):
        cache = tmp_path / "cache.jsonl"
        half = compare(frame, [3], cache=cache, **PLAN)
        kept = cache.read_text()
        whole = compare(frame, [3, 5], cache=cache, **PLAN)
        assert cache.read_text().startswith(kept)
        assert len(cache.read_text().splitlines()) == 1 + 8
        # Nothing is left to do.
        monkeypatch.setattr("microagg.comparison.run.run", None)
        assert compare(frame, [3, 5], cache=cache, **PLAN) == whole
        assert compare(frame, [3], cache=cache, **PLAN) == half

    def test_a_line_that_was_cut_off_is_done_again(self, frame, tmp_path):
        cache = tmp_path / "cache.jsonl"
        whole = compare(frame, [3], cache=cache, **PLAN)
        cache.write_text(cache.read_text()[:-40])
        again = compare(frame, [3], cache=cache, **PLAN)
        assert without_time(again) == without_time(whole)
        assert len(cache.read_text().splitlines()) == 1 + 5  # the half line is still there

    def test_other_records_or_seeds_do_not_use_it(self, frame, tmp_path):
        cache = tmp_path / "cache.jsonl"
        compare(frame, [3], cache=cache, **PLAN)
        compare(frame, [3], cache=cache, seed=1, **PLAN)
        other = compare(frame.assign(a=frame["a"] ** 2), [3], cache=cache, **PLAN)
        assert len(cache.read_text().splitlines()) == 1 + 12
        assert other != compare(frame, [3], cache=cache, **PLAN)

    def test_it_holds_no_record(self, frame, tmp_path):
        cache = tmp_path / "cache.jsonl"
        compare(frame, [3], cache=cache, **PLAN)
        for line in cache.read_text().splitlines()[1:]:
            assert set(json.loads(line)) == {"of", "trial"}
        assert "person" not in cache.read_text()

    def test_a_cache_that_is_a_folder(self, frame, tmp_path):
        with pytest.raises(MicroaggError, match="not a cache file"):
            compare(frame, [3], cache=tmp_path, **PLAN)

    @pytest.mark.parametrize("content", ["a,b\n1,2\n", "{}\n", '{"of": 1}\n', "\0" * 30])
    def test_only_a_cache_of_ours_is_written_to(self, frame, tmp_path, content):
        cache = tmp_path / "people.csv"
        cache.write_text(content)
        with pytest.raises(FileError, match="not a cache file"):
            compare(frame, [3], cache=cache, **PLAN)
        assert cache.read_text() == content

    def test_no_link_is_followed(self, frame, tmp_path):
        own = tmp_path / "own.jsonl"
        compare(frame, [3], cache=own, **PLAN)
        content = own.read_text()
        symbolic, hard, dangling = (tmp_path / name for name in ("symbolic", "hard", "dangling"))
        symbolic.symlink_to(own)
        dangling.symlink_to(tmp_path / "elsewhere")
        hard.hardlink_to(own)
        for link in (symbolic, hard, dangling):
            with pytest.raises(FileError, match="not a cache file"):
                compare(frame, [5], cache=link, **PLAN)
        assert own.read_text() == content
        assert not (tmp_path / "elsewhere").exists()

    @pytest.mark.skipif(os.name != "posix", reason="there are no such owners")
    def test_a_cache_of_another_user_is_left_alone(self, frame, tmp_path, monkeypatch):
        cache = tmp_path / "cache.jsonl"
        compare(frame, [3], cache=cache, **PLAN)
        content = cache.read_text()
        monkeypatch.setattr("microagg.comparison.store.is_ours", lambda *_: False)
        with pytest.raises(FileError, match="not a cache file that microagg created for you"):
            compare(frame, [5], cache=cache, **PLAN)
        assert cache.read_text() == content

    @pytest.mark.skipif(os.name != "posix", reason="there are no such owners")
    def test_a_cache_on_a_share_that_maps_users(self, frame, tmp_path, monkeypatch):
        monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
        for k in (3, 5):
            compare(frame, [k], cache=tmp_path / "cache.jsonl", **PLAN)
        assert [path.name for path in tmp_path.iterdir()] == ["cache.jsonl"]

    @pytest.mark.skipif(os.name != "posix", reason="there are no such links")
    def test_a_hard_link_that_goes_while_the_cache_is_opened(self, tmp_path, monkeypatch):
        precious, link, real = tmp_path / "precious", tmp_path / "cache.jsonl", os.fstat
        precious.touch()
        link.hardlink_to(precious)

        def gone(descriptor):
            link.unlink(missing_ok=True)
            return real(descriptor)

        monkeypatch.setattr(os, "fstat", gone)
        with pytest.raises(FileError, match="not a cache file"):
            _opened(link)
        assert precious.read_bytes() == b""

    @pytest.mark.skipif(os.name != "posix", reason="there are no such permissions")
    def test_only_its_owner_may_read_it(self, frame, tmp_path):
        cache = tmp_path / "cache.jsonl"
        compare(frame, [3], cache=cache, **PLAN)
        assert cache.stat().st_mode & 0o777 == 0o600


def test_a_process_never_waits_for_a_reader_of_what_it_compiles():
    """When a trial has failed, nobody reads any more, and a pipe takes a thousand messages."""
    with run._workers(None, 1) as (_, queue):
        sender = run._Sender(queue)

        def send():
            for done in range(5_000):
                sender.compiling("lns", done, 5_000)

        sending = threading.Thread(target=send, daemon=True)
        sending.start()
        sending.join(60)
        assert not sending.is_alive()
        assert queue.get(timeout=60) == ("lns", 0, 5_000)


class EndsTheProcess:
    """Ends the process that it is sent to, as the system does where memory is short."""

    def __reduce__(self):
        return os._exit, (1,)


def test_a_process_that_ends_is_an_error_with_a_remedy():
    with pytest.raises(MicroaggError, match="ended before its setting was measured") as caught:
        list(run.trials(EndsTheProcess(), ["one", "two"], 2, Reporter()))
    assert "Use jobs=1" in str(caught.value)


def test_mistakes_are_found_before_anything_is_done(frame):
    with pytest.raises(ParameterError, match="Did you mean 'mdav'"):
        compare(frame, 3, quasi_identifiers=KEYS, methods=["mdav", "mdva"])
    with pytest.raises(ParameterError, match="from 2 to n=90"):
        compare(frame, [3, 99], quasi_identifiers=KEYS)
    with pytest.raises(ParameterError, match="decompse"):
        compare(frame, 3, quasi_identifiers=KEYS, refine=["decompse"])
    with pytest.raises(ParameterError, match="nothing to compare"):
        compare(frame, [], quasi_identifiers=KEYS)
    with pytest.raises(ParameterError, match="'jobs'"):
        compare(frame, 3, quasi_identifiers=KEYS, jobs=0)


def test_the_loss_can_be_that_of_the_statistics(frame):
    found = compare(frame, [3, 5], quasi_identifiers=["a", "b"], methods=["mdav", "cbfs-nn"],
                       loss="g-il", loss_weight=1.0)  # fmt: skip
    losses = [row["g-il"] for row in found.rows()]
    assert [row["score"] for row in found.rows()] == losses
    assert [trial.loss for trial in found.trials] == losses
    assert losses == [*sorted(losses[:2]), *sorted(losses[2:])]  # by k, then by this loss
    assert "Lowest overall change of the statistics for other k: " in found.sentence()
    with pytest.raises(ParameterError, match="'loss' parameter of compare must be 'il' or 'g-il'"):
        compare(frame, 3, quasi_identifiers=["a"], loss="sse")


class TestParameters:
    def test_go_to_the_methods_that_have_them_and_a_limit_is_told(self, frame, tmp_path):
        cache = tmp_path / "cache.jsonl"
        plan = {"quasi_identifiers": KEYS, "methods": ["mdav", "lns"], "cache": cache}
        found = compare(frame, 3, parameters={"time_limit": 0.0}, **plan)
        assert {row["method"]: row["stopped"] for row in found.rows()} == {
            "mdav": None, "lns": "time limit",
        }  # fmt: skip
        assert "Stopped by the time limit: lns, k=3." in found.sentence()
        other = compare(frame, 3, parameters={"max_iterations": 50}, **plan)
        assert {row["stopped"] for row in other.rows()} == {None}

    def test_one_that_none_has_is_refused(self, frame):
        with pytest.raises(ParameterError, match="None of these methods has a parameter 'gamma'"):
            compare(frame, 3, quasi_identifiers=KEYS, parameters={"gamma": 1})
        with pytest.raises(ParameterError, match="'time_limit' parameter of lns"):
            compare(
                frame, 3, quasi_identifiers=KEYS, methods=["lns"], parameters={"time_limit": -1}
            )


def test_an_interrupt_goes_on_and_nothing_is_kept(frame, tmp_path, monkeypatch):
    from microagg.reporter import Reporter

    def reach(self, done):
        if "Searching" in getattr(self, "now", ""):
            raise KeyboardInterrupt

    monkeypatch.setattr(Reporter, "begin", lambda self, what, total: setattr(self, "now", what))
    monkeypatch.setattr(Reporter, "reach", reach)
    cache = tmp_path / "cache.jsonl"
    with pytest.raises(KeyboardInterrupt):
        compare(frame, 3, quasi_identifiers=KEYS, methods=["lns"], cache=cache,
                   parameters={"max_iterations": 10**9})  # fmt: skip
    assert not cache.exists()


def test_choices_that_do_not_hold_k_are_marked(frame):
    from microagg.report.comparison import legend, table

    found = compare(frame, 5, quasi_identifiers=KEYS, methods=["individual-ranking", "mdav"])
    lines = [line.removeprefix("*").split() for line in table(found).splitlines()[1:]]
    assert [line[:3] for line in lines] == [["mdav", "5", "1"], ["individual-ranking", "5!", "-"]]
    assert found.trials[1].score is None
    assert not found.trials[1].pareto_optimal
    assert "k!: " in legend(found)
    assert found.sentence().startswith("Recommended: mdav, k=5.")
    assert "NOT k-anonymous: individual-ranking." in found.sentence()


@pytest.fixture(scope="module")
def mixed(frame):
    rng = np.random.default_rng(1)
    n = len(frame)
    some = frame.assign(
        sex=rng.choice(["f", "m"], n), grade=rng.choice(["low", "mid", "high"], n),
        part=rng.choice(["east", "west"], n), w=rng.integers(1, 5, n), code=rng.integers(0, 3, n),
    )  # fmt: skip
    some.loc[rng.random(n) < 0.1, "a"] = None
    return some


MIXED = {
    "quasi_identifiers": ["a", "b", "sex", "grade", "code"],
    "kinds": {"code": "nominal"},
    "orders": {"grade": ["low", "mid", "high"]},
    "missing": "group",
    "weights": "w",
    "strata": "part",
}


class TestMixedRecords:
    def test_numbers_are_those_of_the_release(self, mixed):
        found = compare(mixed, 4, methods=["mdav", "mdav-nc"], **MIXED)
        assert found.loss == "il"
        for row in found.rows():
            release = ma.protect(mixed, k=4, method=row["method"], **MIXED)
            assert row["il"] == pytest.approx(release.measures["il"])
            assert row["score"] == pytest.approx((row["il"] + row["g-dr"]) / 2)

    def test_records_that_are_left_out(self, mixed):
        options = {**MIXED, "missing": "suppress"}
        row = compare(mixed, 4, methods="mdav", **options).rows()[0]
        release = ma.protect(mixed, k=4, method="mdav", **options)
        assert row["il"] == pytest.approx(release.measures["il"])

    @pytest.mark.slow
    def test_a_schema_and_names_that_are_numbers(self, mixed):
        named = compare(mixed, 4, **MIXED)
        schema = {name: MIXED[name] for name in ("quasi_identifiers", "kinds", "orders")}
        rest = {name: MIXED[name] for name in ("missing", "weights", "strata")}
        assert without_time(compare(mixed, 4, schema=schema, **rest)) == without_time(named)
        plain = pd.DataFrame({0: mixed["b"], 1: mixed["c"], 2: mixed["w"]})
        found = compare(plain, 3, quasi_identifiers=[0, 1], weights=2, methods="mdav")
        release = ma.protect(plain, k=3, quasi_identifiers=[0, 1], weights=2, method="mdav")
        assert found.rows()[0]["il"] == pytest.approx(release.measures["il"])

    def test_categories_alone_have_a_score(self, mixed):
        found = compare(mixed, [3, 6], quasi_identifiers=["sex", "grade"])
        assert all(row["g-il"] is None for row in found.rows())
        assert found.loss == "il"
        with pytest.raises(ParameterError, match="no quasi-identifier contains numbers"):
            compare(mixed, 3, quasi_identifiers=["sex"], loss="g-il")

    @pytest.mark.slow
    def test_the_cache_knows_the_options(self, mixed, tmp_path):
        cache = tmp_path / "cache.jsonl"
        compare(mixed, 4, cache=cache, **MIXED)
        compare(mixed, 4, cache=cache, **{**MIXED, "weights": None})
        assert len(cache.read_text().splitlines()) == 1 + 2

    def test_what_protect_does_not_know(self, mixed):
        with pytest.raises(ParameterError, match="compare has no parameter 'wieghts'") as error:
            compare(mixed, 4, quasi_identifiers=["b"], wieghts="w")
        assert "weights" in str(error.value)
        with pytest.raises(ParameterError, match="'nothing' that is not in the data"):
            compare(mixed, 4, quasi_identifiers=["b"], strata="nothing")


class TestOneOrSeveral:
    def test_one_name_or_number_is_a_list_of_one(self, frame):
        several = compare(frame, [3], quasi_identifiers=KEYS, methods=["mdav"], refine=[None])
        one = compare(frame, np.int64(3), quasi_identifiers=KEYS, methods="mdav", refine=None)
        assert without_time(one) == without_time(several)
        refined = compare(frame, np.array([3]), quasi_identifiers=KEYS, refine="decompose")
        assert [row["refine"] for row in refined.rows()] == ["decompose"]

    @pytest.mark.parametrize("k", [3.5, "3", None, True])
    def test_what_is_no_size(self, frame, k):
        with pytest.raises(ParameterError, match="'k' parameter"):
            compare(frame, k, quasi_identifiers=KEYS)


class TestNoCompleteRecord:
    @pytest.fixture
    def holes(self, frame):
        some = frame[["a", "b"]].copy()
        some.loc[::2, "a"] = None
        some.loc[1::2, "b"] = None
        return some

    def test_the_information_loss_counts_them_all(self, holes):
        found = compare(holes, [3, 5], quasi_identifiers=["a", "b"], missing="group")
        assert [row["g-il"] for row in found.rows()] == [None, None]
        assert all(row["loss"] == row["il"] for row in found.rows())

    def test_another_loss_has_no_value(self, holes):
        with pytest.raises(ParameterError, match="cannot be 'g-il': it has no value"):
            compare(holes, 3, quasi_identifiers=["a", "b"], missing="group", loss="g-il")


def test_suppressed_records_have_a_column(frame, mixed):
    from microagg.report.comparison import table

    found = compare(mixed, 4, quasi_identifiers=["a", "b"], missing="suppress")
    released = int(mixed["a"].notna().sum())
    assert [row["records"] for row in found.rows()] == [released]
    head, line = table(found).splitlines()
    assert line.split()[head.split().index("records") + line.startswith("*")] == str(released)
    whole = compare(frame, 4, quasi_identifiers=KEYS)
    assert "records" not in table(whole)


def test_estimates_are_said(frame, monkeypatch):
    assert "estimate" not in compare(frame, 4, quasi_identifiers=KEYS).sentence()
    monkeypatch.setattr("microagg.measure.risk.record_linkage.MOST", 90 * 5)
    found = compare(frame, 4, quasi_identifiers=KEYS, methods="mdav")
    assert (
        "Some measures of 1 of 1 settings are estimates; for mdav, k=4: linkage" in found.sentence()
    )


def test_warnings_are_given_once_for_all_choices(tmp_path):
    rng = np.random.default_rng(0)
    codes = rng.choice([10115, 20095, 50667], 60)
    data = pd.DataFrame({"zip": codes, "pay": rng.normal(9, 2, 60)})
    plan = {"quasi_identifiers": ["zip", "pay"], "methods": ["mdav", "cbfs-nc"]}
    for _ in range(2):  # the second time from the cache
        with pytest.warns(ma.MicroaggWarning, match="look like codes") as said:
            found = compare(data, [3, 5], cache=tmp_path / "cache.jsonl", **plan)
        assert len(said) == 1
    assert "warnings" not in found.rows()[0]


class TestTarget:
    @pytest.fixture
    def sick(self, frame):
        rng = np.random.default_rng(3)
        ill = (frame["a"] + rng.normal(0, 5, len(frame)) > frame["a"].median()).map(
            {True: "y", False: "n"}
        )
        return frame.assign(ill=ill)

    def test_the_utility_of_a_model_is_that_of_assess(self, sick, tmp_path):
        plan = {"quasi_identifiers": KEYS, "methods": "mdav", "target": "ill"}
        found = compare(sick, [4, 20], cache=tmp_path / "cache.jsonl", **plan)
        assert found == compare(sick, [4, 20], cache=tmp_path / "cache.jsonl", **plan)
        release = ma.protect(sick[[*KEYS, "ill"]], k=4, quasi_identifiers=KEYS, method="mdav")
        judged = assess(sick[[*KEYS, "ill"]], release.data, quasi_identifiers=KEYS, target="ill")
        utility = found.trials[0].utility
        assert utility.figure == "AUC"
        assert utility.released == pytest.approx(judged.utility.prediction.released)
        assert found.rows()[0]["utility_original"] == utility.original > 0.8
        assert "predicts ill with AUC" in found.sentence()

    def test_without_one_there_is_no_column(self, frame):
        assert "utility" not in compare(frame, 4, quasi_identifiers=KEYS).rows()[0]

    def test_a_target_that_is_not_there(self, frame):
        with pytest.raises(ParameterError, match="'target' parameter names a column 'ill'"):
            compare(frame, 4, quasi_identifiers=KEYS, target="ill")


def test_a_comparison_is_short_where_it_is_printed(frame):
    found = compare(frame, [3, 5], **PLAN)
    assert (
        repr(found) == f"Comparison(settings=8, k=[3, 5], recommended='{found.recommended.choice}')"
    )
    assert "recommended=None" in repr(replace(found, trials=[]))
