"""`Microaggregator`: microaggregation as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from secrets import token_bytes
from typing import Any, Self
from warnings import warn

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from microagg.aggregate.mean import group_means
from microagg.constraints import OneOf, check
from microagg.data.frame_names import is_frame, names_of
from microagg.data.frames import Frame
from microagg.data.number_checks import check_finite
from microagg.errors import DataError, MicroaggWarning, ParameterError
from microagg.fitted_records import FittedRecords, fit_records
from microagg.measure.loss.information_loss import InformationLoss, loss_of
from microagg.partition.driver import group
from microagg.prepare.cautions import numbers_like_codes, taken_as_amounts, text_like_dates
from microagg.prepare.prepared import prepare
from microagg.renamed import knowing_old_names
from microagg.settings import Settings
from microagg.typing import Floats


class Microaggregator(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Replace each record by the representative of a group of at least k similar records.

    Arrays and frames of complete numbers are replaced by means. A DataFrame of pandas, polars or pyarrow
    may also have text, categories, Boolean values, dates and missing values, which are replaced as by
    `protect`.

    Parameters
    ----------
    k : int, from 2 to the number of records
        The minimum group size.
    method : str
        A name of `microagg.methods()`; "auto" chooses one based on the number of records.
    refine : str or list of str, optional
        Names of `microagg.refinements()`, applied in order.
    scale : {"zscore", "range", "none"}
        How columns are made comparable for grouping.
    parameters : dict, optional
        The parameters of the method, by name.
    kinds : dict, optional
        The kinds of columns of a DataFrame: "continuous", "ordinal" or "nominal".
    orders : dict, optional
        The categories of ordinal columns of a DataFrame, from the lowest to the highest.
    missing : {"error", "keep", "group"}
        How missing values of a DataFrame are treated, as by `protect`. This also holds for new records.
    random_state : int, RandomState or None
        The source of random choices, for methods that make any.

    Attributes
    ----------
    labels_ : array of int, shape (n_samples,)
        The group of each training record.
    partition_ : Partition
        The same groups as a checked partition.
    centroids_ : array or DataFrame, shape (n_groups, n_features)
        The values that replace the records of each group; a DataFrame if `X` was one that is treated as by
        `protect` (see Notes).
    n_features_in_, feature_names_in_
        As in all of scikit-learn.

    Notes
    -----
    `transform` depends on each row alone. A record of the training data gets the values of its group;
    any other record gets those of the group with the nearest centroid. Equal training records always
    belong to one group: if the method separates them, all join the group that has most of them (the
    first one in a tie). A group with fewer than k remaining records is dissolved into the nearest
    groups. `fit_transform(X)` and `fit(X).transform(X)` are therefore the same k-anonymous release.
    This does not cover rows outside the training data: each of them gets values that at least k
    training records share.

    The fitted object reveals which records it was fitted on, so it is as confidential as they are.

    A DataFrame is treated as by `protect` if it has columns other than complete numbers, or if `kinds`,
    `orders` or `missing` is set. Its column names must be text. `transform` then returns a DataFrame of
    the type of the training data. A new record is compared with the released values of each group, over
    the columns that both have. A category that the training data does not have counts as missing. The
    resolution of dates may differ from that of the training data.

    For sampling weights and strata, use `protect`. There is no `sample_weight`: in scikit-learn, a weight
    means that a record occurs that many times, and 0 that it does not occur. k would then count records
    that belong to nobody.

    Examples
    --------
    >>> from microagg import Microaggregator
    >>> Microaggregator(k=2).fit_transform([[1.0], [2.0], [8.0], [9.0]]).ravel()
    array([1.5, 1.5, 8.5, 8.5])
    """

    @knowing_old_names("Microaggregator")
    def __init__(
        self,
        k: int = 5,
        method: str = "auto",
        *,
        refine: str | Sequence[str] | None = None,
        scale: str = "zscore",
        parameters: dict[str, Any] | None = None,
        kinds: dict[str, str] | None = None,
        orders: dict[str, Sequence[Any]] | None = None,
        missing: str = "error",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.k = k
        self.method = method
        self.refine = refine
        self.scale = scale
        self.parameters = parameters
        self.kinds = kinds
        self.orders = orders
        self.missing = missing
        self.random_state = random_state

    def fit(self, X: Any, y: object = None) -> Self:
        """Group the records of `X`; `y` is ignored."""
        self._mixed: FittedRecords | None = None
        self._key = token_bytes(16)
        mixed = self._is_mixed(X)
        self._warn_of_kinds(X)
        if mixed:
            return self._fit_mixed(X)
        X = self._validated(X, fitting=True)
        settings = Settings.create(
            "Microaggregator", refine=self.refine, parameters=self.parameters
        )
        self._prepared = prepare(list(X.T), self._names(X), scale=self.scale)
        part = group(
            self._prepared,
            self.k,
            self.method,
            refine=settings.refine,
            seed=self._seed(),
            parameters=settings.parameters,
        )
        labels = with_equal_records_together(self._prepared.columns, part.labels, part.k)
        self.partition_ = replace(part, labels=labels)
        self.labels_ = self.partition_.labels
        _, first = np.unique(self.labels_, return_index=True)
        means = np.stack([group_means(column, self.partition_) for column in X.T], axis=1)
        self.centroids_ = means[first]
        self._prepared_centroids = self._prepared.apply(list(self.centroids_.T))
        self._prepared = self._prepared.without_records()
        self._group_of_record = self._remember(X)
        return self

    def _is_mixed(self, X: Any) -> bool:
        """Return whether `X` is a frame that is handled as `protect` handles it, not as a matrix.

        It is, if it has columns other than complete numbers, or if options say what its columns mean.
        """
        check("missing", self.missing, OneOf(("error", "keep", "group")), "Microaggregator")
        options = {"kinds": self.kinds, "orders": self.orders, "missing": self.missing != "error"}
        set_options = [name for name, value in options.items() if value]
        if not is_frame(X):
            if set_options:
                raise ParameterError(
                    "applies to the columns of a DataFrame.",
                    parameter=set_options[0],
                    caller="Microaggregator",
                    hint="Leave it out.",
                )
            return False
        names = names_of(X)
        if not names:
            return False  # scikit-learn says what is wrong
        named = _all_text(names)
        frame = Frame(X if named else X.set_axis(list(map(str, range(len(names)))), axis=1))
        numbers = all(frame.is_numeric(name) and not frame.missing(name) for name in frame.names)
        mixed = bool(set_options) or not numbers
        if mixed and not named:
            raise DataError(
                "Column names must be text, unless all columns of X are complete numbers.",
                hint="Convert them with str().",
            )
        return mixed

    def _warn_of_kinds(self, X: Any) -> None:
        """Warn of columns of a frame that look like codes or dates but are treated otherwise."""
        if not is_frame(X) or not _all_text(names_of(X)) or not len(X):
            return
        frame, described = Frame(X), {*(self.kinds or {}), *(self.orders or {})}
        warnings = taken_as_amounts(numbers_like_codes(frame, described))
        warnings += text_like_dates(frame, [n for n in frame.names if n not in described])
        for warning in warnings:
            warn(warning, MicroaggWarning, stacklevel=3)

    def _fit_mixed(self, X: Any) -> Self:
        """Group the records of a frame of columns of any kind."""
        validate_data(self, X, skip_check_array=True)
        frame = Frame(X)
        settings = Settings.create(
            "Microaggregator",
            table=frame,
            k=self.k,
            quasi_identifiers=frame.names,
            method=self.method,
            refine=self.refine,
            scale=self.scale,
            parameters=self.parameters,
            kinds=self.kinds,
            orders=self.orders,
            missing=self.missing,
            seed=self._seed(),
        )
        self._mixed, self.partition_, values = fit_records(frame, settings)
        self.labels_ = self.partition_.labels
        self.centroids_ = self._mixed.released.to_native()
        self._group_of_record = self._remember(values.T)
        return self

    def fit_predict(self, X: Any, y: object = None) -> NDArray[np.int32]:
        """Group the records of `X` and return their groups; `y` is ignored."""
        return self.fit(X).labels_

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Return the group of each record: its own for training records, otherwise the nearest."""
        return self._groups_of(self._numbers_of(X))

    def _numbers_of(self, X: Any) -> Floats:
        """Return records as numbers, one row each."""
        check_is_fitted(self)
        if self._mixed is None:
            return self._validated(X)
        if not is_frame(X):
            raise DataError(
                "X must be a DataFrame, because the estimator was fitted on one with columns that "
                "are not complete numbers, or with options for its columns.",
                hint="Pass a DataFrame with the same columns.",
            )
        validate_data(self, X, skip_check_array=True, reset=False)
        return self._mixed.numbers_of(Frame(X)).T

    def _groups_of(self, X: Floats) -> NDArray[np.int32]:
        remembered = [self._group_of_record.get(self._mark(record), -1) for record in X]
        labels = np.array(remembered, dtype=np.int32)
        new = np.flatnonzero(labels < 0)
        if new.size:
            labels[new] = (
                self._nearest(X[new]) if self._mixed is None else self._mixed.nearest(X[new].T)
            )
        return labels

    def transform(self, X: Any) -> Any:
        """Return the values of the group of each record: an array, or a DataFrame for mixed columns."""
        labels = self.predict(X)
        if self._mixed is None:
            return self.centroids_[labels]
        rows = self._mixed.rows(labels)
        if self._output() == "pandas" and hasattr(rows, "to_pandas"):
            rows = rows.to_pandas()  # scikit-learn would turn numbers of polars into objects
        if hasattr(rows, "set_axis"):  # as pandas frames have
            rows = rows.set_axis(getattr(X, "index", rows.index), axis=0)
        return rows

    def _output(self) -> str:
        """Return the container that was chosen with `set_output` or in scikit-learn's configuration."""
        own = getattr(self, "_sklearn_output_config", {})
        return str(own.get("transform", get_config()["transform_output"]))

    def score(self, X: Any, y: object = None) -> float:
        """Return minus the information loss of `transform` in percent: higher is better.

        The score is minus infinity if records without variation are changed.
        """
        X = self._numbers_of(X)
        if self._mixed is not None:
            return self._scored(self._mixed.loss(X.T, self._groups_of(X)))
        scaled = replace(self._prepared, columns=self._prepared.apply(list(X.T)))
        released = self.centroids_[self._groups_of(X)].T
        loss = loss_of(scaled, dict(zip(scaled.names, released, strict=True)))
        return self._scored(loss)

    def _scored(self, loss: InformationLoss) -> float:
        return -np.inf if loss.sse and not loss.sst else -loss.il

    def _validated(self, X: Any, *, fitting: bool = False) -> Floats:
        if not fitting:
            check_is_fitted(self)
        if _holds_dates(X):
            raise DataError(
                "X contains dates.", hint="Convert them to numbers first, or leave them out."
            )
        if np.ma.is_masked(X):  # scikit-learn would take what is masked for values
            raise DataError("X has masked values.", hint="Fill or remove these records first.")
        X = self._as_float(X, fitting)
        for name, column in zip(self._names(X), X.T, strict=True):
            check_finite(name, column)
        values: Floats = X
        return values

    def _as_float(self, X: Any, fitting: bool) -> Floats:
        try:
            values: Floats = validate_data(
                self, X, dtype=np.float64, reset=fitting, ensure_min_samples=2 if fitting else 1
            )
            return values
        except ValueError as error:
            problem = str(error)
            refused = (
                "could not convert",
                "Expected 2D array",
                "Complex data",
                "Input X contains NaN",
            )
            if not problem.startswith(refused):
                raise
        # Raised here, because the caught error shows values of records.
        if problem.startswith("Expected 2D"):
            raise DataError(
                "Expected 2D array, one row per record.",
                hint="Reshape your data: X.reshape(-1, 1) for a single column.",
            )
        if problem.startswith("Input X contains NaN"):
            raise DataError(
                "Input X contains NaN.",
                hint='Pass a DataFrame and choose how to treat missing values, such as missing="keep", or '
                "fill them in first.",
            )
        if problem.startswith("Complex"):
            raise DataError("Complex data not supported.", hint="Pass real numbers.")
        raise DataError(
            "X must contain numbers, but some values are not numeric.",
            hint="Pass a DataFrame, whose columns may be text, dates or categories, or leave out the text.",
        )

    def _names(self, X: Floats) -> list[str]:
        return [str(name) for name in getattr(self, "feature_names_in_", range(X.shape[1]))]

    def _nearest(self, X: Floats) -> NDArray[np.int64]:
        scaled = self._prepared.apply(list(X.T))
        nearest: NDArray[np.int64] = pairwise_distances_argmin(scaled.T, self._prepared_centroids.T)
        return nearest

    def _seed(self) -> int:
        if self.random_state is None or isinstance(self.random_state, np.random.RandomState):
            return int(check_random_state(self.random_state).randint(2**31 - 1))
        return self.random_state

    def _remember(self, X: Floats) -> dict[bytes, int]:
        """Map each training record, hashed, to its group."""
        marks = map(self._mark, X)
        return dict(zip(marks, self.labels_.tolist(), strict=True))

    def _mark(self, record: Floats) -> bytes:
        """Hash a record; adding 0.0 makes -0.0 and 0.0 the same, and NaN has many forms."""
        plain = np.where(np.isnan(record), np.nan, record + 0.0)
        return blake2b(plain.tobytes(), digest_size=16, key=self._key).digest()


def with_equal_records_together(
    columns: Floats, labels: NDArray[np.int32], k: int
) -> NDArray[np.int32]:
    """Return groups of at least k in which equal records share a group.

    Equal records go to the group that has most of them, the first one in a tie. Groups with fewer
    than k remaining records are dissolved, smallest first: each of their records goes to the group
    with the nearest centroid among the others.

    Examples
    --------
    >>> columns = np.array([[0.0, 0.0, 1.0, 1.0, 1.0, 2.0]])
    >>> with_equal_records_together(columns, np.array([0, 0, 0, 1, 1, 1], dtype=np.int32), 2)
    array([0, 0, 1, 1, 1, 1], dtype=int32)
    """
    _, record = np.unique(columns + 0.0, axis=1, return_inverse=True)
    record = record.ravel()
    pairs, counts = np.unique(np.stack([record, labels]), axis=1, return_counts=True)
    order = np.lexsort((pairs[1], -counts, pairs[0]))
    first = order[np.unique(pairs[0][order], return_index=True)[1]]
    together = pairs[1][first][record]
    while (sizes := np.bincount(together))[sizes > 0].min() < k:
        smallest = int(np.argmin(np.where(sizes > 0, sizes, sizes.max() + 1)))
        rest = np.flatnonzero((sizes > 0) & (np.arange(sizes.size) != smallest))
        centroids = [columns[:, together == label].mean(axis=1) for label in rest]
        rows = np.flatnonzero(together == smallest)
        together[rows] = rest[pairwise_distances_argmin(columns[:, rows].T, np.stack(centroids))]
    return np.unique(together, return_inverse=True)[1].astype(np.int32)


def _all_text(names: list[Any]) -> bool:
    return all(isinstance(name, str) for name in names)


def _holds_dates(X: Any) -> bool:
    """Return whether an array or frame has dates or time spans, which would become numbers."""
    dtypes = list(getattr(X, "dtypes", [])) if is_frame(X) else [getattr(X, "dtype", "")]
    return any(str(kind).lower().startswith(("date", "timedelta", "duration")) for kind in dtypes)
