"""Files of the multipliers that bound parts of some records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from microagg.engine import on_host
from microagg.partition.bounds.certificate import Certificate
from microagg.partition.bounds.semidefinite import PartSolution, Semidefinite
from microagg.typing import Rows


def write_parts(file: Path, k: int, data: str, parts: Sequence[tuple[Rows, Semidefinite]]) -> None:
    """Write the multipliers of each part, B and the solution in single precision."""
    arrays: dict[str, Any] = {"k": k, "data": data, "parts": len(parts)}
    for number, (rows, part) in enumerate(parts):
        solution = part.solution()
        best = solution.best
        upper = np.triu_indices(len(rows))
        own = {
            "rows": rows,
            "unit": solution.unit,
            "estimate": solution.estimate,
            "weights": on_host(solution.weights),
            "rest": on_host(best.rest)[upper].astype(np.float32),
            "triples": on_host(best.triples).astype(np.int32),
            "charges": on_host(best.charges),
            "set_records": np.concatenate([np.empty(0, dtype=np.int32), *best.sets]),
            "set_sizes": np.array([len(members) for members in best.sets], dtype=np.int32),
            "set_charges": on_host(best.set_charges),
        }
        arrays.update({f"{name}{number}": array for name, array in own.items()})
    np.savez_compressed(file, **arrays)


def read_parts(file: Path) -> tuple[str, int, list[tuple[Rows, PartSolution]]]:
    """Return the data, k, and the rows and multipliers of each part."""
    with np.load(file) as arrays:
        count = int(arrays["parts"])
        parts = [
            _part({name: arrays[f"{name}{number}"] for name in FIELDS}) for number in range(count)
        ]
        return str(arrays["data"]), int(arrays["k"]), parts


FIELDS = (
    "rows", "unit", "estimate", "weights", "rest", "triples", "charges", "set_records",
    "set_sizes", "set_charges",
)  # fmt: skip


def _part(own: dict[str, Any]) -> tuple[Rows, PartSolution]:
    rows = own["rows"]
    rest = np.zeros((len(rows), len(rows)))
    rest[np.triu_indices(len(rows))] = own["rest"]
    rest = rest + np.triu(rest, 1).T
    ends = np.cumsum(own["set_sizes"])[:-1]
    sets = np.split(own["set_records"].astype(np.int64), ends) if len(own["set_sizes"]) else []
    best = Certificate(
        float(own["unit"]),
        rest,
        own["triples"].astype(np.int64),
        own["charges"],
        0.0,
        sets,
        own["set_charges"],
    )
    none = np.zeros_like(rest)
    return rows, PartSolution(
        best, float(own["unit"]), float(own["estimate"]), own["weights"], none
    )
