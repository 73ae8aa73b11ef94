"""The same model trained on the original and on the release, and tested on unseen original records."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from microagg.errors import DataError
from microagg.measure.utility.features import Feature, unit_of
from microagg.typing import Floats, Rows

FOLDS = 5
T_95 = 2.776
"""The 97.5 % quantile of Student's t with FOLDS - 1 degrees of freedom."""
ROUNDS = 60
"""The number of trees of the model."""
MOST_CATEGORIES = 250
"""The number of categories that a model distinguishes; rarer ones are treated as missing."""

LOWEST = -1e12
"""An R^2 below this reflects rounding errors of one extreme value, not the model."""


@dataclass(frozen=True)
class Prediction:
    """How well a model predicts original records, by its training data.

    Attributes
    ----------
    figure : {"AUC", "R^2"}
        What was computed; higher is better.
    original, released : float
        Its mean over the folds for a model trained on the original and on the release.
    low, high : float
        The 95 % interval of released - original, from the differences of the folds.
    records : int
        The number of records that were used.
    """

    figure: str
    original: float
    released: float
    low: float
    high: float
    records: int

    @property
    def difference(self) -> float:
        """The change of the figure by the release: negative if it is worse."""
        return self.released - self.original


def predicted(features: Sequence[Feature], aim: Feature, seed: int) -> Prediction:
    """Return the figure of a model trained on each file and tested on unseen original records."""
    from sklearn.model_selection import KFold, StratifiedKFold
    from threadpoolctl import threadpool_limits

    tables = [
        np.column_stack([_for_model(feature, values) for feature, values in both])
        for both in (
            [(f, f.original) for f in features],
            [(f, f.released) for f in features],
        )
    ]
    nominal = [feature.nominal for feature in features]
    fewest = int(np.unique(aim.original, return_counts=True)[1].min())
    kind = StratifiedKFold if aim.nominal and fewest >= FOLDS else KFold
    folds = kind(FOLDS, shuffle=True, random_state=seed)
    figures = []
    # Small models gain nothing from threads that wait for each other.
    with threadpool_limits(1), warnings.catch_warnings():
        # Codes of very many categories look like amounts to scikit-learn.
        warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
        for train, test in folds.split(tables[0], aim.original if aim.nominal else None):
            figures.append(
                [
                    _figure(table[train], values[train], tables[0][test], aim, test, nominal, seed)
                    for table, values in zip(tables, (aim.original, aim.released), strict=True)
                ]
            )
    by_fold = np.array(figures)
    if by_fold.min() < LOWEST:
        raise DataError(
            f"The target column '{aim.name}' has values of too different sizes for a model.",
            hint="Choose another target, or correct its extreme values.",
        )
    change = by_fold[:, 1] - by_fold[:, 0]
    half = T_95 * float(change.std(ddof=1)) / np.sqrt(FOLDS)
    means = by_fold.mean(axis=0)
    return Prediction(
        figure="AUC" if aim.nominal else "R^2",
        original=float(means[0]),
        released=float(means[1]),
        low=float(change.mean() - half),
        high=float(change.mean() + half),
        records=int(aim.original.size),
    )


def _figure(
    X: Floats, y: Floats, held_out: Floats, aim: Feature, test: Rows, nominal: list[bool], seed: int
) -> float:
    """Train a model, and return its figure on unseen original records."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.metrics import roc_auc_score

    truth = aim.original[test]
    empty = np.isnan(X).all(axis=0)  # which a model of scikit-learn cannot take
    X, held_out = np.where(empty, 0.0, X), np.where(empty, 0.0, held_out)
    options: dict[str, Any] = {
        "categorical_features": nominal,
        "max_iter": ROUNDS,
        "early_stopping": False,
        "random_state": seed,
    }
    if not aim.nominal:
        unit = unit_of(y)  # the model computes in float32, where large amounts overflow
        model = HistGradientBoostingRegressor(**options).fit(X, y / unit)
        return _r_squared(truth / unit, model.predict(held_out))
    if np.unique(y).size < 2:
        return 0.5  # a release with one class predicts nothing
    model = HistGradientBoostingClassifier(**options).fit(X, y)
    chances = dict(zip(model.classes_, model.predict_proba(held_out).T, strict=True))
    classes, counts = np.unique(truth, return_counts=True)
    areas = [
        roc_auc_score(truth == each, chances.get(each, np.zeros(truth.size)))
        for each in classes
        if classes.size > 1
    ]
    return float(np.average(areas, weights=counts)) if areas else 0.5


def _r_squared(truth: Floats, predicted: Floats) -> float:
    """Return R^2, computed in units of the largest error so that no square overflows.

    Examples
    --------
    >>> _r_squared(np.array([1e300, 3e300]), np.array([1e300, 2e300]))
    0.5
    """
    errors, deviations = truth - predicted, truth - truth.mean()
    units = unit_of(errors), unit_of(deviations)
    explained = float(((deviations / units[1]) ** 2).sum())
    if explained == 0:
        return float(not errors.any())
    with np.errstate(over="ignore"):
        ratio = np.float64(units[0] / units[1]) ** 2
        return float(1 - ((errors / units[0]) ** 2).sum() / explained * ratio)


def _for_model(feature: Feature, values: Floats) -> Floats:
    """Return values in the form that a model takes, with only the most frequent of many categories."""
    if not feature.nominal:
        return values
    codes = feature.original[~np.isnan(feature.original)].astype(np.int64)
    often = np.argsort(-np.bincount(codes, minlength=1), kind="stable")[:MOST_CATEGORIES]
    code = np.full(max(len(feature.labels), int(codes.max(initial=0)) + 1), np.nan)
    code[often] = np.arange(often.size)
    out = np.full(values.size, np.nan)
    present = ~np.isnan(values)
    out[present] = code[values[present].astype(np.int64)]
    return out
