"""The partition of sorted values with the least sum of squares, in linear time.

``F[j] = min over i of F[i] + sse(i, j)``, groups of k to 2k-1 values. For the k ends j in (b, b+k] every
start i is at most b, so their F are known: a block is one search for row minima in a totally monotone
matrix (SMAWK, Aggarwal et al. 1987). Every group of a block holds position b, so its sum of squares is
that of the part before b, of the part from b on, and of the distance of their means: positive terms
only, nothing cancels, whatever the values' offset. F is kept relative to the least of its block.
"""

import numpy as np

from microagg.kernels.extremes import larger, smaller
from microagg.kernels.jit import inlined, kernel
from microagg.kernels.space.scan import FARTHER_THAN_ALL

TOO_LARGE = 1e300
"""Cost of groups of 2k and more, roughly."""


@kernel
def optimal_1d(values, k, ticker):
    """Label sorted values, from the lowest group to the highest. ticker[0] counts the values done."""
    n = values.size
    best, start = np.empty(n + 1), np.zeros(n + 1, dtype=np.int64)
    if n < 2 * k:
        return np.zeros(n, dtype=np.int32)
    sums_of_squares(values, 0, 1, smaller(n, 2 * k - 1), np.empty(2 * k), best[1:])
    head, gap = np.empty(2 * k), np.empty(2 * k)
    tail, mean = np.empty(k), np.empty(k)
    columns, argmin = np.empty(2 * k, dtype=np.int64), np.empty(k, dtype=np.int64)
    for b in range(2 * k - 1, n, k):
        if ticker[1] != 0:
            break
        ticker[0] = b
        low, rows = larger(k, b - 2 * k + 2), smaller(k, n - b)
        lower_part(values, low, b, best, gap, head)
        sums_of_squares(values, b, 1, rows, mean, tail)
        row_minima(head, gap, mean, rows, b - low + 1, k, columns, argmin)
        for r in range(rows):
            c = argmin[r]
            best[b + 1 + r] = entry(head, gap, mean, b - low, k, r, c) + tail[r]
            start[b + 1 + r] = low + c
    return labels_of(start)


@kernel
def optimal_1d_parts(values, bounds, k, ticker):
    """Label parts of values, each sorted, on their own: part p is values[bounds[p]:bounds[p + 1]]."""
    labels, done = np.empty(values.size, dtype=np.int32), 0
    for p in range(bounds.size - 1):
        own = optimal_1d(values[bounds[p] : bounds[p + 1]], k, ticker)
        for i in range(own.size):
            labels[bounds[p] + i] = own[i] + done
        done += own[own.size - 1] + 1
    return labels


@inlined
def sums_of_squares(values, origin, step, size, mean, sse):
    """Of the first 1, ..., `size` values from `origin` on: mean less values[origin], and SSE. OUT."""
    total = mean[0] = sse[0] = 0.0
    for m in range(1, size):
        x = abs(values[origin + step * m] - values[origin])
        far = x - mean[m - 1]
        sse[m] = sse[m - 1] + far * far * (m / (m + 1.0))
        total += x
        mean[m] = total / (m + 1.0)


@inlined
def lower_part(values, low, b, best, gap, head):
    """Of the values i..b-1, for i from `low` to b: values[b] less their mean, best[i] + their SSE.

    OUT: gap, head, from i = low on; IN/OUT: best, relative to its least from here on.
    """
    least = best[low]
    for i in range(low + 1, b + 1):
        least = smaller(least, best[i])
    total = sse = mean = 0.0
    for i in range(b, low - 1, -1):
        best[i] -= least
        m = b - i
        if m > 0:
            x = values[b] - values[i]
            if m > 1:
                far = x - mean
                sse += far * far * ((m - 1) / (m + 0.0))
            total += x
            mean = total / m
        gap[i - low] = mean
        head[i - low] = best[i] + sse


@inlined
def entry(head, gap, mean, width, k, r, c):
    """Cost of the group from start `c` to end `r` of a block, less what is the same for all starts.

    Groups too small or too large cost more than any; the later of two starts that are too early costs
    less, so that the matrix stays totally monotone.
    """
    before, after = width - c, r + 1.0
    if before + after < k:
        return FARTHER_THAN_ALL
    if before + after >= 2 * k:
        return TOO_LARGE * (2.0 - c / (2.0 * k))
    apart = gap[c] + mean[r]
    return head[c] + before * after / (before + after) * (apart * apart)


@kernel
def row_minima(head, gap, mean, rows, width, k, columns, argmin):
    """Leftmost minimum of each row of the block's matrix. OUT: argmin; `columns` is room for 2k.

    Level t has the rows 2^t - 1, 2 * 2^t - 1, ...; its columns lie behind those of the level before.
    """
    ends = np.empty(64, dtype=np.int64)
    level, begin, source = 0, 0, -1
    while rows >> level > 0:
        end = reduce(head, gap, mean, rows, width, k, columns, level, source, begin)
        ends[level] = end
        source, begin = begin, end
        level += 1
    for t in range(level - 1, -1, -1):
        begin = 0 if t == 0 else ends[t - 1]
        fill(head, gap, mean, rows, width, k, columns, argmin, t, begin, ends[t])


@inlined
def reduce(head, gap, mean, rows, width, k, columns, level, source, begin):
    """Keep, of the columns from `source` on, those that can hold a minimum of the level's rows.

    They are written from `begin` on, never more than there are rows. Returns where they end.
    """
    end = begin
    for position in range(width if level == 0 else begin - source):
        c = position if level == 0 else columns[source + position]
        while end > begin:
            row = ((end - begin) << level) - 1
            kept = entry(head, gap, mean, width - 1, k, row, columns[end - 1])
            if kept <= entry(head, gap, mean, width - 1, k, row, c):
                break
            end -= 1
        if end - begin < rows >> level:
            columns[end] = c
            end += 1
    return end


@inlined
def fill(head, gap, mean, rows, width, k, columns, argmin, level, begin, end):
    """Find the minima of every other row of a level, between those of the rows around it."""
    at = begin
    for q in range(0, rows >> level, 2):
        row = ((q + 1) << level) - 1
        below = ((q + 2) << level) - 1
        last = argmin[below] if below < rows and q + 1 < rows >> level else columns[end - 1]
        least, best = FARTHER_THAN_ALL, columns[at]
        while True:
            value = entry(head, gap, mean, width - 1, k, row, columns[at])
            if value < least:
                least, best = value, columns[at]
            if columns[at] == last:
                break
            at += 1
        argmin[row] = best


@kernel
def labels_of(start):
    """Labels from the start of the group that ends at each position, walked back from the end."""
    n = start.size - 1
    labels = np.zeros(n, dtype=np.int32)
    end = n
    while end > 0:
        if start[end] > 0:
            labels[start[end]] = 1
        end = start[end]
    for i in range(1, n):
        labels[i] += labels[i - 1]
    return labels
