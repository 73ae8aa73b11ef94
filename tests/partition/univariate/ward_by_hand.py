"""k-Ward and kWD as the thesis writes them, step by step on lists: slow, for small cases."""

import numpy as np


def groups_of(values, k, pairs):
    """Group sorted values; `pairs` says which pairs of groups are looked at. Groups of 2k go again."""
    if len(values) < 2 * k:
        return [list(values)]
    groups = [list(values[:k]), *([x] for x in values[k:-k]), list(values[-k:])]
    while any(len(group) < k for group in groups):
        groups.sort(key=lambda group: (np.mean(group), len(group)))
        a, b = min(pairs(groups, k), key=lambda pair: order(groups, *pair))
        groups = [g for i, g in enumerate(groups) if i not in (a, b)] + [groups[a] + groups[b]]
    return [inner for group in groups for inner in groups_of(sorted(group), k, pairs)]


def order(groups, a, b):
    """What a merger adds, then how many values it joins."""
    sizes = len(groups[a]), len(groups[b])
    apart = np.mean(groups[a]) - np.mean(groups[b])
    return sizes[0] * sizes[1] / sum(sizes) * apart**2, sum(sizes), a, b


def all_pairs(groups, k):
    """Algorithm 2: every pair of which one has fewer than k."""
    for a in range(len(groups)):
        for b in range(a + 1, len(groups)):
            if len(groups[a]) < k or len(groups[b]) < k:
                yield a, b


def diagonal(groups, k):
    """Algorithm 3: neighbours, and, where both hold k, the next group on the right that does not."""
    for a in range(len(groups) - 1):
        others = range(a + 1, len(groups))
        if len(groups[a]) < k:
            yield a, a + 1
        else:
            yield from [(a, b) for b in others if len(groups[b]) < k][:1]


def sse(groups):
    """Sum of squares within groups."""
    return sum(float(np.sum((np.array(group) - np.mean(group)) ** 2)) for group in groups)
