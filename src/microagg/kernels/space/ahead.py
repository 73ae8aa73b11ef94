"""Searches made ahead of time, for rows that will probably be asked about.

Records only leave. What was nearest to a row when it was looked up is therefore still nearest, except for
those that have left: a list with some to spare answers later questions exactly. So rows that will probably
be seeds are looked up together: by all threads, and where boxes rule out little, in one pass over all
records. Whoever asks about a row that was not looked up, or whose list has become too short, searches as
usual.
"""

from typing import NamedTuple

import numpy as np

from microagg.kernels.crew import END, NEXT, PATIENCE, claim, finish, hand_out, load, wait
from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import borrowing, inlined, kernel
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from microagg.kernels.space.search import farthest_points, nearest_points
from microagg.kernels.space.sweep import sweep
from microagg.kernels.space.sweep_lanes import QUERIES

SPARE = 4
"""So many neighbours are looked up beyond those needed, and half of those needed."""

FAR = 8
"""So many far rows are looked up, of which one is needed."""

ROWS, KEPT = 32, 256
"""So many rows are looked up together at most, and so many are kept."""

LONGEST = 16
"""The largest k for which groups that grow by the row nearest to their mean are looked up: a search has to
find all members anew."""

TRIALS, SHARE = 16, 0.25
"""After so many searches on a tree it is settled whether passes over all leaves are faster: they are where
a search looks at more than this share of the leaves."""

SHORT = 100_000
"""To look so often whether helpers are done is not long, and neither is the time of a pass over leaves."""

FIRST_BREAK, LONGEST_BREAK = 64, 4096
"""For so many groups no help is asked for after a long wait: twice as many each time."""

SLOT, COUNT, GROWTH, OPPOSITE, PASSES, THREADS, LOOKED, SEEN, ALONE, BREAK = range(10)
"""What the numbers of `Ahead.state` are."""


class Ahead(NamedTuple):
    """What was looked up ahead of time.

    Attributes
    ----------
    slots : int32[n]
        Where what was looked up for a row is kept; -1 where nothing was.
    rows : int64[KEPT]
        Which row each slot is for; -1 where none.
    near : int64[KEPT, w]
        The rows nearest to it, nearest first, itself included; or the members of its group in order.
    far : int64[KEPT, FAR]
        The rows farthest from it, farthest first.
    job : int64[ROWS]
        The slots that are being looked up.
    state : int64[10]
        The next slot to use; how many slots of `job` are used; how groups grow, and whether far rows are
        wanted; whether to look up by passes over all leaves; how many threads there are; how many leaves
        searches on the tree looked at, and how many leaves there were; for how many groups no help is asked
        for, and how long such a break was last.
    crew : int64[64]
        How work is handed out to other threads.
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
    """Return room to look ahead for groups of k; none for k = 0."""
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
        np.zeros(64, dtype=np.int64),
    )


@inlined
def count_leaves(ahead, looked, leaves):
    """Take note of a search on the tree. IN/OUT: ahead."""
    ahead.state[LOOKED] += looked
    ahead.state[SEEN] += leaves


@inlined
def looks_ahead(ahead, leaves, k, growth):
    """Tell whether looking ahead pays: with several threads, or where boxes rule out little."""
    state = ahead.state
    if ahead.rows.size == 0 or state[SEEN] < TRIALS * leaves or (growth == 1 and k > LONGEST):
        return False
    state[PASSES] = state[LOOKED] > SHARE * state[SEEN]
    if state[ALONE] > 0:
        state[ALONE] -= 1
    return helped(ahead) or state[PASSES] != 0


@inlined
def helped(ahead):
    """Tell whether other threads are asked for help."""
    return ahead.state[THREADS] > 1 and ahead.state[ALONE] == 0


@inlined
def start_trials(ahead):
    """Settle anew how to look up. IN/OUT: ahead."""
    ahead.state[LOOKED] = ahead.state[SEEN] = 0


@borrowing
def covers(ahead, row, needed, growth, labels):
    """Tell whether the group of a row that is left can be formed of what was looked up."""
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
    """Write the nearest of a row, which has left; tells whether enough are known. OUT: members."""
    slot = ahead.slots[row] if ahead.rows.size > 0 else -1
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
    """Return the member at some place of the group that a row was looked up for; -1 if it has left."""
    slot = ahead.slots[row] if ahead.rows.size > 0 else -1
    if slot < 0:
        return np.int64(-1)
    member = ahead.near[slot, place]
    return member if member >= 0 and labels[member] < 0 else np.int64(-1)


@borrowing
def recall_farthest(ahead, row, labels, taken):
    """Return the row farthest from a row, without those `taken`; -1 where it is not known."""
    slot = ahead.slots[row] if ahead.rows.size > 0 else -1
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
    """Do the job, together with all who help. IN/OUT: ahead."""
    state = ahead.state
    portion = QUERIES if state[PASSES] != 0 else 1
    if not helped(ahead):
        for first in range(0, state[COUNT], portion):
            look_up_some(ahead, tree, points_of, k, first, smaller(first + portion, state[COUNT]))
        return
    hand_out(ahead.crew, (state[COUNT] + portion - 1) // portion)
    help_with(ahead, tree, points_of, k)
    looks = wait(ahead.crew)
    if looks > SHORT + state[PASSES] * tree.sizes[0] * (64 + 4 * tree.points.shape[1]):
        state[BREAK] = smaller(larger(2 * state[BREAK], FIRST_BREAK), LONGEST_BREAK)
        state[ALONE] = state[BREAK]


@kernel
def help_with(ahead, tree, points_of, k):
    """Do portions of the job until none is left; returns how many. IN/OUT: ahead."""
    done = 0
    at = claim(ahead.crew)
    while at >= 0:
        portion = QUERIES if ahead.state[PASSES] != 0 else 1
        stop = smaller((at + 1) * portion, ahead.state[COUNT])
        look_up_some(ahead, tree, points_of, k, at * portion, stop)
        finish(ahead.crew)
        done += 1
        at = claim(ahead.crew)
    return done


@kernel
def assist(ahead, tree, points_of, k):
    """Help until there has been nothing to do for a while; returns how much was done. IN/OUT: ahead."""
    idle, done = 0, 0
    while idle < PATIENCE:
        if load(ahead.crew, NEXT) < load(ahead.crew, END):
            done += help_with(ahead, tree, points_of, k)
            idle = 0
        idle += 1
    return done


@kernel
def look_up_some(ahead, tree, points_of, k, first, stop):
    """Look up the slots of the job from first to stop-1. IN/OUT: ahead."""
    m, d = stop - first, tree.points.shape[1]
    asked = np.empty((m, d))
    for i in range(m):
        point = points_of[ahead.rows[ahead.job[first + i]]]
        asked[i] = tree.points[point]
    far_rows = np.empty((m, FAR if ahead.state[OPPOSITE] else 0), dtype=np.int64)
    far = np.empty(far_rows.shape)
    if ahead.state[GROWTH] == 0:
        rows = np.empty((m, ahead.near.shape[1]), dtype=np.int64)
        search(ahead, tree, asked, np.empty(rows.shape), rows, far, far_rows)
    else:
        rows = np.full((m, ahead.near.shape[1]), -1, dtype=np.int64)
        search(ahead, tree, asked, np.empty((m, 0)), rows[:, :0].copy(), far, far_rows)
        chain(ahead, tree, points_of, asked, k, rows, first)
    for i in range(m):
        slot = ahead.job[first + i]
        for c in range(rows.shape[1]):
            ahead.near[slot, c] = rows[i, c]
        for c in range(far_rows.shape[1]):
            ahead.far[slot, c] = far_rows[i, c]


@kernel
def search(ahead, tree, asked, near, near_rows, far, far_rows):
    """Find near and far rows, by one pass or one by one. OUT: the last four."""
    if ahead.state[PASSES] != 0:
        sweep(tree, asked, near, near_rows, far, far_rows)
        return
    for i in range(asked.shape[0]):
        if near_rows.shape[1] > 0:
            nearest_points(tree, asked[i], -1, FARTHER_THAN_ALL, near[i], near_rows[i])
        if far_rows.shape[1] > 0:
            farthest_points(tree, asked[i], far[i], far_rows[i])


@kernel
def chain(ahead, tree, points_of, asked, k, rows, first):
    """Let groups grow by the row nearest to their mean, as if they were alone. OUT: rows."""
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
