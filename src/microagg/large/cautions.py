"""What the user and the reader of a release must know of the records of a large file."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from microagg.large.plan import Plan
from microagg.prepare.cautions import many_names, taken_as_amounts


def warnings_of(plan: Plan) -> tuple[str, ...]:
    """Return what may be a mistake of the user."""
    kinds = plan.settings.schema.kinds
    codes = [name for name in plan.surveyed().codes if name not in kinds]
    return (*taken_as_amounts(codes), *plan.read().warnings)


def cautions_of(plan: Plan) -> tuple[str, ...]:
    """Return what the reader must know of the records: names that are too many, and what is left out."""
    columns, k, rows = plan.read().columns, plan.settings.k, plan.divided().rows
    many = {
        name: replace(column, values=np.resize(np.arange(len(column.labels) + 0.0), rows))
        for name, column in columns.items()
        if column.nominal and column.labels and len(column.labels) * k > rows
    }
    return (*plan.read().cautions, *many_names(many, k), *plan.divided().cautions)
