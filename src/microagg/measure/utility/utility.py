"""Utility for analysts: prediction, regression and subgroup means of a target column.

- Prediction: the same gradient boosting model is trained on original and on released records, and both are
  tested on unseen original records, in cross-validation. The figure is the area under the
  ROC curve for categories and R^2 for amounts; the interval describes the differences over the folds.
- Regression: least squares of the target on the quasi-identifiers; for each coefficient, the overlap of the
  confidence intervals from original and release (Karr, Kohnen, Oganian, Reiter and Sanil 2006).
- Means of the target by subgroup: categories, and quarters of amounts.

The other columns are features of the prediction, too; both models use the same values of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from microagg.data.frames import Frame
from microagg.errors import DataError
from microagg.measure.pair import Pair
from microagg.measure.utility.features import as_amounts, key_of, target_of, unchanged
from microagg.measure.utility.prediction import FOLDS, Prediction, predicted
from microagg.measure.utility.regression import (
    Coefficient,
    SubgroupMean,
    coefficients,
    subgroup_means,
)

SAMPLE = 10_000
"""The maximum number of records for training and testing models."""


@dataclass(frozen=True)
class Utility:
    """What analysts can learn about a target column from the release.

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
        """The mean overlap of the confidence intervals of all coefficients, in percent."""
        overlaps = [each.overlap for each in self.coefficients]
        return float(np.mean(overlaps)) if overlaps else None

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for programs."""
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
    """Return what can be learnt about `target` from released quasi-identifiers and `others`.

    `others` are unchanged columns of the release. The target is one of the
    quasi-identifiers or of the other columns; its original values come from `original`, or from the
    release if it is unchanged.
    """
    pair.after.frame.require([target], "target", "the release")
    aim = target_of(pair, target, original)
    usable = np.flatnonzero(~np.isnan(aim.original) & ~np.isnan(aim.released))
    if usable.size < 10 * FOLDS or np.ptp(aim.original[usable]) == 0:
        raise DataError(
            f"The target column '{target}' has too few different values to predict.",
            hint="Choose another target.",
        )
    keys = [key_of(pair, name) for name in pair.columns if name != target]
    rest = [
        feature
        for name in others
        if name != target and (feature := unchanged(pair.after.frame, name)) is not None
    ]
    if not keys and not rest:
        raise DataError(
            f"There is no column to predict the target column '{target}' from.",
            hint="Choose another target.",
        )
    if usable.size > SAMPLE:
        drawn = np.random.default_rng(seed).choice(usable, SAMPLE, replace=False)
        usable = np.sort(drawn)
    some = [feature.rows(usable) for feature in (*keys, *rest)]
    amounts = as_amounts(aim)
    return Utility(
        target=str(target),
        event=aim.labels[-1] if aim.nominal and len(aim.labels) == 2 else "",
        prediction=predicted(some, aim.rows(usable), seed),
        coefficients=() if amounts is None else coefficients(keys, amounts),
        means=() if amounts is None else subgroup_means(keys, amounts),
    )
