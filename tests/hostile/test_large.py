"""Random files that are protected piece by piece: a release that an independent judge accepts, or an error.

Mixed columns, dates, blanks, strata and weights, in a file of any format or in a folder of parts.
`MICROAGG_HOSTILE_LARGE` sets how many files are tried; `make test-all` tries 2,000 more.
"""

import csv
import os
import shutil
import warnings

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import microagg as ma
from microagg.errors import MicroaggError
from microagg.large import memory
from tests.examples import sample
from tests.hostile.checker import plain, require_discreet
from tests.hostile.frames import ARROW, MARK, blanked, categories, random_names
from tests.hostile.seeds import rng_of

CASES = int(os.environ.get("MICROAGG_HOSTILE_LARGE", "40"))
PARTS = 4
USUAL = {
    **{name: ARROW[name] for name in ("int64", "float64", "date32", "timestamp us", "bool")},
    "town": lambda rng, n: pa.array([f"{MARK}{t}" for t in rng.choice(["a", "b", "c,d"], n)]),
    "dictionary": categories,
}
"""What files mostly hold; every other type comes now and then."""
OPTIONS = {
    "missing": ["error", "group", "suppress", "keep", "keep"],
    "integers": ["float", "round"],
}
PRIVATE = ("groups", "provenance", "summary")
OTHERS = ("stratum", "weight", "person")


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    monkeypatch.setattr(memory, "LARGEST_PIECE", 29)


def random_table(rng):
    """Return a table of mixed columns, some with blanks, a stratum and weights."""
    n, columns = int(rng.integers(12, 120)), {}
    for name in random_names(rng, int(rng.integers(1, 6))):
        if not name and rng.random() < 0.8:
            continue  # a column without a name is always refused
        kinds = USUAL if rng.random() < 0.85 else ARROW
        column = kinds[list(kinds)[rng.integers(len(kinds))]](rng, n)
        columns[name] = blanked(rng, column) if rng.random() < 0.3 else column
    columns["stratum"] = pa.array([f"{MARK}{i}" for i in rng.integers(0, 2, n)])
    columns["weight"] = pa.array(rng.uniform(0.5, 3, n).round(2))
    columns["person"] = pa.array([f"{MARK}{i}" for i in rng.integers(0, max(n // 3, 4), n)])
    return pa.table(columns)


def write_source(rng, table, folder):
    """Write a table as one file or as parts; return its path."""
    suffix = (".parquet", ".csv", ".tsv", "parts")[rng.integers(4)]
    if suffix != "parts":
        path = folder / f"people{suffix}"
        ma.write_file(table, path)
        return path
    hive = rng.random() < 0.5
    cuts = sorted(rng.integers(0, table.num_rows + 1, 2).tolist())
    for number, (first, last) in enumerate(zip([0, *cuts], [*cuts, table.num_rows], strict=True)):
        inner = folder / "people" / (f"year={number}" if hive else "")
        inner.mkdir(parents=True, exist_ok=True)
        rows = table.slice(first, last - first)
        pq.write_table(rows, inner / f"part-{number}.parquet", row_group_size=17)
    return folder / "people"


def attempt(seed, folder):
    """Protect one random file; return whether it was released."""
    rng = rng_of(seed)
    table = random_table(rng)
    folder.mkdir()
    names = [name for name in table.column_names if name not in OTHERS] or ["weight"]
    chosen = rng.permutation(names)[: rng.integers(1, len(names) + 1)].tolist()
    options = {name: words[rng.integers(len(words))] for name, words in OPTIONS.items()}
    if rng.random() < 0.3:
        options |= {"strata": ["stratum"], "small_strata": str(rng.choice(["merge", "suppress"]))}
    if rng.random() < 0.3 and "weight" not in chosen:
        options["weights"] = "weight"
    k = int(rng.integers(2, 4))
    if rng.random() < 0.3:
        options["unit"] = "person"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            source = write_source(rng, table, folder)
            release = ma.protect_file(
                source, folder / "out", k, quasi_identifiers=chosen, memory="500MB",
                parameters={"block_size": 30, "within": "mdav"}, **options,
            )  # fmt: skip
        except MicroaggError as error:
            require_discreet(str(error))
            return False
        except pa.ArrowException:  # of the writer of parts, for types that no file can hold
            assert not (folder / "out").exists()
            return False
        finally:
            for warning in caught:
                require_discreet(str(warning.message))
    judge_files(source, release, chosen, k)
    if "unit" in options:
        judge_units(table, release, chosen, k)
    return True


def judge_units(table, release, chosen, k):
    """Raise AssertionError unless k different persons have each combination of released values."""
    released = as_text(release.paths["data"])
    assert "person" not in released.columns
    persons = pd.Series(table["person"].to_pylist()).iloc[rows_of(release)]
    keys = [released[name] for name in chosen]
    assert persons.reset_index(drop=True).groupby(keys, dropna=False).nunique().min() >= k


def judge_files(source, release, chosen, k):
    """Raise AssertionError unless the written files hold k, and other columns are as they were."""
    original, released = as_text(source), as_text(release.paths["data"])
    sizes = released.groupby(chosen, dropna=False).size()
    assert sizes.min() >= k, "a combination of quasi-identifiers belongs to fewer than k records"
    rows = rows_of(release)
    assert len(released) == len(rows)
    kept = original.iloc[rows].reset_index(drop=True)
    for name in released.columns:
        if name not in chosen:
            assert kept[name].equals(released[name]), f"an untouched column changed: {name!r}"
    require_discreet(release.summary())
    assert ma.verify(release.paths["data"], release.paths["provenance"]).holds
    folder = release.paths["data"].parent
    assert {path.name for path in folder.iterdir()} == {p.name for p in release.paths.values()}
    for what, path in release.paths.items():
        for each in [path, *path.rglob("*")]:
            assert what not in PRIVATE or each.stat().st_mode & 0o077 == 0


def rows_of(release):
    """Return the rows of the original that were released, from 0."""
    groups = as_text(release.paths["groups"])
    assert groups["row"].astype(int).tolist() == list(range(1, len(groups) + 1))
    return groups["original_row" if "original_row" in groups else "row"].astype(int) - 1


def as_text(path):
    """Return a file, or the parts of one, as text in pandas, by other readers than ours."""
    if path.is_dir():
        parts = sorted(each for each in path.rglob("*") if each.is_file())
        assert all(part.name.startswith("part-") for part in parts)  # and no half file among them
        return pd.concat([as_text(part) for part in parts], ignore_index=True)
    if path.suffix == ".parquet":
        file = pq.ParquetFile(path)  # whose reader takes nested dictionaries group by group alone
        groups = [plain(file.read_row_group(i)) for i in range(file.num_row_groups)]
        return pd.concat([plain(file.schema_arrow.empty_table()), *groups], ignore_index=True)
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream, delimiter="\t" if path.suffix == ".tsv" else ","))
    return pd.DataFrame(rows[1:], columns=rows[0])


def released_among(seeds, folder):
    """Try some files; return how many were released."""
    released = 0
    for seed in seeds:
        try:
            released += attempt(seed, folder / str(seed))
        except Exception as error:
            raise AssertionError(f"case {seed}") from error
        shutil.rmtree(folder / str(seed))
    return released


@pytest.mark.parametrize("part", sample(range(PARTS)))
def test_random_files_are_protected_or_refused(part, tmp_path, record_property):
    seeds = range(part, CASES, PARTS)
    released = released_among(seeds, tmp_path)
    record_property("files", len(seeds))
    record_property("released", released)
    assert 0 < released <= len(seeds)


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(10))
def test_many_random_files_are_protected_or_refused(part, tmp_path, record_property):
    seeds = range(CASES + part, CASES + 2_000, 10)
    record_property("files", len(seeds))
    record_property("released", released_among(seeds, tmp_path))
