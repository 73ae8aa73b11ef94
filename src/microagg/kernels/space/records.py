"""The functions of records without a group, which a pool (scans) and an index (tree) implement.

Both return the same results, including ties. A kernel is compiled for one of them.
"""

from typing import Any

from numba.extending import overload

from microagg.kernels.jit import borrowing
from microagg.kernels.space import index as tree
from microagg.kernels.space import pool, scan

KEEPERS = {"brute": pool.new_pool, "tree": tree.new_index}
"""The functions that make a pool or an index of columns."""


def remove(records, row):
    """Take `row` out. IN/OUT: records."""


def compact(records):
    """Keep searches fast when many have left: to be called between groups. IN/OUT: records."""


def coordinates(records, row, out):
    """Write the record of `row`, left or not. OUT: out, float64[d]."""


def nearest(records, point, near_distances, near_rows):
    """Find the m = near_rows.size records left that are nearest to `point`, nearest first.

    OUT: near_distances float64[m], near_rows int64[m]; rows are -1 where fewer are left. Returns the
    row of the farthest record where the search has seen it, else -1.
    """


def nearest_within(records, point, limit, near_distances, near_rows):
    """As `nearest`, but rows beyond a squared distance of `limit` may be left out; returns nothing."""


def list_nearest(records, rows, lists):
    """Write the records left that are nearest to each of `rows` to lists[row], nearest first.

    OUT: lists, int64[n, m]; a row is in its own list, and -1 stands where fewer than m are left.
    """


def farthest(records, point):
    """Row of the record left that is farthest from `point`, or -1 when none is left."""


def farthest_from_mean(records, mean):
    """Row of the record left that is farthest from `mean`, which is that of all records left."""


def look_ahead(records, seed, k, growth, opposite, labels):
    """Search for the group of `seed`, and for those of the likely next seeds. IN/OUT: records."""


def look_ahead_opposite(records, row, k, growth, labels):
    """As `look_ahead`, for a row that is farthest from a seed. IN/OUT: records."""


def look_ahead_in_order(records, order, start, k, growth, labels):
    """As `look_ahead`, for seeds order[start], order[start + 1], ... that are left. IN/OUT: records."""


def recall(records, row, labels, members):
    """Write the rows left that are nearest to one that has left; return whether a search found them.

    OUT: members.
    """


def recall_member(records, row, place, labels):
    """Return the member at a place of the group that grows from a row; -1 if no search found it."""


def recall_farthest(records, row, labels):
    """Return the row left that is farthest from a row; -1 if no search found it."""


def rows_left(records):
    """Rows of the records left, in order."""


def rows_in_turn(records):
    """Rows of the records left, in an order in which searches for them are fast."""


@borrowing
def centroid(records, out):
    """Write the mean of the records left. OUT: out, float64[d]."""
    for j in range(out.size):
        out[j] = records.total[j] / records.left[0]


def _choose(question, of_pool, of_index):
    """Let kernels that call `question` call the function for the type of the records."""
    question.answers = {pool.Pool: of_pool, tree.Index: of_index}
    for kind, answer in question.answers.items():
        _answer(question, kind, answer)


def _answer(question, kind, answer):
    """Compile a call for one type of records with the options of the kernel that implements it."""

    def chosen(records, *_):
        return answer.py_func if records.instance_class is kind else None

    options: Any = dict(answer.targetoptions)
    overload(question, jit_options=options, strict=False)(chosen)


_choose(remove, pool.remove_from_pool, tree.remove_from_index)
_choose(compact, pool.compact_pool, tree.compact_index)
_choose(coordinates, pool.coordinates_in_pool, tree.coordinates_in_index)
_choose(nearest, scan.nearest_in_pool, tree.nearest_in_index)
_choose(nearest_within, scan.nearest_within_pool, tree.nearest_within_index)
_choose(list_nearest, scan.list_in_pool, tree.list_in_index)
_choose(farthest, scan.farthest_in_pool, tree.farthest_in_index)
_choose(farthest_from_mean, scan.farthest_in_pool, tree.farthest_from_mean)
_choose(rows_left, pool.rows_in_pool, tree.rows_in_index)
_choose(rows_in_turn, pool.rows_in_pool, tree.rows_by_leaf)
_choose(look_ahead, pool.look_ahead_in_pool, tree.look_ahead_in_index)
_choose(look_ahead_opposite, pool.look_ahead_opposite_in_pool, tree.look_ahead_opposite)
_choose(look_ahead_in_order, pool.look_ahead_in_order_of_pool, tree.look_ahead_in_order_of_index)
_choose(recall, pool.recall_in_pool, tree.recall_in_index)
_choose(recall_member, pool.recall_member_in_pool, tree.recall_member_in_index)
_choose(recall_farthest, pool.recall_farthest_in_pool, tree.recall_farthest_in_index)
