"""Protect the Adult file: mixed quasi-identifiers with missing values, and a confidential income.

``python examples/adult.py FOLDER`` writes the release and its report into FOLDER. With ``--figures`` it
also prints every figure of the guide, docs/guides/adult.md, which takes a few minutes.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

import microagg as ma

KNOWN = [
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
]
DEGREES = [
    "Preschool",
    "1st-4th",
    "5th-6th",
    "7th-8th",
    "9th",
    "10th",
    "11th",
    "12th",
    "HS-grad",
    "Some-college",
    "Assoc-voc",
    "Assoc-acdm",
    "Bachelors",
    "Masters",
    "Prof-school",
    "Doctorate",
]
OPTIONAL = ["workclass", "occupation", "native-country"]
"""Columns with missing values."""


def protect(people: pd.DataFrame, **options: Any) -> ma.Release:
    """Protect the records with the roles of the guide."""
    return ma.protect(
        people,
        quasi_identifiers=KNOWN,
        identifiers=["fnlwgt", "education-num", "relationship"],
        confidential=["income"],
        kinds={"education": "ordinal"},
        orders={"education": DEGREES},
        integers="round",
        **options,
    )


def single_income(release: ma.Release) -> str:
    """Count the persons in combinations whose records all have the same income."""
    incomes = release.data.groupby(KNOWN, dropna=False, observed=True)["income"]
    persons = int((incomes.transform("nunique") == 1).sum())
    return f"{persons:,} ({100 * persons / len(release.data):.1f} %)"


def figures(people: pd.DataFrame, release: ma.Release) -> Iterator[str]:
    """Yield the rows of the tables in the guide."""
    limits = {f"k = {k}": protect(people, k=k, missing="keep") for k in (5, 10)}
    for limit, made in {**limits, "k = 5, l-diversity 2": release}.items():
        groups, loss = made.partition.n_groups, made.measures["il"]
        yield f"| {limit} | {groups:,} | {loss:.3f} % | {single_income(made)} |"
    for way in ("keep", "group"):
        made = protect(people, k=5, l_diversity=2, missing=way)
        yield f'| `missing="{way}"` | {made.measures["il"]:.3f} % | {missing_values(made)} |'
    yield f'| the category "Unknown" | {release.measures["il"]:.3f} % | {missing_values(release)} |'


def missing_values(release: ma.Release) -> str:
    """Return how many values of each optional column are missing or unknown in a release."""
    values = release.data[OPTIONAL]
    counts = (values.isna() | (values == "Unknown")).sum()
    return " | ".join(f"{count:,}" for count in counts)


def main() -> None:
    """Make the release, count what is promised, and write it with its report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="the folder for the files")
    parser.add_argument("--rows", type=int, help="use only the first ROWS records")
    parser.add_argument("--figures", action="store_true", help="print the tables of the guide")
    arguments = parser.parse_args()

    people = ma.datasets.load("adult").frame.to_pandas().head(arguments.rows)
    named = people.fillna(dict.fromkeys(OPTIONAL, "Unknown"))
    release = protect(named, k=5, l_diversity=2)
    print(release.summary())
    groups = release.data.groupby(KNOWN, dropna=False, observed=True)
    print("counted by pandas alone: k =", groups.size().min(), end=", ")
    print("fewest incomes of a group =", groups["income"].nunique().min())
    if arguments.figures:
        for row in figures(people, release):
            print(row, flush=True)

    paths = release.save(arguments.folder)
    paths["report"] = arguments.folder / "report.html"
    release.write({"report": paths["report"]})
    for what, path in paths.items():
        print(f"{what:11}{path}")


if __name__ == "__main__":
    main()
