"""The first passes: what columns hold, the parts of the records, their scales, and the cuts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from microagg.context import Context
from microagg.large.chunks import (
    Chunks,
    Summing,
    codes_of_chunk,
    joined_chunks,
    sums_of_chunk,
)
from microagg.large.codes import Codes
from microagg.large.dataset import Split
from microagg.large.plan import Piece, Plan
from microagg.partition.search.blocks.axes import axes_of
from microagg.partition.search.blocks.block import Layout
from microagg.partition.search.blocks.blocks import SAMPLE
from microagg.partition.search.blocks.sample import Sample, ties_of
from microagg.prepare.column import Column
from microagg.prepare.gaps import cheapest_category
from microagg.prepare.moments import Sums, joined_sums
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import (
    ColumnMeasure,
    ColumnSummary,
    Records,
    measure_of,
)
from microagg.prepare.scale import scaling_of
from microagg.settings import Settings
from microagg.typing import Floats, Integers


@dataclass(frozen=True, eq=False)
class Survey:
    """What all records together tell.

    Attributes
    ----------
    columns : mapping of str to Column
        The quasi-identifiers without records.
    center, scale, sst : float64[d]
        How complete numbers are scaled, and the sum of squares around the mean once they are.
    measures : tuple of ColumnMeasure
        How each column of mixed records enters the distance; empty for complete numbers.
    apart : float
        The distance of mixed records without a column in common.
    middles : float64[d]
        The one value that loses least in place of all.
    totals : float64[d]
        The weight of the records that have a value.
    layouts : tuple of Layout
        The cuts of each part into blocks and into cells.
    codes : tuple of str
        Columns of numbers that look like codes.
    """

    columns: Mapping[str, Column]
    center: Floats
    scale: Floats
    sst: Floats
    measures: tuple[ColumnMeasure, ...]
    apart: float
    middles: Floats
    totals: Floats
    layouts: tuple[Layout, ...] = ()
    codes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return tuple(self.columns)

    @property
    def axes(self) -> int:
        """How many axes the cuts go by."""
        empty = np.empty((len(self.columns), 0))
        return len(axes_of(self.prepared(empty, None)))

    @property
    def mixed(self) -> bool:
        """Whether records are more than complete numbers without weights."""
        return bool(self.measures)

    def scaled(self, columns: Floats) -> Floats:
        """Return columns of complete numbers, float64[d, m], made comparable."""
        return np.ascontiguousarray((columns - self.center[:, None]) / self.scale[:, None])

    def prepared(self, numbers: Floats, weights: Floats | None) -> Prepared | Records:
        """Return numbers of columns, float64[d, m], as a method sees them."""
        if not self.mixed:
            columns = self.scaled(numbers)
            columns.flags.writeable = False
            return Prepared(columns, self.names, self.center, self.scale)
        masses = np.ones(numbers.shape[1]) if weights is None else np.ascontiguousarray(weights)
        own = tuple(
            replace(column, values=np.ascontiguousarray(values))
            for column, values in zip(self.columns.values(), numbers, strict=True)
        )
        return Records(own, self.measures, masses, apart=self.apart)


def survey_split(plan: Plan, split: Split, context: Context) -> None:
    """Sum up the columns of a split, and draw its part of the sample."""
    step, parts, hashed = f"surveyed/{split.number}", plan.divided(), f"hashed/{split.file}"
    if split.start == 0 and not plan.work.has(hashed):
        plan.work.save(hashed, None, sha256=plan.data.sha256(split.file))
    if plan.work.has(step):
        return
    local, before = parts.before(split.number)
    summing, names = _summing(plan), list(plan.read().columns)
    sums = [Chunks(int(before[j]), sums_of_chunk) for j in range(len(names))]
    by_code = {j: Chunks(int(before[j]), own) for j, own in summing.items()}
    low, high = np.full(len(names), np.inf), np.full(len(names), -np.inf)
    samples = [Sample(SAMPLE) for _ in parts.sizes]
    amounts = plan.read().amounts
    codes = Codes([names[j] for j in amounts])
    for piece, part in plan.released_pieces(split):
        _add(piece, plan, sums, by_code)
        with np.errstate(invalid="ignore"):
            low = np.fmin(low, np.fmin.reduce(piece.numbers, axis=1, initial=np.inf))
            high = np.fmax(high, np.fmax.reduce(piece.numbers, axis=1, initial=-np.inf))
        codes.add(piece.numbers[amounts])
        _draw(piece, part, samples, local, parts.sizes)
    arrays = {"low": low, "high": high, "codes": codes.to_array()}
    for name, each in (("sums", dict(enumerate(sums))), ("codes", by_code)):
        for j, chunks in each.items():
            arrays |= chunks.to_arrays(f"{name}.{j}")
    for number, sample in enumerate(samples):
        arrays |= {f"sample.{number}": sample.columns, f"rows.{number}": sample.rows}
    plan.work.save(step, None, None, **arrays)


def summing_weights(plan: Plan, piece: Piece) -> Floats | None:
    """Return the weights that sums are taken with: none for complete numbers without weights."""
    if not is_mixed(plan):
        return None
    if piece.weights is None or not plan.divided().weighted:
        return np.ones(piece.numbers.shape[1])
    return piece.weights


def is_mixed(plan: Plan) -> bool:
    """Return whether records are more than complete numbers without weights."""
    nominal = any(column.nominal for column in plan.read().columns.values())
    return nominal or not plan.divided().complete.all() or plan.divided().weighted


def _add(piece: Piece, plan: Plan, sums: Sequence[Chunks], by_code: Mapping[int, Chunks]) -> None:
    weights = summing_weights(plan, piece)
    for j, column in enumerate(piece.numbers):
        present = ~np.isnan(column)
        rows = [column[present]] if weights is None else [column[present], weights[present]]
        sums[j].add(np.stack(rows))
        if j in by_code:
            by_code[j].add(np.stack(rows))


def _summing(plan: Plan) -> dict[int, Summing]:
    """Return how the weights of categories are summed, by the number of each nominal column."""
    columns = plan.read().columns.values()
    return {
        j: codes_of_chunk(max(len(column.labels), 1))
        for j, column in enumerate(columns)
        if column.nominal
    }


def _draw(
    piece: Piece, part: Integers, samples: Sequence[Sample], local: Integers, sizes: Integers
) -> None:
    """Let the records of a piece take part in the sample of their part. IN/OUT: samples, local.

    Those whose ties are far too high to be among the lowest of all are left out at once.
    """
    for number, sample in enumerate(samples):
        rows = np.flatnonzero(part == number) if len(samples) > 1 else np.arange(part.size)
        own = local[number] + np.arange(rows.size)
        local[number] += rows.size
        enough = SAMPLE + 10.0 * SAMPLE**0.5 + 50.0
        share = min(enough / max(int(sizes[number]), 1), 1.0)
        near = np.flatnonzero(ties_of(own) <= np.uint64(share * (2**64 - 1025)))
        if share < 1.0:
            rows, own = rows[near], own[near]
        sample.add(np.concatenate([piece.numbers, piece.codes])[:, rows], own)


def surveyed(plan: Plan) -> Survey:
    """Return what the survey of all splits has found."""
    steps = [f"surveyed/{split.number}" for split in plan.splits]
    columns, d = plan.read().columns, len(plan.read().columns)

    def loaded(name: str, summing: Summing) -> list[Floats]:
        keys = [f"{name}.{what}" for what in ("lead", "tail", "sums")]
        parts = ({key: plan.work.load(step, key) for key in keys} for step in steps)
        return joined_chunks(parts, name, summing)

    low, high = extremes(plan)
    sums: list[Sums | None] = []
    for j in range(d):
        total: Sums | None = None
        for own in loaded(f"sums.{j}", sums_of_chunk):
            total = joined_sums(total, (float(own[0]), float(own[1]), float(own[2])))
        sums.append(total)
    weights = {j: np.sum(loaded(f"codes.{j}", each), axis=0) for j, each in _summing(plan).items()}
    summaries = [
        None if own is None else ColumnSummary(low[j], high[j], own, _trimmed(weights.get(j)))
        for j, own in enumerate(sums)
    ]
    survey = measured(columns, plan.settings, summaries, mixed=is_mixed(plan))
    names = [[*columns][j] for j in plan.read().amounts]
    codes = Codes.joined(names, [plan.work.load(step, "codes") for step in steps])
    return replace(
        survey, layouts=_layouts(plan, survey, steps), codes=tuple(codes.look_like_codes())
    )


def _trimmed(weights: Floats | None) -> Floats:
    """Return the weights up to the last category that occurs, as in memory."""
    return np.zeros(0) if weights is None else np.trim_zeros(weights, "b")


def measured(
    columns: Mapping[str, Column],
    settings: Settings,
    summaries: Sequence[ColumnSummary | None],
    *,
    mixed: bool,
) -> Survey:
    """Return how columns are compared, from the summary of each; None is that of one without values."""
    d, scale = len(columns), str(settings.scale)
    factors = [float(settings.column_weights.get(name, 1.0)) for name in columns]
    totals = np.array([0.0 if own is None else own.sums[0] for own in summaries])
    middles = np.array([0.0 if own is None else own.sums[1] for own in summaries])
    center, by, sst = np.zeros(d), np.ones(d), np.zeros(d)
    measures: tuple[ColumnMeasure, ...] = ()
    if mixed:
        measures = tuple(
            measure_of(column, summary, scale, False, factor)
            for column, summary, factor in zip(columns.values(), summaries, factors, strict=True)
        )
        for j, (column, summary) in enumerate(zip(columns.values(), summaries, strict=True)):
            if column.nominal and summary is not None:
                room = max(len(column.labels), 1) - summary.by_code.size
                middles[j] = cheapest_category(measures[j], np.pad(summary.by_code, (0, room)))
    else:
        for j, (name, summary) in enumerate(zip(columns, summaries, strict=True)):
            assert summary is not None  # complete numbers, of at least one record
            (center[j],), (by[j],) = scaling_of(_Spread(summary), scale, name)
            if summary.high > summary.low:
                by[j] /= np.sqrt(factors[j])
                sst[j] = summary.sums[2] / by[j] ** 2
    return Survey(columns, center, by, sst, measures, 0.0, middles, totals)


class _Spread:
    """The extremes, mean and deviation of one complete column."""

    def __init__(self, summary: ColumnSummary) -> None:
        count, mean, squares = summary.sums
        self.low, self.high = np.array([summary.low]), np.array([summary.high])
        self.mean = np.array([mean])
        self.deviation = np.sqrt(np.array([squares]) / count)


def _layouts(plan: Plan, survey: Survey, steps: Sequence[str]) -> tuple[Layout, ...]:
    """Return the cuts of each part, from the sample of its records."""
    layouts = []
    for number, n in enumerate(plan.divided().sizes):
        sample = Sample(SAMPLE)
        for step in steps:
            columns = plan.work.load(step, f"sample.{number}")
            if columns.size:
                sample.add(columns, plan.work.load(step, f"rows.{number}"))
        numbers, codes = np.split(sample.columns, [len(survey.columns)])
        axes = axes_of(survey.prepared(numbers, None))
        classes = plan.read().secrets.classes(codes.astype(np.int64))
        layouts.append(Layout.of(axes, sample.rows, int(n), plan.sizes.block_size, classes))
    return tuple(layouts)


def extremes(plan: Plan) -> tuple[Floats, Floats]:
    """Return the lowest and the highest value of each column."""
    steps = [f"surveyed/{split.number}" for split in plan.splits]
    low = np.min([plan.work.load(step, "low") for step in steps], axis=0)
    return low, np.max([plan.work.load(step, "high") for step in steps], axis=0)


def extremes_of(plan: Plan) -> dict[str, Column]:
    """Return the quasi-identifiers with their lowest and highest values alone."""
    return plan.read().columns_with(np.stack(extremes(plan), axis=1))
