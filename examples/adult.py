"""Release the Adult file: mixed quasi-identifiers with blanks, income confidential.

``python examples/adult.py FOLDER`` writes the release and its report into FOLDER.
The guide is docs/guides/adult.md.
"""

import argparse
from pathlib import Path

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


def main() -> None:
    """Make the release, say what it holds, and write it with its report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the files go")
    parser.add_argument("--rows", type=int, help="take the first ROWS records only")
    arguments = parser.parse_args()

    people = ma.datasets.load("adult").frame.to_pandas().head(arguments.rows)
    release = ma.protect(
        people,
        k=5,
        quasi_identifiers=KNOWN,
        identifiers=["fnlwgt", "education-num", "relationship"],
        confidential=["income"],
        kinds={"education": "ordinal"},
        orders={"education": DEGREES},
        missing="group",
        integers="round",
        l_diversity=2,
    )
    print(release.summary())
    groups = release.data.groupby(KNOWN, dropna=False, observed=True)
    print("counted by pandas alone: k =", groups.size().min(), end=", ")
    print("fewest incomes of a group =", groups["income"].nunique().min())

    paths = release.save(arguments.folder)
    paths["report"] = arguments.folder / "report.html"
    release.write({"report": paths["report"]})
    for what, path in paths.items():
        print(f"{what:11}{path}")


if __name__ == "__main__":
    main()
