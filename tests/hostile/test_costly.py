"""Small files whose cost must not grow with the square of their size.

Before, these tests took minutes to hours; the general time limit of the tests ends them then.
"""

import unicodedata

import pytest

import microagg as ma
from microagg.prepare.folded import LONG, folded

COLUMNS = 40_000


@pytest.mark.slow
def test_many_columns_are_read(tmp_path):
    path = tmp_path / "a.csv"
    names = [f"c{i}" for i in range(COLUMNS)]
    path.write_text("\n".join(",".join(row) for row in (names, ["1"] * COLUMNS)))
    table = ma.read_file(path)
    assert table.column_names == names
    assert table.column(COLUMNS - 1).to_pylist() == [1]


def test_many_marks_on_a_letter_are_folded():
    text = "A" + "\u0301\u0323" * 400_000
    assert folded(text + " ") == folded(text.lower())
    assert folded(text) != folded(text + "b")


def test_long_texts_are_folded_as_short_ones():
    word = "\u00c9t\u00e9 "
    long = word * LONG
    assert folded(unicodedata.normalize("NFD", long)) == folded(long.lower())
