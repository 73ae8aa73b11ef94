"""Mixed records on all of Adult: k as pandas counts it, the loss, and the time against numbers.

MICROAGG_DATA=... python -m benchmarks.quality.mixed [--repeats 3]

48,842 records, eight mixed quasi-identifiers, three of them with blanks. Every method that takes mixed
records, k = 5 and 10: the smallest group of equal released values (groupby with dropna=False), the
loss, and the time of the whole `protect` as a multiple of that of numeric `mdav` on as many records
of eight normal columns. The times are of processor, so that a busy machine counts less. The limits on
income are counted by pandas too.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import pandas as pd

import microagg as ma
from benchmarks.speed.timing import best_of

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
    *("Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad"),
    *(
        "Some-college",
        "Assoc-voc",
        "Assoc-acdm",
        "Bachelors",
        "Masters",
        "Prof-school",
        "Doctorate",
    ),
]
AS_TOLD: dict[str, Any] = {
    "quasi_identifiers": KNOWN,
    "kinds": {"education": "ordinal"},
    "orders": {"education": DEGREES},
    "missing": "group",
}
LIMITS: tuple[dict[str, Any], ...] = ({"l_diversity": 2}, {"t_closeness": 0.2})


def timed(data: pd.DataFrame, arguments: dict[str, Any], kept: dict[str, ma.Release]) -> float:
    """Return the seconds of processor of one `protect`; the release is kept by its method."""
    start = time.process_time()
    kept[arguments["method"]] = ma.protect(data, **arguments)
    return time.process_time() - start


def judged(release: ma.Release) -> str:
    """Return what pandas alone counts on a release: k, and how income lies in its groups."""
    data = release.data
    groups = data.groupby(KNOWN, dropna=False, observed=True)
    share = (data["income"] == ">50K").mean()
    farthest = (groups["income"].agg(lambda income: (income == ">50K").mean()) - share).abs().max()
    fewest = groups["income"].nunique().min()
    return f"k={groups.size().min()}, values of income {fewest}, farthest {farthest:.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    people = ma.datasets.load("adult").frame.to_pandas()
    normal = np.random.default_rng(0).normal(size=(len(people), 8))
    numbers = pd.DataFrame(normal, columns=[f"x{j}" for j in range(8)])
    for k in (5, 10):
        kept: dict[str, ma.Release] = {}
        plain = {"k": k, "quasi_identifiers": list(numbers), "method": "mdav"}
        contenders = {"numbers": lambda plain=plain: timed(numbers, plain, {})}
        for method in (found.name for found in ma.methods() if found.mixed):
            asked = {"k": k, "method": method, **AS_TOLD}
            contenders[method] = lambda asked=asked, kept=kept: timed(people, asked, kept)
        seconds = best_of(contenders, repeats)
        for method, release in kept.items():
            ratio, loss = seconds[method] / seconds["numbers"], release.measures["il"]
            print(f"k={k} {method:<8} {loss:7.3f} %  {ratio:4.1f} x  {judged(release)}", flush=True)
    for limit in LIMITS:
        asked = {"k": 5, "method": "auto", "confidential": ["income"], **AS_TOLD, **limit}
        spent = timed(people, asked, kept)
        release = kept["auto"]
        print(
            limit, f"{release.measures['il']:.3f} %  {spent:.0f} s  {judged(release)}", flush=True
        )


if __name__ == "__main__":
    main()
