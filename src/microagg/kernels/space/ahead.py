"""Searches made ahead of time for rows that are likely to become seeds.

Records leave, but none is added. The rows nearest to a seed are therefore the first ones of an earlier list
that have not left, so a list with some spare rows answers later queries exactly. Likely seeds are searched
for together: in all threads, or in one pass over all records if the boxes of the tree exclude little. A row
without a list, or with a list that has become too short, is searched for as usual.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.crew import END, NEXT, PATIENCE, SIZE, claim, finish, hand_out, load, wait
from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.space.far_search import search_farthest
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.space.search import new_room, search_nearest
from microagg.kernels.space.sweep import sweep
from microagg.kernels.space.sweep_lanes import QUERIES

SPARE, FEW_SPARE, SPARED = 4, 2, 8
"""The neighbours in a list beyond k: `SPARE` and half of k in a pass over all leaves, where they cost
little; `FEW_SPARE` and one for each `SPARED` of k in a search."""

FAR, FEW_FAR = 8, 4
"""The number of far rows in a list, of which one is needed: in a pass, and in a search."""

SEARCHERS = 3
"""The number of threads from which searches are made in advance one by one. Two threads are no faster than
one: they share less than looking ahead adds."""

ROWS, KEPT = 32, 256
"""The maximum number of rows that are searched for together, and of lists that are kept."""

LISTS, LISTS_EACH = 4096, 8
"""The maximum number of lists made in one job, and how many a thread makes before it claims more."""

LONGEST = 16
"""The largest k for which groups that grow by the row nearest to their mean are searched for in advance:
each search finds all members again."""

TRIALS, SHARE, FIXED = 16, 0.65, 64
"""The number of searches after which passes over all leaves may replace them: passes are faster if a search
visits more than this share of the leaves. The rest of a pass takes as long as `FIXED` leaves."""

SHORT = 100_000
"""The number of looks at the progress of other threads that is a short wait, beside a pass over leaves."""

FIRST_BREAK, LONGEST_BREAK = 64, 4096
"""The number of groups formed without help after a long wait; it doubles with each one."""

SLOT, COUNT, GROWTH, OPPOSITE, PASSES, THREADS, LOOKED, SEEN, ALONE, BREAK = range(10)
"""The places of `Ahead.state`."""


class Ahead(NamedTuple):
    """The results of searches made ahead of time.

    Attributes
    ----------
    slots : int32[n]
        The slot with the results for each row; -1 if there are none.
    rows : int64[KEPT]
        The row of each slot; -1 for an empty one.
    near : int64[KEPT, w]
        The rows nearest to it, nearest first, including itself, or the members of its group in order.
    far : int64[KEPT, FAR]
        The rows farthest from it, farthest first.
    job : int64[ROWS]
        The slots of the current job.
    state : int64[10]
        The next slot to use; the number of slots in `job`; how groups grow; whether far rows are needed;
        whether to pass over all leaves; the number of threads; the leaves that searches visited, and all
        leaves that they could have visited; the number of groups to form without help, and how long the
        last such break was.
    crew : int64[SIZE]
        The work that is shared with other threads.
    """

    slots: np.ndarray
    rows: np.ndarray
    near: np.ndarray
    far: np.ndarray
    job: np.ndarray
    state: np.ndarray
    crew: np.ndarray


@kernel
def new_ahead(n, k, threads):
    """Return room for searches ahead of time for groups of k; none for k = 0."""
    kept = KEPT if k > 0 else 0
    slots = np.full(n if k > 0 else 0, -1, dtype=np.int32)
    state = np.zeros(10, dtype=np.int64)
    state[THREADS] = threads
    return Ahead(
        slots,
        np.full(kept, -1, dtype=np.int64),
        np.full((kept, k + k // 2 + SPARE), -1, dtype=np.int64),
        np.full((kept, FAR), -1, dtype=np.int64),
        np.zeros(ROWS, dtype=np.int64),
        state,
        np.zeros(SIZE, dtype=np.int64),
    )


@kernel
def ahead_of_lists(width, threads):
    """Return room to search for lists of `width` neighbours, which are copied and not recalled."""
    state = np.zeros(10, dtype=np.int64)
    state[THREADS] = threads
    return Ahead(
        np.empty(0, dtype=np.int32),
        np.full(LISTS, -1, dtype=np.int64),
        np.full((LISTS, width), -1, dtype=np.int64),
        np.full((LISTS, 0), -1, dtype=np.int64),
        np.arange(LISTS),
        state,
        np.zeros(SIZE, dtype=np.int64),
    )


@borrowing
def tries(ahead, leaves):
    """Tell whether searches are still being compared with passes over all leaves."""
    return ahead.state[SEEN] < TRIALS * leaves


@borrowing
def begin_lists(ahead, rows):
    """Begin a job for as many of `rows` as there is room for; return how many. IN/OUT: ahead."""
    state, count = ahead.state, smaller(rows.size, ahead.job.size)
    begin(ahead, 0, False)
    state[COUNT] = count
    state[PASSES] = state[LOOKED] > SHARE * state[SEEN] and count >= 2 * QUERIES
    if state[ALONE] > 0:
        state[ALONE] -= 1
    for i in range(count):
        ahead.rows[i] = rows[i]
    return count


@inlined
def count_leaves(ahead, looked, leaves):
    """Count the leaves of a search on the tree. IN/OUT: ahead."""
    ahead.state[LOOKED] += looked
    ahead.state[SEEN] += leaves + FIXED


@inlined
def looks_ahead(ahead, leaves, k, growth):
    """Tell whether to search ahead: with many threads, or if boxes exclude little. IN/OUT: ahead."""
    state = ahead.state
    if ahead.slots.size == 0 or tries(ahead, leaves) or (growth == 1 and k > LONGEST):
        return False
    state[PASSES] = state[LOOKED] > SHARE * state[SEEN]
    if state[ALONE] > 0:
        state[ALONE] -= 1
    return state[PASSES] != 0 or (helped(ahead) and state[THREADS] >= SEARCHERS)


@inlined
def helped(ahead):
    """Tell whether other threads are asked for help."""
    return ahead.state[THREADS] > 1 and ahead.state[ALONE] == 0


@inlined
def start_trials(ahead):
    """Compare searches with passes over all leaves again. IN/OUT: ahead."""
    ahead.state[LOOKED] = ahead.state[SEEN] = 0


@borrowing
def covers(ahead, row, needed, growth, labels):
    """Tell whether the results contain the whole group of a row that is left."""
    slot = ahead.slots[row]
    if slot < 0:
        return False
    count = 0
    for i in range(ahead.near.shape[1]):
        other = ahead.near[slot, i]
        if count == needed or other < 0:
            break
        if labels[other] < 0 and other != row:
            count += 1
        elif growth == 1:
            break
    return count == needed


@borrowing
def recall(ahead, row, labels, members):
    """Write the rows nearest to one that has left; return whether there are enough. OUT: members."""
    slot = ahead.slots[row] if ahead.slots.size > 0 else -1
    if slot < 0:
        return False
    count = 0
    for i in range(ahead.near.shape[1]):
        other = ahead.near[slot, i]
        if count == members.size or other < 0:
            break
        if labels[other] < 0:
            members[count] = other
            count += 1
    return count == members.size


@borrowing
def recall_member(ahead, row, place, labels):
    """Return the member at a place of the group that was found for a row; -1 if it has left."""
    slot = ahead.slots[row] if ahead.slots.size > 0 else -1
    if slot < 0:
        return np.int64(-1)
    member = ahead.near[slot, place]
    return member if member >= 0 and labels[member] < 0 else np.int64(-1)


@borrowing
def recall_farthest(ahead, row, labels, taken):
    """Return the row farthest from a row, except for those `taken`; -1 if no search found it."""
    slot = ahead.slots[row] if ahead.slots.size > 0 else -1
    if slot >= 0:
        for i in range(ahead.far.shape[1]):
            other = ahead.far[slot, i]
            if other >= 0 and labels[other] < 0:
                free = True
                for each in taken:
                    free &= each != other
                if free:
                    return other
    return np.int64(-1)


@borrowing
def begin(ahead, growth, opposite):
    """Begin a new job. IN/OUT: ahead."""
    ahead.state[COUNT], ahead.state[GROWTH], ahead.state[OPPOSITE] = 0, growth, opposite


@borrowing
def add_row(ahead, row):
    """Add a row to the job, unless it is in it or the job is full. IN/OUT: ahead."""
    count = ahead.state[COUNT]
    for i in range(count):
        if ahead.rows[ahead.job[i]] == row:
            return
    if count == ahead.job.size:
        return
    slot = ahead.slots[row]
    if slot < 0:
        slot = ahead.state[SLOT]
        ahead.state[SLOT] = (slot + 1) % ahead.rows.size
        if ahead.rows[slot] >= 0:
            ahead.slots[ahead.rows[slot]] = -1
        ahead.rows[slot], ahead.slots[row] = row, slot
    ahead.far[slot, :] = -1
    ahead.job[count] = slot
    ahead.state[COUNT] = count + 1


@kernel
def look_up(ahead, tree, points_of, k):
    """Do the job, with the help of other threads. IN/OUT: ahead."""
    state, portion = ahead.state, portion_of(ahead)
    if not helped(ahead) or state[COUNT] <= portion:
        for first in range(0, state[COUNT], portion):
            look_up_some(ahead, tree, points_of, k, first, smaller(first + portion, state[COUNT]))
        return
    hand_out(ahead.crew, (state[COUNT] + portion - 1) // portion)
    help_with(ahead, tree, points_of, k)
    looks = wait(ahead.crew)
    patience = larger(SHORT, SHORT // ROWS * state[COUNT])
    if looks > patience + state[PASSES] * tree.sizes[0] * (64 + 4 * tree.points.shape[1]):
        state[BREAK] = smaller(larger(2 * state[BREAK], FIRST_BREAK), LONGEST_BREAK)
        state[ALONE] = state[BREAK]


@inlined
def portion_of(ahead):
    """Return how many rows a thread searches for before it asks for more."""
    if ahead.state[PASSES] != 0:
        return QUERIES
    return LISTS_EACH if ahead.slots.size == 0 else 1


@kernel
def help_with(ahead, tree, points_of, k):
    """Do portions of the job until none is left; return how many. IN/OUT: ahead."""
    done = 0
    at = claim(ahead.crew)
    while at >= 0:
        portion = portion_of(ahead)
        stop = smaller((at + 1) * portion, ahead.state[COUNT])
        look_up_some(ahead, tree, points_of, k, at * portion, stop)
        finish(ahead.crew)
        done += 1
        at = claim(ahead.crew)
    return done


@kernel
def assist(ahead, tree, points_of, k):
    """Help until there has been no work for a while; return the portions done. IN/OUT: ahead."""
    idle, done = 0, 0
    while idle < PATIENCE:
        if load(ahead.crew, NEXT) < load(ahead.crew, END):
            done += help_with(ahead, tree, points_of, k)
            idle = 0
        idle += 1
    return done


@kernel
def look_up_some(ahead, tree, points_of, k, first, stop):
    """Search for the slots first to stop-1 of the job. IN/OUT: ahead."""
    m, d = stop - first, tree.points.shape[1]
    asked = np.empty((m, d))
    for i in range(m):
        point = points_of[ahead.rows[ahead.job[first + i]]]
        asked[i] = tree.points[point]
    passes = ahead.state[PASSES] != 0
    n_far = FAR if passes else FEW_FAR
    far_rows = np.empty((m, n_far if ahead.state[OPPOSITE] else 0), dtype=np.int64)
    far = np.empty(far_rows.shape)
    if ahead.state[GROWTH] == 0:
        width = ahead.near.shape[1]
        if not passes and ahead.slots.size > 0:
            width = smaller(width, k + FEW_SPARE + k // SPARED)
        rows = np.empty((m, width), dtype=np.int64)
        search(ahead, tree, asked, np.empty(rows.shape), rows, far, far_rows)
    else:
        rows = np.full((m, ahead.near.shape[1]), -1, dtype=np.int64)
        search(ahead, tree, asked, np.empty((m, 0)), rows[:, :0].copy(), far, far_rows)
        chain(ahead, tree, points_of, asked, k, rows, first)
    for i in range(m):
        slot = ahead.job[first + i]
        for c in range(rows.shape[1]):
            ahead.near[slot, c] = rows[i, c]
        if rows.shape[1] < ahead.near.shape[1]:
            ahead.near[slot, rows.shape[1]] = -1
        for c in range(far_rows.shape[1]):
            ahead.far[slot, c] = far_rows[i, c]


@kernel
def search(ahead, tree, asked, near, near_rows, far, far_rows):
    """Find near and far rows, in one pass or by a search for each. OUT: the last four."""
    if ahead.state[PASSES] != 0:
        sweep(tree, asked, near, near_rows, far, far_rows)
        return
    room = new_room(tree)
    for i in range(asked.shape[0]):
        if near_rows.shape[1] > 0:
            search_nearest(tree, room, asked[i], -1, FARTHER_THAN_ALL, near[i], near_rows[i])
        if far_rows.shape[1] > 0:
            search_farthest(tree, room, asked[i], far[i], far_rows[i])


@kernel
def chain(ahead, tree, points_of, asked, k, rows, first):
    """Let each group grow by the row nearest to its mean, regardless of the others. OUT: rows."""
    m, d = asked.shape
    totals, means = asked.copy(), np.empty((m, d))
    no_gaps, nobody = np.empty((m, 0)), np.empty((m, 0), dtype=np.int64)
    for size in range(1, k):
        for i in range(m):
            for j in range(d):
                means[i, j] = totals[i, j] / size
        near = np.empty((m, size + 1), dtype=np.int64)
        search(ahead, tree, means, np.empty(near.shape), near, no_gaps, nobody)
        for i in range(m):
            own = ahead.rows[ahead.job[first + i]]
            member = first_other(near[i], own, rows[i, : size - 1])
            rows[i, size - 1] = member
            if member >= 0:
                for j in range(d):
                    totals[i, j] += tree.points[points_of[member], j]


@borrowing
def first_other(near, own, members):
    """Return the first row that is neither `own` nor a member; -1 where there is none."""
    for row in near:
        if row >= 0 and row != own:
            joined = False
            for member in members:
                joined |= member == row
            if not joined:
                return row
    return np.int64(-1)
