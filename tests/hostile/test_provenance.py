"""Provenance files that somebody changed are repeated or refused; they never have another file read.

`MICROAGG_HOSTILE_PROVENANCE` sets how many files are tried; `make test-all` tries 5,000 more.
"""

import hashlib
import json
import os
import warnings

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.errors import FileError, MicroaggError, ParameterError
from microagg.provenance import difference, read
from microagg.settings import Settings
from tests.hostile.seeds import rng_of

CASES = int(os.environ.get("MICROAGG_HOSTILE_PROVENANCE", "100"))
PARTS = 5
SECRET = "z/9 secret"

VALUES = [
    *(None, True, False, 0, -1, 2, 10**400, 2**63, 1e308, 0.5, [], {}, [[]], [1], [None], [[[[]]]]),
    *("", "x", "nominal", "\0", "\ud800", "mdav", "dp-insensitive", "SECRET", ["SECRET"]),
    *(["age"], [["age", 1]], [["age"]], {"age": 1}, {"age": "SECRET"}, {"age": ["SECRET"]}),
    *({"": {}}, {"age": {"a": {"b": 1}}}, {"k": 3}),
]
"""What an entry is replaced by; SECRET becomes the path of a file."""

EXTRA = [
    *("hierarchies", "distance_tables", "kinds", "orders", "strata", "weights", "segments"),
    *("columns", "refine", "parameters", "round_to", "aggregate", "missing", "seed", "scale"),
    *("t_closeness", "data", "schema", "x"),
]
"""Arguments that the recorded release did not have."""


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    town = rng.choice(["a", "b", "c"], 40)
    return pd.DataFrame(
        {"age": rng.integers(20, 60, 40), "town": town, "ill": rng.integers(0, 2, 40)}
    )


@pytest.fixture(scope="module")
def document(people):
    release = ma.protect(
        people,
        3,
        quasi_identifiers=["age", "town"],
        confidential=["ill"],
        hierarchies={"town": [["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]]},
        l_diversity=2,
        method="mdav",
    )
    return json.dumps(release.provenance)


def places(content, path=()):
    """Yield every place of a document, as the way to it."""
    children = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in list(children):
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


def deep(depth):
    """Return a list within lists."""
    content = []
    for _ in range(depth):
        content = [content]
    return content


def mutated(rng, document, secret):
    """Return a document with one to three entries removed or replaced, or others added."""
    content = json.loads(document)
    for _ in range(rng.integers(1, 4)):
        ways = list(places(content))
        way = ways[rng.integers(len(ways))]
        if rng.random() < 0.7:  # most of what matters is among the arguments and the input
            ways = [w for w in ways if w[0] in ("arguments", "input")] or ways
            way = ways[rng.integers(len(ways))]
        parent = content
        for key in way[:-1]:
            parent = parent[key]
        value = json.loads(json.dumps(VALUES[rng.integers(len(VALUES))]).replace("SECRET", secret))
        act = rng.integers(4)
        if act == 0:
            del parent[way[-1]]
        elif act == 1 and isinstance(content.get("arguments"), dict):
            content["arguments"][EXTRA[rng.integers(len(EXTRA))]] = value
        else:
            parent[way[-1]] = deep(300) if rng.random() < 0.05 else value
    return content


def require(holds):
    """Raise AssertionError unless something holds."""
    assert holds


def attempt(path, people):
    """Repeat by a provenance file; return whether that was done."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ma.MicroaggWarning)
        try:
            recorded = read(path)
            arguments = ma.read_arguments(path)
            release = ma.protect(people, **arguments)
        except MicroaggError as error:
            require(SECRET not in str(error))
            return False
    assert isinstance(difference(recorded, release.outcome), str)
    assert SECRET not in json.dumps(release.provenance)
    return True


def verified(path, release):
    """Verify a release against a changed provenance file; errors are ours and quote nothing."""
    try:
        assert SECRET not in ma.verify(release, path).summary()
    except MicroaggError as error:
        require(SECRET not in str(error))


def repeated_among(seeds, document, people, tmp_path):
    """Try changed provenance files; return how many were repeated."""
    release = tmp_path / "release.csv"
    ma.write_file(people, release)
    secret = tmp_path / "secret.csv"
    secret.write_text(f"a;{SECRET};*\nb;{SECRET};*\nc;q;*\n")
    path = tmp_path / "provenance.json"
    repeated = 0
    for seed in seeds:
        content = mutated(rng_of(seed), document, str(secret))
        path.write_text(json.dumps(content))
        try:
            repeated += attempt(path, people)
            verified(path, release)
        except Exception as error:
            raise AssertionError(f"case {seed}: {content.get('arguments')}") from error
    return repeated


def test_changed_provenance_files_are_repeated_or_refused(
    document, people, tmp_path, record_property
):
    repeated = repeated_among(range(CASES), document, people, tmp_path)
    record_property("files", CASES)
    record_property("repeated", repeated)
    assert 0 < repeated < CASES


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(PARTS))
def test_many_changed_provenance_files(part, document, people, tmp_path, record_property):
    seeds = range(CASES + part, CASES + 5_000, PARTS)
    record_property("files", len(seeds))
    record_property("repeated", repeated_among(seeds, document, people, tmp_path))


TEXTS = [
    *("[" * 100_000, '{"a":' * 100_000, "1" * 10_000, "NaN", "\ufeff{}", "\0"),
    '{"provenance_format": [2]}',
    '{"provenance_format": 2, "input": {}, "arguments": {"k": NaN}}',
    '{"provenance_format": 2, "input": {}, "arguments": {"k": 1e999}}',
]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_text_that_is_no_provenance(text, tmp_path):
    path = tmp_path / "provenance.json"
    path.write_text(text)
    with pytest.raises(MicroaggError):
        ma.read_arguments(path)


@pytest.mark.parametrize("option", ["hierarchies", "distance_tables"])
@pytest.mark.parametrize("form", [dict, list])
def test_a_path_in_recorded_settings_is_refused(option, form, document, tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text("a;x;*\nb;x;*\nc;y;*\n")
    content = json.loads(document)
    content["arguments"].pop("hierarchies")
    entries = {"town": str(secret)}
    content["arguments"][option] = entries if form is dict else [list(e) for e in entries.items()]
    path = tmp_path / "provenance.json"
    path.write_text(json.dumps(content))
    with pytest.raises(FileError, match=f"name a file in '{option}'"):
        ma.read_arguments(path)
    with pytest.raises(FileError, match=f"name a file in '{option}'"):
        Settings.from_dict(content["arguments"])


def test_epsilon_is_not_spent_again_without_consent(people, tmp_path):
    options = {"epsilon": 1.0, "bounds": {"age": (0, 100)}}
    release = ma.protect(
        people[["age"]], 3, quasi_identifiers=["age"], method="dp-insensitive", parameters=options
    )
    paths = release.save(tmp_path / "out")
    with pytest.raises(ParameterError, match="spends its epsilon again"):
        ma.read_arguments(paths["provenance"])
    arguments = ma.read_arguments(paths["provenance"], spend_again=True)
    assert arguments["method"] == "dp-insensitive"


def _fewer(rng, names):
    """Return some of the names, at least one fewer."""
    return [str(name) for name in rng.permutation(names)[: rng.integers(0, len(names))]]


def weakened(rng, result):
    """Weaken each recorded promise so that a file that breaks the settings satisfies the record."""
    for promise in result["promises"]:
        promise |= {"k": 1} if rng.random() < 0.3 else {"columns": _fewer(rng, promise["columns"])}
    for limit in result["beyond_k"]:
        loose = {"limit": 1}
        some = [loose, *({key: _fewer(rng, limit[key])} for key in ("columns", "confidential"))]
        limit |= some[rng.integers(len(some))]
    changes = [{"k": 1}, {"columns": _fewer(rng, ["age", "pay"])}, {"unit": "case"}]
    result["units"] |= changes[rng.integers(len(changes))]
    if rng.random() < 0.2:
        result[["promises", "beyond_k", "units"][rng.integers(3)]] = None


def test_no_weaker_promise_is_verified(tmp_path, record_property):
    """The file breaks the settings; whoever weakens the recorded promises must not hide it."""
    rng = np.random.default_rng(0)
    n = 60
    frame = pd.DataFrame({"age": rng.integers(20, 60, n), "pay": rng.normal(size=n)})
    frame = frame.assign(ill=np.arange(n) % 3, stage=np.arange(n) % 4, person=np.arange(n) // 2)
    frame["case"] = np.arange(n)
    release = ma.protect(
        frame, 3, quasi_identifiers=["age", "pay"], confidential=["ill", "stage", "person"],
        identifiers=["case"], l_diversity=2, unit="person", method="mdav",
    )  # fmt: skip
    paths = release.save(tmp_path)
    assert ma.verify(paths["data"], paths["provenance"]).holds
    document = paths["provenance"].read_text()
    pd.read_csv(paths["data"]).assign(pay=frame["pay"]).to_csv(paths["data"], index=False)
    digest = hashlib.sha256(paths["data"].read_bytes()).hexdigest()
    for seed in range(60):
        content = json.loads(document)
        content["release"]["sha256"] = digest
        weakened(rng_of(seed), content["result"])
        paths["provenance"].write_text(json.dumps(content))
        try:
            assert not ma.verify(paths["data"], paths["provenance"]).holds, f"case {seed}"
        except MicroaggError as error:
            require(SECRET not in str(error))
    record_property("files", 60)
