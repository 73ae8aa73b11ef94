"""Release sdcMicro's testdata: what its examples do, and the whole record.

``python examples/sdcmicro_testdata.py FOLDER`` writes both releases and their reports into FOLDER.
The guide is docs/guides/from-sdcmicro.md.
"""

import argparse
from pathlib import Path

import microagg as ma

KEY_VARS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
NUM_VARS = ["expend", "income", "savings"]


def main() -> None:
    """Make the release, say what it holds, and write it with its report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the files go")
    parser.add_argument("--rows", type=int, help="take the first ROWS records only")
    arguments = parser.parse_args()

    households = ma.datasets.load("testdata").frame.to_pandas().head(arguments.rows)
    common = {"k": 3, "identifiers": ["ori_hid"], "weights": "sampling_weight", "strata": "urbrur"}
    releases = {
        "numbers": ma.protect(households, quasi_identifiers=NUM_VARS, method="mdav", **common),
        "records": ma.protect(
            households,
            quasi_identifiers=[*NUM_VARS, *KEY_VARS],
            kinds=dict.fromkeys(KEY_VARS, "nominal"),
            **common,
        ),
    }
    for name, release in releases.items():
        print(f"== {name}\n{release.summary()}")
        k = ma.anonymity(release.data, [*NUM_VARS, *KEY_VARS]).k
        print("k of numVars and keyVars together:", k)
        homes = households["ori_hid"].groupby(release.partition.labels).nunique()
        print(f"groups within one household: {(homes == 1).sum():,} of {len(homes):,}")
        paths = release.save(arguments.folder / name)
        paths["report"] = arguments.folder / name / "report.html"
        release.write({"report": paths["report"]})
        for what, path in paths.items():
            print(f"{what:11}{path}")


if __name__ == "__main__":
    main()
