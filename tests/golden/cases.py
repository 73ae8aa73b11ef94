"""The cases whose results must not change from version to version: groups, releases and files.

`python -m tests.golden.cases FILE` computes each one and writes its SHA-256; see `test_golden.py`.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc

import microagg as ma

SIZES = (3, 5, 10)
LIMITED: dict[str, dict[str, Any]] = {
    "best": {"time_limit": None, "max_iterations": 2},
    "genetic": {"max_iterations": 30},
    "genetic-hybrid": {"max_iterations": 30},
    "omma": {"max_iterations": 5},
}
"""Parameters that end a search by steps, so that the result does not depend on the clock."""

EIA_TEXT = ("UTILNAME", "STATE", "YEAR", "MONTH")
MIXED = (
    "age",
    "workclass",
    "education-num",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "hours-per-week",
)
NUMBERS = ["age", "education-num", "hours-per-week"]
CONFIDENTIAL = {"quasi_identifiers": [*NUMBERS, "sex"], "confidential": ["income"]}


def folder() -> Path:
    """Return where the benchmark data lie."""
    return Path(os.environ["MICROAGG_DATA"])


def numbers(name: str) -> np.ndarray:
    """Return a benchmark data set of numbers as a matrix."""
    table = pc.read_csv(folder() / f"{name}.csv")
    columns = [c for c in table.column_names if name != "eia" or c not in EIA_TEXT]
    return np.column_stack([table[c].to_numpy() for c in columns]).astype(float)


def adult(n: int) -> pa.Table:
    """Return the first records of Adult, with blanks where the file has question marks."""
    convert = pc.ConvertOptions(null_values=["?"], strings_can_be_null=True)
    return pc.read_csv(folder() / "adult.csv", convert_options=convert).slice(0, n)


def digest_of_labels(labels: np.ndarray) -> str:
    """Return the SHA-256 of labels, whatever their type."""
    return hashlib.sha256(np.ascontiguousarray(labels, dtype="<i4").tobytes()).hexdigest()


def digest_of_table(table: pa.Table) -> str:
    """Return the SHA-256 of a table's values as JSON."""
    return hashlib.sha256(json.dumps(table.to_pydict(), default=str).encode()).hexdigest()


def groups(data: str, method: str, k: int, seed: int, refine: str | None) -> str:
    """Return the digest of the groups of one method."""
    parameters = LIMITED.get(method, {})
    part = ma.partition(
        numbers(data), k, method, seed=seed, refine=refine, scale="zscore", **spelled(parameters)
    )
    return digest_of_labels(part.labels)


def released(n: int, k: int, method: str, **options: Any) -> str:
    """Return the digest of a release of Adult: its values and its groups.

    Synthetic values come from singular vectors, whose signs and last digits depend on the library of linear
    algebra and the processor, so only their groups count.
    """
    parameters = options.pop("parameters", {})
    release = ma.protect(adult(n), k, method=method, **options, **spelled(parameters))
    if options.get("aggregate") == "hybrid":
        return digest_of_labels(release.partition.labels)
    return digest_of_table(release.data) + digest_of_labels(release.partition.labels)


def spelled(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return a method's parameters as the functions take them."""
    return {"parameters": parameters} if parameters else {}


def of_methods() -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield the cases of complete numbers."""
    for data in ("tarragona", "census", "eia"):
        for method in ma.methods():
            seeds = (0,) if method.deterministic else (0, 1)
            for k in SIZES:
                if method.name == "best" and (data, k) != ("tarragona", 3):
                    continue  # minutes each
                for seed in seeds:
                    name = f"{data} {method.name} k={k} seed={seed}"
                    yield name, lambda a=(data, method.name, k, seed, None): groups(*a)
        for refinement in ma.refinements():
            for start in ("mdav", "tfrp-nc"):
                for k in SIZES:
                    name = f"{data} {start} + {refinement.name} k={k}"
                    yield name, lambda a=(data, start, k, 0, refinement.name): groups(*a)


def of_releases() -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield the cases of mixed records, blanks, weights, strata and maskings."""
    mixed = {"quasi_identifiers": list(MIXED), "missing": "group"}
    kinds = {"kinds": {"education-num": "ordinal", "age": "continuous"}}
    variants: dict[str, dict[str, Any]] = {
        "blanks": mixed,
        "blanks, gower": {**mixed, "distance": "gower"},
        "kinds": {**mixed, **kinds},
        "weights": {**mixed, "weights": "fnlwgt"},
        "strata": {**mixed, "strata": ["income"]},
        "imputed": {**mixed, "missing": "impute"},
        "suppressed": {**mixed, "missing": "suppress"},
    }
    for k in SIZES:
        for name, options in variants.items():
            for method in ma.methods():
                if method.mixed is not None and "time_limit" not in method.parameters:
                    case = f"adult {name} {method.name} k={k}"
                    yield case, lambda a=(3000, k, method.name), o=options: released(*a, **o)
        limits = {"l_diversity": 2, **CONFIDENTIAL}
        yield f"adult l=2 k={k}", lambda k=k, o=limits: released(3000, k, "mdav", **o)
        closeness = {"t_closeness": 0.2, **CONFIDENTIAL}
        yield f"adult t=0.2 k={k}", lambda k=k, o=closeness: released(3000, k, "mdav", **o)
        plain: dict[str, Any] = {"quasi_identifiers": NUMBERS}
        for name, options in {
            "hybrid": {"aggregate": "hybrid"},
            "medians": {"aggregate": dict.fromkeys(NUMBERS, "median"), "integers": "round"},
            "segments": {"segments": [["age"], ["education-num", "hours-per-week"]]},
            "columns": {"columns": ["age"]},
            "strata": {"strata": "sex"},
        }.items():
            case = f"adult numbers {name} k={k}"
            yield case, lambda k=k, o={**plain, **options}: released(3000, k, "mdav", **o)
        for seed in (0, 1):
            for masking, given in {
                "individual-ranking": {},
                "fuzzy": {"max_iterations": 20},
            }.items():
                options = {**plain, "seed": seed, "parameters": given}
                case = f"adult {masking} k={k} seed={seed}"
                yield case, lambda a=(2000, k, masking), o=options: released(*a, **o)


COMMANDS = {
    "numbers": "--qi age,education-num,hours-per-week --method mdav",
    "mixed": "--qi age,race,sex --id fnlwgt --confidential income --method mdav-nc",
    "blanks": "--qi age,workclass,occupation --blank ? --missing group --method mdav-nc",
    "suppressed": "--qi age,workclass --blank ? --missing suppress --method cbfs-nc",
    "strata": "--qi age,hours-per-week --strata sex --method v-mdav",
    "weights": "--qi age,hours-per-week --weights fnlwgt --method mdav",
    "rounded": "--qi age,capital-gain --round-to age=1,capital-gain=100 --method tfrp-nc",
    "integers": "--qi age,hours-per-week --integers round --method mdav --refine swap-shift",
    "diversity": "--qi age,hours-per-week --confidential income --l-diversity 2 --method mdav",
    "closeness": "--qi age,hours-per-week --confidential income --t-closeness 0.2 --method mdav",
    "segments": "--qi age,hours-per-week,capital-gain --segments age --segments "
    "hours-per-week,capital-gain --method mdav",
    "search": "--qi age,education-num,hours-per-week --method auto",
    "kinds": "--qi age,education-num,race --kinds education-num=ordinal --aggregate "
    "education-num=median,age=trimmed --method mdav",
}
"""Options of `microagg protect` on the first 2,000 records of Adult, k = 5."""


def of_commands() -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield the cases of files that the command line writes."""
    for name, options in COMMANDS.items():
        yield f"command {name}", lambda options=options: written(options)


def written(options: str) -> str:
    """Return the digests of the release and the groups that a command writes."""
    with tempfile.TemporaryDirectory() as place:
        records = Path(place, "adult.csv")
        with Path(folder(), "adult.csv").open(encoding="utf-8") as file:
            records.write_text("".join(file.readline() for _ in range(2001)), encoding="utf-8")
        command = [sys.executable, "-m", "microagg", "protect", str(records), "-k", "5"]
        output = ["-o", str(Path(place, "release.csv")), "-q"]
        subprocess.run([*command, *options.split(), *output], check=True, capture_output=True)
        files = ("release.csv", "release.groups.csv")
        return "".join(hashlib.sha256(Path(place, f).read_bytes()).hexdigest() for f in files)


def cases() -> dict[str, Callable[[], str]]:
    """Return every case by its name."""
    return {**dict(of_releases()), **dict(of_commands()), **dict(of_methods())}


def main(target: Path) -> None:
    """Compute every case that is not in the file yet, and write after each one."""
    warnings.simplefilter("ignore")
    known = json.loads(target.read_text()) if target.exists() else {}
    for name, case in cases().items():
        if name in known:
            continue
        begun = time.monotonic()
        try:
            known[name] = case()
        except Exception as error:  # noqa: BLE001  (one case must not end the others)
            print(f"{name}: {error}", file=sys.stderr)
            continue
        print(f"{time.monotonic() - begun:8.2f} s  {name}", file=sys.stderr, flush=True)
        target.write_text(json.dumps(known, indent=0) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
