"""The CSV form that the SHA-256 pins are of, made from an R file or from scikit-learn's set."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from microagg.errors import MissingDependencyError


def csv_form(header: Sequence[str], columns: Sequence[Sequence[Any]]) -> bytes:
    r"""Write columns as UTF-8 CSV with commas and LF line ends, each value exactly.

    A column of floats that are all whole is written as integers: R often stores counts and codes
    as doubles. Other floats get the shortest text that reads back as the same number.

    Examples
    --------
    >>> csv_form(["code", "share"], [[1.0, 2.0], [0.5, 1.0]])
    b'code,share\n1,0.5\n2,1.0\n'
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(zip(*map(_whole_as_int, columns), strict=True))
    return text.getvalue().encode()


def _whole_as_int(column: Sequence[Any]) -> Sequence[Any]:
    if all(isinstance(value, float) and value.is_integer() for value in column):
        return [int(value) for value in column]
    return column


def need_rdata() -> Any:
    """Return the `rdata` package, or say how to install it."""
    try:
        import rdata
    except ImportError as error:
        raise MissingDependencyError(
            "Reading a downloaded R file needs rdata, which is not installed.",
            hint="Install it with: pip install 'microagg[datasets]'",
        ) from error
    return rdata


def from_rda(path: Path) -> bytes:
    """Return the CSV form of the one data frame, or matrix with column names, in an R file."""
    rdata = need_rdata()
    with warnings.catch_warnings():
        # rdata guesses the encoding of old files aloud; the pin of the result is what decides.
        warnings.simplefilter("ignore")
        (value,) = rdata.read_rda(path).values()
    if hasattr(value, "columns"):
        header = [str(name) for name in value.columns]
        columns = [value[name].tolist() for name in value.columns]
    else:
        # An R matrix comes as an xarray.DataArray whose last dimension bears the names.
        header = [str(name) for name in value.coords[value.dims[1]].values]
        columns = value.values.T.tolist()
    return csv_form(header, columns)


def diabetes_csv() -> bytes:
    """Return the CSV form of scikit-learn's diabetes study, in the units it was measured in."""
    from sklearn.datasets import load_diabetes

    study = load_diabetes(scaled=False)
    header = [*study.feature_names, "progression"]
    return csv_form(header, [*study.data.T.tolist(), study.target.tolist()])
