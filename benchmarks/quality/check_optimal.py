"""Check the certificate of a best partition with numpy alone: nothing of the package is used.

python check_optimal.py census.csv census-k3.csv census-k3-cuts.csv [--lp problem.lp] [--bound]

Given the data (all columns are used, each scaled to mean 0 and variance 1), a label and a price of each
record, and cuts, it checks that

1. every group of the labels has at least k records, and what they lose (SSE and percent);
2. no group S of k to 2k-1 records has a negative reduced cost

       r(S) = error of S - prices of S + sum over cuts of charge * floor(weight of S / modulus),

   where a cut has a charge >= 0, a modulus, and whole weights >= 0 of some records. The weights of the
   groups of a partition add up to those of all records, and rounding down only lowers a sum. So every
   partition costs at least the reduced costs of its groups and

       LB = sum of prices - sum over cuts of charge * floor(weight of all records / modulus);

3. which groups have r(S) < SSE - LB. A partition better than the labels is made of these alone.

It does NOT check that no partition made of the groups of 3. is better than the labels: that takes an
integer program. `--lp` writes it, with the cuts, for any solver; its optimum is the least error of any
partition. With `--bound`, 3. is left out: where the labels are not the best, there may be too many groups.

How all groups are looked at: with prices raised by t / s, r(S) < t where the sum over pairs of S of
w_ij = d_ij^2 / s - (p_i + p_j) / (s - 1), and the charges, are below 0. Leaving out each record of a
set of m in turn, the sums of pairs are (m - 2) / m of the whole sum in the mean; so a set below 0 has a
subset of one record less that is below 0 too. All sets below 0 are reached from pairs below 0 by
adding any record, as long as the sum is below 0. Groups of 2k and more records need not be looked at:
cut in two they never cost more.

What does not hold, or is no certificate at all, ends the check with a sentence and an exit code of 1.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

TINY = 1e-9
"""Room for rounding, in the unit of errors."""

ROOM = 1e-6
"""What reduced costs may be below 0 by, all groups of a partition together."""

AT_ONCE = 2000


@dataclass(frozen=True)
class Cuts:
    """The charge and the modulus of each cut, and the weights of its records, 0 where there is none."""

    charges: np.ndarray
    moduli: np.ndarray
    records: np.ndarray
    weights: np.ndarray

    def total(self) -> float:
        """Return what the cuts charge any partition at most."""
        return float(self.charges @ (self.weights.sum(axis=1) // self.moduli))


@dataclass(frozen=True)
class Certificate:
    """The records, scaled, with all that is said to prove something about their groups."""

    Z: np.ndarray
    k: int
    labels: np.ndarray
    prices: np.ndarray
    cuts: Cuts


def require(holds: bool, sentence: str) -> None:
    """End with a sentence unless something holds; an assert would be gone with python -O."""
    if not holds:
        sys.exit(f"The certificate does not hold: {sentence}.")


def read(data: str, certificate: str, cuts: str, k: int) -> Certificate:
    """Read the three files, and see that they are what they are said to be."""
    X = np.loadtxt(data, delimiter=",", skiprows=1, ndmin=2)
    labels, prices = np.loadtxt(certificate, delimiter=",", skiprows=1, ndmin=2).T
    charged = np.loadtxt(cuts, delimiter=",", skiprows=1, ndmin=2)
    require(k >= 2, "k is below 2")
    for what, numbers in {"datum": X, "label": labels, "price": prices, "cut": charged}.items():
        require(bool(np.isfinite(numbers).all()), f"a {what} is no finite number")
    require(bool((X.std(axis=0) > 0).all()), "a column of the data has one value alone")
    require(len(labels) == len(X), f"{len(X)} records have {len(labels)} labels and prices")
    require(bool((labels == np.floor(labels)).all()), "a label is no whole number")
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    return Certificate(Z, k, labels.astype(int), prices, cuts_of(charged, len(X)))


def cuts_of(lines: np.ndarray, n: int) -> Cuts:
    """Return the cuts of n records: charge, modulus, and pairs of a record and its weight."""
    width = lines.shape[1] if lines.size else 4
    require(width % 2 == 0 and width >= 4, "a cut is not a charge, a modulus, records and weights")
    lines = lines.reshape(-1, width)
    charges, whole = lines[:, 0], lines[:, 1:]
    require(bool((charges >= 0).all()), "a charge is below 0")
    require(bool((whole == np.floor(whole)).all()), "a part of a cut is no whole number")
    moduli, records, weights = whole[:, 0], whole[:, 1::2], whole[:, 2::2]
    require(bool((moduli >= 1).all()), "a modulus is below 1")
    require(bool((weights >= 0).all()), "a weight is below 0")
    used = weights > 0
    known = ((records >= 0) & (records < n)) | ~used
    require(bool(known.all()), "a cut is on something that is no record")
    named = np.sort(np.where(used, records, -1 - np.arange(records.shape[1])), axis=1)
    require(bool((np.diff(named, axis=1) > 0).all()), "a cut names a record twice")
    return Cuts(charges, moduli.astype(int), records.astype(int), weights.astype(int))


def sets_below(W: np.ndarray, size: int) -> np.ndarray:
    """Return all sets of `size` records whose sum of weights is below TINY, int64[m, size]."""
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
        _, first = np.unique(sets, axis=0, return_index=True)
        sets, sums = sets[first], sums[first]
    return sets


def weights_of(sets: np.ndarray, cuts: Cuts, number: int, n: int) -> np.ndarray:
    """Return the weight of each set in one cut."""
    weights = np.zeros(n, dtype=np.int64)
    used = cuts.weights[number] > 0
    weights[cuts.records[number, used]] = cuts.weights[number, used]
    return weights[sets].sum(axis=1)


def charges_of(sets: np.ndarray, cuts: Cuts, n: int) -> np.ndarray:
    """Return what the cuts charge each set."""
    total = np.zeros(len(sets))
    for number, (charge, modulus) in enumerate(zip(cuts.charges, cuts.moduli, strict=True)):
        total += charge * (weights_of(sets, cuts, number, n) // modulus)
    return total


def groups_within(
    Z: np.ndarray,
    prices: np.ndarray,
    cuts: Cuts,
    size: int,
    threshold: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return all groups of one size with reduced costs below the threshold, errors and costs."""
    squared = np.sum((Z[:, None] - Z[None]) ** 2, axis=2)
    raised = prices + threshold / size
    W = squared / size - (raised[:, None] + raised[None]) / (size - 1)
    sets = sets_below(W, size)
    errors = np.sum((Z[sets] - Z[sets].mean(axis=1, keepdims=True)) ** 2, axis=(1, 2))
    costs = errors - prices[sets].sum(axis=1) + charges_of(sets, cuts, len(Z))
    kept = costs < threshold + TINY
    return sets[kept], errors[kept], costs[kept]


def write_lp(path: str, groups: list[list[int]], errors: list[float], cuts: Cuts, n: int) -> None:
    """Write the integer program in the LP format."""
    rows: list[list[int]] = [[] for _ in range(n)]
    for number, group in enumerate(groups):
        for record in group:
            rows[record].append(number)
    limits = cuts.weights.sum(axis=1) // cuts.moduli
    with Path(path).open("w") as file:
        file.write("Minimize\n obj:\n")
        file.writelines(f" + {error!r} x{g}\n" for g, error in enumerate(errors))
        file.write("Subject To\n")
        for record, row in enumerate(rows):
            file.write(f" r{record}:" + "".join(f"\n + x{g}" for g in row) + "\n = 1\n")
        for number, (modulus, limit) in enumerate(zip(cuts.moduli, limits, strict=True)):
            weights: dict[int, int] = {}
            for record, weight in zip(cuts.records[number], cuts.weights[number], strict=True):
                for g in rows[record] if weight else ():
                    weights[g] = weights.get(g, 0) + int(weight)
            counts = [(weight // modulus, g) for g, weight in weights.items() if weight >= modulus]
            if counts:
                terms = "".join(f"\n + {count} x{g}" for count, g in counts)
                file.write(f" c{number}:{terms}\n <= {limit}\n")
        file.write("Binary\n" + "".join(f" x{g}\n" for g in range(len(groups))) + "End\n")


def error_of_labels(given: Certificate) -> float:
    """Return the error of the labels; each group must have k records."""
    parts = [given.Z[given.labels == label] for label in np.unique(given.labels)]
    sizes = [len(part) for part in parts]
    require(min(sizes) >= given.k, f"a group has fewer than {given.k} records")
    sse = float(sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts))
    sst = float((given.Z**2).sum())
    print(f"1. {len(sizes)} groups of {min(sizes)} to {max(sizes)} records")
    print(f"   SSE {sse:.9f}, {100 * sse / sst:.9f} % of {sst:.6f}")
    return sse


def groups_below(
    given: Certificate, sse: float, *, bound_alone: bool = False
) -> tuple[list[list[int]], list[float]]:
    """Return the groups that a better partition could hold; the prices must prove their bound."""
    bound, sst = float(given.prices.sum()) - given.cuts.total(), float((given.Z**2).sum())
    threshold = ROOM if bound_alone else max(sse - bound, 0.0) + ROOM
    groups: list[list[int]] = []
    errors: list[float] = []
    least = np.inf
    for size in range(given.k, 2 * given.k):
        found = groups_within(given.Z, given.prices, given.cuts, size, threshold)
        groups += found[0].tolist()
        errors += found[1].tolist()
        least = min(least, found[2].min(initial=np.inf))
        print(f"3. {len(found[0])} groups of {size} records within the gap")
    most = len(given.Z) / given.k  # groups that a partition can have
    require(least * most > -ROOM, "a group costs less than its prices, which prove nothing then")
    safe = bound + min(least, 0.0) * most
    require(safe <= sse + ROOM, "the prices add up to more than the labels lose")
    print(f"2. no reduced cost below {least:.3g}; no partition costs less than")
    print(f"   LB {safe:.9f}, {100 * safe / sst:.9f} %")
    return groups, errors


def main() -> None:
    """Check, and print what holds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("certificate")
    parser.add_argument("cuts")
    parser.add_argument("-k", type=int, default=3)
    parser.add_argument("--lp")
    parser.add_argument("--bound", action="store_true", help="check no more than LB")
    options = parser.parse_args()
    given = read(options.data, options.certificate, options.cuts, options.k)
    if options.bound and options.lp:
        parser.error("--lp needs all groups within the gap, and --bound does not look for them")
    sse = error_of_labels(given)
    groups, errors = groups_below(given, sse, bound_alone=options.bound)
    if options.lp:
        write_lp(options.lp, groups, errors, given.cuts, len(given.Z))
        print(f"   the integer program over {len(groups)} groups: {options.lp}")


if __name__ == "__main__":
    main()
