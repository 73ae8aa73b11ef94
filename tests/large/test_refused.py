"""What large files do not take: refused by name, with the reason that the documentation gives."""

import pyarrow as pa
import pytest

import microagg as ma
from microagg.cli.protect_large import _refuse
from microagg.declare import options_of
from microagg.errors import MicroaggError, ParameterError
from microagg.large.refused import REFUSED, reason_for
from microagg.settings import Settings

EXAMPLES = {
    "refine": ["swap-shift"],
    "columns": ["x0"],
    "segments": 2,
    "engine": "cpu",
    "distance": "gower",
    "index": "drop",
}
ELSEWHERE = {"target", "report_data", "spend_again"}
"""Options of the command alone, which the function does not have."""


def test_the_list_is_complete():
    """Every option of a table that large files do not have is there with its reason, and no other."""
    whole = {*options_of(Settings, "memory")} - {*options_of(Settings, "large")}
    listed = {name for each in REFUSED for name in each.options}
    assert listed == (whole | ELSEWHERE)
    assert whole - ELSEWHERE == {*EXAMPLES}


@pytest.mark.parametrize("name", EXAMPLES)
def test_options_are_refused_by_name(source, tmp_path, name):
    given = {"k": 5, "quasi_identifiers": ["x0", "x1"], name: EXAMPLES[name]}
    with pytest.raises(ParameterError, match=f"'{name}'"):
        ma.protect_file(source(), tmp_path / "out", **given)
    with pytest.raises(ParameterError) as error:
        _refuse({name: "some"}, {}, "memory")
    assert reason_for(name) in str(error.value)


@pytest.mark.parametrize("name", sorted(ELSEWHERE))
def test_options_of_the_command_are_refused_by_name(name):
    with pytest.raises(ParameterError) as error:
        _refuse({}, {name: "some"}, "workers")
    assert reason_for(name) in str(error.value)


VALUES = [(name, value, each) for each in REFUSED for name, value in each.values.items()]


@pytest.mark.parametrize(("name", "value", "each"), VALUES, ids=lambda own: str(own)[:9])
def test_values_are_refused_with_the_reason(source, tmp_path, name, value, each):
    with pytest.raises(ParameterError, match=f"'{name}'") as error:
        ma.protect_file(
            source(), tmp_path / "out", k=5, quasi_identifiers=["x0", "x1"], **{name: value}
        )
    assert each.reason in str(error.value)


def test_other_methods_and_too_many_categories(source, people, tmp_path, monkeypatch):
    with pytest.raises(ParameterError, match="'method'"):
        ma.protect_file(source(), tmp_path / "out", k=5, quasi_identifiers=["x0"], method="mdav")
    monkeypatch.setattr("microagg.large.domains.MOST", 20)
    text = people.append_column("town", pa.array([f"t{i}" for i in range(600)]))
    with pytest.raises(MicroaggError, match="more than 20 different values"):
        ma.protect_file(source(table=text), tmp_path / "out", k=5, quasi_identifiers=["town"])
