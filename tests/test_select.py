"""`select_columns`: from any data to a tree, its text and its picture."""

import sys
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.errors import FileError, MissingDependencyError, ParameterError


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    age = rng.normal(40, 10, 300)
    pay = age + rng.normal(0, 4, 300)
    rent = pay + rng.normal(0, 4, 300)
    return pd.DataFrame({"age": age, "pay <net>": pay, "rent": rent, "name": "x"})


NUMBERS = ["age", "pay <net>", "rent"]


def test_the_tree_the_columns_and_the_weights(people):
    found = ma.select_columns(people, quasi_identifiers=NUMBERS, m=1)
    assert found.columns == ("pay <net>",)
    assert found.edges == {"age": 1, "pay <net>": 2, "rent": 1}
    assert {frozenset(edge[:2]) for edge in found.tree} == {
        frozenset(["age", "pay <net>"]),
        frozenset(["pay <net>", "rent"]),
    }
    assert found.weights.shape == (3, 3)
    assert not found.weights.flags.writeable
    assert repr(found) == "Selection(columns=['pay <net>'], measure='emi')"
    lines = found.text().splitlines()
    assert lines[0] == '"pay <net>" *'
    assert sorted(line.split()[0] for line in lines[1:]) == ["age", "rent"]


def test_the_picture_is_a_whole_file(people, tmp_path):
    found = ma.select_columns(people, quasi_identifiers=NUMBERS)
    found.save_picture(tmp_path / "tree.svg")
    root = ET.parse(tmp_path / "tree.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    words = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert set(NUMBERS) <= set(words)
    with pytest.raises(FileError):
        found.save_picture(tmp_path / "tree.svg")
    found.save_picture(tmp_path / "tree.svg", overwrite=True)
    with pytest.raises(ParameterError, match=r"'.svg' or '.png'"):
        found.save_picture(tmp_path / "tree.pdf")


def test_a_png_needs_matplotlib_and_says_so(people, tmp_path, monkeypatch):
    found = ma.select_columns(people, quasi_identifiers=NUMBERS)
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "matplotlib.figure", None)
        with pytest.raises(MissingDependencyError, match="needs matplotlib"):
            found.save_picture(tmp_path / "tree.png")
    assert not list(tmp_path.iterdir())
    pytest.importorskip("matplotlib")
    found.save_picture(tmp_path / "tree.png")
    assert (tmp_path / "tree.png").read_bytes().startswith(b"\x89PNG")


def test_one_column_is_a_tree_too(tmp_path):
    found = ma.select_columns([[1.0], [2.0], [3.0]], m=1)
    assert found.columns == ("0",)
    assert found.tree == ()
    assert found.text() == "0 *\n"
    assert "<rect" in found.svg()


def test_unknown_columns_and_text_are_refused(people):
    with pytest.raises(ma.MicroaggError, match="agee"):
        ma.select_columns(people, quasi_identifiers=["agee"])
    with pytest.raises(ma.MicroaggError, match="name"):
        ma.select_columns(people)


def test_the_default_number_fits_few_columns():
    assert len(ma.select_columns(pd.DataFrame({"a": range(9)})).columns) == 1


def test_a_chain_of_many_columns_is_drawn():
    from microagg.report.tree import indented, picture, rooted

    names = [f"c{i}" for i in range(1500)]
    nodes = rooted("c0", [(one, other, 1.0) for one, other in pairwise(names)])
    assert [node.depth for node in nodes] == list(range(1500))
    assert len(indented(nodes, ()).splitlines()) == 1500
    assert "c1499" in picture(nodes, (), "a chain")


def test_settings_of_matplotlib_do_not_matter(people, tmp_path):
    """A file of settings beside the records had LaTeX run on the names of columns."""
    matplotlib = pytest.importorskip("matplotlib")
    found = ma.select_columns(people, quasi_identifiers=NUMBERS)
    found.save_picture(tmp_path / "usual.png")
    with matplotlib.rc_context({"text.usetex": True, "font.size": 30}):
        found.save_picture(tmp_path / "tree.png")
        assert matplotlib.rcParams["font.size"] == 30
    assert (tmp_path / "tree.png").read_bytes() == (tmp_path / "usual.png").read_bytes()
