"""Mixed records: the loss and the time of `auto` against `mdav-nc`, the table of docs/records.md.

MICROAGG_DATA=... python -m benchmarks.quality.mixed_auto [--repeats 3] [--only Adult] [--write]

Adult, the NIST ACS file and the test data of sdcMicro, eight mixed quasi-identifiers each, k = 5 and 10,
without limits, with l-diversity 2, with t-closeness 0.3, and with both. Times are seconds of processor for
the whole `protect`, the least of the repeats, in turns. A run on a sample comes first and is not timed: it
loads or compiles what the method needs. k, l and t are counted on each release by pandas alone; a release
that misses one ends the run, and so does `auto` where it loses more than `mdav-nc`.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from itertools import product
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

BEYOND_K: tuple[dict[str, Any], ...] = (
    {},
    {"l_diversity": 2},
    {"t_closeness": 0.3},
    {"l_diversity": 2, "t_closeness": 0.3},
)
METHODS = ("mdav-nc", "auto")

SAMPLE = 3_000
"""The records of the run that is not timed: more than those that `auto` searches."""


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
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the loss in percent and the seconds of each method; raise where a limit is missed."""
    losses, seconds = {}, dict.fromkeys(METHODS, float("inf"))
    for method in METHODS:
        ma.protect(data[:SAMPLE], method=method, **arguments)
    for _ in range(repeats):
        for method in METHODS:
            start = time.process_time()
            release = ma.protect(data, method=method, **arguments)
            seconds[method] = min(seconds[method], time.process_time() - start)
            losses[method] = release.measures["il"]
            require(release.data, watched, arguments)
    return losses, seconds


def require(data: pd.DataFrame, watched: str, arguments: dict[str, Any]) -> None:
    """Raise where pandas counts fewer records or values in a class, or values too far from all."""
    classes = data.groupby(arguments["quasi_identifiers"], dropna=False, observed=True, sort=False)
    assert classes.size().min() >= arguments["k"]
    assert classes[watched].nunique(dropna=False).min() >= arguments.get("l_diversity", 1)
    farthest = distances(classes.ngroup(), data[watched]).max()
    assert farthest <= arguments.get("t_closeness", 1.0) + 1e-9


def distances(classes: pd.Series, values: pd.Series) -> pd.Series:
    """Return the earth mover's distance of each class to all: ordered for numbers, equal for categories."""
    assert not values.isna().any()
    shares = pd.crosstab(classes, values, normalize="index").sort_index(axis=1)
    gaps = shares - values.value_counts(normalize=True)
    if not pd.api.types.is_numeric_dtype(values):
        return gaps.abs().sum(axis=1) / 2
    return gaps.cumsum(axis=1).abs().sum(axis=1) / max(gaps.shape[1] - 1, 1)


def rows(repeats: int, only: str) -> Iterator[str]:
    """Measure and yield the rows of the table."""
    for name, data, options, confidential in data_sets():
        if only not in name:
            continue
        for k, beyond in product((5, 10), BEYOND_K):
            arguments = {**options, "k": k, **beyond}
            if beyond:
                arguments["confidential"] = [confidential]
                if pd.api.types.is_numeric_dtype(data[confidential]):
                    arguments["kinds"] = {**options["kinds"], confidential: "continuous"}
            losses, seconds = measured(data, confidential, repeats, **arguments)
            before, after = (losses[method] for method in METHODS)
            assert after <= before
            saved, ratio = 100 * (1 - after / before), seconds["auto"] / seconds["mdav-nc"]
            asked = " | ".join(str(beyond.get(each, "")) for each in ("l_diversity", "t_closeness"))
            row = f"{before:.2f} % | {after:.2f} % | {saved:.1f} % | {ratio:.1f}"
            yield f"| {name} | {len(data):,} | {k} | {asked} | {row} |"


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
