"""Protect a census-like file: the NIST excerpt of the American Community Survey.

``python examples/nist_acs.py FOLDER`` writes the release and its two reports into FOLDER, and prints every
figure of the guide, docs/guides/nist-acs.md.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

import microagg as ma

CODES = ["SEX", "MSP", "HISP", "RAC1P", "HOUSING_TYPE", "OWN_RENT"]
KNOWN = ["AGEP", *CODES, "EDU"]


def mean_income(frame: pd.DataFrame) -> dict[str, int]:
    """Return the weighted mean of PINCP for each sex."""
    earners = frame.dropna(subset=["PINCP"])
    sums = (earners["PINCP"] * earners["PWGTP"]).groupby(earners["SEX"].astype(str)).sum()
    weights = earners["PWGTP"].groupby(earners["SEX"].astype(str)).sum()
    return (sums / weights).round().astype(int).to_dict()


def figures(before: pd.DataFrame, after: pd.DataFrame) -> Iterator[str]:
    """Yield the rows of the tables in the guide."""
    incomes = mean_income(before), mean_income(after)
    for sex in incomes[0]:
        yield f"| weighted mean of PINCP, SEX {sex} | {incomes[0][sex]:,} | {incomes[1][sex]:,} |"
    for code in ("4", "5", "7"):
        counts = [int((frame["RAC1P"].astype(str) == code).sum()) for frame in (before, after)]
        yield f"| persons with RAC1P {code} | {counts[0]:,} | {counts[1]:,} |"
    for name in ("MSP", "EDU"):
        counts = [int(frame[name].isna().sum()) for frame in (before, after)]
        yield f"| missing values of {name} | {counts[0]:,} | {counts[1]:,} |"


def main() -> None:
    """Make the release, count what is promised, and write it with its reports."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="the folder for the files")
    parser.add_argument("--rows", type=int, help="use about ROWS records, at equal intervals")
    arguments = parser.parse_args()

    people = ma.datasets.load("nist-acs").frame.to_pandas()
    if arguments.rows:
        people = people.iloc[:: max(1, len(people) // arguments.rows)].reset_index(drop=True)

    release = ma.protect(
        people,
        k=5,
        quasi_identifiers=KNOWN,
        identifiers=["NOC", "NPF", "INDP", "PINCP_DECILE", "WGTP"],
        confidential=["PINCP", "POVPIP", "INDP_CAT", "DVET", "DREM", "DPHY", "DEYE", "DEAR"],
        kinds={**dict.fromkeys(CODES, "nominal"), "EDU": "ordinal"},
        strata="PUMA",
        weights="PWGTP",
        missing="keep",
        integers="round",
    )
    print(release.summary())
    print("k with the area as well:", ma.anonymity(release.data, [*KNOWN, "PUMA"]).k)
    print(*figures(people, release.data), sep="\n")

    paths = release.save(arguments.folder)
    for audience in ("internal", "external"):
        paths[audience] = arguments.folder / f"report-{audience}.html"
        release.write({"report": paths[audience]}, audience=audience)
    for what, path in paths.items():
        print(f"{what:11}{path}")


if __name__ == "__main__":
    main()
