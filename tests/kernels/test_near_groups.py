"""The nearest group that is kept is the nearest group there is, whatever changed in between."""

import numpy as np

from microagg.kernels.groups import add_members, members, new_groups, set_members, shift
from microagg.kernels.near_groups import has_changed, new_near_groups, seek


def nearest(groups, row):
    gaps = np.sum((groups.means - groups.columns[:, row]) ** 2, axis=1)
    gaps[(groups.sizes == 0) | (np.arange(gaps.size) == groups.labels[row])] = np.inf
    return int(np.argmin(gaps))


def test_seek_after_random_changes():
    rng = np.random.default_rng(1)
    columns = np.ascontiguousarray(rng.normal(size=(3, 200)))
    groups = new_groups(columns, np.repeat(np.arange(40), 5).astype(np.int32), 5)
    cache = new_near_groups(groups)
    for turn in range(120):
        for row in rng.integers(0, 200, size=20):
            assert seek(cache, groups, int(row)) == nearest(groups, row)
        row, target = int(rng.integers(200)), int(rng.choice(np.flatnonzero(groups.sizes > 0)))
        source = int(groups.labels[row])
        if target == source or groups.sizes[source] < 2:
            continue
        if turn % 10 == 0:  # give up the whole group
            rows = members(groups, source)
            set_members(groups, source, rows[:0])
            add_members(groups, target, rows)
        else:
            shift(groups, row, target)
        has_changed(cache, groups, source)
        has_changed(cache, groups, target)
