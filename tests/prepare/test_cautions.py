"""Cautions say what may be a mistake, and quote no record."""

import pyarrow as pa
import pytest

import microagg as ma
from microagg.data.numerals import MISSING_CODES


@pytest.mark.parametrize("code", sorted(MISSING_CODES - {"n"}))
def test_a_code_for_missing_values_is_noticed_and_not_quoted(code):
    """A single record may have it, and the external report shows cautions."""
    table = pa.table({"sex": ["f", "m"] * 6 + [code], "age": list(range(13))})
    release = ma.protect(table, 3, quasi_identifiers=["sex", "age"])
    cautions = "\n".join(release.outcome.cautions)
    assert "Column 'sex' has a category that looks like a code for missing values" in cautions
    for quote in "'\"":
        assert f"{quote}{code}{quote}" not in cautions
        assert f"{quote}{code}{quote}" not in release.summary()
