"""Any DataFrame in, the same type out: pandas, polars and pyarrow through narwhals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from microagg.errors import DataError, ParameterError, did_you_mean

Floats = NDArray[np.float64]


class Frame:
    """A caller's frame, read by column name and given back in its own type.

    Parameters
    ----------
    native : DataFrame
        A pandas or polars DataFrame, a pyarrow Table, or another eager frame that narwhals knows.
    """

    def __init__(self, native: Any) -> None:
        self._frame = _eager(native)
        _check_names(self._frame.columns)

    @property
    def names(self) -> list[str]:
        """Column names in order."""
        return list(self._frame.columns)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self._frame)

    def require(self, names: Iterable[str], parameter: str) -> None:
        """Raise when one of `names` is no column."""
        for name in names:
            if name not in self.names:
                raise ParameterError(
                    f"The '{parameter}' parameter names a column {name!r} that is not in the data.",
                    hint=did_you_mean(name, map(str, self.names))
                    or f"The columns are: {', '.join(map(str, self.names))}.",
                )

    def is_numeric(self, name: str) -> bool:
        """Tell whether the column holds numbers (booleans are not numbers)."""
        return bool(self._frame.get_column(name).dtype.is_numeric())

    def is_integer(self, name: str) -> bool:
        """Tell whether the column holds integers."""
        return bool(self._frame.get_column(name).dtype.is_integer())

    def type_of(self, name: str) -> str:
        """Return the name of the column's type, for messages."""
        return str(self._frame.get_column(name).dtype)

    def numbers(self, name: str) -> Floats:
        """Return the column as finite float64 values, or raise a DataError that says why not."""
        column = self._frame.get_column(name)
        if not column.dtype.is_numeric():
            raise DataError(
                f"Column '{name}' holds {self.type_of(name)} values, but a quasi-identifier must "
                "hold numbers.",
                hint="Leave it out of the quasi-identifiers, or turn it into numbers first.",
            )
        missing = column.is_null().to_numpy()
        if missing.any():
            raise missing_values(str(name), missing)
        values = column.cast(nw.Float64()).to_numpy().astype(np.float64, copy=False)
        check_finite(str(name), values)
        return values

    def distinct(self, name: str) -> int:
        """Return how many different values the column has."""
        return int(self._frame.get_column(name).n_unique())

    def missing(self, name: str) -> int:
        """Return how many values of the column are missing."""
        return int(self._frame.get_column(name).null_count())

    def select(self, names: Sequence[str]) -> Any:
        """Return the named columns as a pyarrow Table."""
        # Without the reset, a pandas index would come along as one more column.
        return nw.maybe_reset_index(self._frame.select(*names)).to_arrow()

    def with_columns(
        self, values: Mapping[str, Floats], *, drop: Iterable[str] = (), integers: bool = False
    ) -> Any:
        """Return the caller's type of frame with some columns replaced and some dropped.

        A float column keeps its own width. An integer column becomes float64, or, with
        `integers`, keeps its type and gets the values rounded half to even.
        """
        fresh = [self._fresh(name, column, integers) for name, column in values.items()]
        return self._frame.with_columns(*fresh).drop(*drop).to_native()

    def _fresh(self, name: str, values: Floats, integers: bool) -> nw.Series[Any]:
        old = self._frame.get_column(name).dtype
        rounded = integers and old.is_integer()
        series = nw.new_series(
            name=name,
            values=np.rint(values) if rounded else values,
            dtype=nw.Float64(),
            backend=self._frame.implementation,
        )
        return series.cast(old) if rounded or old == nw.Float32 else series


LARGEST = 1e150
"""Squares of larger values would overflow."""


def check_finite(name: str, values: Floats) -> None:
    """Raise a DataError that names the column when a value is NaN, infinite or beyond LARGEST."""
    missing = np.isnan(values)
    if missing.any():
        raise missing_values(name, missing)
    infinite = np.isinf(values)
    if infinite.any():
        raise DataError(
            f"Column '{name}' has {_count(infinite, 'infinite value')}.",
            hint="Replace or remove these records first.",
        )
    huge = np.abs(values) > LARGEST
    if huge.any():
        raise DataError(
            f"Column '{name}' has {_count(huge, 'value')} beyond {LARGEST:g} in size.",
            hint="Give the column in a larger unit.",
        )


def missing_values(name: str, missing: NDArray[np.bool_]) -> DataError:
    """Return the error for missing values (NaN or null) in a quasi-identifier."""
    return DataError(
        f"Column '{name}' has {_count(missing, 'missing value')} (NaN, null or empty).",
        hint="Fill or remove these records first, or leave the column out of the "
        "quasi-identifiers.",
    )


def _count(where: NDArray[np.bool_], what: str) -> str:
    count = int(where.sum())
    plural = "" if count == 1 else "s"
    return f"{count} {what}{plural}, the first in data row {int(np.argmax(where)) + 1}"


def _eager(native: Any) -> nw.DataFrame[Any]:
    try:
        return nw.from_native(native, eager_only=True)
    except TypeError:
        lazy = hasattr(native, "collect")
        raise ParameterError(
            f"The data must be a DataFrame held in memory. Got {type(native).__name__}.",
            hint="Call .collect() on the lazy frame first."
            if lazy
            else "Give a pandas or polars DataFrame or a pyarrow Table.",
        ) from None
    except ValueError:
        _check_names(list(getattr(native, "columns", [])))
        raise


def _check_names(names: Iterable[Any]) -> None:
    repeated = [str(name) for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise DataError(
            f"Column names must differ, but these are repeated: {', '.join(repeated)}.",
            hint="Rename the columns.",
        )
