"""protect beyond k: what is promised is found on the released values by other code than ours."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microagg as ma
from microagg.data import datasets
from microagg.errors import AnonymityError, MicroaggError, MicroaggWarning, ParameterError
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.diversity.promise import ConfidentialPromise
from tests.examples import examples, sample

ADULT = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]


def found(data, keys, confidential, nominal=()):
    """k, the fewest values and the largest distance, by pandas alone."""
    data = data.reset_index(drop=True)
    classes = data.groupby(list(keys), dropna=False).ngroup()
    k, fewest, farthest = classes.value_counts().min(), np.inf, 0.0
    for name in confidential:
        column = data[name].astype(object).where(data[name].notna(), "missing")
        number = pd.api.types.is_numeric_dtype(data[name]) and name not in nominal
        column = data[name].fillna(np.inf) if number else column  # blanks come after all others
        shares = pd.crosstab(classes, column, normalize="index", dropna=False)
        gaps = shares - column.value_counts(normalize=True).reindex(shares.columns)
        fewest = min(fewest, column.groupby(classes).nunique().min())
        if number:
            distance = gaps.cumsum(axis=1).abs().sum(axis=1) / max(shares.shape[1] - 1, 1)
        else:
            distance = gaps.abs().sum(axis=1) / 2
        farthest = max(farthest, distance.max())
    return int(k), int(fewest), float(farthest)


def people(n=90, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 80, n),
            "income": rng.normal(1000, 300, n),
            "ill": rng.choice(["no", "flu", "hiv"], n, p=[0.7, 0.2, 0.1]),
            "debt": rng.integers(0, 30, n) * 10,
        }
    )


def protect(data, k=4, **kwargs):
    given = {"quasi_identifiers": ["age", "income"], "confidential": ["ill"], "method": "mdav"}
    return ma.protect(data, k, **{**given, **kwargs})


@pytest.mark.parametrize("confidential", [["ill"], ["debt"], ["ill", "debt"]])
@pytest.mark.parametrize(
    "limits",
    [
        {"l_diversity": 2},
        {"l_diversity": 3},
        {"t_closeness": 0.2},
        {"l_diversity": 2, "t_closeness": 0.3},
    ],
)
def test_limits_are_held_and_told(confidential, limits):
    release = protect(people(), confidential=confidential, **limits)
    k, fewest, farthest = found(release.data, ["age", "income"], confidential)
    assert k >= 4
    assert fewest >= limits.get("l_diversity", 1)
    assert farthest <= limits.get("t_closeness", 1.0) + 1e-9
    names = {"l_diversity": "l-diversity"}
    for what in set(names) & set(limits):
        assert release.measures[names[what]] == fewest
    if "t_closeness" in limits:
        assert release.measures["t-closeness"] == pytest.approx(farthest)
    assert len(release.promises) == 1 + len(limits)
    kept = release.provenance["result"]["beyond_k"]
    assert {one["what"]: one["limit"] for one in kept} == limits
    assert all(one["achieved"] == release.measures[NAMES[one["what"]]] for one in kept)


NAMES = {"l_diversity": "l-diversity", "t_closeness": "t-closeness"}


def test_a_kind_says_whether_numbers_are_only_names():
    data = people()
    ordered, nominal = (
        protect(data, confidential=["debt"], t_closeness=0.4, kinds=kinds)
        for kinds in ({}, {"debt": "nominal"})
    )
    keys = ["age", "income"]
    assert found(ordered.data, keys, ["debt"])[2] <= 0.4 + 1e-9
    assert found(nominal.data, keys, ["debt"], nominal=["debt"])[2] <= 0.4 + 1e-9
    assert nominal.partition.n_groups < ordered.partition.n_groups  # equality is the stricter


def test_codes_as_text_are_names_whatever_they_look_like(tmp_path):
    codes = np.random.default_rng(1).choice(["250", "401", "410", "7", "07"], 90)
    frame = people().assign(code=codes)
    keys = ["age", "income"]
    close = ma.protect(frame, 4, quasi_identifiers=keys, confidential=["code"], t_closeness=0.3)
    assert close.provenance["result"]["beyond_k"][0]["nominal"] == ("code",)
    shares = pd.Series(codes).value_counts(normalize=True)
    for _, group in close.data.groupby(keys):
        here = group["code"].value_counts(normalize=True).reindex(shares.index, fill_value=0)
        assert abs(here - shares).sum() / 2 <= 0.3 + 1e-9
    close.save(tmp_path / "out")  # checked on the file, by the same distance
    loose = ma.protect(
        *(frame, 4),
        quasi_identifiers=keys,
        confidential=["code"],
        kinds={"code": "ordinal"},
        t_closeness=0.3,
    )
    assert loose.provenance["result"]["beyond_k"][0]["nominal"] == ()
    loose.save(tmp_path / "loose")


def test_numbers_that_look_like_codes_are_told():
    frame = people(200).assign(code=np.random.default_rng(1).choice([250, 401, 410], 200))
    arguments = {"quasi_identifiers": ["age", "income"], "confidential": ["code"]}
    with pytest.warns(MicroaggWarning, match="look like codes: code"):
        release = ma.protect(frame, 4, **arguments, t_closeness=0.4)
    assert "look like codes: code. t-closeness" in release.summary()
    named = ma.protect(frame, 4, **arguments, t_closeness=0.4, kinds={"code": "nominal"})
    assert "look like codes" not in named.summary()


def test_mixed_records_blanks_and_strata():
    data = people()
    data["town"] = np.where(np.arange(90) % 3 == 0, None, np.where(np.arange(90) % 2, "x", "y"))
    data["region"] = np.arange(90) % 2
    keys = ["age", "income", "town"]
    release = protect(
        data,
        quasi_identifiers=keys,
        missing="group",
        strata="region",
        l_diversity=2,
        t_closeness=0.4,
    )
    k, fewest, farthest = found(release.data, keys, ["ill"])
    assert k >= 4
    assert fewest >= 2
    assert farthest <= 0.4 + 1e-9
    regions = data["region"].groupby(release.partition.labels).nunique()
    assert (regions == 1).all()


def test_without_a_need_the_groups_stay():
    plain, limited = protect(people()), protect(people(), t_closeness=1.0)
    assert (plain.partition.labels == limited.partition.labels).all()
    assert limited.data.equals(plain.data)


@pytest.mark.parametrize("k", sample([5, 10]))
def test_adult_by_income(data_folder, k):
    adult = datasets.load("adult").frame.to_pandas().iloc[:2000]
    release = protect(
        adult, k, quasi_identifiers=ADULT, confidential=["income"], t_closeness=0.2, l_diversity=2
    )
    held = found(release.data, ADULT, ["income"])
    assert held[0] >= k
    assert held[1] >= 2
    assert held[2] <= 0.2 + 1e-9


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"l_diversity": 4}, "has 3 different values in all records: 3 is the best"),
        ({"p_sensitive": 9}, "no longer has a parameter 'p_sensitive'"),
        ({"l_diversity": 2, "confidential": []}, "none is named"),
        ({"t_closeness": -0.1}, "a number from 0 to 1"),
        ({"l_diversity": 2, "segments": 1}, "segments"),
        ({"l_diversity": 2, "method": "individual-ranking"}, "individual-ranking"),
        ({"l_diversity": 2, "aggregate": "hybrid"}, "no records do"),
    ],
)
def test_what_cannot_be_held_is_refused(limits, words):
    with pytest.raises(ParameterError, match=words):
        protect(people(), **limits)


def test_the_strictest_limit_puts_all_into_one_group():
    release = protect(people(), t_closeness=0.0)
    assert release.partition.n_groups == 1 or release.measures["t-closeness"] <= 1e-9


def test_promises_are_checked_on_the_written_file(tmp_path):
    release = protect(people(), l_diversity=2, t_closeness=0.3)
    paths = release.save(tmp_path / "out")
    written = pd.read_csv(paths["data"])
    assert found(written, ["age", "income"], ["ill"])[1] >= 2
    release.data.loc[:, "ill"] = "flu"
    with pytest.raises(AnonymityError, match="l-diversity 1, but 2 is promised"):
        release.save(tmp_path / "other")
    assert not any((tmp_path / "other").glob("release*"))


def test_a_broken_promise_raises():
    data = EquivalenceClasses(pd.DataFrame({"age": [1, 1, 2, 2], "ill": [0, 1, 1, 1]}))
    assert ConfidentialPromise(("age",), ("ill",), "t_closeness", 0.25).require(data) == 0.25
    for what, limit in (("l_diversity", 2), ("t_closeness", 0.2)):
        with pytest.raises(AnonymityError, match="is promised"):
            ConfidentialPromise(("age",), ("ill",), what, limit).require(data)


def test_summary_report_and_repetition(tmp_path):
    data = people()
    release = protect(data, t_closeness=0.3)
    assert "a distance of at most 0.3 from that of all records (t-closeness)" in release.summary()
    release.write({"report": tmp_path / "r.html"}, original=data)
    assert "(t-closeness). Counted on the released values" in (tmp_path / "r.html").read_text()
    paths = release.save(tmp_path / "out")
    again = ma.protect(data, **ma.read_arguments(paths["provenance"]))
    assert again.data.equals(release.data)
    assert json.loads(paths["provenance"].read_text())["arguments"]["t_closeness"] == 0.3


def test_hybrid_keeps_moments_and_promises_nothing(tmp_path):
    data = people()
    release = protect(data, 5, aggregate="hybrid")
    assert release.promises == ()
    assert release.measures["k"] == 1
    assert release.summary().startswith("CAUTION: The records are NOT k-anonymous")
    keys = ["age", "income"]
    for rows in release.partition.groups():
        before, after = data[keys].iloc[rows], release.data[keys].iloc[rows]
        np.testing.assert_allclose(after.mean(), before.mean(), rtol=1e-9)
        np.testing.assert_allclose(after.cov(), before.cov(), rtol=1e-9, atol=1e-9)
    release.write({"report": tmp_path / "r.html", "data": tmp_path / "d.csv"}, original=data)
    report = (tmp_path / "r.html").read_text()
    assert "il: synthetic / means" in report
    assert "linkage: synthetic / means" in report
    assert protect(data, 5, aggregate="hybrid").data.equals(release.data)
    assert not protect(data, 5, aggregate="hybrid", seed=1).data.equals(release.data)


@pytest.mark.parametrize(
    ("kwargs", "words"),
    [
        ({"k": 2}, "at least 3"),
        ({"integers": "round"}, "'integers' parameter"),
        ({"segments": 1}, "'segments' parameters"),
        ({"method": "individual-ranking"}, "individual-ranking"),
        ({"aggregate": "hybrids"}, "'hybrid', or leave it out"),
        ({"missing": "impute"}, "only complete numeric columns"),
    ],
)
def test_hybrid_refuses(kwargs, words):
    with pytest.raises(ParameterError, match=words):
        protect(people(), **{"aggregate": "hybrid", **kwargs})


@st.composite
def frames(draw):
    n = draw(st.integers(1, 24))
    number = st.integers(0, 5) | st.floats(-3, 3, allow_subnormal=False).map(lambda x: round(x, 3))
    ages = draw(st.lists(number, min_size=n, max_size=n))
    secret = st.one_of(
        st.lists(st.sampled_from(["a", "b", "", None]), min_size=n, max_size=n),
        st.lists(st.none() | st.integers(0, 4), min_size=n, max_size=n),
        st.lists(st.booleans(), min_size=n, max_size=n),
        st.lists(st.floats(0, 1), min_size=n, max_size=n),
    )
    return pd.DataFrame({"age": np.array(ages, dtype=float), "secret": draw(secret)})


@given(
    frames(),
    st.integers(1, 5),
    st.none() | st.integers(1, 4),
    st.none() | st.floats(0, 1),
    st.sampled_from(["auto", "auto", "hybrid"]),
)
@settings(max_examples=examples(120), deadline=None)
def test_held_or_one_of_our_errors(data, k, l_diversity, t_closeness, aggregate):
    try:
        release = ma.protect(
            data,
            k,
            quasi_identifiers=["age"],
            confidential=["secret"],
            method="mdav",
            aggregate=aggregate,
            l_diversity=l_diversity,
            t_closeness=t_closeness,
        )
    except MicroaggError:
        return
    if aggregate == "hybrid":
        return
    held = found(release.data, ["age"], ["secret"])
    assert held[0] >= k
    assert held[1] >= (l_diversity or 1)
    assert held[2] <= (1.0 if t_closeness is None else t_closeness) + 1e-9


NOISE = {"epsilon": 1.0, "bounds": {"born": (0, 1)}}


@pytest.mark.parametrize(
    "how",
    [
        {"aggregate": "hybrid"},
        {"method": "dp-insensitive", "parameters": NOISE},
        {"method": "dp-individual-ranking", "parameters": NOISE},
    ],
)
def test_dates_are_refused_where_their_steps_would_break_a_promise(how):
    born = pd.DataFrame({"born": pd.date_range("2001-02-03", periods=20)})
    with pytest.raises(ParameterError, match="dates") as error:
        ma.protect(born, k=5, quasi_identifiers=["born"], **how)
    assert "2001" not in str(error.value)


@pytest.mark.parametrize("name", [masking.name for masking in ma.maskings()])
@pytest.mark.parametrize("column", [[True, False], ["a", "b"], [1.0, None]])
def test_maskings_refuse_what_is_not_complete_numbers(name, column):
    data = pd.DataFrame({"x": column * 10})
    how = {"epsilon": 1.0, "bounds": {"x": (0, 1)}} if name.startswith("dp-") else {}
    with pytest.raises(MicroaggError):
        ma.protect(data, k=5, quasi_identifiers=["x"], method=name, missing="group", **how)


ILLNESSES = {
    "case": ["flu", "FLU"],
    "spaces": ["flu", " flu "],
    "two spaces": ["the flu", "the  flu"],
    "no-break space": ["the flu", "the\u00a0flu"],
    "ligature": ["flu", "\ufb02u"],
    "accents": ["caf\u00e9", "cafe\u0301"],
    "zero width": ["flu", "fl\u200bu"],
    "soft hyphen": ["flu", "fl\u00adu"],
    "joiner": ["flu", "flu\u034f"],
    "variant": ["flu", "flu\ufe0f"],
    "filler": ["flu", "flu\u3164"],
    "blank": ["flu", "flu\u2800"],
    "dashes": ["flu-a", "flu\u2013a"],
    "minus": ["flu-a", "flu\u2212a"],
    "digits": ["flu3", "flu\u0663"],
}


def test_nested_values_that_differ_as_nothing_else_are_one():
    """NaN is null and -0.0 is 0.0 in a column of numbers, and so they are in a list of numbers."""
    ages, nothing = np.arange(40.0), [[None], [float("nan")]]
    for values in (nothing, [[0.0], [-0.0]], [{"x": [None]}, {"x": [float("nan")]}]):
        table = pa.table({"age": ages, "ill": pa.array((values * 20)[:40])})
        with pytest.raises(ParameterError, match="1 different value"):
            ma.protect(table, 4, quasi_identifiers=["age"], confidential=["ill"], l_diversity=2)


def recorded_twice(words, folder=None):
    """Return the cautions where a confidential column has one value in two forms."""
    frame = pd.DataFrame({"age": np.arange(40.0), "ill": (words * 20)[:40]})
    options = {"quasi_identifiers": ["age"], "confidential": ["ill"], "l_diversity": 2}
    if folder is None:
        return ma.protect(frame, 4, method="mdav", **options).outcome.cautions
    frame.to_csv(folder / "people.csv", index=False)
    small = {"block_size": 20, "within": "mdav"}
    release = ma.protect_file(
        folder / "people.csv", folder / "out", 4, parameters=small, memory="500MB", **options
    )
    return release.outcome.cautions


@pytest.mark.parametrize("words", ILLNESSES.values(), ids=ILLNESSES)
def test_values_that_only_look_different_are_a_caution(words):
    (caution,) = [text for text in recorded_twice(words) if "differ only in case" in text]
    assert "Column 'ill'" in caution
    assert "flu" not in caution


def test_values_that_differ_are_none(tmp_path):
    assert not [text for text in recorded_twice(["flu", "cold"]) if "differ only" in text]
    cautions = recorded_twice(["flu", "Flu "], tmp_path)
    assert len([text for text in cautions if "differ only in case" in text]) == 1


NOT_VALUES = {
    "notations": (["flu", "5", "5.0", "5e0"], "numbers in several notations"),
    "zeros": (["05", "flu", "5", "6"], "numbers in several notations"),
    "codes": (["NA", "?", "null", "N/A"], "codes for missing values"),
    "one code": (["flu", "cold", "nan", "flu"], "codes for missing values"),
    "decimal commas": (["1,5", "flu", "1.50", "6"], "numbers in several notations"),
    "dates": (["2020-01-02", "02/01/2020", "flu", "cold"], "dates in several notations"),
    "two-digit years": (
        ["2.1.20", "2020-01-02 00:00", "flu", "cold"],
        "dates in several notations",
    ),
    "zeros of days": (["2.1.2020", "02.01.2020", "flu", "cold"], "dates in several notations"),
    "digits of text": (
        ["0.3", "0.30000000000000004", "flu", "2"],
        "agree in their first 15 digits",
    ),
    "digits": ([0.1 + 0.2, 0.3, 1.0, 2.0], "agree in their first 15 digits"),
    "long integers": ([2**53, 2**53 + 1, 1, 2], "agree in their first 15 digits"),
}


def test_large_files_have_these_cautions_too(tmp_path):
    cautions = recorded_twice([0.1 + 0.2, 0.3], tmp_path)
    assert len([text for text in cautions if "agree in their first 15 digits" in text]) == 1


@pytest.mark.parametrize(
    "words",
    [
        ["2020-01-02", "2020-02-01", "2020-01-03", "2020-11-02"],
        ["1/12/2020", "12/1/2020", "11/2/2020", "1/1/2020"],
        [0.1, 0.2, -0.1, 0.0],
        [1e15, 1e15 + 10, float("inf"), -1e15],
    ],
)
def test_values_of_one_notation_are_no_caution(words):
    told = ("several notations", "agree in")
    assert not [text for text in recorded_twice(words) if any(word in text for word in told)]


@pytest.mark.parametrize(("words", "caution"), NOT_VALUES.values(), ids=NOT_VALUES)
def test_values_that_limits_should_not_count_are_a_caution(words, caution):
    assert len([text for text in recorded_twice(words * 10) if caution in text]) == 1


def test_other_numbers_and_answers_are_no_caution(tmp_path):
    words = ["5", "50", "n", str(2**60), str(2**60 + 1)] * 8
    parts = ("notations", "codes for missing")
    assert not [text for text in recorded_twice(words) if any(part in text for part in parts)]
    cautions = recorded_twice(["NA", "x"] * 20, tmp_path)
    assert len([text for text in cautions if "codes for missing values" in text]) == 1


def test_units_that_only_look_different_are_one():
    names = [["P1", "p1 "], ["P\u200b2", "P2"], ["a b", "A\u00a0 b"]]
    units = [name for pair in names for name in pair] * 10
    frame = pd.DataFrame({"age": np.arange(60.0), "unit": units})
    release = ma.protect(frame, 3, quasi_identifiers=["age"], unit="unit", method="mdav")
    assert release.outcome.units.promise.count == 3


def test_a_number_in_several_notations_is_one_unit(tmp_path):
    """One part of a file may have been written with integers, and another with decimal places."""
    persons = np.arange(60) // 4
    texts = [form.format(person) for form in ("{}", "{}.0", "0{}") for person in persons]
    ages = np.concatenate([persons + shift for shift in (0, 0.01, 0.02)])
    frame = pd.DataFrame({"age": ages, "unit": texts})
    options = {"quasi_identifiers": ["age"], "unit": "unit"}
    frame.to_csv(tmp_path / "people.csv", index=False)
    ma.protect_file(tmp_path / "people.csv", tmp_path / "out", 2, **options)
    whole = ma.protect(frame, 2, method="mdav", **options)
    assert whole.outcome.units.promise.count == 15
    for released in (whole.data, pd.read_csv(tmp_path / "out" / "release.csv")):
        counted = released.assign(person=[*persons] * 3).groupby("age").person.nunique()
        assert counted.min() >= 2


def test_a_stratum_of_one_value_is_a_matter_of_strata():
    frame = pd.DataFrame(
        {"age": range(20), "ill": [*"yn" * 5, *"n" * 10], "at": [*"a" * 10, *"b" * 10]}
    )
    with pytest.raises(
        ma.ParameterError, match="has 1 different value in a whole stratum"
    ) as caught:
        ma.protect(
            frame, 3, quasi_identifiers=["age"], confidential=["ill"], strata="at", l_diversity=2
        )
    assert "coarser strata" in str(caught.value)
    assert "there is only one value" not in str(caught.value)
