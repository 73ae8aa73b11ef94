"""Check the groups that are kept with NumPy alone: nothing of the package is used.

python check_labels.py FOLDER_OF_DATA [FOLDER_OF_LABELS]

For each file ``DATA-kK.csv.gz`` (a label of each record, in the order of ``DATA.csv``) it computes the
sizes of the groups and the information loss: the sum of squared distances of the records to the means
of their groups in percent of that to the mean of all, each column scaled to mean 0 and variance 1. It
fails where a group is smaller than k, or a loss is not the one that ``losses.csv`` states.
"""

import csv
import gzip
import sys
from pathlib import Path

import numpy as np

LABELS = Path(__file__).parent / "labels"

NOT_USED = {"eia": ("UTILNAME", "STATE", "YEAR", "MONTH")}
"""Columns that the literature leaves out; of the other sets it uses all."""


def scaled(folder: Path, data: str) -> np.ndarray:
    """Return the records of a set, float64[n, d], each column of mean 0 and variance 1."""
    with (folder / f"{data}.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    used = [j for j, name in enumerate(head) if name not in NOT_USED.get(data, ())]
    X = np.array([[float(row[j]) for j in used] for row in rows])
    return (X - X.mean(axis=0)) / X.std(axis=0)


def read_labels(path: Path) -> np.ndarray:
    """Return the labels of a file, int64[n]."""
    with gzip.open(path, "rt") as file:
        return np.array([int(line) for line in file.read().split()[1:]])


def loss(Z: np.ndarray, labels: np.ndarray) -> float:
    """Return the information loss in percent."""
    sizes = np.bincount(labels)
    means = np.stack([np.bincount(labels, column) / np.maximum(sizes, 1) for column in Z.T], axis=1)
    return float(100 * ((Z - means[labels]) ** 2).sum() / (Z**2).sum())


def stated(folder: Path) -> dict[tuple[str, int], float]:
    """Return the losses of ``losses.csv`` by data and k."""
    with (folder / "losses.csv").open(encoding="utf-8", newline="") as file:
        return {(row["data"], int(row["k"])): float(row["loss"]) for row in csv.DictReader(file)}


def main() -> None:
    """Check every file, print what was found, and fail if anything is wrong."""
    folder = Path(sys.argv[1])
    labels_folder = Path(sys.argv[2]) if len(sys.argv) > 2 else LABELS
    wrong = 0
    print("data,k,groups,smallest,largest,loss,holds")
    for (data, k), expected in stated(labels_folder).items():
        labels = read_labels(labels_folder / f"{data}-k{k}.csv.gz")
        lost = loss(scaled(folder, data), labels)
        sizes = np.unique(labels, return_counts=True)[1]
        holds = bool(sizes.min() >= k and abs(lost - expected) < 1e-6)
        wrong += not holds
        print(f"{data},{k},{sizes.size},{sizes.min()},{sizes.max()},{lost:.8f},{holds}")
    sys.exit(f"{wrong} of the files do not hold." if wrong else 0)


if __name__ == "__main__":
    main()
