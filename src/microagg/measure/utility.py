"""Utility for analysts: what a model, a regression and subgroup means still say about a target column.

- Prediction: the same gradient boosting model is trained on original and on released records, and both are
  tested on original records that neither has seen, in cross-validation. The figure is the area under the
  ROC curve for categories and R^2 for amounts; the interval is that of the differences over the folds.
- Regression: least squares of the target on the quasi-identifiers; for each coefficient, the overlap of the
  confidence intervals from original and release (Karr, Kohnen, Oganian, Reiter and Sanil 2006).
- Means of the target by subgroup: categories, and quarters of amounts.

The other columns are features of the prediction too; both models see the same values of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.data.frames import Frame
from microagg.errors import DataError
from microagg.measure.copies import as_numbers
from microagg.measure.pair import Pair

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

FOLDS = 5
ROUNDS = 60
"""Trees of the model."""
SAMPLE = 10_000
"""Records that models are trained and tested on at most."""
AMOUNTS = 10
"""A target of numbers with more different values than this is an amount."""
MOST_CATEGORIES = 250
"""Categories that a model distinguishes; rarer ones are missing values to it."""
MOST_DUMMIES = 8
"""Columns of more categories are left out of the regression and of the subgroups."""
FEWEST = 10
"""Records that a subgroup must have in both files to be shown."""
T_95 = {FOLDS - 1: 2.776}
"""The 97.5 % quantile of Student's t with FOLDS - 1 degrees of freedom."""


@dataclass(frozen=True, eq=False)
class Feature:
    """A column in both files, in the same numbers; codes where it is `nominal`."""

    name: str
    original: Floats
    released: Floats
    nominal: bool
    labels: tuple[str, ...] = ()

    def rows(self, rows: Rows) -> Feature:
        """Return the column of some records."""
        own = self.original[rows], self.released[rows]
        return Feature(self.name, *own, self.nominal, self.labels)


@dataclass(frozen=True)
class Prediction:
    """How well a model predicts original records, by what it was trained on.

    Attributes
    ----------
    figure : {"AUC", "R^2"}
        What was computed; higher is better.
    original, released : float
        Its mean over the folds for a model trained on the original and on the release.
    low, high : float
        The 95 % interval of released - original, from the differences of the folds.
    records : int
        Records that were used.
    """

    figure: str
    original: float
    released: float
    low: float
    high: float
    records: int

    @property
    def difference(self) -> float:
        """What the release adds to the figure: negative where it loses."""
        return self.released - self.original


@dataclass(frozen=True)
class Coefficient:
    """A regression coefficient from both files, with the overlap of their intervals in percent.

    `records` is the number of original records that it is about: those of a category, or all.
    """

    name: str
    original: float
    released: float
    overlap: float
    records: int


@dataclass(frozen=True)
class SubgroupMean:
    """The mean of the target in a subgroup of both files, and its records in the original."""

    column: str
    subgroup: str
    original: float
    released: float
    records: int


@dataclass(frozen=True)
class Utility:
    """What analysts can still learn about a target column.

    Attributes
    ----------
    target : str
        The column.
    event : str
        For two categories, the one whose share is the mean; empty for amounts.
    """

    target: str
    event: str
    prediction: Prediction
    coefficients: tuple[Coefficient, ...]
    means: tuple[SubgroupMean, ...]

    @property
    def overlap(self) -> float | None:
        """The mean overlap of the intervals of all coefficients, in percent."""
        found = [each.overlap for each in self.coefficients]
        return float(np.mean(found)) if found else None

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for a program."""
        return {
            "target": self.target,
            "prediction": {**asdict(self.prediction), "difference": self.prediction.difference},
            "coefficients": [asdict(each) for each in self.coefficients],
            "interval_overlap_percent": self.overlap,
            "means": [asdict(each) for each in self.means],
        }


def utility_of(
    pair: Pair,
    target: str,
    others: Sequence[str] = (),
    original: Frame | None = None,
    seed: int = 0,
) -> Utility:
    """Return what can still be learnt about `target` from released quasi-identifiers and `others`.

    `others` are columns of the release that are as in the original. The target is one of the
    quasi-identifiers or of the other columns; its original values come from `original`, or from the
    release where it is unchanged.
    """
    pair.after.frame.require([target], "target")
    aim = _target(pair, target, original)
    usable = np.flatnonzero(~np.isnan(aim.original) & ~np.isnan(aim.released))
    if usable.size < 10 * FOLDS or np.ptp(aim.original[usable]) == 0:
        raise DataError(
            f"The target column '{target}' has too few different values to predict.",
            hint="Choose another target.",
        )
    keys = [_key(pair, name) for name in pair.columns if name != target]
    rest = [_unchanged(pair.after.frame, name) for name in others if name != target]
    if usable.size > SAMPLE:
        drawn = np.random.default_rng(seed).choice(usable, SAMPLE, replace=False)
        usable = np.sort(drawn)
    some = [feature.rows(usable) for feature in (*keys, *rest)]
    amounts = _as_amounts(aim)
    return Utility(
        target=str(target),
        event=aim.labels[-1] if aim.nominal and len(aim.labels) == 2 else "",
        prediction=_prediction(some, aim.rows(usable), seed),
        coefficients=() if amounts is None else _coefficients(keys, amounts),
        means=() if amounts is None else _means(keys, amounts),
    )


def _target(pair: Pair, name: str, original: Frame | None) -> Feature:
    if name in pair.columns:
        found = _key(pair, name)
    else:
        released = pair.after.frame
        found = _both((original or released).arrow(name), released.arrow(name), str(name))
    values = np.unique(found.original[~np.isnan(found.original)])
    if found.nominal or values.size > AMOUNTS:
        return found
    # A few numbers are classes: 0 and 1, or grades.
    codes = [
        np.where(np.isin(v, values), np.searchsorted(values, v), np.nan).astype(np.float64)
        for v in (found.original, found.released)
    ]
    return Feature(found.name, codes[0], codes[1], True, tuple(f"{v:g}" for v in values))


def _key(pair: Pair, name: str) -> Feature:
    column = pair.columns[name]
    own = column.values, pair.values[name]
    return Feature(str(name), *own, column.kind == "nominal", column.labels)


def _unchanged(frame: Frame, name: str) -> Feature:
    column = frame.arrow(name)
    return _both(column, column, str(name))


def _both(before: Any, after: Any, name: str) -> Feature:
    """Return a column of both files as numbers, or as codes of all its categories."""
    import pyarrow as pa

    numbers = [as_numbers(_plain(column)) for column in (before, after)]
    if numbers[0] is not None and numbers[1] is not None:
        return Feature(name, numbers[0], numbers[1], False)
    texts = [_plain(column).cast(pa.string()) for column in (before, after)]
    labels = sorted({value for column in texts for value in column.unique().to_pylist()} - {None})
    place = {label: float(code) for code, label in enumerate(labels)}
    codes = [
        np.array([place.get(value, np.nan) for value in column.to_pylist()], dtype=np.float64)
        for column in texts
    ]
    return Feature(name, codes[0], codes[1], True, tuple(labels))


def _plain(column: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        return column.cast(column.type.value_type)
    return column


def _prediction(features: Sequence[Feature], aim: Feature, seed: int) -> Prediction:
    """Return the figure of a model trained on each file, tested on originals it has not seen."""
    from sklearn.model_selection import KFold, StratifiedKFold

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
    for train, test in folds.split(tables[0], aim.original if aim.nominal else None):
        figures.append(
            [
                _figure(table[train], values[train], tables[0][test], aim, test, nominal, seed)
                for table, values in zip(tables, (aim.original, aim.released), strict=True)
            ]
        )
    found = np.array(figures)
    change = found[:, 1] - found[:, 0]
    half = T_95[FOLDS - 1] * float(change.std(ddof=1)) / np.sqrt(FOLDS)
    means = found.mean(axis=0)
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
    """Train a model, and return its figure on original records that it has not seen."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.metrics import r2_score, roc_auc_score

    truth = aim.original[test]
    options: dict[str, Any] = {
        "categorical_features": nominal,
        "max_iter": ROUNDS,
        "early_stopping": False,
        "random_state": seed,
    }
    if not aim.nominal:
        model = HistGradientBoostingRegressor(**options).fit(X, y)
        return float(r2_score(truth, model.predict(held_out)))
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


def _for_model(feature: Feature, values: Floats) -> Floats:
    """Return values as a model takes them: of many categories, the most frequent ones."""
    if not feature.nominal:
        return values
    known = feature.original[~np.isnan(feature.original)].astype(np.int64)
    often = np.argsort(-np.bincount(known, minlength=1), kind="stable")[:MOST_CATEGORIES]
    code = np.full(max(len(feature.labels), int(known.max(initial=0)) + 1), np.nan)
    code[often] = np.arange(often.size)
    out = np.full(values.size, np.nan)
    present = ~np.isnan(values)
    out[present] = code[values[present].astype(np.int64)]
    return out


def _as_amounts(aim: Feature) -> tuple[Floats, Floats] | None:
    """Return the target as amounts, or as 1 for the second of two categories; None for more."""
    if not aim.nominal:
        return aim.original, aim.released
    return (aim.original, aim.released) if len(aim.labels) == 2 else None


def _coefficients(
    keys: Sequence[Feature], target: tuple[Floats, Floats]
) -> tuple[Coefficient, ...]:
    """Return the least-squares coefficients of both files; amounts in standard deviations."""
    names: list[tuple[str, int]] = []
    before: list[Floats] = []
    after: list[Floats] = []
    for feature in keys:
        if not feature.nominal:
            mean, spread = np.nanmean(feature.original), np.nanstd(feature.original)
            if spread > 0:
                names.append((feature.name, feature.original.size))
                before.append((feature.original - mean) / spread)
                after.append((feature.released - mean) / spread)
        elif 2 <= len(feature.labels) <= MOST_DUMMIES:
            for code in _frequent(feature)[1:]:
                count = int(np.count_nonzero(feature.original == code))
                names.append((f"{feature.name} = {feature.labels[code]}", count))
                before.append(_dummy(feature.original, code))
                after.append(_dummy(feature.released, code))
    fits = [_least_squares(c, y) for c, y in zip((before, after), target, strict=True)]
    if fits[0] is None or fits[1] is None:
        return ()
    return tuple(
        Coefficient(
            name,
            float(b),
            float(a),
            _overlap(b - 1.96 * s, b + 1.96 * s, a - 1.96 * t, a + 1.96 * t),
            count,
        )
        for (name, count), b, s, a, t in zip(names, *fits[0], *fits[1], strict=True)
        if s > 0 and t > 0
    )


def _frequent(feature: Feature) -> list[int]:
    """Return the codes that enough records of both files have, the most frequent first."""
    counts = np.minimum(
        *(
            np.bincount(v[~np.isnan(v)].astype(np.int64), minlength=len(feature.labels))
            for v in (feature.original, feature.released)
        )
    )
    return [int(c) for c in np.argsort(-counts, kind="stable") if counts[c] >= FEWEST]


def _dummy(values: Floats, code: int) -> Floats:
    return np.where(np.isnan(values), np.nan, values == code)


def _least_squares(columns: Sequence[Floats], y: Floats) -> tuple[Floats, Floats] | None:
    """Return coefficients and their standard errors, without the constant; None where it fails."""
    if not columns:
        return None
    X = np.column_stack([np.ones(y.size), *columns])
    known = ~np.isnan(X).any(axis=1) & ~np.isnan(y)
    X, y = X[known], y[known]
    if len(X) <= X.shape[1] or np.linalg.matrix_rank(X) < X.shape[1]:
        return None
    inverse = np.linalg.inv(X.T @ X)
    fitted = inverse @ X.T @ y
    variance = float(((y - X @ fitted) ** 2).sum()) / (len(X) - X.shape[1])
    return fitted[1:], np.sqrt(variance * np.diag(inverse))[1:]


def _overlap(low: float, high: float, other_low: float, other_high: float) -> float:
    """Return the mean share of two intervals that they have in common, in percent.

    Examples
    --------
    >>> float(_overlap(0.0, 2.0, 1.0, 3.0)), float(_overlap(0.0, 1.0, 2.0, 3.0))
    (50.0, 0.0)
    """
    common = max(0.0, min(high, other_high) - max(low, other_low))
    return float(50 * (common / (high - low) + common / (other_high - other_low)))


def _means(keys: Sequence[Feature], target: tuple[Floats, Floats]) -> tuple[SubgroupMean, ...]:
    """Return the mean of the target in subgroups of both files that are large enough."""
    found = []
    for feature in keys:
        for name, before, after in _subgroups(feature):
            one, other = (before & ~np.isnan(target[0])), (after & ~np.isnan(target[1]))
            if min(one.sum(), other.sum()) >= FEWEST:
                means = float(target[0][one].mean()), float(target[1][other].mean())
                found.append(SubgroupMean(feature.name, name, *means, int(one.sum())))
    return tuple(found)


def _subgroups(feature: Feature) -> list[tuple[str, NDArray[np.bool_], NDArray[np.bool_]]]:
    """Return names and members in both files: categories, or quarters of amounts."""
    one, other = feature.original, feature.released
    if feature.nominal:
        codes = _frequent(feature) if len(feature.labels) <= MOST_DUMMIES else []
        return [(feature.labels[code], one == code, other == code) for code in codes]
    cuts = np.nanquantile(one, [0.25, 0.5, 0.75]) if not np.isnan(one).all() else np.zeros(3)
    if np.unique(cuts).size < cuts.size:
        return []
    quarter = [np.searchsorted(cuts, v) for v in (one, other)]
    names = ("lowest quarter", "second quarter", "third quarter", "highest quarter")
    return [
        (name, (quarter[0] == i) & ~np.isnan(one), (quarter[1] == i) & ~np.isnan(other))
        for i, name in enumerate(names)
    ]
