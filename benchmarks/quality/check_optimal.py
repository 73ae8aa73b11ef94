"""Check the certificate of a best partition with numpy alone: nothing of the package is used.

python check_optimal.py census.csv census-k3.csv census-k3-cuts.csv [--lp problem.lp]

Given the data (all columns are used, each scaled to mean 0 and variance 1), a label and a price of each
record, and charges c >= 0 of triples of records, it checks that

1. every group of the labels has at least k records, and what they lose (SSE and percent);
2. no group S of k to 2k-1 records has a negative reduced cost

       r(S) = error of S - prices of S + charges of the triples of which S holds two or three;

   a partition has at most one group that holds two of any three records, so that every partition
   costs at least LB = sum of prices - sum of charges + the reduced costs of its groups;
3. which groups have r(S) < SSE - LB. A partition better than the labels is made of these alone.

It does NOT check that no partition made of the groups of 3. is better than the labels: that takes an
integer program. `--lp` writes it, with the cuts, for any solver; its optimum is the least error of any
partition.

How all groups are looked at: with prices raised by t / s, r(S) < t where the sum over pairs of S of
w_ij = d_ij^2 / s - (p_i + p_j) / (s - 1), and the charges, are below 0. Leaving out each record of a
set of m in turn, the sums of pairs are (m - 2) / m of the whole sum in the mean; so a set below 0 has a
subset of one record less that is below 0 too. All sets below 0 are reached from pairs below 0 by
adding any record, as long as the sum is below 0. Groups of 2k and more records need not be looked at:
cut in two they never cost more.
"""

import argparse
from pathlib import Path

import numpy as np

TINY = 1e-9
"""Room for rounding, in the unit of errors."""

ROOM = 1e-6
"""What reduced costs may be below 0 by, all groups of a partition together."""

AT_ONCE = 2000


def sets_below(W: np.ndarray, size: int) -> np.ndarray:
    """Return all sets of `size` records whose sum of weights is below TINY, int64[m, size]."""
    n = len(W)
    i, j = np.nonzero(np.triu(W < TINY, 1))
    sets, sums = np.column_stack([i, j]), W[i, j]
    for m in range(2, size):
        grown, totals = [np.empty((0, m + 1), dtype=np.int64)], [np.empty(0)]
        for at in range(0, len(sets), AT_ONCE):
            some = sets[at : at + AT_ONCE]
            added = W[some].sum(axis=1) + sums[at : at + AT_ONCE, None]
            added[np.arange(len(some))[:, None], some] = np.inf
            which, record = np.nonzero(added < TINY)
            grown.append(np.sort(np.column_stack([some[which], record]), axis=1))
            totals.append(added[which, record])
        sets, sums = np.concatenate(grown), np.concatenate(totals)
        keys = np.zeros(len(sets), dtype=np.int64)
        for column in sets.T:
            keys = keys * n + column
        _, first = np.unique(keys, return_index=True)
        sets, sums = sets[first], sums[first]
    return sets


def charges_of(sets: np.ndarray, triples: np.ndarray, charges: np.ndarray, n: int) -> np.ndarray:
    """Return what the cuts charge each set."""
    total = np.zeros(len(sets))
    inside = np.zeros((len(sets), n), dtype=bool)
    inside[np.arange(len(sets))[:, None], sets] = True
    for triple, charge in zip(triples, charges, strict=True):
        total[inside[:, triple].sum(axis=1) >= 2] += charge
    return total


def groups_within(
    Z: np.ndarray,
    prices: np.ndarray,
    triples: np.ndarray,
    charges: np.ndarray,
    size: int,
    threshold: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return all groups of one size with reduced costs below the threshold, errors and costs."""
    squared = np.sum((Z[:, None] - Z[None]) ** 2, axis=2)
    raised = prices + threshold / size
    W = squared / size - (raised[:, None] + raised[None]) / (size - 1)
    sets = sets_below(W, size)
    errors = np.sum((Z[sets] - Z[sets].mean(axis=1, keepdims=True)) ** 2, axis=(1, 2))
    costs = errors - prices[sets].sum(axis=1) + charges_of(sets, triples, charges, len(Z))
    kept = costs < threshold + TINY
    return sets[kept], errors[kept], costs[kept]


def write_lp(
    path: str, groups: list[list[int]], errors: list[float], triples: np.ndarray, n: int
) -> None:
    """Write the integer program in the LP format."""
    rows: list[list[int]] = [[] for _ in range(n)]
    for number, group in enumerate(groups):
        for record in group:
            rows[record].append(number)
    with Path(path).open("w") as file:
        file.write("Minimize\n obj:\n")
        file.writelines(f" + {error!r} x{g}\n" for g, error in enumerate(errors))
        file.write("Subject To\n")
        for record, row in enumerate(rows):
            file.write(f" r{record}:" + "".join(f"\n + x{g}" for g in row) + "\n = 1\n")
        for number, triple in enumerate(triples):
            counted = np.unique(np.concatenate([rows[i] for i in triple]), return_counts=True)
            two = counted[0][counted[1] >= 2].astype(int)
            if len(two):
                file.write(f" c{number}:" + "".join(f"\n + x{g}" for g in two) + "\n <= 1\n")
        file.write("Binary\n" + "".join(f" x{g}\n" for g in range(len(groups))) + "End\n")


def main() -> None:
    """Check, and print what holds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("certificate")
    parser.add_argument("cuts")
    parser.add_argument("-k", type=int, default=3)
    parser.add_argument("--lp")
    options = parser.parse_args()
    X = np.loadtxt(options.data, delimiter=",", skiprows=1)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    labels, prices = np.loadtxt(options.certificate, delimiter=",", skiprows=1).T
    labels = labels.astype(int)
    cuts = np.loadtxt(options.cuts, delimiter=",", skiprows=1, ndmin=2)
    triples, charges = cuts[:, :3].astype(int), cuts[:, 3]
    assert len(labels) == len(Z)
    assert (charges >= 0).all()
    sizes = np.bincount(labels)
    sizes = sizes[sizes > 0]
    assert sizes.min() >= options.k
    parts = [Z[labels == label] for label in np.unique(labels)]
    sse = sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts)
    sst = (Z**2).sum()
    print(f"1. {len(sizes)} groups of {sizes.min()} to {sizes.max()} records")
    print(f"   SSE {sse:.9f}, {100 * sse / sst:.9f} % of {sst:.6f}")
    bound = prices.sum() - charges.sum()
    threshold = sse - bound + ROOM
    groups: list[list[int]] = []
    errors: list[float] = []
    least = np.inf
    for size in range(options.k, 2 * options.k):
        found = groups_within(Z, prices, triples, charges, size, threshold)
        groups += found[0].tolist()
        errors += found[1].tolist()
        least = min(least, found[2].min(initial=np.inf))
        print(f"3. {len(found[0])} groups of {size} records within the gap")
    assert least * len(Z) / options.k > -ROOM, (
        "a group has a negative reduced cost: the prices prove nothing"
    )
    safe = bound + min(least, 0.0) * len(Z) / options.k
    print(f"2. no reduced cost below {least:.3g}; no partition costs less than")
    print(f"   LB {safe:.9f}, {100 * safe / sst:.9f} %")
    if options.lp:
        write_lp(options.lp, groups, errors, triples, len(Z))
        print(f"   the integer program over {len(groups)} groups: {options.lp}")


if __name__ == "__main__":
    main()
