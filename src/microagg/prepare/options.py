"""`Options`: all that `protect` may be told about mixed records, checked and ready to be kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from microagg.constraints import IsPositive, OneOf, check
from microagg.data.tables_of_distances import hierarchy_rows, table_entries
from microagg.errors import ParameterError, shown
from microagg.prepare.missing import MISSING
from microagg.prepare.scale import SCALINGS
from microagg.prepare.strata import SMALL_STRATA
from microagg.schema import column_names

DISTANCES = ("euclidean", "gower")

_EXAMPLES = {
    "column_weights": "Write column_weights={'age': 2}.",
    "hierarchies": "Write hierarchies={'country': 'levels.csv'}.",
    "distance_tables": "Write distance_tables={'city': 'km.csv'}.",
    "round_to": "Write round_to={'income': 0.01}.",
    "aggregate": "Write aggregate={'income': 'median'}, aggregate='hybrid', or leave it out.",
}


@dataclass(frozen=True)
class Options:
    """How columns are compared, replaced and set apart; see `protect` for each.

    Attributes
    ----------
    scale, distance, column_weights, hierarchies, distance_tables
        How records are compared.
    aggregate, integers, round_to
        What stands for a group.
    missing, weights, strata, small_strata
        Blanks, weights of records, and parts that groups do not cross.
    """

    scale: str | None = None
    distance: str = "euclidean"
    column_weights: Mapping[str, float] = field(default_factory=dict)
    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    distance_tables: Mapping[str, Any] = field(default_factory=dict)
    aggregate: str | Mapping[str, str] = "auto"
    integers: str = "float"
    round_to: Mapping[str, float] = field(default_factory=dict)
    missing: str = "error"
    weights: str | None = None
    strata: Any = ()
    small_strata: str = "error"

    def __post_init__(self) -> None:
        check("distance", self.distance, OneOf(DISTANCES), "protect")
        check("integers", self.integers, OneOf(("float", "round")), "protect")
        check("missing", self.missing, OneOf(MISSING), "protect")
        check("small_strata", self.small_strata, OneOf(SMALL_STRATA), "protect")
        if self.weights is not None and not isinstance(self.weights, str | int):
            raise ParameterError(
                f"must be the name of a column. Got {shown(self.weights)}.",
                parameter="weights",
                hint='Put the weights into the data, and write weights="w".',
            )
        self._set(scale=self._scale())
        for parameter in ("column_weights", "hierarchies", "distance_tables", "round_to"):
            self._set(**{parameter: self._mapping(parameter)})
        if not isinstance(self.aggregate, str) or self.aggregate not in ("auto", "hybrid"):
            self._set(aggregate=self._mapping("aggregate"))
        if self.aggregate == "hybrid" and self.integers == "round":
            raise ParameterError(
                'cannot be "round" with aggregate="hybrid": rounded '
                "records do not keep the means and covariances.",
                parameter="integers",
                hint="Leave it out.",
            )
        for parameter in ("column_weights", "round_to"):
            for name, number in getattr(self, parameter).items():
                check(f"{parameter}[{name!r}]", number, IsPositive(), "protect")
        given = self.strata if self.strata is not None else ()
        one = isinstance(given, str | int)
        self._set(strata=column_names("strata", [given] if one else given))
        if self.small_strata != "error" and not self.strata:
            raise ParameterError(
                "is for strata, and there are none.",
                parameter="small_strata",
                hint="Give strata= as well, or leave it out.",
            )
        self._read_tables()

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _scale(self) -> str:
        """Return the scaling meant: z-scores, or the range, which is part of Gower's distance."""
        if self.scale is None:
            return "range" if self.gower else "zscore"
        check("scale", self.scale, OneOf(tuple(SCALINGS)), "protect")
        if self.gower and self.scale != "range":
            raise ParameterError(
                f"is {self.scale!r}, but Gower's distance divides by the range.",
                parameter="scale",
                hint="Leave it out.",
            )
        return self.scale

    def _mapping(self, parameter: str) -> dict[str, Any]:
        given = getattr(self, parameter)
        if given is None:
            return {}
        if not isinstance(given, Mapping):
            raise ParameterError(
                f"must map column names to values. Got {shown(given)}.",
                parameter=parameter,
                hint=_EXAMPLES[parameter],
            )
        return dict(given)

    def _read_tables(self) -> None:
        twice = set(self.hierarchies) & set(self.distance_tables)
        if twice:
            raise ParameterError(
                f"Column {min(twice)!r} has both a hierarchy and a distance table.",
                hint="Give either.",
            )
        rows = {name: hierarchy_rows(given, name) for name, given in self.hierarchies.items()}
        tables = {name: table_entries(given, name) for name, given in self.distance_tables.items()}
        self._set(hierarchies=rows, distance_tables=tables)

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, Any]) -> Options:
        """Return the options among arguments of `protect`, such as a provenance file records."""
        return cls(**{f.name: arguments[f.name] for f in fields(cls) if f.name in arguments})

    @property
    def gower(self) -> bool:
        """Whether the distance is Gower's."""
        return self.distance == "gower"

    def columns_named(self) -> dict[str, Sequence[str]]:
        """Return the columns that each parameter names."""
        mappings = ("column_weights", "hierarchies", "distance_tables", "round_to")
        named: dict[str, Sequence[str]] = {name: list(getattr(self, name)) for name in mappings}
        named["aggregate"] = [] if isinstance(self.aggregate, str) else list(self.aggregate)
        return named

    def given(self) -> tuple[str, ...]:
        """Return the parameters that are not as they are by default."""
        plain = Options()
        names = [f.name for f in fields(self) if f.name not in ("scale", "integers")]
        return tuple(name for name in names if getattr(self, name) != getattr(plain, name))

    def as_dict(self) -> dict[str, Any]:
        """Return the arguments of `protect` that make these options, for a provenance file."""
        chosen = {name: getattr(self, name) for name in self.given()}
        if "strata" in chosen:
            chosen["strata"] = list(chosen["strata"])
        return {"scale": self.scale, "integers": self.integers, **chosen}
