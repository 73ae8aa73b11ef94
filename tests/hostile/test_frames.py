"""Random frames: a release that an independent judge accepts, or a MicroaggError; never a leak.

`MICROAGG_HOSTILE` sets how many frames are tried; `make test-all` tries 10,000 more.
"""

import os
import warnings

import pytest

import microagg as ma
from microagg.errors import MicroaggError
from tests.hostile.checker import count_of, judge, judge_units, require_discreet
from tests.hostile.frames import random_frame
from tests.hostile.seeds import rng_of

CASES = int(os.environ.get("MICROAGG_HOSTILE", "60"))
PARTS = 10
OPTIONS = {
    "missing": ["error", "group", "suppress", "impute", "keep"],
    "integers": ["float", "round"],
    "method": ["mdav", "mdav-nc", "v-mdav", "auto"],
}


def attempt(seed):
    """Protect one random frame; return whether it was released."""
    rng = rng_of(seed)
    frame = random_frame(rng)
    names = list(map(str, getattr(frame, "column_names", None) or frame.columns))
    chosen = rng.permutation(names)[: rng.integers(1, len(names) + 1)].tolist()
    options = {name: words[rng.integers(len(words))] for name, words in OPTIONS.items()}
    if rng.random() < 0.3:
        options["round_to"] = {chosen[0]: float(rng.choice([0.01, 5, 1000]))}
    k = int(rng.integers(2, 4))
    others = [name for name in names if name not in chosen]
    unit = others[rng.integers(len(others))] if others and rng.random() < 0.3 else None
    if unit is not None:
        options["unit"] = unit
    options |= other_roles(rng, [name for name in others if name != unit])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            release = ma.protect(frame, k, quasi_identifiers=chosen, **options)
        except MicroaggError as error:
            require_discreet(str(error))
            return False
        finally:
            for warning in caught:
                assert issubclass(warning.category, ma.MicroaggWarning), str(warning.message)
                require_discreet(str(warning.message))
    judge(frame, release, chosen, k)
    if unit is not None:
        judge_units(frame, release, chosen, unit, k)
    return True


def other_roles(rng, names):
    """Return options that give a role to columns which are released unchanged, mostly none."""
    if not names or rng.random() < 0.7:
        return {}
    name = names[rng.integers(len(names))]
    roles = [
        {"weights": name},
        {"strata": [name], "small_strata": str(rng.choice(["error", "merge", "suppress"]))},
        {"confidential": [name], "l_diversity": 2},
        {"kinds": {name: str(rng.choice(["continuous", "ordinal", "nominal"]))}},
    ]
    return roles[rng.integers(len(roles))]


@pytest.mark.parametrize("part", range(PARTS))
def test_random_frames_are_protected_or_refused(part, record_property):
    released = count_of(range(part, CASES, PARTS), attempt)
    record_property("frames", len(range(part, CASES, PARTS)))
    record_property("released", released)
    assert 0 < released <= CASES


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(20))
def test_many_random_frames_are_protected_or_refused(part, record_property):
    seeds = range(CASES + part, CASES + 10_000, 20)
    record_property("released", count_of(seeds, attempt))
    record_property("frames", len(seeds))
