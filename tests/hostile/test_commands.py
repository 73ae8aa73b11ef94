"""Random frames through `compare` with a target, through `engine=`, and roles of changed provenance files.

`MICROAGG_HOSTILE_COMPARED`, `MICROAGG_HOSTILE_ENGINES` and `MICROAGG_HOSTILE_ROLES` set how many are
tried; `make test-all` tries 1,000, 1,000 and 2,000 more.
"""

import json
import os
import warnings

import numpy as np
import pytest
from click.testing import CliRunner

import microagg as ma
from microagg.cli.app import app
from microagg.engine import has_gpu
from microagg.errors import MicroaggError
from tests.hostile.checker import count_of, plain, require_discreet
from tests.hostile.frames import MARK, random_frame
from tests.hostile.seeds import rng_of
from tests.hostile.test_large import random_table
from tests.hostile.test_provenance import SECRET, document, mutated, people

__all__ = ["document", "people"]

COMPARED = int(os.environ.get("MICROAGG_HOSTILE_COMPARED", "3"))
ENGINES = int(os.environ.get("MICROAGG_HOSTILE_ENGINES", "12"))
ROLES = int(os.environ.get("MICROAGG_HOSTILE_ROLES", "12"))
PARTS = 10


def names_of(frame):
    """Return the column names of any frame."""
    return list(map(str, getattr(frame, "column_names", None) or frame.columns))


def outcome_of(call):
    """Return the result of a call, or our error as text; neither it nor a warning quotes a value."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            return call()
        except MicroaggError as error:
            require_discreet(str(error))
            return str(error)
        finally:
            for warning in caught:
                assert issubclass(warning.category, ma.MicroaggWarning), str(warning.message)
                require_discreet(str(warning.message))


def compared(case, folder):
    """Compare settings for a random frame and target; return whether there is a comparison."""
    rng = rng_of(case)
    frame = random_frame(rng) if rng.random() < 0.3 else random_table(rng)
    names = names_of(frame)
    chosen = rng.permutation(names)[: rng.integers(1, min(len(names), 4) + 1)].tolist()
    target = names[rng.integers(len(names))]
    cache = folder / f"{case}.jsonl"
    found = outcome_of(
        lambda: ma.compare(
            frame,
            [2, 3] if rng.random() < 0.2 else 2,  # a model is fitted for each
            methods=["mdav"],
            quasi_identifiers=chosen,
            target=target if rng.random() < 0.8 else None,
            missing=str(rng.choice(["error", "keep", "suppress"])),
            cache=cache if rng.random() < 0.5 else None,
        )
    )
    if cache.exists():
        assert MARK not in cache.read_text(encoding="utf-8")
        assert cache.stat().st_mode & 0o077 == 0
    if isinstance(found, str):
        return False
    require_discreet(repr(found))
    require_discreet("\n".join(map(str, found.cautions)))
    return True


def same_on_every_engine(case):
    """Protect a random frame by each engine; return whether it was released."""
    rng = rng_of(case)
    frame = random_frame(rng)
    names = names_of(frame)
    chosen = rng.permutation(names)[: rng.integers(1, len(names) + 1)].tolist()
    options = {
        "quasi_identifiers": chosen,
        "method": str(rng.choice(["mdav", "v-mdav"])),
        "missing": str(rng.choice(["error", "keep", "group"])),
    }
    found = {
        engine: outcome_of(lambda e=engine: ma.protect(frame, 3, engine=e, **options))
        for engine in ("cpu", "auto", "cuda", "none of these")
    }
    assert "must be" in found["none of these"]
    if not has_gpu():
        assert isinstance(found.pop("cuda"), str)
    words = {each for name, each in found.items() if isinstance(each, str) and " " not in name}
    if isinstance(found["cpu"], str):
        assert words == {found["cpu"]}
        return False
    assert not words
    for name in found.keys() - {"cpu", "none of these"}:
        assert plain(found[name].data).equals(plain(found["cpu"].data))
        assert np.array_equal(found[name].partition.labels, found["cpu"].partition.labels)
    return True


def roles_taken(case, document, source, folder):
    """Take the roles of a changed provenance file on the command line; return whether that was done."""
    rng = rng_of(case)
    secret = folder / "secret.csv"
    secret.write_text(f"a;{SECRET};*\nb;{SECRET};*\nc;q;*\n")
    path, output = folder / "roles.json", folder / f"{case}.csv"
    path.write_text(json.dumps(mutated(rng, document, str(secret))))
    command = ["protect", str(source), "-k", "3", "--provenance", str(path), "-o", str(output)]
    result = CliRunner().invoke(app, [*command, "--method", "mdav", "--quiet"])
    error = result.exception
    assert error is None or isinstance(error, MicroaggError | SystemExit), repr(error)
    assert SECRET not in result.output + str(error)
    written = sorted(each.name for each in folder.glob(f"{case}.*"))
    whole = [f"{case}.csv", f"{case}.groups.csv", f"{case}.provenance.json"]
    assert written == (whole if result.exit_code == 0 else [])
    for each in written:
        assert SECRET not in (folder / each).read_text(encoding="utf-8")
    return result.exit_code == 0


@pytest.fixture
def source(people, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    ma.write_file(people, folder / "people.csv")
    return folder / "people.csv"


def test_compared_frames(tmp_path, record_property):
    record_property("compared", count_of(range(COMPARED), compared, tmp_path))
    record_property("frames", COMPARED)


def test_frames_by_every_engine(record_property):
    released = count_of(range(ENGINES), same_on_every_engine)
    record_property("released", released)
    record_property("frames", ENGINES)
    assert 0 < released <= ENGINES


def test_roles_of_changed_provenance_files(document, source, tmp_path, record_property):
    taken = count_of(range(ROLES), roles_taken, document, source, tmp_path)
    record_property("taken", taken)
    record_property("files", ROLES)
    assert 0 < taken < ROLES


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(PARTS))
def test_many_compared_frames(part, tmp_path, record_property):
    cases = range(COMPARED + part, COMPARED + 1_000, PARTS)
    record_property("compared", count_of(cases, compared, tmp_path))
    record_property("frames", len(cases))


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(PARTS))
def test_many_frames_by_every_engine(part, record_property):
    cases = range(ENGINES + part, ENGINES + 1_000, PARTS)
    record_property("released", count_of(cases, same_on_every_engine))
    record_property("frames", len(cases))


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(PARTS))
def test_many_roles_of_changed_provenance_files(part, document, source, tmp_path, record_property):
    cases = range(ROLES + part, ROLES + 2_000, PARTS)
    record_property("taken", count_of(cases, roles_taken, document, source, tmp_path))
    record_property("files", len(cases))
