"""What every grouping asks of the records not yet grouped, whether a pool or an index keeps them.

Both give the same answers, ties included. Which one is asked is settled when a kernel is compiled.
"""

from numba.extending import overload

from microagg.kernels.jit import kernel
from microagg.kernels.space import index as tree
from microagg.kernels.space import pool, scan

KEEPERS = {"brute": pool.new_pool, "tree": tree.new_index}
"""What makes a keeper of all records, from their columns."""


def remove(records, row):
    """Take `row` out. IN/OUT: records."""


def tidy(records):
    """Keep searches fast when many have left: to be called between groups. IN/OUT: records."""


def coordinates(records, row, out):
    """Write the record of `row`, left or not. OUT: out, float64[d]."""


def nearest(records, point, near_distances, near_rows):
    """Find the m = near_rows.size records left that are nearest to `point`, nearest first.

    OUT: near_distances float64[m], near_rows int64[m]; rows are -1 where fewer are left. Returns the
    row of the farthest record where the search has seen it, else -1.
    """


def farthest(records, point):
    """Row of the record left that is farthest from `point`, or -1 when none is left."""


def farthest_from_mean(records, mean):
    """Row of the record left that is farthest from `mean`, which is that of all records left."""


def rows_left(records):
    """Rows of the records left, in order."""


@kernel
def centroid(records, out):
    """Write the mean of the records left. OUT: out, float64[d]."""
    for j in range(out.size):
        out[j] = records.total[j] / records.left[0]


def _is_index(records):
    return records.instance_class is tree.Index


@overload(remove)
def _remove(records, row):
    chosen = tree.remove_from_index if _is_index(records) else pool.remove_from_pool
    return lambda records, row: chosen(records, row)


@overload(tidy)
def _tidy(records):
    chosen = tree.tidy_index if _is_index(records) else pool.tidy_pool
    return lambda records: chosen(records)


@overload(coordinates)
def _coordinates(records, row, out):
    chosen = tree.coordinates_in_index if _is_index(records) else pool.coordinates_in_pool
    return lambda records, row, out: chosen(records, row, out)


@overload(nearest)
def _nearest(records, point, near_distances, near_rows):
    chosen = tree.nearest_in_index if _is_index(records) else scan.nearest_in_pool
    return lambda records, point, near_distances, near_rows: chosen(
        records, point, near_distances, near_rows
    )


@overload(farthest)
def _farthest(records, point):
    chosen = tree.farthest_in_index if _is_index(records) else scan.farthest_in_pool
    return lambda records, point: chosen(records, point)


@overload(farthest_from_mean)
def _farthest_from_mean(records, mean):
    chosen = tree.farthest_from_mean if _is_index(records) else scan.farthest_in_pool
    return lambda records, mean: chosen(records, mean)


@overload(rows_left)
def _rows_left(records):
    chosen = tree.rows_in_index if _is_index(records) else pool.rows_in_pool
    return lambda records: chosen(records)
