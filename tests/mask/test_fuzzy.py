"""Fuzzy as a masking of `protect`: the four ways of drawing, and what is said of them."""

import itertools

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.aggregate.fuzzy import fuzzy_clusters
from microagg.context import Context
from microagg.errors import ParameterError
from microagg.prepare.prepared import prepare

RNG = np.random.default_rng(0)
PEOPLE = pd.DataFrame(
    {
        "age": np.repeat([20.0, 45.0, 80.0], 20) + RNG.normal(size=60),
        "income": np.repeat([900.0, 3000.0, 1500.0], 20) + 20 * RNG.normal(size=60),
        "one": 7.0,
    }
)
WAYS = list(itertools.product(("membership", "uniform"), ("record", "column")))


def protect(**parameters):
    names = list(PEOPLE.columns)
    return ma.protect(PEOPLE, 4, quasi_identifiers=names, method="fuzzy", **parameters)


@pytest.mark.parametrize("form", ["means", "entropy"])
@pytest.mark.parametrize(("drawn_by", "drawn_for"), WAYS)
def test_values_are_centres_of_clusters(form, drawn_by, drawn_for):
    release = protect(parameters={"form": form, "drawn_by": drawn_by, "drawn_for": drawn_for})
    facts = release.partition.facts
    assert release.data["age"].nunique() <= facts.clusters <= 15
    assert (release.data["one"] == 7).all()
    if drawn_for == "record":  # all values of a record come from one cluster
        assert len(release.data.drop_duplicates()) == release.data["age"].nunique()
    assert release.measures["il"] < 100
    assert facts.stopped == "the centres no longer move"


def test_records_keep_to_their_part_of_the_data():
    data = protect().data
    for rows, (low, high) in zip(
        np.split(np.arange(60), 3), ((15, 25), (40, 50), (75, 85)), strict=True
    ):
        assert data["age"].iloc[rows].between(low, high).all()


def test_the_release_says_plainly_that_it_is_not_k_anonymous(tmp_path):
    release = protect(parameters={"drawn_for": "column"})
    assert release.promises == ()
    assert release.partition.k == 1
    summary = release.summary()
    assert summary.startswith("CAUTION: Values drawn from fuzzy clusters are not k-anonymous: ")
    assert "Promised: nothing.\n" in summary
    assert "Replaced by cluster centres (quasi-identifiers): " in summary
    assert "Sizes of the sets of records with the same released values: " in summary
    assert "as a whole (requested k: " in summary
    release.write({"report": tmp_path / "report.html"}, original=PEOPLE)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert (
        page.index("k-anonymity is not promised.")
        < page.index("clusters are not k-anonymous")
        < page.index("<svg")
    )
    assert "Nothing is promised." in page
    assert "The masking fuzzy replaced the values of the quasi-identifiers." in page
    assert "was requested" in page
    release.save(tmp_path / "saved")


def test_the_partition_tells_which_records_got_the_same():
    release = protect(parameters={"drawn_for": "column"})
    seen = release.data.groupby(list(PEOPLE.columns)).ngroup().to_numpy()
    assert len(set(zip(seen, release.partition.labels, strict=True))) == release.partition.n_groups
    assert release.measures["k"] == release.partition.sizes.min()


def test_the_same_seed_gives_the_same_release():
    assert protect(seed=3).data.equals(protect(seed=3).data)
    assert not protect(seed=3, parameters={"drawn_by": "uniform"}).data.equals(
        protect(seed=4, parameters={"drawn_by": "uniform"}).data
    )


def test_least_membership_says_which_clusters_are_drawn_alike():
    drawn = {
        least: protect(parameters={"drawn_by": "uniform", "least_membership": least})
        for least in (0, 0.05, 1)
    }
    assert protect(parameters={"drawn_by": "uniform"}).data.equals(drawn[0.05].data)
    assert not drawn[0].data.equals(drawn[0.05].data)
    assert drawn[1].measures["il"] < drawn[0].measures["il"]  # the largest alone


def test_ends_are_noted():
    assert protect(parameters={"max_iterations": 1}).partition.facts.stopped == "max_iterations"
    assert protect(parameters={"time_limit": 0}).partition.facts.stopped == "time limit"


@pytest.mark.parametrize("k", [2, 7, 31, 60])
@pytest.mark.parametrize("form", ["means", "entropy"])
def test_no_cluster_is_lighter_than_k(k, form):
    prepared = prepare([PEOPLE["age"].to_numpy(), PEOPLE["income"].to_numpy()], ["a", "b"])
    clusters, _ = fuzzy_clusters(prepared, k, Context.of(), form=form)
    assert clusters.masses.min() >= k * (1 - 1e-8)
    degrees = clusters.memberships(prepared.columns)
    assert np.allclose(degrees.sum(axis=0), clusters.masses, atol=1e-2)


def test_equal_records_stay_as_they_are():
    same = pd.DataFrame({"x": np.full(9, 3.5), "y": np.full(9, -1.0)})
    for form in ("means", "entropy"):
        release = ma.protect(
            same, 3, quasi_identifiers=["x", "y"], method="fuzzy", parameters={"form": form}
        )
        assert release.data.equals(same)


@pytest.mark.parametrize(
    ("parameters", "named"),
    [
        ({"fuzziness": 1.0}, "fuzziness"),
        ({"form": "soft"}, "form"),
        ({"drawn_by": "luck"}, "drawn_by"),
        ({"least_membership": 0.1}, "least_membership"),
        ({"least_membership": 0.1, "drawn_by": "membership"}, "least_membership"),
        ({"least_membership": 2, "drawn_by": "uniform"}, "least_membership"),
        ({"refine": "decompose"}, "refine"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_parameters(parameters, named):
    with pytest.raises(ParameterError, match=f"'{named}'"):
        protect(**parameters)


def test_k_beyond_the_records_is_refused():
    with pytest.raises(
        ParameterError, match="'k' parameter of protect must be an integer from 2 to n=60"
    ):
        ma.protect(PEOPLE, 61, quasi_identifiers=["age"], method="fuzzy")
