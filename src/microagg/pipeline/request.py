"""What `protect` is asked for, checked and in one object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from microagg.partition.constrain.limits import Limits
from microagg.prepare.options import Options
from microagg.schema import Schema


@dataclass(frozen=True)
class Request:
    """The arguments of `protect`; see there."""

    k: int
    schema: Schema
    method: str = "auto"
    refine: str | Sequence[str] | None = None
    columns: str | Sequence[str] | None = None
    segments: int | Sequence[Sequence[str]] | None = None
    options: Options = field(default_factory=Options)
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the arguments that make a release again, as a file can keep them."""
        return {
            "k": int(self.k),
            "schema": self.schema.as_dict(),
            "method": self.method,
            "refine": _listed(self.refine),
            "columns": _listed(self.columns),
            "segments": _listed(self.segments),
            **self.options.as_dict(),
            **self.limits.given(),
            "seed": int(self.seed),
            "parameters": dict(self.parameters),
        }


def _listed(value: Any) -> Any:
    """Return a word, a number or lists of words as a file can keep them."""
    if value is None or isinstance(value, str):
        return value
    return [_listed(part) for part in value] if isinstance(value, Sequence) else int(value)
