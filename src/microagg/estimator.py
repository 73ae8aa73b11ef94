"""`Microaggregator`: microaggregation as a scikit-learn transformer."""

from __future__ import annotations

from collections import defaultdict
from hashlib import blake2b
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from microagg.aggregate.mean import group_means
from microagg.partition.driver import group
from microagg.prepare.prepared import prepare

Floats = NDArray[np.float64]


class Microaggregator(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Replace each record by the mean of a group of at least k similar records.

    Parameters
    ----------
    k : int, from 2 to the number of records
        The smallest size of a group.
    method : str
        A name of `microagg.methods()`.
    scale : {"zscore", "range", "none"}
        How columns become comparable while grouping.
    method_params : dict, optional
        The method's own parameters.
    random_state : int, RandomState or None
        Where random choices come from, for methods that make any.

    Attributes
    ----------
    labels_ : array of int, shape (n_samples,)
        The group of each training record.
    partition_ : Partition
        The same with its checks.
    centroids_ : array, shape (n_groups, n_features)
        What replaces the records of each group.
    n_features_in_, feature_names_in_
        As in all of scikit-learn.

    Notes
    -----
    `fit_transform` gives a k-anonymous release. `transform` gives a record that was in the training
    data the group it was fitted into (the j-th copy of a repeated record that of the j-th
    copy), so `fit(X).transform(X)` is the same release; any other record takes the values of the
    group with the nearest centroid. The fitted object knows keyed hashes of the training
    records and is as confidential as they are.

    Examples
    --------
    >>> from microagg import Microaggregator
    >>> Microaggregator(k=2).fit_transform([[1.0], [2.0], [8.0], [9.0]]).ravel()
    array([1.5, 1.5, 8.5, 8.5])
    """

    def __init__(
        self,
        k: int = 5,
        method: str = "mdav",
        *,
        scale: str = "zscore",
        method_params: dict[str, Any] | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.k = k
        self.method = method
        self.scale = scale
        self.method_params = method_params
        self.random_state = random_state

    def fit(self, X: Any, y: object = None) -> Self:
        """Group the records of `X`; `y` is ignored."""
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        names = [str(j) for j in range(X.shape[1])]
        prepared = prepare(list(X.T), names, scale=self.scale)
        self.partition_ = group(
            prepared, self.k, self.method, seed=self._seed(), **(self.method_params or {})
        )
        self.labels_ = self.partition_.labels
        _, first = np.unique(self.labels_, return_index=True)
        means = np.stack([group_means(column, self.partition_) for column in X.T], axis=1)
        self.centroids_ = means[first]
        self._prepared_centroids = prepared.apply(list(self.centroids_.T))
        self._center, self._scale = prepared.center, prepared.scale
        self._groups_of_record = _remember(X, self.labels_)
        return self

    def fit_predict(self, X: Any, y: object = None) -> NDArray[np.int32]:
        """Group the records of `X` and return their groups; `y` is ignored."""
        return self.fit(X).labels_

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Return the group of each record: its own for training records, else the nearest."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        labels = np.empty(len(X), dtype=np.int32)
        unknown: list[int] = []
        seen: dict[bytes, int] = defaultdict(int)
        for i, key in enumerate(map(_key, X)):
            groups = self._groups_of_record.get(key)
            if groups is None:
                unknown.append(i)
            else:
                labels[i] = groups[min(seen[key], len(groups) - 1)]
                seen[key] += 1
        if unknown:
            labels[unknown] = self._nearest(X[unknown])
        return labels

    def transform(self, X: Any) -> Floats:
        """Return the values of the group of each record."""
        values: Floats = self.centroids_[self.predict(X)]
        return values

    def score(self, X: Any, y: object = None) -> float:
        """Return minus the information loss of `transform` in percent: higher is better."""
        X = validate_data(self, X, dtype=np.float64, reset=False)
        scale = self._scale
        error = np.sum(((X - self.transform(X)) / scale) ** 2)
        total = np.sum(((X - X.mean(axis=0)) / scale) ** 2)
        return float(-100 * error / total) if total else 0.0

    def _nearest(self, X: Floats) -> NDArray[np.int64]:
        from sklearn.metrics import pairwise_distances_argmin

        scaled = (X - self._center) / self._scale
        nearest: NDArray[np.int64] = pairwise_distances_argmin(scaled, self._prepared_centroids.T)
        return nearest

    def _seed(self) -> int:
        if self.random_state is None or isinstance(self.random_state, np.random.RandomState):
            return int(check_random_state(self.random_state).randint(2**31 - 1))
        return self.random_state


def _remember(X: Floats, labels: NDArray[np.int32]) -> dict[bytes, list[int]]:
    """Map each training record, hashed, to the groups of its copies in order."""
    groups: dict[bytes, list[int]] = defaultdict(list)
    for record, label in zip(X, labels.tolist(), strict=True):
        groups[_key(record)].append(label)
    return dict(groups)


def _key(record: Floats) -> bytes:
    """Hash a record; adding 0.0 makes -0.0 and 0.0 the same."""
    return blake2b((record + 0.0).tobytes(), digest_size=16).digest()
