"""Any DataFrame in, the same type out: pandas, polars and pyarrow through narwhals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from os import PathLike
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from microagg.data import labels, replaced
from microagg.data.arrow_types import extension_name
from microagg.data.categories import decoded, is_text
from microagg.data.cleaning import cleaned
from microagg.data.column_labels import are_names
from microagg.data.frame_names import check_names, names_of, refuse_patterns
from microagg.data.layouts import plain
from microagg.data.native_types import for_arrow, usual
from microagg.data.number_checks import check_exact, check_finite, missing_code, missing_values
from microagg.data.numerals import not_numbers
from microagg.errors import DataError, ParameterError, unknown_column
from microagg.typing import Codes, Floats

_PROBE = 100
"""Records that are looked at where a few tell of all."""

_UNFIT = (TypeError, ValueError, NotImplementedError, OverflowError)
"""What Arrow raises for values that it cannot take, such as integers beyond 64 bits."""


class Frame:
    """A frame of the caller, which is read by column name and returned in its own type.

    Parameters
    ----------
    native : DataFrame
        A pandas or polars DataFrame, a pyarrow Table, or another eager frame that narwhals knows.
    """

    def __init__(self, native: Any) -> None:
        self._frame = _eager(usual(native))
        check_names(self._frame.columns)
        if self._frame.implementation.is_polars():
            refuse_patterns(self._frame.columns)

    @property
    def names(self) -> list[str]:
        """Column names in order."""
        return list(self._frame.columns)

    @property
    def index_names(self) -> list[str]:
        """Names of the levels of a pandas index that holds more than the row numbers."""
        index = nw.maybe_get_index(self._frame)
        if index is None or type(index).__name__ == "RangeIndex":
            return []
        return ["(no name)" if name is None else str(name) for name in index.names]

    @property
    def index_names_records(self) -> bool:
        """Whether the pandas index is unique in each record and is not a row number."""
        codes = self.index_codes
        return codes is not None and self.n > 1 and np.unique(codes).size == self.n

    @property
    def index_codes(self) -> Codes | None:
        """The labels of a pandas index as numbers; None where there are only row numbers."""
        index: Any = nw.maybe_get_index(self._frame)
        if not self.index_names or (
            index.dtype.kind in "iu" and bool((index == np.arange(self.n)).all())
        ):
            return None
        codes: Codes = np.asarray(index.factorize()[0], dtype=np.int64) + 1  # 0 if it is missing
        return codes

    def without_index(self) -> Frame:
        """Return the same records, numbered from 0 instead of by their index."""
        return Frame(nw.maybe_reset_index(self._frame).to_native())

    @property
    def _named_levels(self) -> list[str]:
        index = nw.maybe_get_index(self._frame)
        return [] if index is None else [name for name in index.names if name is not None]

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self._frame)

    def require(self, names: Iterable[str], parameter: str, place: str = "the data") -> None:
        """Raise if one of `names` is no column; an identifier may be in the index.

        `place` says which of several files this is.
        """
        asked = list(names)
        own = [*self.names, *(self._named_levels if parameter == "identifiers" else [])]
        for name in asked:
            if name not in own:
                raise unknown_column(parameter, name, self.names_to_show(asked), place)

    def names_to_show(self, asked: Iterable[object]) -> list[str]:
        """Return the column names that a message may show.

        None, where they may be the first record of a file without a header: then none of the
        names that were asked for is among them, and no column of numbers lies below a word.
        """
        if any(name in self.names for name in asked):
            return self.names
        with suppress(DataError):  # of a column that Arrow cannot take
            some = self.rows(np.arange(min(self.n, _PROBE)))
            return self.names if are_names(some.select(self.names)) else []
        return []

    def is_numeric(self, name: str) -> bool:
        """Return whether the column holds numbers (booleans are not numbers)."""
        return bool(self._frame.get_column(name).dtype.is_numeric())

    def is_integer(self, name: str) -> bool:
        """Return whether the column holds integers."""
        return bool(self._frame.get_column(name).dtype.is_integer())

    def type_of(self, name: str) -> str:
        """Return the name of the column's type, for messages: without categories, which are values."""
        kind = self._frame.get_column(name).dtype
        return (
            kind.__class__.__name__ if kind.is_nested() or isinstance(kind, nw.Enum) else str(kind)
        )

    def numbers(self, name: str, *, blanks: bool = False) -> Floats:
        """Return the column as finite float64 values, or raise a DataError that says why not.

        With `blanks`, missing values are NaN and no reason to raise.
        """
        if self.n == 0:
            raise DataError("There are no records.", hint="Use data with at least k records.")
        column = self._frame.get_column(name)
        if not column.dtype.is_numeric():
            raise self._no_numbers(name)
        if self.has_value_labels(name):
            raise labels.coded(name)
        missing = column.is_null().to_numpy()
        if missing.any() and not blanks:
            raise missing_values(str(name), missing)
        if column.dtype.is_integer() and not missing.all():
            check_exact(str(name), column)
        values = column.cast(nw.Float64()).to_numpy().astype(np.float64, copy=False)
        check_finite(str(name), values[~np.isnan(values)] if blanks else values)
        return values

    def _no_numbers(self, name: str) -> DataError:
        if self.is_text(name):
            refused = not_numbers(self.select([name]).column(0))
            if refused.code is not None:
                return missing_code(str(name), refused)
        what = "text" if self.is_text(name) else f"{self.type_of(name)} values"
        return DataError(
            f"Column '{name}' contains {what}, but numbers are needed.",
            hint="Convert it to numbers first, or leave it out.",
        )

    def has_value_labels(self, name: str) -> bool:
        """Return whether the values have labels, as codes of SPSS and Stata have."""
        native = self._frame.to_native()
        is_table = nw.dependencies.is_pyarrow_table(native)
        return is_table and labels.has_value_labels(native.schema.field(name))

    def refuse_extension(self, name: str) -> None:
        """Raise where a column to be replaced has an extension type, such as a period of pandas."""
        native = self._frame.to_native()
        if nw.dependencies.is_pyarrow_table(native):
            refuse_extension(native.schema.field(name))

    def arrow(self, name: str) -> Any:
        """Return the column as a pyarrow ChunkedArray."""
        return self.select([name]).column(0)

    def is_text(self, name: str) -> bool:
        """Return whether the column holds text, or what Arrow has but as text."""
        kind = self._frame.get_column(name).dtype
        if kind == nw.Unknown():
            return is_text(self.arrow(name).type)
        return kind == nw.String()

    def is_text_or_categories(self, name: str) -> bool:
        """Return whether the column holds text, or categories that are text."""
        kind = self._frame.get_column(name).dtype
        if kind in (nw.Categorical(), nw.Enum) or isinstance(kind, nw.Enum):
            return is_text(decoded(self.arrow(name)).type)
        return self.is_text(name)

    def distinct(self, name: str) -> int:
        """Return how many different values the column has."""
        return int(self._frame.get_column(name).n_unique())

    def missing(self, name: str) -> int:
        """Return how many values of the column are missing."""
        return int(self._frame.get_column(name).null_count())

    def select(self, names: Sequence[str]) -> Any:
        """Return the named columns as a pyarrow Table."""
        native = self._frame.to_native()
        if nw.dependencies.is_pyarrow_table(native):
            return native.select(list(names))  # narwhals would lose the labels of the fields
        chosen = for_arrow(_renamed(self._frame, names))
        try:
            return plain(chosen.to_arrow())
        except DataError:  # it is nested too deep
            raise
        except _UNFIT:
            pass  # raised below, because the caught error may show a record
        raise DataError(
            f"{_unfit(chosen)} values of more than one type, or of a type that Arrow does not have.",
            hint="Convert such columns to text or numbers first.",
        )

    def with_columns(
        self, values: Mapping[str, Any], *, drop: Iterable[str] = (), whole: Iterable[str] = ()
    ) -> Any:
        """Return the caller's type of frame with some columns replaced and some dropped.

        New values are numbers (float64), rows of the same column to take values from (int64), or
        an Arrow array of dates. A float column keeps its own width. An integer column becomes
        float64, or, if it is one of `whole`, keeps its type and gets the values rounded half to
        even.
        """
        rounded, removed = set(whole), set(drop)
        fresh = [self._fresh(name, new, name in rounded) for name, new in values.items()]
        columns = [name for name in self.names if name in removed]
        # Not by selecting the rest, which would take the labels of pyarrow's fields away.
        changed = self._frame.with_columns(*fresh).drop(*columns).to_native()
        if nw.dependencies.is_pyarrow_table(changed):
            changed = labels.kept(self._frame.to_native(), changed, values)
        return _bare(changed, [name for name in self._named_levels if name in removed])

    def _fresh(self, name: str, values: Any, own_type: bool) -> nw.Series[Any]:
        column = self._frame.get_column(name)
        if not isinstance(values, np.ndarray):
            return replaced.with_dates(column, values)
        if values.dtype.kind == "i":
            return replaced.with_rows(column, values)
        return replaced.with_numbers(column, values, own_type=own_type)

    def rows(self, numbers: NDArray[np.int64]) -> Frame:
        """Return the frame of some records, by number from 0."""
        native = self._frame.to_native()
        if nw.dependencies.is_pyarrow_table(native):
            return Frame(native.take(numbers))  # narwhals would lose the labels of the fields
        return Frame(self._frame[numbers].to_native())

    def to_native(self) -> Any:
        """Return the frame in the caller's type."""
        return self._frame.to_native()


def _renamed(frame: nw.DataFrame[Any], names: Sequence[str]) -> nw.DataFrame[Any]:
    """Return some columns under text as their names, without a pandas index.

    An index would come along as one more column. The columns of pandas are taken one by one, because
    narwhals looks at all columns of a frame whenever it selects one.
    """
    native = frame.to_native()
    if not nw.dependencies.is_pandas_dataframe(native) or len(names) != 1:
        chosen = nw.maybe_reset_index(frame.select(*map(nw.col, names)))
        return chosen.rename({name: str(name) for name in names})
    one = native[names[0]].reset_index(drop=True).to_frame(str(names[0]))
    return nw.from_native(one, eager_only=True)


def _bare(native: Any, levels: list[str]) -> Any:
    """Return a frame without `levels` of its index, metadata and what its rows do not show."""
    if nw.dependencies.is_pandas_dataframe(native):
        bare = native.reset_index(level=levels, drop=True) if levels else native.copy(deep=False)
        bare.attrs = {}
        bare.columns = bare.columns.rename(None)
        return cleaned(bare)
    if nw.dependencies.is_pyarrow_table(native):
        # A slice of a larger table still holds its rows; only a copy does not.
        native = native.take(np.arange(native.num_rows)).replace_schema_metadata(None)
    return cleaned(native)


def refuse_extension(field: Any) -> None:
    """Raise where a field to be replaced has an extension type: its storage has another meaning."""
    if kind := extension_name(field):
        raise DataError(
            f"Column '{field.name}' contains values of the extension type {kind}, which cannot be "
            "replaced.",
            hint="Convert the column to text, numbers or dates first, or leave it out.",
        )


def _unfit(frame: nw.DataFrame[Any]) -> str:
    """Name the first column that Arrow cannot take."""
    for name in frame.columns:
        try:
            frame.select(nw.col(name)).to_arrow()
        except _UNFIT:
            return f"Column '{name}' contains"
    return "A column contains"


def _eager(native: Any) -> nw.DataFrame[Any]:
    try:
        return nw.from_native(native, eager_only=True)
    except TypeError:
        if hasattr(native, "collect"):
            hint = "Call .collect() on the lazy frame first."
        elif isinstance(native, str | PathLike):
            hint = "Read the file first: microagg.read_file(path) gives a table."
        else:
            hint = "Pass a pandas or polars DataFrame or a pyarrow Table."
        raise ParameterError(
            f"The data must be a DataFrame in memory. Got {type(native).__name__}.", hint=hint
        ) from None
    except ValueError:
        # Before `columns`, which are the values in a pyarrow Table.
        check_names(names_of(native))
        raise
