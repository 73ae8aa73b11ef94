"""Any two-dimensional array or frame of numbers as columns of float64."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.data.frame_names import is_frame
from microagg.data.frames import Frame
from microagg.data.number_checks import check_finite
from microagg.errors import DataError
from microagg.typing import Floats


def columns_of(X: Any) -> tuple[list[Floats], list[str]]:
    """Return the columns of `X` as finite float64 arrays, and their names.

    Examples
    --------
    >>> columns_of([[1, 2], [3, 4]])
    ([array([1., 3.]), array([2., 4.])], ['0', '1'])
    """
    if is_frame(X):
        frame = Frame(X)
        if frame.n == 0 or not frame.names:
            raise DataError("The data has no rows or no columns.")
        return [frame.numbers(name) for name in frame.names], list(map(str, frame.names))
    array = _as_float(X)
    names = [str(j) for j in range(array.shape[1])]
    columns = list(array.T)
    for name, column in zip(names, columns, strict=True):
        check_finite(name, column)
    return columns, names


def _as_float(X: Any) -> Floats:
    array: NDArray[Any] | None = None
    try:
        if isinstance(X, np.ma.MaskedArray):  # asarray would bring back what is masked
            X = np.ma.filled(X.astype(np.float64), np.nan)
        array = np.asarray(X)
        if array.dtype.kind not in "biufcmM":
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        array = None  # raised below, because the caught error shows a value
    if array is None or array.dtype.kind in "cmM":
        raise DataError(
            "The data must be numbers, but some values are not numeric.",
            hint="Pass a two-dimensional array of numbers, or use protect() with column names.",
        )
    if array.ndim != 2:
        raise DataError(
            f"The data must be two-dimensional, one row per record. Got {array.ndim} dimension(s).",
            hint="Use X.reshape(-1, 1) for a single column.",
        )
    if 0 in array.shape:
        raise DataError(
            f"The data has {array.shape[0]} rows and {array.shape[1]} columns.",
            hint="Use data with at least k rows and one column.",
        )
    return array.astype(np.float64, copy=False)
