"""Axes: one number per record, so that several columns can be ranked and grouped as one.

    pc1     the first principal component of the scaled columns
    zsum    the sum of their z-scores
    sugeno  their Sugeno integral
    a name  that column alone

A single column is its own axis. Constant columns do not affect any axis.

Where the papers are silent: the thesis (Fayyoumi 2008, section 2.6.3.1) names the Sugeno integral and
not its measure. Here columns run from 0 to 1, and every set of m columns of d measures m / d: the
integral is the largest share s such that s of the columns are at least s. Many records share the
same one; they are ranked by row. A component's sign is arbitrary: its first largest loading
(to a billionth) is made positive. Sums are in the order of the columns and not left to a
matrix library, so that no number of threads changes a rank.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import numpy as np

from microagg.constraints import WordOr
from microagg.errors import ParameterError, column_hint, quoted_name, shown
from microagg.prepare.prepared import Prepared
from microagg.prepare.scale import Spread, minmax, spread_of, zscore
from microagg.typing import Floats

ALIKE = 1e-9
"""Loadings that differ by less than this share are taken to be equal."""


def first_principal_component(columns: Floats) -> Floats:
    """Project centred columns on the axis along which they vary most."""
    centred = columns - columns.mean(axis=1, keepdims=True)
    d = len(columns)
    covariance = np.array([[np.sum(centred[i] * centred[j]) for j in range(d)] for i in range(d)])
    loadings = np.linalg.eigh(covariance)[1][:, -1]
    largest = np.flatnonzero(np.abs(loadings) >= np.abs(loadings).max() * (1 - ALIKE))[0]
    return _weighted(centred, loadings * np.sign(loadings[largest]))


def sum_of_z_scores(columns: Floats) -> Floats:
    """Add up the columns, each scaled to mean 0 and population standard deviation 1."""
    return _weighted(_scaled(columns, zscore), np.ones(len(columns)))


def sugeno_integral(columns: Floats) -> Floats:
    """Return max over m of min(m-th largest of the columns, m / d), columns from 0 to 1."""
    d = len(columns)
    falling = -np.sort(-_scaled(columns, minmax), axis=0)
    shares = np.arange(1, d + 1)[:, None] / d
    return np.asarray(np.minimum(falling, shares).max(axis=0))


AXES: dict[str, Callable[[Floats], Floats]] = {
    "pc1": first_principal_component,
    "zsum": sum_of_z_scores,
    "sugeno": sugeno_integral,
}

_WORDS = {
    "pc1": "the first principal component (pc1)",
    "zsum": "the sum of their z-scores (zsum)",
    "sugeno": "their Sugeno integral (sugeno)",
}


def axis_words(axis: str) -> str:
    """Return an axis in words.

    Examples
    --------
    >>> axis_words("pc1"), axis_words("age")
    ('the first principal component (pc1)', 'the column age')
    """
    return _WORDS.get(axis, f"the column {quoted_name(axis)}")


Axis = Annotated[str, WordOr(tuple(AXES), "the name of a column")]
"""The annotation of a method's `axis` parameter."""


def project(prepared: Prepared, axis: str) -> Floats:
    """Return the position of each record on an axis.

    Examples
    --------
    >>> from microagg.prepare.prepared import prepare
    >>> both = prepare([np.array([1.0, 2.0, 9.0]), np.array([0.0, 4.0, 5.0])], ["a", "b"])
    >>> project(both, "zsum").round(2)
    array([-2.23, -0.1 ,  2.33])
    """
    columns = prepared.columns
    if axis not in AXES or prepared.d == 1:
        only: Floats = columns[0 if axis in AXES else _row(prepared, axis)]
        return only
    varying = columns[columns.max(axis=1) > columns.min(axis=1)]
    return AXES[axis](varying) if len(varying) else np.zeros(prepared.n)


def _row(prepared: Prepared, name: str) -> int:
    """Return which column is called `name`; one that is not grouped on is an error."""
    if name in prepared.names:
        return prepared.names.index(name)
    may = WordOr(tuple(AXES), "the name of a column that is grouped on")
    raise ParameterError(
        f"must be {may}. Got {shown(name)}.",
        parameter="axis",
        hint=column_hint(name, prepared.names, "The columns that are grouped on together here"),
    )


def _scaled(columns: Floats, scaling: Callable[[Spread], tuple[Floats, Floats]]) -> Floats:
    ways = [scaling(spread_of(column)) for column in columns]
    return np.stack(
        [(column - center) / scale for column, (center, scale) in zip(columns, ways, strict=True)]
    )


def _weighted(columns: Floats, weights: Floats) -> Floats:
    total = np.zeros(columns.shape[1])
    for column, weight in zip(columns, weights, strict=True):
        total += weight * column
    return total
