"""`Summary`: the main facts about a release, without formatting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from microagg.mask.registry import Masking
from microagg.measure.blanks import Blanks
from microagg.measure.exposure import Exposure
from microagg.pipeline.outcome import CheckedLimit, CheckedPromise, CheckedUnits, Outcome
from microagg.report.ending import ending_words


@dataclass(frozen=True)
class Summary:
    """The main facts about a release. Nothing in it describes a single record."""

    rows: int
    k_promised: int
    k: int
    method: str
    masking: Masking | None
    groups: int
    group_sizes: Mapping[int, int]
    information_loss: float
    loss_by_column: Mapping[str, float]
    removed: tuple[str, ...]
    replaced: tuple[str, ...]
    unchanged: tuple[str, ...]
    confidential: tuple[str, ...]
    strata: tuple[str, ...]
    weights: tuple[str, ...]
    strata_joined: bool
    never_crossed: tuple[str, ...]
    weighted_by: tuple[str, ...]
    index: tuple[str, ...]
    promises: tuple[CheckedPromise, ...]
    cautions: tuple[str, ...]
    grouped_on: tuple[str, ...]
    lower_bound: float | None
    aggregate: Mapping[str, str]
    ending: str
    axis: str | None
    segments: int
    limits: tuple[CheckedLimit, ...] = ()
    units: CheckedUnits | None = None
    synthetic: bool = False
    exposure: Exposure | None = None
    blanks: Blanks | None = None
    homogeneous: Mapping[str, int] = field(default_factory=dict)
    index_dropped: tuple[str, ...] = ()

    @property
    def by_means(self) -> bool:
        """Whether all replaced values are replaced by means."""
        return set(self.aggregate.values()) <= {"mean"}

    @property
    def as_a_whole(self) -> bool:
        """Whether one promise holds for all quasi-identifiers together."""
        return any(set(p.promise.columns) == set(self.replaced) for p in self.promises)

    @property
    def columns(self) -> int:
        """Number of columns that are released."""
        return len(self.replaced) + self.kept

    @property
    def has_columns_without_role(self) -> bool:
        """Whether columns or an index without a role are released."""
        return bool(self.unchanged or self.index)

    @property
    def kept(self) -> int:
        """Number of columns that are released unchanged."""
        kept = (self.unchanged, self.confidential, self.strata, self.weights)
        return sum(map(len, kept))


def summary_of(outcome: Outcome) -> Summary:
    """Return the summary of an outcome."""
    schema, settings = outcome.schema, outcome.settings
    other = [name for name in outcome.source.columns if schema.role(name) == "other"]
    strata = [name for name in other if name in settings.strata]
    weights = () if settings.weights is None else (settings.weights,)
    time_limit = settings.parameters.get("time_limit")
    return Summary(
        rows=outcome.records,
        k_promised=int(settings.k),
        k=outcome.anonymity.k,
        method=outcome.groups.method,
        masking=outcome.masking,
        groups=outcome.groups.count,
        group_sizes=outcome.groups.sizes,
        information_loss=outcome.loss.il,
        loss_by_column=outcome.loss.by_column,
        removed=tuple(schema.identifiers),
        replaced=tuple(schema.quasi_identifiers),
        confidential=tuple(schema.confidential),
        strata=tuple(strata),
        weights=tuple(name for name in other if name in weights),
        strata_joined=outcome.strata_joined,
        never_crossed=() if outcome.strata_joined else tuple(settings.strata),
        weighted_by=weights,
        unchanged=tuple(name for name in other if name not in (*strata, *weights)),
        index=() if outcome.index_dropped else outcome.source.index,
        index_dropped=_dropped_levels(outcome),
        promises=outcome.promises,
        cautions=outcome.cautions,
        grouped_on=outcome.groups.facts.columns or tuple(schema.quasi_identifiers),
        lower_bound=None if outcome.bound is None else outcome.bound.lower_bound,
        limits=outcome.limits,
        units=outcome.units,
        synthetic=settings.aggregate == "hybrid",
        aggregate=outcome.rules,
        axis=next((p.facts.axis for p in outcome.parts() if p.facts.axis is not None), None),
        segments=len(outcome.segments),
        ending=ending_words(outcome.ending, time_limit),
        exposure=outcome.exposure,
        blanks=outcome.blanks,
        homogeneous=outcome.homogeneous,
    )


def _dropped_levels(outcome: Outcome) -> tuple[str, ...]:
    if not outcome.index_dropped:
        return ()
    return outcome.source.index or ("row numbers",)
