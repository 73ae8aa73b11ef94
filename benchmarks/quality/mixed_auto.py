"""Mixed records: the loss and the time of `auto` against `mdav-nc`, the table of docs/records.md.

MICROAGG_DATA=... python -m benchmarks.quality.mixed_auto [--repeats 3] [--only Adult] [--write]

Adult, the NIST ACS file and the test data of sdcMicro, eight mixed quasi-identifiers each, k = 5 and
10, and k = 5 with l-diversity and t-closeness. Times are seconds of processor for the whole `protect`, best
of the repeats. k, l and t are counted on each release by pandas alone; a release that misses one ends the
run.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

import microagg as ma
from benchmarks.page import write_part
from benchmarks.quality.mixed import AS_TOLD

ACS = ["AGEP", "SEX", "MSP", "HISP", "RAC1P", "OWN_RENT", "EDU", "INDP_CAT"]
HOUSEHOLD = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex", "age"]
PAGE = Path(__file__).parents[2] / "docs" / "records.md"
HEAD = "| data | records | k | l | t | loss of `mdav-nc` | loss of `auto` | saved | time |"

LIMITS: tuple[dict[str, Any], ...] = (
    {"k": 5},
    {"k": 10},
    {"k": 5, "l_diversity": 2, "t_closeness": 0.3},
)


def data_sets() -> Iterator[tuple[str, pd.DataFrame, dict[str, Any], str]]:
    """Yield each data set, the options that describe it, and its confidential column."""
    folder = Path(os.environ["MICROAGG_DATA"])
    yield "Adult", ma.datasets.load("adult").frame.to_pandas(), AS_TOLD, "income"
    acs = pd.read_csv(folder / "nist_acs_national2019.csv", dtype=str, keep_default_na=False)
    acs["AGEP"] = acs["AGEP"].astype(int)
    acs["EDU"] = acs["EDU"].replace("N", "0").astype(int)
    acs["PINCP_DECILE"] = acs["PINCP_DECILE"].replace("N", "-1").astype(int)
    kinds = {**dict.fromkeys(ACS[1:], "nominal"), "EDU": "ordinal"}
    options: dict[str, Any] = {"quasi_identifiers": ACS, "kinds": kinds}
    yield "NIST ACS", acs[[*ACS, "PINCP_DECILE"]], options, "PINCP_DECILE"
    household = pd.read_csv(folder / "sdcmicro_testdata.csv")[[*HOUSEHOLD, "income"]]
    kinds = dict.fromkeys(HOUSEHOLD[:-1], "nominal")
    options = {"quasi_identifiers": HOUSEHOLD, "kinds": kinds, "missing": "group"}
    yield "sdcMicro testdata", household, options, "income"


def measured(
    data: pd.DataFrame, watched: str, repeats: int, **arguments: Any
) -> tuple[float, float]:
    """Return the loss in percent and the seconds; raise where pandas counts a limit that is missed."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        release = ma.protect(data, **arguments)
        seconds.append(time.process_time() - start)
    classes = release.data.groupby(arguments["quasi_identifiers"], dropna=False, observed=True)
    assert classes.size().min() >= arguments["k"]
    values = classes[watched]
    assert values.nunique(dropna=False).min() >= arguments.get("l_diversity", 1)
    farthest = max(distance(inside, release.data[watched]) for _, inside in values)
    assert farthest <= arguments.get("t_closeness", 1.0) + 1e-9
    return release.measures["il"], min(seconds)


def distance(inside: pd.Series, everywhere: pd.Series) -> float:
    """Return the earth mover's distance of two columns: ordered for numbers, equal for categories."""
    shares = [column.value_counts(normalize=True) for column in (inside, everywhere)]
    gaps = shares[0].reindex(shares[1].index, fill_value=0.0) - shares[1]
    if not pd.api.types.is_numeric_dtype(everywhere):
        return float(gaps.abs().sum() / 2)
    return float(gaps.sort_index().cumsum().abs().sum() / max(gaps.size - 1, 1))


def rows(repeats: int, only: str) -> Iterator[str]:
    """Measure and yield the rows of the table."""
    for name, data, options, confidential in data_sets():
        if only not in name:
            continue
        for limits in LIMITS:
            arguments = {**options, **limits}
            if len(limits) > 1:
                arguments["confidential"] = [confidential]
                if pd.api.types.is_numeric_dtype(data[confidential]):
                    arguments["kinds"] = {**options["kinds"], confidential: "continuous"}
            before, plain = measured(data, confidential, repeats, method="mdav-nc", **arguments)
            after, refined = measured(data, confidential, repeats, method="auto", **arguments)
            saved, ratio = 100 * (1 - after / before), refined / plain
            asked = " | ".join(str(limits.get(each, "")) for each in ("l_diversity", "t_closeness"))
            row = f"{before:.2f} % | {after:.2f} % | {saved:.1f} % | {ratio:.1f}"
            yield f"| {name} | {len(data):,} | {limits['k']} | {asked} | {row} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="", help="a part of the name of the data sets")
    parser.add_argument("--write", action="store_true", help="put the table into docs/records.md")
    options = parser.parse_args()
    lines = [HEAD, "| --- |" + " ---: |" * 8]
    for row in rows(options.repeats, options.only):
        print(row, flush=True)
        lines.append(row)
    if options.write:
        write_part("mixed records", lines, PAGE)


if __name__ == "__main__":
    main()
