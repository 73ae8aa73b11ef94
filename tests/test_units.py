"""k people instead of k records: counted by pandas alone, on the release and on the written file."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import microagg as ma
from microagg.cli.app import app
from microagg.errors import AnonymityError, DataError, MicroaggError, ParameterError
from microagg.mask import grouped
from microagg.partition.partition import Partition
from tests.examples import examples, sample

QUASI = {
    "who": ["age", "sex", "town"],
    "what": ["age", "cost"],
    "both": ["sex", "town", "cost"],
}


def visits(patients=60, seed=0, most=9):
    """Return visits to a clinic: the same age, sex and town at each visit of a patient."""
    rng = np.random.default_rng(seed)
    people = pd.DataFrame(
        {
            "patient": [f"p{i}" for i in range(patients)],
            "age": rng.integers(18, 90, patients),
            "sex": rng.choice(["f", "m"], patients),
            "town": rng.choice(list("abcde"), patients),
        }
    )
    rows = people.loc[np.repeat(np.arange(patients), rng.integers(1, most, patients))]
    rows = rows.sample(frac=1.0, random_state=seed).reset_index(drop=True)
    rows["cost"] = rng.gamma(2, 100, len(rows)).round(2)
    rows["ill"] = rng.choice(["flu", "cold", "none"], len(rows))
    rows["weight"] = rng.uniform(0.5, 3, len(rows))
    return rows


def fewest(released, units, keys):
    """Return the fewest different units among records with equal released keys, by pandas alone."""
    named = released[keys].assign(unit=np.asarray(units))
    return int(named.groupby(keys, dropna=False)["unit"].nunique().min())


def protect(frame, quasi="who", k=4, **options):
    return ma.protect(
        frame,
        k,
        quasi_identifiers=QUASI[quasi],
        confidential=["ill"],
        **{"method": "mdav-nc", "unit": "patient", **options},
    )


@pytest.mark.parametrize("quasi", QUASI)
@pytest.mark.parametrize(
    "options",
    sample(
        [
            {},
            {"t_closeness": 0.4, "l_diversity": 2},
            {"strata": "weight_class"},
            {"weights": "weight"},
            {"method": "mdav"},
            {"method": "auto"},
            {"l_diversity": 2},
            {"distance": "gower"},
        ],
        quick=range(4),
    ),
    ids=str,
)
def test_every_combination_belongs_to_k_units(quasi, options):
    frame = visits().assign(weight_class=lambda f: np.where(f.weight > 1.7, "high", "low"))
    release = protect(frame, quasi, **options)
    keys = QUASI[quasi]
    assert fewest(release.data, frame.patient, keys) >= 4
    assert release.measures["k-units"] == fewest(release.data, frame.patient, keys)
    assert "patient" not in release.data.columns
    if "strata" in options:
        crossed = frame.weight_class.groupby(release.partition.labels).nunique()
        assert crossed.max() == 1


@pytest.mark.parametrize("missing", ["keep", "group", "impute", "suppress"])
def test_with_missing_values(missing):
    frame = visits(seed=2)
    rng = np.random.default_rng(1)
    frame.loc[rng.random(len(frame)) < 0.1, "age"] = np.nan
    frame.loc[rng.random(len(frame)) < 0.05, "town"] = None
    release = protect(frame, missing=missing)
    units = frame.patient if release.rows is None else frame.patient.iloc[release.rows]
    assert fewest(release.data, units, QUASI["who"]) >= 4


def test_the_report_states_how_many_units_match_a_person(tmp_path):
    protect(visits()).write({"report": tmp_path / "report.html"})
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "finds at least 4 units (different values of patient) that match" in page


def test_k_records_alone_may_be_one_person():
    frame = visits()
    plain = protect(frame, unit=None, identifiers=["patient"])
    assert fewest(plain.data, frame.patient, QUASI["who"]) == 1


def test_an_identifier_of_people_with_several_records_is_a_caution():
    frame = visits(patients=200)
    release = protect(frame, unit=None, identifiers=["patient"])
    (caution,) = (c for c in release.outcome.cautions if "'patient'" in c)
    assert f"200 different values in {len(frame):,} records" in caution
    assert "use it as the unit (unit, --unit)" in caution
    with pytest.raises(AnonymityError, match="patient"):
        protect(frame, unit=None, identifiers=["patient"], strict=True)


@pytest.mark.parametrize("role", [{}, {"confidential": ["patient_id"]}])
def test_so_is_one_that_is_released(role):
    frame = visits(patients=200).rename(columns={"patient": "patient_id"})
    plain = ma.protect(frame, 4, quasi_identifiers=["age", "sex"], method="mdav-nc", **role)
    assert any("use it as the unit" in caution for caution in plain.cautions)
    other = frame.rename(columns={"patient_id": "score"})
    role = {each: ["score"] for each in role}
    plain = ma.protect(other, 4, quasi_identifiers=["age", "sex"], method="mdav-nc", **role)
    assert not any("use it as the unit" in caution for caution in plain.cautions)


@pytest.mark.parametrize("name", ["sex", "number", "drawn", "gain", "gain as text", "price"])
def test_other_identifiers_are_not(name):
    frame = visits(patients=200)
    gains = np.random.default_rng(2).integers(1, 100, len(frame))
    frame["gain"] = np.where(np.arange(len(frame)) % 2 == 0, 0, gains)
    frame["gain as text"] = frame.gain.astype(str)
    frame["number"] = np.arange(len(frame))  # of each record
    frame["price"] = (frame.patient.astype("category").cat.codes + 0.5).astype(str)
    frame["drawn"] = np.random.default_rng(1).integers(0, 5_000, len(frame))  # equal by chance
    release = ma.protect(
        frame[["age", "cost", name]], 4, quasi_identifiers=["age", "cost"], identifiers=[name]
    )
    assert not any("--unit" in caution for caution in release.outcome.cautions)


@pytest.mark.parametrize(
    ("copies", "words"), [(1, None), (2, "only 2 units"), (4, "a single unit")]
)
def test_assess_warns_if_records_are_those_of_fewer_units(copies, words):
    frame = pd.DataFrame({"age": np.repeat([20.0, 40.0], 4), "p": np.arange(8) // copies})
    result = ma.assess(frame, frame[["age"]], quasi_identifiers=["age"], unit="p")
    warned = [warning for warning in result.warnings if "counts records" in warning]
    assert len(warned) == (words is not None)
    if words is not None:
        assert f"belong to {words}" in warned[0]


def test_visits_that_are_alike_stay_together():
    """Then groups of units lose as little as the units grouped by themselves."""
    frame = visits()
    release = protect(frame)
    people = frame.drop_duplicates("patient").reset_index(drop=True)
    alone = ma.protect(people, 4, quasi_identifiers=QUASI["who"], method="mdav-nc")
    assert release.partition.n_groups == alone.partition.n_groups


def test_records_of_a_unit_may_be_in_different_groups():
    frame = visits()
    labels = protect(frame, "what").partition.labels
    assert frame.patient.groupby(labels).nunique().min() >= 4
    assert pd.Series(labels).groupby(frame.patient).nunique().max() > 1


def test_a_grouping_that_does_not_hold_it_is_never_released(monkeypatch):
    frame = visits()

    def ignoring(task, rows):
        order = np.argsort(frame.patient.to_numpy(), kind="stable")
        labels = np.empty(len(frame), dtype=np.int32)
        labels[order] = np.minimum(np.arange(len(frame)) // 4, len(frame) // 4 - 1)
        return Partition(labels, k=4, method="wrong")

    monkeypatch.setattr(grouped, "_grouped_part", ignoring)
    monkeypatch.setattr(grouped.Task, "guard", None, raising=False)
    monkeypatch.setattr("microagg.pipeline.mask.guard", lambda *_: None)
    with pytest.raises(AnonymityError, match="Nothing was released"):
        protect(frame)


def test_a_released_unit_column_is_a_caution():
    frame = visits()
    options = {"quasi_identifiers": QUASI["who"], "method": "mdav-nc", "unit": "patient"}
    kept = ma.protect(frame, 4, confidential=["patient"], **options)
    assert "patient" in kept.data.columns
    assert any("links the records of a unit" in caution for caution in kept.outcome.cautions)
    assert fewest(kept.data, kept.data.patient, QUASI["who"]) >= 4
    with pytest.raises(AnonymityError, match="Nothing was released"):
        ma.protect(frame, 4, confidential=["patient"], strict=True, **options)


def test_exposure_counts_units():
    frame = visits().assign(room=lambda f: f.patient.str[-1])
    exposure = protect(frame).outcome.exposure
    keys = [*QUASI["who"], "cost", "weight", "room"]
    assert exposure.counted == "units"
    assert exposure.below_k == len(frame)
    released = protect(frame).data
    alone = released.assign(unit=frame.patient).groupby(keys, dropna=False)["unit"]
    assert exposure.unique == int((alone.transform("nunique") < 2).sum())


def test_summary_provenance_report_and_files(tmp_path):
    frame = visits()
    release = protect(frame)
    assert "at least 4 of the 60 units (different values of patient)" in release.summary()
    paths = release.save(tmp_path / "out")
    release.write({"report": tmp_path / "report.html"})
    assert "units (different values of patient)" in (tmp_path / "report.html").read_text()
    recorded = json.loads(paths["provenance"].read_text())
    assert recorded["result"]["units"] == {
        "unit": "patient",
        "columns": QUASI["who"],
        "k": 4,
        "achieved": release.measures["k-units"],
        "count": 60,
        "released": False,
    }
    assert recorded["arguments"]["unit"] == "patient"
    assert fewest(pd.read_csv(paths["data"]), frame.patient, QUASI["who"]) >= 4
    again = ma.protect(frame, **ma.read_arguments(paths["provenance"]))
    assert again.data.equals(release.data)


def test_a_written_file_is_counted(tmp_path, monkeypatch):
    release = protect(visits())
    promise = release.outcome.units.promise
    promise.codes[:] = 0  # as if all records were those of one person
    with pytest.raises(AnonymityError, match="belong to only 1 unit, but"):
        release.write({"data": tmp_path / "release.csv"})
    assert not (tmp_path / "release.csv").exists()


@pytest.mark.parametrize("kept", [True, False])
def test_verify(tmp_path, kept):
    frame = visits()
    release = ma.protect(
        frame,
        4,
        quasi_identifiers=QUASI["who"],
        confidential=["patient"] if kept else [],
        unit="patient",
        method="mdav-nc",
    )
    paths = release.save(tmp_path / "out")
    good = ma.verify(paths["data"], paths["provenance"])
    assert good.holds
    assert "units of patient" in good.summary()
    changed = pd.read_csv(paths["data"])
    changed.loc[0, "age"] += 1
    changed.to_csv(paths["data"], index=False)
    checks = {c.what: c for c in ma.verify(paths["data"], paths["provenance"]).checks}
    assert not checks["units of patient"].holds
    assert ("cannot be counted" in checks["units of patient"].observed) is not kept


@pytest.mark.parametrize("columns", [QUASI["who"], None])
def test_assess_counts_units_of_any_file(columns):
    frame = visits()
    release = protect(frame)
    named = {} if columns is None else {"quasi_identifiers": columns}
    judged = ma.assess(frame, release.data, unit="patient", **named)
    assert judged.measures["k-units"] == fewest(release.data, frame.patient, QUASI["who"])
    rows = protect(frame, unit=None, identifiers=["patient"])
    assert ma.assess(frame, rows.data, unit="patient", **named).measures["k-units"] == 1
    assert "k-units" not in ma.assess(frame, rows.data, **named).measures


def test_assess_warns_of_a_unit_in_the_file_and_gives_no_other_advice_about_it():
    frame = visits()
    options = {"unit": "patient", "quasi_identifiers": QUASI["who"]}
    for judged in (ma.assess(frame, **options), ma.assess(frame, frame, **options)):
        about = [warning for warning in judged.warnings if "patient" in warning]
        assert about == [
            "Column 'patient' links the records of a unit: remove it before you publish the file."
        ]
        assert "patient" not in judged.other_columns.kept
    released = protect(frame).data
    assert not any(
        "patient" in line for line in ma.assess(frame, released, unit="patient").warnings
    )


def test_blank_units_count_for_none_in_assess():
    frame = pd.DataFrame({"who": ["a", None, "b", " "], "age": [1, 1, 2, 2]})
    judged = ma.assess(frame, frame, unit="who", quasi_identifiers=["age"])
    assert judged.measures["k-units"] == 1


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"unit": "nobody"}, ParameterError, "'nobody' that is not in the data"),
        ({"unit": "age"}, ParameterError, "quasi_identifiers= names too"),
        ({"unit": "weight", "weights": "weight"}, ParameterError, "weights= names too"),
        ({"strata": "patient"}, ParameterError, "strata= names too"),
        ({"unit": 1.5}, ParameterError, "must be the name of a column"),
        ({"k": 61}, DataError, "60 different units, and k is 61"),
        ({"segments": 1}, ParameterError, "segments"),
        ({"method": "individual-ranking"}, ParameterError, "individual-ranking forms none"),
        ({"aggregate": "hybrid"}, ParameterError, "hybrid"),
    ],
)
def test_what_cannot_be(options, error, words):
    with pytest.raises(error, match=words):
        protect(visits(), "what", **options)


def test_blank_units_are_refused_without_a_value():
    frame = visits()
    frame.loc[[3, 8], "patient"] = None
    with pytest.raises(DataError, match="2 records have no unit in column 'patient'"):
        protect(frame)


@pytest.mark.parametrize("code", ["NA", " ?", "nan", "-"])
def test_codes_for_missing_values_are_no_units(code):
    """A record with such a code may belong to a unit that its class has already."""
    frame = visits().astype({"patient": object})
    frame.loc[[3, 8, 9], "patient"] = code
    with pytest.raises(DataError, match="3 records have no unit in column 'patient'"):
        protect(frame)
    pair = pd.DataFrame({"who": ["a", code], "age": [1, 1]})
    assert ma.assess(pair, unit="who", quasi_identifiers=["age"]).measures["k-units"] == 1


@pytest.mark.parametrize("option", ["unit", "strata"])
def test_the_advice_about_a_column_that_cannot_be_compared_fits_its_role(option):
    frame = visits().assign(parts=lambda f: [[1]] * len(f))
    with pytest.raises(DataError, match="'parts' contains list") as error:
        protect(frame, **{option: "parts"})
    assert "Convert it to text or numbers first" in str(error.value)


def test_small_strata_are_counted_in_units():
    frame = visits()
    frame["ward"] = np.where(frame.patient.isin(["p1", "p2", "p3"]), "small", "large")
    assert (frame.ward == "small").sum() >= 4  # enough records, too few patients
    with pytest.raises(DataError, match=r"1 of 2 strata has fewer than k=4 units"):
        protect(frame, strata="ward")
    merged = protect(frame, strata="ward", small_strata="merge")
    assert fewest(merged.data, frame.patient, QUASI["who"]) >= 4
    left = protect(frame, strata="ward", small_strata="suppress")
    assert len(left.data) == (frame.ward == "large").sum()


def test_the_command_line(tmp_path):
    frame = visits()
    frame.to_csv(tmp_path / "visits.csv", index=False)
    roles = ["--qi", "age,sex,town", "--unit", "patient"]
    arguments = ["protect", str(tmp_path / "visits.csv"), "-k", "4", *roles, "--method", "mdav-nc"]
    out = str(tmp_path / "release.csv")
    assert CliRunner().invoke(app, [*arguments, "-o", out]).exit_code == 0
    assert fewest(pd.read_csv(out), frame.patient, QUASI["who"]) >= 4
    judged = CliRunner().invoke(
        app, ["assess", str(tmp_path / "visits.csv"), out, *roles, "--json"]
    )
    assert json.loads(judged.stdout)["measures"]["k-units"]["value"] >= 4


def test_large_files_count_units(tmp_path):
    frame = visits()
    frame.to_csv(tmp_path / "visits.csv", index=False)
    release = ma.protect_file(
        tmp_path / "visits.csv",
        tmp_path / "out",
        4,
        quasi_identifiers=["age"],
        unit="patient",
    )
    data = pd.read_csv(release.paths["data"])
    assert "patient" not in data.columns
    assert fewest(data, frame.patient, ["age"]) >= 4


@settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 10**6),
    patients=st.integers(3, 30),
    most=st.integers(2, 12),
    k=st.integers(2, 6),
    quasi=st.sampled_from(sorted(QUASI)),
    method=st.sampled_from(["mdav", "mdav-nc", "v-mdav", "cbfs-nc"]),
    limits=st.sampled_from([{}, {"l_diversity": 2}, {"strata": "sex"}]),
)
def test_held_or_one_of_our_errors(seed, patients, most, k, quasi, method, limits):
    frame = visits(patients, seed, most)
    if "strata" in limits:
        quasi = "what"
    try:
        release = protect(frame, quasi, k=k, method=method, **limits)
    except MicroaggError:
        return
    assert fewest(release.data, frame.patient, QUASI[quasi]) >= k


def test_names_that_may_be_those_of_one_unit_count_as_one():
    """A person is not protected by a trailing blank or a capital in the name."""
    frame = pd.DataFrame({"x": np.arange(12.0), "who": ["p1", "p1 ", "P1", "\uff501"] * 3})
    with pytest.raises(ma.MicroaggError, match="There are 1 different units"):
        ma.protect(frame, 3, quasi_identifiers=["x"], unit="who", method="mdav")
    assert ma.assess(frame, frame, quasi_identifiers=["x"], unit="who").measures["k-units"] == 1
    frame["who"] = [f"{who}{i % 4}" for i, who in enumerate(frame["who"].str.strip())]
    release = ma.protect(frame, 3, quasi_identifiers=["x"], unit="who", method="mdav")
    assert release.measures["k-units"] >= 3


@pytest.mark.parametrize("code", ["NA", "n/a", "?", "-", "\u2013", "NULL"])
def test_a_code_that_means_missing_names_no_unit(code, tmp_path):
    """Any person may be behind NA: counted as a unit, it would overstate how many there are."""
    frame = pd.DataFrame({"x": np.arange(20.0), "who": [f"p{i // 2}" for i in range(20)]})
    frame.loc[1::2, "who"] = code
    options = {"quasi_identifiers": ["x"], "unit": "who"}
    with pytest.raises(DataError, match="10 records have no unit"):
        ma.protect(frame, 2, **options)
    assert ma.assess(frame.assign(x=0.0), **options).measures["k-units"] == 10
    frame.to_parquet(tmp_path / "in.parquet")
    with pytest.raises(DataError, match="A record has no unit in column 'who', in data row 2"):
        ma.protect_file(tmp_path / "in.parquet", tmp_path / "out", 2, **options)


@pytest.mark.parametrize("kind", ["category", "str"])
def test_large_files_count_units_as_in_memory(kind, tmp_path):
    """Names that differ in form were different units where a large file had them as categories."""
    names = [f"p{i // 2}" if i % 2 else f"P{i // 2} " for i in range(40)]
    frame = pd.DataFrame({"x": np.arange(40.0), "who": pd.Series(names, dtype=kind)})
    frame.to_parquet(tmp_path / "in.parquet")
    release = ma.protect_file(
        tmp_path / "in.parquet", tmp_path / "out", 2, quasi_identifiers=["x"], unit="who"
    )
    data = pd.read_parquet(release.paths["data"])
    assert fewest(data, pd.Series(np.arange(40) // 2), ["x"]) >= 2
