"""The average distance of numbers to the middle of their column, which mixed records are compared by.

It needs the scale of the column, so it is summed up while records are routed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microagg.large.chunks import Chunks, joined_chunks, total_of_chunk
from microagg.large.dataset import Split
from microagg.large.plan import Piece, Plan
from microagg.large.survey import Survey, extremes, summing_weights
from microagg.prepare.records import apart_of, distances_to_middle, with_share


@dataclass
class Averages:
    """Sums up the distances of the records of one split."""

    plan: Plan
    split: Split
    chunks: dict[int, Chunks] = field(default_factory=dict)

    def __post_init__(self) -> None:
        survey, before = self.plan.surveyed(), self.plan.divided().before(self.split.number)[1]
        if survey.mixed:
            self.chunks = {
                j: Chunks(int(before[j]), total_of_chunk)
                for j, column in enumerate(survey.columns.values())
                if not column.nominal
            }

    def add(self, piece: Piece) -> None:
        """Take note of the records of a piece."""
        survey, weights = self.plan.surveyed(), summing_weights(self.plan, piece)
        for j, chunks in self.chunks.items():
            column = piece.numbers[j]
            present = ~np.isnan(column)
            assert weights is not None  # of mixed records
            middle = float(survey.middles[j])
            own = distances_to_middle(
                survey.measures[j], column[present], weights[present], middle, False
            )
            chunks.add(own[None, :])

    def save(self) -> None:
        """Keep what was summed up."""
        arrays: dict[str, NDArray[Any]] = {}
        for j, chunks in self.chunks.items():
            arrays |= chunks.to_arrays(str(j))
        self.plan.work.save(f"averaged/{self.split.number}", None, None, **arrays)


def with_averages(plan: Plan) -> Survey:
    """Return the survey with the average distances that routing has summed up."""
    survey = plan.surveyed()
    if not survey.mixed:
        return survey
    steps = [f"averaged/{split.number}" for split in plan.splits]
    measures = []
    factors = plan.settings.column_weights
    for j, (name, column) in enumerate(survey.columns.items()):
        measure = survey.measures[j]
        varies = measure.scale != 1.0 or _varies(plan, j)
        if not column.nominal and survey.totals[j] and varies:
            keys = [f"{j}.{what}" for what in ("lead", "tail", "sums")]
            parts = ({key: plan.work.load(step, key) for key in keys} for step in steps)
            distance = 0.0
            for own in joined_chunks(parts, str(j), total_of_chunk):
                distance += float(own[0])
            measure = replace(measure, average=distance / float(survey.totals[j]))
        measures.append(with_share(measure, float(factors.get(name, 1.0)), False))
    return replace(survey, measures=tuple(measures), apart=apart_of(measures))


def _varies(plan: Plan, column: int) -> bool:
    low, high = extremes(plan)
    return bool(low[column] < high[column])
