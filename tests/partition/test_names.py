"""What names stand for."""

import pytest

import microagg as ma
from microagg.errors import ParameterError
from microagg.partition import registry
from microagg.partition.names import resolve


@pytest.mark.parametrize(
    ("name", "method", "refine"),
    [
        ("mdav", "mdav", ()),
        ("MDAV-NN", "mdav", ()),
        ("MDAV-NC3", "mdav-nc", ("decompose-shrink",)),
        ("tfrp-nn2", "tfrp-i", ("decompose-2018",)),
        ("TFRP", "tfrp-i", ("decompose",)),
        ("tfrp-i", "tfrp-i", ()),
        ("Centroid+", "cbfs-nc", ("decompose",)),
        ("Diameter+", "dbfs-nc", ("decompose",)),
        ("Centroid", "cbfs-nc", ()),
        ("GSMS-T2", "gsms", ("decompose-2018",)),
        ("DBA-2", "dba-1", ("decompose",)),
    ],
)
def test_names_of_the_papers(name, method, refine):
    choice = resolve(name)
    assert choice.method.name == method
    assert choice.refine == refine


def test_the_names_of_2018_run_with_that_papers_rules():
    assert resolve("TFRP-NN3").parameters == resolve("TFRP-NN").parameters
    assert resolve("TFRP-NN3").parameters["references"] == "attribute"
    assert resolve("tfrp").parameters == {}


def test_a_digit_alone_makes_no_name():
    with pytest.raises(ParameterError, match="no method 'mdav3'"):
        resolve("mdav3")


def test_what_a_name_fixes_cannot_be_given_otherwise():
    with pytest.raises(ParameterError, match='means mdav with leftovers="nearest"'):
        ma.partition([[0.0], [1.0], [2.0], [3.0]], 2, "MDAV-NN", parameters={"leftovers": "group"})


def test_a_method_declares_its_own_names(monkeypatch):
    monkeypatch.setattr(registry, "_METHODS", dict(registry._METHODS))

    @ma.method(
        "upright",
        summary="none",
        reference="none",
        time="O(n)",
        refined={"upright+": "swap-shift"},
        suffixed=("upright",),
    )
    def upright(prepared, k, context):
        """Group nothing."""

    assert resolve("Upright+").refine == ("swap-shift",)
    assert resolve("upright3").refine == ("decompose-shrink",)
    with pytest.raises(ParameterError, match="no method 'upright4'"):
        resolve("upright4")


def test_brief_parameters_are_parameters():
    for method in ma.methods():
        method.check(method.brief)
