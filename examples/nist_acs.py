"""Release a census-like file: the NIST excerpt of the American Community Survey.

``python examples/nist_acs.py FOLDER`` writes the release and its two reports into FOLDER.
The guide is docs/guides/nist-acs.md.
"""

import argparse
from pathlib import Path

import pandas as pd

import microagg as ma

CODES = ["SEX", "MSP", "HISP", "RAC1P", "HOUSING_TYPE", "OWN_RENT"]
KNOWN = ["AGEP", *CODES, "EDU"]


def mean_income(frame: pd.DataFrame) -> dict[str, int]:
    """Return what an analyst would compute: the weighted mean of PINCP for each sex."""
    earners = frame.dropna(subset=["PINCP"])
    sums = (earners["PINCP"] * earners["PWGTP"]).groupby(earners["SEX"].astype(str)).sum()
    weights = earners["PWGTP"].groupby(earners["SEX"].astype(str)).sum()
    return (sums / weights).round().astype(int).to_dict()


def main() -> None:
    """Make the release, say what it holds, and write it with its report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the files go")
    parser.add_argument("--rows", type=int, help="take every so-manieth record, about ROWS in all")
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
        missing="group",
        integers="round",
    )
    print(release.summary())
    print("k with the area as well:", ma.anonymity(release.data, [*KNOWN, "PUMA"]).k)
    for name, frame in {"before": people, "after": release.data}.items():
        print(f"mean income by sex, weighted, {name}:", mean_income(frame))

    paths = release.save(arguments.folder)
    for audience in ("internal", "external"):
        paths[audience] = arguments.folder / f"report-{audience}.html"
        release.write({"report": paths[audience]}, audience=audience)
    for what, path in paths.items():
        print(f"{what:11}{path}")


if __name__ == "__main__":
    main()
