"""`lower_bound`: a proven lower bound on the loss of any partition of some records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from microagg.budget import Stop
from microagg.constraints import AnyOf, IsNumber, OneOf, check, check_k
from microagg.context import Context, Ticker
from microagg.engine import Engine, array_module, chosen_engine
from microagg.errors import DataError
from microagg.partition.bounds.bound_search import STEPS_SHOWN, BoundSearch
from microagg.partition.bounds.gap import gap_of
from microagg.partition.bounds.mixed_bound import reported_loss, timed_bound
from microagg.partition.bounds.mixed_embedding import total_of
from microagg.partition.bounds.proof import Proof
from microagg.partition.bounds.proven import rounded_down
from microagg.partition.bounds.read_records import records_of
from microagg.partition.equal_records import equal_groups
from microagg.partition.partition import Partition
from microagg.partition.rules.equal_mixed import equal_mixed_groups
from microagg.partition.search.lns.annealing import GroupPool, admissible, search
from microagg.partition.sum_of_squares import error_of
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import Records
from microagg.renamed import knowing_old_names, renamed_attribute
from microagg.reporter import Reporter
from microagg.typing import Floats, Labels, Rows

SEARCH_STEPS_A_GROUP, SEARCH_CAPACITY = 200, 50_000
"""Steps of the search that finds the first groups, for each group, and groups that it may keep."""


@dataclass(frozen=True)
class LowerBound:
    """A lower bound on the loss of any partition into groups of at least k records.

    Attributes
    ----------
    sse : float
        The bound on the sum of squared errors.
    sst : float
        The total sum of squares.
    proved_by : {"one group", "equal records", "neighbours", "columns", "columns and cuts", \
"integer", "semidefinite", "semidefinite and cuts"}
        The proof: there is only one partition; groups of equal records lose nothing; nearest
        neighbours; column generation; an integer program over the groups that it leaves; the
        semidefinite relaxation.
    stopped : {"exhausted", "proved", "time limit", "interrupted", "gap", "size", "solver"}
        Why the computation ended. "exhausted": all groups and cuts are accounted for, or some groups
        attain the bound. "proved": every record occurs at least k times. "gap": the evaluated
        groups attain the bound. "size": there are too many records, or more than 3,000 near one
        of them. "solver": the solver of linear programs failed.
    groups_sse : float or None
        The sum of squared errors of the groups to evaluate.
    """

    sse: float
    sst: float
    proved_by: Proof
    stopped: str
    groups_sse: float | None = None

    @property
    def il(self) -> float:
        """The bound on the information loss in percent; 0 if the data do not vary."""
        return 100 * self.sse / self.sst if self.sst else 0.0

    @property
    def groups_il(self) -> float | None:
        """The information loss of the groups to evaluate."""
        if self.groups_sse is None:
            return None
        return 100 * self.groups_sse / self.sst if self.sst else 0.0

    @property
    def gap(self) -> float | None:
        """The maximum share of the loss of these groups that other groups could save."""
        return None if self.groups_sse is None else gap_of(self.groups_sse, self.sse)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise renamed_attribute("LowerBound", name)

    def __repr__(self) -> str:
        gap = "" if self.gap is None else f", gap={100 * self.gap:.3g} %"
        il = rounded_down(self.il, ".4g")
        return f"LowerBound(il={il} %, proved_by={str(self.proved_by)!r}{gap})"

    def as_dict(self) -> dict[str, Any]:
        """Return all values by name."""
        return {
            "il": self.il,
            "sse": self.sse,
            "sst": self.sst,
            "proved_by": self.proved_by,
            "stopped": self.stopped,
            "groups_il": self.groups_il,
            "groups_sse": self.groups_sse,
            "gap": self.gap,
        }


@knowing_old_names("lower_bound")
def lower_bound(
    X: Any,
    k: int,
    *,
    groups: Partition | ArrayLike | None = None,
    scale: str = "zscore",
    kinds: Mapping[str, str] | None = None,
    orders: Mapping[str, Sequence[Any]] | None = None,
    distance: str | None = None,
    column_weights: Mapping[str, float] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    distance_tables: Mapping[str, Any] | None = None,
    time_limit: float | None = 60.0,
    engine: Engine | None = None,
    progress: Reporter | None = None,
) -> LowerBound:
    """Compute a lower bound on the loss of any partition into groups of at least k records.

    Depending on n and k, three proofs are tried: nearest neighbours, which is fast; column generation,
    which is the strongest up to k = 5 and may end with an integer program; and a semidefinite relaxation,
    which is the strongest above but needs n x n matrices. The best bound is returned, and `proved_by`
    names its proof. The bound is valid even if the computation is stopped early; more time may improve it.

    With categories, ranks or Gower's distance, it is a bound on the loss that a release reports, whatever
    value represents a column in a group. It is the bound of points whose squared errors are at most that
    loss. The gap of good groups is then larger than for numbers.

    Parameters
    ----------
    X : array of numbers or DataFrame, shape (n, d)
        One row per record. A DataFrame may have categories and dates. Missing and infinite values are
        an error.
    k : int, from 2 to n
        The minimum group size.
    groups : Partition or array of labels, optional
        Groups to evaluate: `gap` then bounds how far they are from the optimum.
    scale : {"zscore", "range", "none"}
        How columns are made comparable.
    kinds, orders, distance, column_weights, hierarchies, distance_tables : optional
        What the columns of a DataFrame mean and how they are compared, as for `protect`.
    time_limit : float or None
        The time limit in seconds. With None, the computation continues until all groups are accounted
        for, which may take very long with more than some hundred records.
    engine : {"cpu", "cuda", "auto"}, optional
        Where the semidefinite relaxation is computed. "cuda" requires CuPy and a GPU, and is an error
        if the matrices do not fit into its memory. The default is the value of the environment variable
        MICROAGG_ENGINE, or "cpu".
    progress : Reporter, optional
        Shows the progress. Ctrl-C ends the computation early.

    Returns
    -------
    LowerBound
        The bound (`il`), its proof, and the gap of `groups` if there are any.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0], [13.0]]
    >>> bound = lower_bound(X, k=3, groups=[0, 0, 0, 1, 1, 1, 1])
    >>> round(bound.il, 3), bound.stopped, abs(bound.gap) < 1e-6
    (3.571, 'gap', True)
    """
    described = {
        "kinds": kinds,
        "orders": orders,
        "distance": distance,
        "column_weights": column_weights,
        "hierarchies": hierarchies,
        "distance_tables": distance_tables,
    }
    prepared = records_of(X, scale, described)
    check_k(k, prepared.n, "lower_bound")
    limits = AnyOf((IsNumber(0), OneOf((None,))))
    check("time_limit", time_limit, limits, "lower_bound")
    xp = array_module(chosen_engine(engine))
    evaluated = None if groups is None else _checked(groups, k, prepared.n)
    context = Context.of(progress).within(time_limit).named("the lower bound")
    if isinstance(prepared, Records):
        return _bound_of_mixed(prepared, int(k), evaluated, xp, context)
    return _bound(prepared, int(k), evaluated, xp, context)


def _checked(groups: Partition | ArrayLike, k: int, n: int) -> Partition:
    labels = groups.labels if isinstance(groups, Partition) else np.asarray(groups)
    if labels.shape != (n,):
        raise DataError(f"The data has {n} rows, but the groups have {labels.size}.")
    return Partition(labels, k=k)


def _bound(
    prepared: Prepared,
    k: int,
    groups: Partition | None,
    xp: ModuleType,
    context: Context,
) -> LowerBound:
    points = np.array(prepared.columns.T, order="C")
    sst = error_of(points.T, np.zeros(prepared.n, dtype=np.int64))
    sse = None if groups is None else error_of(points.T, groups.labels)
    if equal_groups(prepared.columns, k) is not None:
        return LowerBound(0.0, sst, Proof.EQUAL_RECORDS, Stop.PROVED, sse)
    if prepared.n < 2 * k:
        return LowerBound(sst, sst, Proof.ONE_GROUP, "exhausted", sse)
    bound = BoundSearch(points, k, sst, sse, first_groups, xp, context)
    context.run("Computing a lower bound", STEPS_SHOWN, bound.run, keep=True)
    stopped = context.budget.stopped or bound.stopped
    return LowerBound(bound.bound, sst, bound.proved_by, stopped, sse)


def _bound_of_mixed(
    records: Records, k: int, groups: Partition | None, xp: ModuleType, context: Context
) -> LowerBound:
    """Return a bound on the loss that a release of mixed records reports."""
    total = total_of(records)
    lost = None if groups is None else reported_loss(records, groups.labels, k)
    if equal_mixed_groups(records, k) is not None:
        return LowerBound(0.0, total, Proof.EQUAL_RECORDS, Stop.PROVED, lost)
    if records.n < 2 * k:
        return LowerBound(total, total, Proof.ONE_GROUP, "exhausted", lost)
    bound = timed_bound(records, k, total, lost, first_groups, xp, context)
    return LowerBound(bound.loss, total, bound.proved_by, bound.stopped, lost)


def first_groups(points: Floats, k: int, ticker: Ticker) -> tuple[list[Rows], Labels]:
    """Search for good groups: while none hold a record, nothing keeps its price from rising.

    Returns them, and a partition into groups of k to 2k-1 records.
    """
    columns, n = np.array(points.T, order="C"), len(points)
    start = admissible(columns, np.zeros(n, dtype=np.int32), k)
    pool, steps = GroupPool(SEARCH_CAPACITY, k), SEARCH_STEPS_A_GROUP * n // k
    labels = search(columns, start, k, steps=steps, seed=0, pool=pool, ticker=ticker)
    return pool.groups(), labels
