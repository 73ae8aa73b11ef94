"""`protect` on real records: kinds, dates, blanks in every position, weights and strata."""

import datetime
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import microagg as ma
from microagg.errors import DataError, FileError, MicroaggWarning, ParameterError

QUASI = ["age", "sex", "grade", "member", "born"]
GRADES = ["low", "mid", "high"]
MIXED = [method.name for method in ma.methods() if method.mixed]
FRAMES = {
    "pandas": lambda frame: frame,
    "numpy types": lambda frame: frame.astype({"sex": object, "grade": object}),
    "polars": pl.from_pandas,
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}


def people(n=30, seed=3):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "name": [f"person {i}" for i in range(n)],
            "age": rng.integers(18, 90, n),
            "sex": rng.choice(["f", "m"], n),
            "grade": pd.Categorical(rng.choice(GRADES, n), categories=GRADES, ordered=True),
            "member": rng.random(n) < 0.5,
            "born": pd.Timestamp(1950, 1, 1) + pd.to_timedelta(rng.integers(0, 20000, n), "D"),
            "w": rng.integers(1, 5, n),
            "region": rng.choice(["north", "south"], n),
            "ill": rng.integers(0, 2, n),
        }
    )
    return frame.set_index(pd.Index(range(100, 100 + n), name="number"))


def to_pandas(data):
    return data if isinstance(data, pd.DataFrame) else data.to_pandas()


def smallest(data, columns=tuple(QUASI)):
    return to_pandas(data).groupby(list(columns), dropna=False, observed=True).size().min()


@pytest.mark.parametrize("name", MIXED)
def test_every_mixed_method_keeps_its_promise(name):
    frame = people(60)
    frame.loc[frame.index[::7], ["sex", "grade"]] = None
    frame.loc[frame.index[3::9], "born"] = None
    parameters = {"time_limit": None, "max_iterations": 1} if name in ("best", "lns") else {}
    release = ma.protect(
        frame, 4, quasi_identifiers=QUASI, method=name, missing="group", parameters=parameters
    )
    assert smallest(release.data) >= 4
    assert release.measures["k"] == smallest(release.data)
    assert release.data.index.equals(frame.index)


@pytest.mark.parametrize("kind", FRAMES)
def test_the_types_of_the_columns_come_back(kind):
    frame = people()
    orders = {"grade": GRADES} if kind == "numpy types" else None
    given = FRAMES[kind](frame)
    release = ma.protect(given, 3, quasi_identifiers=QUASI, integers="round", orders=orders)
    assert type(release.data) is type(given)
    assert smallest(release.data) >= 3
    if kind in ("pandas", "numpy types"):
        assert release.data.dtypes.equals(given.dtypes)
    elif kind == "polars":
        assert release.data.schema == given.schema
    else:
        assert release.data.schema.types == given.schema.types
    after, before = to_pandas(release.data), to_pandas(given)
    for name in ("sex", "grade", "member"):
        assert set(after[name]) <= set(before[name])
    assert (after["born"] == after["born"].dt.normalize()).all()  # whole days stay whole days
    assert after["born"].between(before["born"].min(), before["born"].max()).all()


def test_all_kinds_of_frames_get_the_same_release():
    found = []
    orders = {"grade": GRADES}  # polars takes pandas' order away
    for kind in FRAMES:
        release = ma.protect(FRAMES[kind](people()), 3, quasi_identifiers=QUASI, orders=orders)
        found.append(to_pandas(release.data)[QUASI].astype(str).to_numpy().tolist())
    assert all(one == found[0] for one in found)


def test_dates_of_every_type():
    n = 8
    day = datetime.date(2020, 1, 1)
    days = [day + datetime.timedelta(days=3 * i) for i in range(n)]
    moments = [datetime.datetime(2020, 1, 1, 8, 30, 5, 250000, tzinfo=datetime.UTC)] * n
    table = pa.table(
        {
            "day": pa.array(days),
            "moment": pa.array(moments, pa.timestamp("us", "Europe/Rome")),
            "time": pa.array([datetime.time(8, i) for i in range(n)]),
            "span": pa.array([datetime.timedelta(hours=i) for i in range(n)]),
        }
    )
    release = ma.protect(table, 2, quasi_identifiers=table.column_names, method="tfrp")
    assert release.data.schema.types == table.schema.types
    assert set(release.data["moment"].to_pylist()) == set(table["moment"].to_pylist())
    assert all(t.second == 0 for t in release.data["time"].to_pylist())
    objects = pd.DataFrame({"day": days})
    assert isinstance(
        ma.protect(objects, 2, quasi_identifiers=["day"]).data["day"][0], datetime.date
    )


@pytest.mark.slow
def test_blanks_in_every_position():
    frame = people(12).drop(columns="name")
    for name in QUASI:
        for row in range(len(frame)):
            holed = frame.astype({"age": "Int64", "member": "boolean"})
            holed.iloc[row, holed.columns.get_loc(name)] = None
            for missing in ("group", "impute"):
                release = ma.protect(holed, 3, quasi_identifiers=QUASI, missing=missing)
                assert smallest(release.data) >= 3
                assert len(release.data) == 12
                assert not release.data[QUASI].isna().any().any()
            release = ma.protect(holed, 3, quasi_identifiers=QUASI, missing="suppress")
            assert len(release.data) == 11
            assert row not in release.rows
            with pytest.raises(DataError, match=f"'{name}' has 1 missing value"):
                ma.protect(holed, 3, quasi_identifiers=QUASI)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_a_group_of_blanks_stays_blank_for_all_of_it(kind):
    frame = people(12).drop(columns="name").astype({"age": "Int64", "member": "boolean"})
    frame.loc[:, QUASI[:4]] = None
    given = FRAMES[kind](frame)
    release = ma.protect(given, 3, quasi_identifiers=QUASI, missing="group", integers="round")
    after = to_pandas(release.data)
    assert after[QUASI[:4]].isna().all().all()
    assert smallest(release.data) >= 3
    assert release.measures["k"] == smallest(release.data)


def test_no_sentinel():
    frame = pd.DataFrame({"x": [-999.0, -999.0, 1.0, None, 3.0, 3.0], "c": list("aabbbb")})
    release = ma.protect(frame, 2, quasi_identifiers=["x", "c"], missing="group")
    assert release.data["x"].tolist()[:2] == [-999.0, -999.0]
    assert release.data["x"].max() <= 3.0
    ones = pd.DataFrame({"x": [1.0, None, 1.0, 1.0, 1.0]})
    assert (ma.protect(ones, 5, quasi_identifiers=["x"], missing="group").data["x"] == 1.0).all()


def test_an_imputed_blank_is_the_median_or_the_mode():
    frame = pd.DataFrame({"x": [1.0, 1.0, 9.0, None], "c": ["u", "u", None, "v"]})
    release = ma.protect(frame, 4, quasi_identifiers=["x", "c"], missing="impute")
    assert release.data["x"].tolist() == [3.0] * 4  # 1, 1, 9 and the median 1
    assert release.data["c"].tolist() == ["u"] * 4


def test_equal_weights_are_no_weights_to_the_last_bit():
    frame = people().assign(same=2.5)
    for quasi in (["age"], QUASI):
        plain = ma.protect(frame, 3, quasi_identifiers=quasi)
        weighted = ma.protect(frame, 3, quasi_identifiers=quasi, weights="same")
        assert weighted.partition == plain.partition
        assert weighted.measures == plain.measures
        pd.testing.assert_frame_equal(weighted.data, plain.data)


def test_whole_weights_are_repeated_rows_in_one_group():
    frame = people(8)
    repeated = frame.loc[frame.index.repeat(frame["w"])]
    arguments = {"quasi_identifiers": ["age", "born", "sex"], "method": "mdav"}
    one = ma.protect(frame, 8, weights="w", **arguments)
    other = ma.protect(repeated, len(repeated), **arguments)
    assert one.data["age"].iloc[0] == pytest.approx(other.data["age"].iloc[0], rel=1e-12)
    assert one.data["sex"].iloc[0] == other.data["sex"].iloc[0]
    for measure in ("il", "sse", "sst"):
        assert one.measures[measure] == pytest.approx(other.measures[measure], rel=1e-9)


def test_weights_that_are_none():
    frame = people().assign(zero=0)
    with pytest.raises(DataError, match="30 weights in column 'zero' are not above 0"):
        ma.protect(frame, 3, quasi_identifiers=["age"], weights="zero")
    with pytest.raises(ParameterError, match="names a quasi-identifier"):
        ma.protect(frame, 3, quasi_identifiers=["age"], weights="age")
    with pytest.raises(ParameterError, match="'weights' parameter names a column 'wt'"):
        ma.protect(frame, 3, quasi_identifiers=["age"], weights="wt")
    for blank in ([None] + [1.5] * 29, [""] + ["1.5"] * 29):
        given = people().assign(part=blank)
        with pytest.raises(DataError, match="1 weights in column 'part' are missing") as caught:
            ma.protect(given, 3, quasi_identifiers=["age"], weights="part")
        assert "Remove these records" in caught.value.hint


@pytest.mark.parametrize("between", ["", "T", " "])
def test_iso_dates_as_text(between, tmp_path):
    days = np.datetime64("1980-01-01") + np.random.default_rng(0).integers(0, 9000, 60)
    time = f"{between}12:30:00" if between else ""
    dates = [f"{day}{time}" for day in days]
    frame = pd.DataFrame({"age": np.arange(60), "born": dates})
    quasi = {"quasi_identifiers": ["age", "born"], "method": "mdav"}
    with pytest.warns(MicroaggWarning, match="look like dates: born"):
        names = ma.protect(frame, 3, **quasi)
    assert "'born' has more different values than there can be groups" in names.summary()
    release = ma.protect(frame, 3, **quasi, kinds={"born": "continuous"})
    typed = frame.assign(born=pd.to_datetime(frame["born"]))
    wanted = ma.protect(typed, 3, **quasi)
    assert release.data["born"].str.match(rf"^\d{{4}}-\d\d-\d\d({between}\d\d:\d\d:\d\d)?$").all()
    assert (pd.to_datetime(release.data["born"]) == wanted.data["born"]).all()
    assert release.measures == pytest.approx(wanted.measures)
    release.write({"report": tmp_path / "r.html"}, original=frame)


def test_text_that_is_no_date_is_no_number():
    frame = people().assign(born=["1980-02-30"] * 30)
    with pytest.raises(DataError, match="numbers are needed"):
        ma.protect(frame, 3, quasi_identifiers=["born"], kinds={"born": "continuous"})


@pytest.mark.parametrize("method", ["tfrp", "mdav", "v-mdav"])
def test_groups_never_cross_strata(method):
    frame = people(60)
    strata = ["region", "member"]
    release = ma.protect(frame, 3, quasi_identifiers=["age", "born"], method=method, strata=strata)
    within = frame[strata].astype(str).agg(" ".join, axis=1).groupby(release.partition.labels)
    assert (within.nunique() == 1).all()
    assert smallest(release.data, ["age", "born"]) >= 3


def test_small_strata_are_an_error_joined_or_left_out():
    frame = people(20)
    frame["region"] = ["north"] * 17 + ["east"] * 2 + ["west"]
    arguments = {"k": 4, "quasi_identifiers": ["age", "sex"], "strata": "region"}
    with pytest.raises(DataError, match=r"2 of 3 strata have fewer than k=4 records[.]"):
        ma.protect(frame, **arguments)
    joined = ma.protect(frame, **arguments, small_strata="merge")
    assert len(joined.data) == 20  # east and west are 3, so north joins them
    assert "2 strata" in joined.provenance["result"]["cautions"][0]
    without = ma.protect(frame, **arguments, small_strata="suppress")
    assert without.rows.tolist() == list(range(17))
    assert "3 records in a stratum of fewer than k=4 records were left out" in without.summary()
    with pytest.raises(ParameterError, match="'small_strata' parameter applies to strata"):
        ma.protect(frame, 4, quasi_identifiers=["age"], small_strata="merge")


def test_joined_strata_are_not_said_to_be_uncrossed(tmp_path):
    frame = people(20).assign(region=["north"] * 8 + ["south"] * 9 + ["east"] * 2 + ["west"])
    arguments = {"k": 4, "quasi_identifiers": ["age", "sex"], "strata": "region"}
    joined = ma.protect(frame, **arguments, small_strata="merge")
    k = ma.anonymity(joined.data, ["age", "sex", "region"]).k
    assert k < 4
    joined.write({"report": tmp_path / "r.html"}, original=frame)
    for said in (joined.summary(), (tmp_path / "r.html").read_text()):
        assert "no group crosses" not in said.lower()
        assert f"together with region, k = {k}: region can single people out." in said
    whole = ma.protect(frame[:17], **arguments, small_strata="merge")  # nothing to join
    assert "No group crosses region." in whole.summary()
    assert not [words for words in whole.outcome.cautions if "strata" in words or "cross" in words]


def test_many_small_strata_are_not_named():
    frame = people(60)
    with pytest.raises(DataError) as caught:
        ma.protect(frame, 3, quasi_identifiers=["age"], strata="born")
    assert "19" not in caught.value.message.replace(str(frame["born"].nunique()), "")


def test_other_methods_and_refinements_refuse_and_say_who_can():
    with pytest.raises(
        ParameterError, match=r"categories, missing values and weights: .*mdav-nc.*v-mdav"
    ):
        ma.protect(people(), 3, quasi_identifiers=QUASI, method="tfrp")
    with pytest.raises(ParameterError, match="refinement pairwise-means accepts only"):
        ma.protect(people(), 3, quasi_identifiers=QUASI, refine="pairwise-means")
    numbers = ["age", "grade", "born"]
    assert ma.protect(people(), 3, quasi_identifiers=numbers, method="tfrp").measures["k"] >= 3


def test_auto_loses_no_more_than_its_start_and_says_what_it_chose():
    frame = people(200)
    plain = ma.protect(frame, 4, quasi_identifiers=QUASI, method="mdav-nc")
    release = ma.protect(frame, 4, quasi_identifiers=QUASI)
    assert release.measures["sse"] < plain.measures["sse"]
    assert release.partition.method == "auto (lns)"


@pytest.mark.slow
def test_column_weights_and_gower_change_what_is_near():
    frame = people(80)
    plain = ma.protect(frame, 4, quasi_identifiers=QUASI)
    heavy = ma.protect(frame, 4, quasi_identifiers=QUASI, column_weights={"sex": 50})
    lost = "il_by_column"
    weighed = heavy.provenance["result"][lost]["sex"]
    assert weighed <= plain.provenance["result"][lost]["sex"] * (1 + 1e-12)
    gower = ma.protect(frame, 4, quasi_identifiers=QUASI, distance="gower")
    assert smallest(gower.data) >= 4
    with pytest.raises(ParameterError, match="Gower's distance divides by the range"):
        ma.protect(frame, 4, quasi_identifiers=QUASI, distance="gower", scale="zscore")
    with pytest.raises(ParameterError, match=r"'column_weights'.* above 0 for column 'sex'"):
        ma.protect(frame, 4, quasi_identifiers=QUASI, column_weights={"sex": -1})
    with pytest.raises(ParameterError, match="names 'ill', which is not a quasi-identifier"):
        ma.protect(frame, 4, quasi_identifiers=QUASI, column_weights={"ill": 2})


def test_hierarchies_and_tables(tmp_path):
    frame = pd.DataFrame({"land": ["es", "it", "pt", "ke", "tz", "ug"]})
    levels = "es;south;europe;*\nit;south;europe;*\npt;south;europe;*\n" + "".join(
        f"{land};east;africa;*\n" for land in ("ke", "tz", "ug")
    )
    (tmp_path / "levels.csv").write_text(levels)
    path = {"land": tmp_path / "levels.csv"}
    release = ma.protect(frame, 3, quasi_identifiers=["land"], hierarchies=path)
    assert sorted(release.partition.labels.tolist()) == [0, 0, 0, 1, 1, 1]
    assert len(set(release.partition.labels[:3])) == 1
    again = ma.protect(frame, **ma.provenance.flat_arguments(release.provenance))
    assert again.data.equals(release.data)
    table = {"land": {"es": {"it": 1, "ke": 9}, "it": {"ke": 9}}}
    with pytest.raises(ParameterError, match="lacks 3 of the 6 categories"):
        ma.protect(frame, 3, quasi_identifiers=["land"], distance_tables=table)
    short = frame[:2].replace({"it": "ke"})
    assert (
        ma.protect(short, 2, quasi_identifiers=["land"], distance_tables=table).measures["k"] == 2
    )
    with pytest.raises(FileError, match="there is no file"):
        ma.protect(frame, 3, quasi_identifiers=["land"], hierarchies={"land": "nowhere.csv"})


def test_ordinal_text_needs_its_order():
    frame = people().astype({"grade": str})
    with pytest.raises(ParameterError, match="'grade' is ordinal, but its text has no order"):
        ma.protect(frame, 3, quasi_identifiers=["grade"], kinds={"grade": "ordinal"})
    with pytest.raises(ParameterError, match="order of column 'grade' lacks 1 category of"):
        ma.protect(frame, 3, quasi_identifiers=["grade"], orders={"grade": ["low", "high"]})


def test_text_that_looks_like_numbers_must_be_said_to_be_names():
    frame = pd.DataFrame({"zip": ["01", "02", "01", "02"]})
    with pytest.raises(DataError, match="'zip' contains numbers as text"):
        ma.protect(frame, 2, quasi_identifiers=["zip"])
    release = ma.protect(frame, 2, quasi_identifiers=["zip"], kinds={"zip": "nominal"})
    assert release.data["zip"].tolist() == ["01", "02", "01", "02"]


def test_numbers_rounded_to_steps_of_their_own():
    frame = pd.DataFrame(
        {"pay": [10.013, 10.02, 10.03, 20.0, 20.5, 21.0], "age": [1, 2, 4, 8, 9, 9]}
    )
    steps = {"pay": 0.01, "age": 1}
    release = ma.protect(frame, 3, quasi_identifiers=["pay", "age"], round_to=steps)
    assert release.data["pay"].tolist() == [10.02] * 3 + [20.5] * 3
    assert release.data["age"].dtype == np.int64
    with pytest.raises(ParameterError, match="'round_to' parameter applies to numbers"):
        ma.protect(people(), 3, quasi_identifiers=["sex"], round_to={"sex": 1})


def test_a_release_with_records_left_out_is_written_checked_and_repeated(tmp_path):
    frame = people(40)
    frame.loc[frame.index[::5], "sex"] = None
    arguments = {"quasi_identifiers": QUASI, "missing": "suppress", "weights": "w",
                 "aggregate": {"age": "median"}, "identifiers": ["name"]}  # fmt: skip
    release = ma.protect(frame, 3, **arguments)
    paths = release.save(tmp_path / "out")
    assert "8 records with a missing value among the quasi-identifiers" in release.summary()
    assert "age (median), sex (mode)" in release.summary()
    again = ma.protect(frame, **ma.read_arguments(paths["provenance"]))
    assert again.data.equals(release.data)
    release.write({"report": tmp_path / "report.html"}, original=frame)
    assert "the representative of its group" in (tmp_path / "report.html").read_text()


def test_maskings_refuse_what_they_cannot_honour():
    for masking in ma.maskings():
        with pytest.raises(ParameterError, match="accepts only complete numeric"):
            ma.protect(people(), 3, quasi_identifiers=["sex"], method=masking.name)


def test_whole_numbers_that_look_like_codes_are_averaged_with_a_warning():
    people = pd.DataFrame({"age": range(40), "sex": [1, 2] * 20, "puma": [101, 102, 103, 104] * 10})
    with pytest.warns(ma.MicroaggWarning, match="look like codes .*: sex, puma. They") as told:
        release = ma.protect(people, k=3, quasi_identifiers=["age", "sex", "puma"])
    assert len(told) == 1
    assert "CAUTION: These quasi-identifiers look like codes" in release.summary()
    kinds = {"sex": "nominal", "puma": "continuous"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        release = ma.protect(people, k=3, quasi_identifiers=["age", "sex", "puma"], kinds=kinds)
    assert "look like codes" not in release.summary()


def test_strata_and_weights_have_their_own_words_in_the_summary():
    people = pd.DataFrame({"age": range(40), "w": [1.5, 2] * 20, "area": list("ab") * 20, "x": 1})
    said = ma.protect(people, k=3, quasi_identifiers=["age"], weights="w", strata="area").summary()
    assert "(strata, which no group crosses): area" in said
    assert "(weights of the records): w" in said
    assert "(no role): x" in said
    assert "3 of 4 columns are released unchanged" in said
