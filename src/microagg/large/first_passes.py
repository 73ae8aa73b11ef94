"""The passes before the survey: what columns hold, and the keys by which records are divided."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from microagg.context import Context
from microagg.data.frames import refuse_extension
from microagg.data.text_columns import without_codes
from microagg.errors import DataError
from microagg.large.codes import Codes
from microagg.large.confidential import limited_columns
from microagg.large.dataset import Split
from microagg.large.domains import Domain, domain_of, empty_domain
from microagg.large.parts import KeyCounts, Keys
from microagg.large.plan import Plan
from microagg.large.value_counts import lowest, most_units
from microagg.typing import Integers


def empty_domains(plan: Plan) -> tuple[Domain, ...]:
    """Return the domains of the columns that are read, before any record."""
    settings, schema = plan.settings, plan.settings.schema
    table = next(plan.data.tables(plan.splits[0], 1, plan.data.names), None)
    if table is None:
        raise DataError(
            f"'{plan.data.source}' has no records.", hint="Use a file with at least one record."
        )
    for name in schema.quasi_identifiers:
        refuse_extension(table.schema.field(name))
    limited = limited_columns(settings)
    named = {
        *limited,
        *(name for name, kind in schema.kinds.items() if kind != "continuous"),
        *schema.orders,
        *settings.date_format,
        *settings.strata,
    }
    names = dict.fromkeys([*schema.quasi_identifiers, *settings.strata, *limited])
    text_file = plan.data.dialect is not None
    domains = (
        empty_domain(table.schema.field(name), categories=name in named, text_file=text_file)
        for name in names
    )
    return tuple(replace(domain, parsed=text_file and domain.name in limited) for domain in domains)


def is_date(kind: Any) -> bool:
    """Return whether an Arrow type is one of dates or times."""
    from pyarrow import types

    return bool(types.is_temporal(kind))


def expected_rows(plan: Plan, split: Split) -> int:
    """Return about how many records a split has, before they are read."""
    return split.rows if split.rows >= 0 else plan.data.stream(split.file).expected


def read_domains(plan: Plan, split: Split, context: Context) -> int:
    """Find what the columns of a split hold; returns its records."""
    step = f"domains/{split.number}"
    if not plan.work.has(step):
        names = [empty.name for empty in plan.empty]
        domains, rows, looks = list(plan.empty), 0, Codes(limited_columns(plan.settings))
        for table in plan.data.tables(split, plan.sizes.piece, names):
            rows += table.num_rows
            table = without_codes(table, plan.settings.quasi_identifiers, plan.blank)
            own = [domain_of(e, table.column(e.name), plan.data.decimal) for e in plan.empty]
            domains = [before.joined(more) for before, more in zip(domains, own, strict=True)]
            looks.add_table(table, plan.data.decimal)
        arrays = {key: value for each in domains for key, value in each.to_arrays().items()}
        plan.work.save(step, None, None, rows=rows, looks=looks.to_array(), **arrays)
    return int(plan.work.load(step, "rows"))


def domains_of(plan: Plan, split: Split) -> list[Domain]:
    """Return what `read_domains` has found."""
    step = f"domains/{split.number}"
    return [empty.from_arrays(lambda key: plan.work.load(step, key)) for empty in plan.empty]


def look_like_codes(plan: Plan) -> list[str]:
    """Return the confidential columns under a limit that look like codes."""
    steps = [f"domains/{split.number}" for split in plan.splits]
    looks = [plan.work.load(step, "looks") for step in steps]
    return Codes.joined(limited_columns(plan.settings), looks).look_like_codes()


def count_keys(plan: Plan, item: tuple[Split, Keys], context: Context) -> KeyCounts:
    """Count the keys of the records of a split, by which they are divided into parts."""
    split, keys = item
    step = f"parts/{split.number}"
    if not plan.work.has(step):
        counts, units = [], [np.zeros((2, 0), dtype=np.int64)]
        for piece in plan.pieces(split):
            own = keys.of(piece.numbers, piece.strata)
            counts.append(KeyCounts.of(own, piece.weights))
            if piece.units is not None:
                units.append(lowest(np.stack([own, piece.units]), most_units(plan.settings.k)))
        pairs = lowest(np.concatenate(units, axis=1), most_units(plan.settings.k))
        plan.work.save(step, None, None, **vars(KeyCounts.joined(counts)), units=pairs)
    return KeyCounts(*(plan.work.load(step, name) for name in KeyCounts.__annotations__))


def units_by_key(plan: Plan) -> Integers:
    """Return pairs of key and unit that `count_keys` has kept, the lowest units of each key."""
    pairs = [plan.work.load(f"parts/{split.number}", "units") for split in plan.splits]
    return lowest(np.concatenate(pairs, axis=1), most_units(plan.settings.k))
