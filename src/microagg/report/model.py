"""The numbers of a report, without any formatting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from microagg.measure.diversity.promise import ConfidentialPromise
from microagg.report.stopping import ending_words
from microagg.schema import Schema


@dataclass(frozen=True)
class Summary:
    """What a person wants to know of a release. Nothing in it describes a single record."""

    rows: int
    k_promised: int
    k_achieved: int
    method: str
    groups: int
    group_sizes: Mapping[str, int]
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
    promises: tuple[tuple[tuple[str, ...], int], ...]
    cautions: tuple[str, ...]
    grouped_on: tuple[str, ...]
    lower_bound: float | None
    aggregate: Mapping[str, str]
    ending: str
    axis: str | None
    segments: int
    beyond: tuple[tuple[ConfidentialPromise, float], ...] = ()
    synthetic: bool = False

    @property
    def by_means(self) -> bool:
        """Whether means replace all that is replaced."""
        return set(self.aggregate.values()) <= {"mean"}

    @property
    def as_a_whole(self) -> bool:
        """Whether one promise holds for all quasi-identifiers together."""
        return any(set(columns) == set(self.replaced) for columns, _ in self.promises)

    @property
    def columns(self) -> int:
        """Number of columns that are released."""
        return len(self.replaced) + self.kept

    @property
    def kept(self) -> int:
        """Number of columns that are released as they are."""
        kept = (self.unchanged, self.confidential, self.strata, self.weights)
        return sum(map(len, kept))


def summarise(provenance: Mapping[str, Any]) -> Summary:
    """Collect the summary of a release from its provenance."""
    arguments, result, source = (provenance[part] for part in ("arguments", "result", "input"))
    schema = Schema(**arguments["schema"])
    other = [name for name in source["columns"] if schema.role(name) == "other"]
    crossed, weights = arguments.get("strata", ()), arguments.get("weights")
    strata = [name for name in other if name in crossed]
    joined = result.get("strata_joined", False)
    return Summary(
        rows=result.get("records", source["rows"]),
        k_promised=arguments["k"],
        k_achieved=result["k_achieved"],
        method=result["method"],
        groups=result["groups"],
        group_sizes=result["group_sizes"],
        information_loss=result["information_loss_percent"],
        loss_by_column=result["information_loss_percent_by_column"],
        removed=tuple(schema.identifiers),
        replaced=tuple(schema.quasi_identifiers),
        confidential=tuple(schema.confidential),
        strata=tuple(strata),
        weights=tuple(name for name in other if name == weights),
        strata_joined=joined,
        never_crossed=() if joined else tuple(crossed),
        weighted_by=() if weights is None else (weights,),
        unchanged=tuple(name for name in other if name not in (*strata, weights)),
        index=tuple(source["index"]),
        promises=tuple((tuple(p["columns"]), p["k"]) for p in result["promises"]),
        cautions=tuple(result["cautions"]),
        grouped_on=tuple(result["details"].get("columns", schema.quasi_identifiers)),
        lower_bound=result.get("lower_bound"),
        beyond=tuple(map(_beyond, result["beyond_k"])),
        synthetic=arguments.get("aggregate") == "hybrid",
        aggregate=result.get("aggregate", {}),
        axis=_axis(result),
        segments=len(result.get("segments", ())),
        ending=ending_words(result, arguments["parameters"]),
    )


def _axis(result: Mapping[str, Any]) -> str | None:
    """Return the axis along which groups were made: of all columns, or else of the segments."""
    parts = [result, *result.get("segments", ())]
    return next((part["details"]["axis"] for part in parts if "axis" in part["details"]), None)


def _beyond(kept: Mapping[str, Any]) -> tuple[ConfidentialPromise, float]:
    """Return a promise about confidential columns, and what was counted, as the provenance has it."""
    lists = {name: tuple(kept[name]) for name in ("columns", "confidential", "nominal")}
    return ConfidentialPromise(what=kept["what"], limit=kept["limit"], **lists), kept["achieved"]
