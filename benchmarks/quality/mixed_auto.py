"""Mixed records: the loss and the time of `auto` against `mdav-nc`, the table of docs/records.md.

MICROAGG_DATA=... python -m benchmarks.quality.mixed_auto [--repeats 3]

Adult, the NIST ACS file and the test data of sdcMicro, eight mixed quasi-identifiers each, k = 5 and
10. Times are seconds of processor for the whole `protect`, best of the repeats. k is counted by pandas.
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
from benchmarks.quality.mixed import AS_TOLD

ACS = ["AGEP", "SEX", "MSP", "HISP", "RAC1P", "OWN_RENT", "EDU", "INDP_CAT"]
HOUSEHOLD = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex", "age"]


def data_sets() -> Iterator[tuple[str, pd.DataFrame, dict[str, Any]]]:
    """Yield each data set with the options that describe its quasi-identifiers."""
    folder = Path(os.environ["MICROAGG_DATA"])
    yield "Adult", ma.datasets.load("adult").frame.to_pandas(), AS_TOLD
    acs = pd.read_csv(folder / "nist_acs_national2019.csv", dtype=str, keep_default_na=False)
    acs["AGEP"] = acs["AGEP"].astype(int)
    acs["EDU"] = acs["EDU"].replace("N", "0").astype(int)
    kinds = {**dict.fromkeys(ACS[1:], "nominal"), "EDU": "ordinal"}
    yield "NIST ACS", acs[ACS], {"quasi_identifiers": ACS, "kinds": kinds}
    household = pd.read_csv(folder / "sdcmicro_testdata.csv")[HOUSEHOLD]
    kinds = dict.fromkeys(HOUSEHOLD[:-1], "nominal")
    options = {"quasi_identifiers": HOUSEHOLD, "kinds": kinds, "missing": "group"}
    yield "sdcMicro testdata", household, options


def measured(data: pd.DataFrame, repeats: int, **arguments: Any) -> tuple[float, float]:
    """Return the loss in percent and the seconds; raise where pandas counts fewer than k records."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        release = ma.protect(data, **arguments)
        seconds.append(time.process_time() - start)
    columns = arguments["quasi_identifiers"]
    sizes = release.data.groupby(columns, dropna=False, observed=True).size()
    assert sizes.min() >= arguments["k"]
    return release.measures["il"], min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    for name, data, options in data_sets():
        for k in (5, 10):
            before, plain = measured(data, repeats, k=k, method="mdav-nc", **options)
            after, refined = measured(data, repeats, k=k, method="auto", **options)
            saved, ratio = 100 * (1 - after / before), refined / plain
            row = f"{before:.2f} % | {after:.2f} % | {saved:.1f} % | {ratio:.1f}"
            print(f"| {name} | {len(data):,} | {k} | {row} |", flush=True)


if __name__ == "__main__":
    main()
