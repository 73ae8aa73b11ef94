"""Coordinates of records, by which groups are changed for a limit."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.prepare.column import Column
from microagg.prepare.coordinates import BLANKED, MOST, coordinates
from microagg.prepare.records import prepare_records


def squares(points):
    return ((points[:, None] - points[None]) ** 2).sum(axis=2)


@pytest.mark.parametrize("gower", [False, True])
def test_categories_are_as_far_apart_as_for_methods(gower):
    rng = np.random.default_rng(0)
    places = rng.normal(size=(9, 3))
    between = np.sqrt(squares(places))
    codes = rng.permutation(np.repeat(np.arange(9.0), 4))
    columns = [
        Column("town", "nominal", codes, tuple("abcdefghi"), between),
        Column("sex", "nominal", codes % 2, ("f", "m")),
    ]
    records = prepare_records(columns, gower=gower, column_weights={"town": 3.0})
    town, sex = records.measures
    wanted = town.table[np.ix_(codes.astype(int), codes.astype(int))]
    wanted = wanted + sex.strength * (codes[:, None] % 2 != codes % 2)
    assert squares(coordinates(records)) == pytest.approx(wanted, abs=1e-9)


def test_many_categories_have_a_limited_number_of_coordinates():
    rng = np.random.default_rng(1)
    for dimensions, exact in ((5, True), (300, False)):
        between = np.sqrt(squares(rng.normal(size=(200, dimensions))))
        codes = np.arange(200.0)
        column = Column("town", "nominal", codes, tuple(map(str, range(200))), between)
        records = prepare_records([column])
        points = coordinates(records)
        assert points.shape[1] <= MOST
        assert np.allclose(squares(points), records.measures[0].table) == exact


def test_a_table_of_zeros_and_a_single_category():
    for codes, between in (([0.0, 1.0], np.zeros((2, 2))), ([0.0, 0.0], np.zeros((1, 1)))):
        column = Column("town", "nominal", np.array(codes), ("a", "b"), between)
        points = coordinates(prepare_records([column]))
        assert points[0].tolist() == points[1].tolist()


def test_a_missing_value_of_a_table_lies_at_the_mean_and_apart_where_it_stays_missing():
    between = np.array([[0.0, 1.0], [1.0, 0.0]])
    column = Column("town", "nominal", np.array([0.0, 1.0, np.nan]), ("a", "b"), between)
    records = prepare_records([column])
    points = coordinates(records)
    assert points[2] == pytest.approx(points[:2].mean(axis=0))
    kept = coordinates(replace(records, keeps_blanks=True))
    assert kept[2, -1] ** 2 == pytest.approx(BLANKED * records.measures[0].average)


def test_limits_merge_categories_that_are_near_in_the_hierarchy(tmp_path):
    towns = ["rome", "nairobi", "oslo", "kampala"]
    (tmp_path / "levels.csv").write_text(
        "rome;europe;*\noslo;europe;*\nnairobi;africa;*\nkampala;africa;*\n"
    )
    frame = pd.DataFrame({"town": np.repeat(towns, 4), "ill": np.repeat(list("nyyn"), 4)})
    release = ma.protect(
        frame,
        4,
        quasi_identifiers=["town"],
        confidential=["ill"],
        l_diversity=2,
        hierarchies={"town": tmp_path / "levels.csv"},
        method="mdav-nc",
    )
    europe = frame["town"].isin(["rome", "oslo"])
    assert set(release.partition.labels[europe]).isdisjoint(release.partition.labels[~europe])
