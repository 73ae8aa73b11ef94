"""The harness that computes printed figures again."""

import csv

import pytest

from benchmarks.reproduce import compute
from benchmarks.reproduce.compute import reproduce
from benchmarks.reproduce.figures import Figure, Result, figures
from benchmarks.reproduce.page import page_of, summary, to_csv
from microagg.errors import ParameterError


def figure(**changes):
    plain = {
        "data": "census",
        "k": 3,
        "method": "MDAV-NN",
        "measure": "IL",
        "printed": "5.692",
        "source": "group-decomposition-2018 table 3",
    }
    return Figure(**{**plain, **changes})


@pytest.mark.parametrize(
    ("ours", "printed", "met"),
    [(5.6921, "5.692", True), (5.6926, "5.692", False), (19.7301, "19.73", True)],
)
def test_met_means_that_ours_rounds_to_the_print(ours, printed, met):
    assert Result(figure(printed=printed), ours).met is met


def test_zeros_at_the_end_count_as_printed():
    assert not Result(figure(printed="19.73"), 19.7306).met


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"measure": "RLD"}, "another measure"),
        ({"data": "scattered"}, "simulated"),
        ({"method": "Nobody"}, "does not exist"),
        ({"method": "MDAV on EMAD variables 7,4,2"}, "some of the columns"),
        ({}, ""),
    ],
)
def test_what_cannot_be_computed_says_why(changes, why):
    assert why in figure(**changes).why_not
    assert bool(figure(**changes).why_not) is bool(why)


def test_omma_learns_as_many_cycles_as_printed_and_the_median_of_its_runs_counts():
    omma = figure(method="OMMA", data="tarragona", k=2, source="fayyoumi-thesis-2008 table 4.3")
    assert omma.recipe == ("omma", {"max_iterations": 7})


def test_tfrp_of_2007_leaves_out_an_identifier():
    assert figure(data="eia", method="TFRP-I", source="tfrp-2007 table 2").columns != "all"
    assert figure(data="eia", method="TFRP-NN").columns == "all"


def test_all_printed_figures_are_there():
    assert len(figures()) == 797


def test_an_unknown_table():
    with pytest.raises(ParameterError, match="No printed figure"):
        figures(table="nowhere")


def test_results_are_kept_and_not_computed_again(benchmark, tmp_path, monkeypatch):
    wanted = [f for f in figures(table="table 3") if f.name == "MDAV-NN" and f.k in (3, 4)]
    kept = tmp_path / "kept.json"
    results = list(reproduce(wanted, jobs=1, kept=kept))
    assert len(results) == 2
    assert all(result.met for result in results)
    monkeypatch.setattr(compute, "loss_of", lambda figure: pytest.fail("computed again"))
    assert list(reproduce(wanted, jobs=1, kept=kept)) == results
    rows = list(csv.DictReader(to_csv(results).splitlines()))
    assert [row["reproduced"] for row in rows] == ["yes", "yes"]
    assert summary(results)[0]["met"] == 2
    assert "**2 of 2 figures (100.0 %) are reproduced to the printed" in page_of(wanted, results)
