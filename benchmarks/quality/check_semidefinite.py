"""Check the certificate of a semidefinite bound with numpy alone: nothing of the package is used.

python check_semidefinite.py census.csv census-k10-bound.npz
python check_semidefinite.py eia.csv eia-k10-bound.npz --without UTILNAME,STATE,YEAR,MONTH

Given the data (all columns are used but those named, each scaled to mean 0 and variance 1) and a file with

    k              the smallest size of a group
    rest           the upper triangle, row by row, of a symmetric matrix B
    triples        rows i, j, h of records
    charges        a charge c >= 0 of each triple
    group_charge   a charge t >= 0
    set_records    the records of sets, one set after the other
    set_sizes      how many records each set has
    set_charges    a charge q >= 0 of each set
    bound          the error that no partition is said to go below

it counts the bound anew. With Z_ij = 1/|G| where records i and j share the group G and 0 elsewhere, the
error of a partition is the sum of C_ij Z_ij, where C is half the squared distances. For every partition
into groups of k to 2k-1 records

1. Z_ij + Z_ih - Z_ii - Z_jh <= 0, so that adding c times this to the error does not raise it;
2. there are at most n // k groups, as many as the sum of Z_ii: adding t (sum of Z_ii - n // k) neither;
3. for a set T and w = k - |T| mod k, the sum of Z_ij over i, j in T and w times that of Z_ii over i in T
   are at most |T| + w (|T| // k). A group of s records, a of them in T, adds a (a + w) / s. Beyond the a,
   whose sum is |T|, this is at most w if a >= k, and at most h(a) = max(0, a (a + w - k) / k) if a < k.
   Since h is convex, h(0) = 0, h(k) = w and h(|T| mod k) = 0, the sum beyond is at most w (|T| // k). So
   adding q times what is on the left less what is on the right neither;
4. a row of Z is 1/s for s records, i among them: the sum of A_ij Z_ij is at least that of the s-1 smallest
   A_ij and A_ii, divided by s, with the s from k to 2k-1 for which it is least;
5. Z is a projection of rank n // k at most that keeps the vector of ones: the sum of B_ij Z_ij is at least
   the mean of B's row sums and the n // k - 1 smallest negative eigenvalues of B without that vector.

With A = C + what the charges add - B the sum of 4. and 5. less t (n // k) and the right sides of 3. is a
bound. Groups of 2k and more records need not be looked at: cut in two they never cost more.

Numbers are rounded; each place where that could raise the bound is lowered by more. What does not hold, or
is no certificate at all, ends the check with a sentence and an exit code of 1.
"""

import argparse
import csv
import sys
from pathlib import Path

import numpy as np

EPSILON = np.finfo(float).eps

ROOM = 1e-9
"""By how much, relatively, the bound is lowered at last."""

AGREED = 1e-6
"""By how much, relatively, the bound may be below the one stated: this program leaves more room for
rounding than the package does. What it prints is what it has counted."""


def require(holds: bool, sentence: str) -> None:
    """End with a sentence unless something holds; an assert would be gone with python -O."""
    if not holds:
        sys.exit(sentence)


def scaled(file: Path, left_out: list[str]) -> np.ndarray:
    """Return the records of a file, each column of mean 0 and variance 1."""
    with file.open(encoding="utf-8", newline="") as lines:
        head, *rows = csv.reader(lines)
    used = [j for j, name in enumerate(head) if name not in left_out]
    X = np.array([[float(row[j]) for j in used] for row in rows])
    return (X - X.mean(axis=0)) / X.std(axis=0)


def charged(triples: np.ndarray, charges: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what the charges of triples add to each entry, and the sum of their sizes there."""
    added, sizes = np.zeros((n, n)), np.zeros((n, n))
    i, j, h = triples.T
    for rows, columns, sign in ((i, j, 1), (i, h, 1), (i, i, -1), (j, h, -1)):
        for at in ((rows, columns), (columns, rows)):
            np.add.at(added, at, sign * charges / 2)
            np.add.at(sizes, at, charges)
    return added, sizes


def charged_sets(sets: list[np.ndarray], charges: np.ndarray, n: int, k: int) -> np.ndarray:
    """Return what the charges of sets add to each entry: once to every pair, w times to the diagonal."""
    added = np.zeros((n, n))
    for rows, charge in zip(sets, charges, strict=True):
        added[np.ix_(rows, rows)] += charge
        added[rows, rows] += (k - len(rows) % k) * charge
    return added


def row_part(shares: np.ndarray, k: int, largest: int) -> float:
    """Return the sum over rows of the least mean of a group's entries, the row's own among them."""
    total = 0.0
    for row, values in enumerate(shares):
        others = np.sort(np.delete(values, row))[: largest - 1]
        sums = values[row] + np.cumsum(others)
        total += min(sums[size - 2] / size for size in range(k, largest + 1))
    return total


def spectral_part(rest: np.ndarray, groups: int) -> float:
    """Return the mean row sum and the smallest negative eigenvalues without the vector of ones."""
    n = len(rest)
    centring = np.eye(n) - np.full((n, n), 1 / n)
    values = np.linalg.eigvalsh(centring @ rest @ centring)
    lowered = np.sort(values)[: groups - 1] - 16 * (n + 20) * EPSILON * np.linalg.norm(rest)
    doubt = 64 * EPSILON * np.abs(rest).sum() / n
    return rest.sum() / n - doubt + np.minimum(lowered, 0).sum()


def counted(
    Z: np.ndarray,
    k: int,
    rest: np.ndarray,
    triples: np.ndarray,
    charges: np.ndarray,
    group_charge: float,
    sets: list[np.ndarray],
    set_charges: np.ndarray,
) -> float:
    """Return the bound that multipliers prove for scaled records."""
    n, d = Z.shape
    groups, largest = n // k, min(2 * k - 1, n - k)
    costs = np.zeros((n, n))
    for column in Z.T:
        costs += (column[:, None] - column) ** 2 / 2
    added, sizes = charged(triples, charges, n)
    diagonal = group_charge * np.eye(n)
    of_sets = charged_sets(sets, set_charges, n, k)
    shares = costs + added + diagonal + of_sets - rest
    sizes += costs + diagonal + of_sets + np.abs(rest)
    shares -= (d + 8 + len(triples) + 2 * len(sets)) * EPSILON * sizes
    rows, spectral = row_part(shares, k, largest), spectral_part(rest, groups)
    sizes_of = np.array([len(rows) for rows in sets], dtype=np.int64)
    limits = (sizes_of + (k - sizes_of % k) * (sizes_of // k)).astype(float)
    charge = group_charge * groups + float(set_charges @ limits)
    room = (n + len(sets)) * EPSILON * (abs(rows) + abs(spectral) + charge)
    bound = rows + spectral - charge - room
    return float(bound * (1 - ROOM))


def read(file: Path, n: int) -> dict[str, np.ndarray]:
    """Return the parts of a certificate, checked."""
    names = ("k", "rest", "triples", "charges", "group_charge", "bound")
    names += ("set_records", "set_sizes", "set_charges")
    try:
        with np.load(file, allow_pickle=False) as parts:
            certificate = {name: np.asarray(parts[name]) for name in names}
    except (OSError, KeyError, ValueError):
        sys.exit(f"{file} is no certificate: it must hold {', '.join(names)}.")
    k, triples, charges = (certificate[name] for name in ("k", "triples", "charges"))
    require(k.shape == () and 2 <= k <= n // 2, "k must be a number from 2 to n / 2.")
    require(certificate["rest"].shape == (n * (n + 1) // 2,), "The matrix does not fit the data.")
    require(triples.ndim == 2 and triples.shape[1] == 3, "Triples must have three records each.")
    require(charges.shape == (len(triples),), "Each triple must have one charge.")
    require(
        bool((charges >= 0).all()) and certificate["group_charge"] >= 0, "A charge is negative."
    )
    require(
        not triples.size or (triples.min() >= 0 and triples.max() < n), "A record is not there."
    )
    read_sets(certificate, n)
    finite = all(np.isfinite(certificate[name]).all() for name in names)
    require(finite, "A number is missing or infinite.")
    return certificate


def read_sets(certificate: dict[str, np.ndarray], n: int) -> list[np.ndarray]:
    """Return the records of each set, checked."""
    records, sizes = certificate["set_records"].astype(np.int64), certificate["set_sizes"]
    charges = certificate["set_charges"]
    require(charges.shape == sizes.shape == (sizes.size,), "Each set must have one charge.")
    require(bool((charges >= 0).all()), "A charge is negative.")
    fits = bool((sizes >= 1).all()) and records.shape == (int(sizes.sum()),)
    require(fits, "The sizes of sets do not fit their records.")
    inside = not records.size or (records.min() >= 0 and records.max() < n)
    require(inside, "A record is not there.")
    sets = np.split(records, np.cumsum(sizes)[:-1]) if sizes.size else []
    require(all(len(np.unique(rows)) == len(rows) for rows in sets), "A set names a record twice.")
    return sets


def main() -> None:
    """Check, and say what holds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("certificate", type=Path)
    parser.add_argument("--without", default="", help="columns not used")
    options = parser.parse_args()
    Z = scaled(options.data, options.without.split(","))
    n = len(Z)
    certificate = read(options.certificate, n)
    rest = np.zeros((n, n))
    rest[np.triu_indices(n)] = certificate["rest"]
    rest = np.triu(rest) + np.triu(rest, 1).T
    k, triples = int(certificate["k"]), certificate["triples"].astype(np.int64)
    charges = certificate["charges"].astype(float)
    sets, set_charges = read_sets(certificate, n), certificate["set_charges"].astype(float)
    group_charge = float(certificate["group_charge"])
    bound = counted(Z, k, rest, triples, charges, group_charge, sets, set_charges)
    stated, sst = float(certificate["bound"]), float((Z**2).sum())
    require(
        bound >= stated * (1 - AGREED),
        f"The certificate proves {bound:.9g}, not the {stated:.9g} that it states.",
    )
    proved = min(bound, stated)
    print(f"No partition into groups of at least {k} has an error below {proved:.9g}:")
    print(f"its loss is at least {100 * proved / sst:.6f} %.")


if __name__ == "__main__":
    main()
