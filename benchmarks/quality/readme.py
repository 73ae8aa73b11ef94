"""The figures of the README, measured: `python -m benchmarks.quality.readme`."""

from __future__ import annotations

import json
from pathlib import Path

import microagg as ma

FILE = Path(__file__).parents[2] / "docs" / "figures.json"
COLUMNS = ["age", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"]
K, SECONDS = 5, 60


def main() -> None:
    frame = ma.datasets.load("diabetes").frame
    X = frame.select(COLUMNS)
    parts = {name: ma.partition(X, K, name) for name in ("mdav", "auto")}
    parts["best"] = ma.partition(X, K, "best", parameters={"time_limit": SECONDS})
    losses = {name: ma.information_loss(X, part).il for name, part in parts.items()}
    gap = parts["best"].facts.gap or 0.0
    figures = {name: round(loss, 3) for name, loss in losses.items()}
    figures |= {"bound": round(losses["best"] * (1 - gap), 3), "k": K, "seconds": SECONDS}
    FILE.write_text(json.dumps({"diabetes": figures}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
