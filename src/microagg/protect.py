"""`protect`: the whole way, from a frame of records to a checked release."""

from __future__ import annotations

import inspect
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from microagg.aggregate.by_kind import rules_of
from microagg.aggregate.steps import steps_of
from microagg.arguments import recorded, require_columns, require_keywords, schema_of
from microagg.constraints import IsInteger, check
from microagg.context import Context
from microagg.data.frames import Frame
from microagg.finish import finish, noting_interrupts
from microagg.mask.constrained import guard, ordered_codes
from microagg.mask.groups import mask
from microagg.mask.masked import Task
from microagg.mask.registry import named
from microagg.partition.constrain.limits import Limits
from microagg.partition.driver import check_k
from microagg.prepare.options import Options
from microagg.prepare.read_records import make_ready
from microagg.release import Release
from microagg.reporter import Reporter
from microagg.schema import Schema


def protect(
    data: Any,
    k: int,
    *,
    quasi_identifiers: Sequence[str] | None = None,
    identifiers: Sequence[str] = (),
    confidential: Sequence[str] = (),
    kinds: Mapping[str, str] | None = None,
    schema: Schema | Mapping[str, Any] | None = None,
    method: str = "auto",
    refine: str | Sequence[str] | None = None,
    columns: str | Sequence[str] | None = None,
    segments: int | Sequence[Sequence[str]] | None = None,
    scale: str | None = None,
    distance: Literal["euclidean", "gower"] = "euclidean",
    column_weights: Mapping[str, float] | None = None,
    orders: Mapping[str, Sequence[Any]] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    distance_tables: Mapping[str, Any] | None = None,
    aggregate: Literal["auto", "hybrid"] | Mapping[str, str] = "auto",
    integers: Literal["float", "round"] = "float",
    round_to: Mapping[str, float] | None = None,
    missing: Literal["error", "group", "impute", "suppress"] = "error",
    weights: str | None = None,
    strata: str | Sequence[str] | None = None,
    small_strata: Literal["error", "merge", "suppress"] = "error",
    l_diversity: int | None = None,
    t_closeness: float | None = None,
    p_sensitive: int | None = None,
    seed: int = 0,
    progress: Reporter | None = None,
    **parameters: Any,
) -> Release:
    """Replace the quasi-identifiers of each record by what stands for a group of at least k.

    Parameters
    ----------
    data : DataFrame
        pandas, polars or pyarrow. The same type comes back, with the same index and order.
    k : int, from 2 to n
        How many records, at least, share every combination of released quasi-identifiers.
    quasi_identifiers, identifiers, confidential : lists of column names
        Replaced, removed, and kept. Columns that are not named are kept as they are.
    kinds : mapping of column name to kind
        "continuous", "ordinal" or "nominal". By default numbers and dates are continuous,
        categories with an order ordinal, and text, booleans and other categories nominal. Whole
        numbers that look like codes are a `MicroaggWarning` unless their kind is given.
    schema : Schema, optional
        The roles, kinds and orders in one; give either.
    method : str
        A name of `methods()` or `maskings()`, or one printed in the papers. "auto" chooses by the
        number of records and ``effort="quick" | "normal" | "best"``, and says what it chose.
        Nominal categories, blanks that stay, weights and Gower's distance need one whose
        `mixed` is not None.
    refine : str or list of str, optional
        Names of `refinements()`, done one after the other.
    columns : list of column names, or str such as "emad:3", optional
        Which quasi-identifiers to group on, when not on all; all are replaced, and the loss is that
        of all. "emad:3" takes the three that `select_columns` finds.
    segments : list of lists of column names, or int, optional
        Sets of quasi-identifiers that are grouped each on its own; a number means so many at a
        time, correlated ones together. Then k holds for each segment, NOT for the whole record.
    scale : {"zscore", "range", "none"}
        How columns become comparable while grouping; "zscore" by default.
    distance : {"euclidean", "gower"}
        The squared distance of the scaled columns, or Gower's.
    column_weights : mapping of column name to number
        How much a column counts in distances; 1 if not given.
    orders : mapping of column name to list
        The categories of ordinal columns whose type has no order, from the lowest to the highest.
    hierarchies : mapping of column name to CSV file or rows
        Levels of nominal categories as ARX has them: ``Spain;Southern Europe;Europe;*``. Categories
        are as far apart as the first level at which they are the same.
    distance_tables : mapping of column name to CSV file or mapping
        Distances between nominal categories: ``{"city": {"a": {"b": 2.5}}}``.
    aggregate : "auto" or mapping of column name to word
        What stands for a group: "mean", "median" or "trimmed" for continuous columns, "median" or
        "mode" for ordinal ones, "mode" for nominal ones. "auto" is the first of each. Ties of a
        mode fall by the seed. "hybrid": synthetic records that keep the means and covariances of
        the group and are NOT k-anonymous.
    integers : {"float", "round"}
        Means of integer columns are released as they are, as float64, which keeps
        totals; or rounded to the nearest integer, in the column's own type.
    round_to : mapping of column name to number
        What numbers are rounded to: 0.01 for currency. Dates come back in steps of their own.
    missing : {"error", "group", "impute", "suppress"}
        What becomes of blanks. "group": distances are over what is present, and what stands for the
        group fills them; a group of nothing but blanks stays blank. "impute": filled beforehand
        by the median, or by the mode of a nominal column. "suppress": records with a blank are left
        out of the release.
    weights : column name, optional
        Sampling weights, above 0: in scales, centres, representatives and the loss. k counts
        records.
    strata : column name or list of them, optional
        Groups never cross these.
    small_strata : {"error", "merge", "suppress"}
        What becomes of strata with fewer than k records: joined with each other (and with the
        smallest other one if they are still too few), or left out of the release.
    l_diversity : int, optional
        How many different values each confidential column has, at least, among records that share
        their released quasi-identifiers.
    t_closeness : float from 0 to 1, optional
        How far, at most, the confidential values of such records are from those of all records.
    p_sensitive : int, optional
        The same as `l_diversity`, by the name of p-sensitive k-anonymity.
    seed : int
        Where every random choice comes from.
    progress : Reporter, optional
        Shows how far the work is.
    **parameters
        The method's own parameters.

    Returns
    -------
    Release
        Checked on its released values; a release that does not hold k is never returned.

    Examples
    --------
    >>> import microagg as ma, pyarrow as pa
    >>> people = pa.table({"name": list("abcd"), "age": [30, 32, 60, 64], "ill": [0, 1, 0, 0]})
    >>> release = ma.protect(people, k=2, quasi_identifiers=["age"], identifiers=["name"])
    >>> release.data.to_pydict()
    {'age': [31.0, 31.0, 62.0, 62.0], 'ill': [0, 1, 0, 0]}
    """
    started = time.perf_counter()
    require_keywords(parameters, method, _KEYWORDS)
    options = Options(
        scale=scale,
        distance=distance,
        column_weights=column_weights or {},
        hierarchies=hierarchies or {},
        distance_tables=distance_tables or {},
        aggregate=aggregate,
        integers=integers,
        round_to=round_to or {},
        missing=missing,
        weights=weights,
        strata=strata,
        small_strata=small_strata,
    )
    limits = Limits(l_diversity, t_closeness, p_sensitive)
    roles = schema_of(schema, quasi_identifiers, identifiers, confidential, kinds, orders)
    given = Frame(data)
    require_columns(given, roles, options)
    check("seed", seed, IsInteger(0), "protect")
    check_k(k, given.n, named(method).name)

    context = Context.of(progress)
    ready = make_ready(given, roles, options, int(k), int(seed))
    held = guard(ready.frame, limits, roles.confidential, roles.kinds)
    warnings = (*ready.warnings, *ordered_codes(ready.frame, held, roles.kinds))
    ready = replace(ready, warnings=warnings)
    for warning in warnings:
        context.reporter.warn(warning)
    task = Task(
        columns=ready.filled,
        prepared=ready.prepared,
        scale=str(options.scale),
        k=k,
        method=method,
        refine=refine,
        seed=seed,
        context=context,
        parameters=parameters,
        grouped_on=columns,
        segments=segments,
        rules=rules_of(ready.columns, options.aggregate),
        steps=steps_of(ready, options),
        weights=ready.weights,
        strata=ready.strata,
        only_for_groups=ready.more_than_numbers(options),
        dates=tuple(ready.calendars),
        guard=held,
        synthetic=options.aggregate == "hybrid",
        kept=roles.kept(given),
    )
    masked = noting_interrupts(mask(task), context.budget.stopped)
    arguments = recorded(task, roles, options, limits)
    return finish(given, roles, options, ready, masked, arguments, started)


_KEYWORDS = tuple(inspect.signature(protect).parameters)[:-1]  # less **parameters
