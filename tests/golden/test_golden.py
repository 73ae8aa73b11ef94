"""Groups, releases and files are those of the last version, bit for bit.

`digests.json` holds what `python -m tests.golden.cases` computed with version 0.1. A case whose rule is
changed on purpose gets a new digest in the same commit, and a line in CHANGELOG.md.
"""

import json
import warnings
from pathlib import Path

import pytest

from tests.golden.cases import cases

DIGESTS = json.loads((Path(__file__).parent / "digests.json").read_text(encoding="utf-8"))
CASES = cases()

SAMPLE = {
    *(f"command {name}" for name in ("mixed", "blanks")),
    *(f"adult {name} k=3" for name in ("blanks mdav", "weights mdav-nc", "strata v-mdav", "l=2")),
    *(f"adult {name} k=5" for name in ("blanks, gower mdav-nc", "imputed cbfs-nc", "t=0.2")),
    *(f"adult numbers {name} k=10" for name in ("hybrid", "medians", "segments")),
    *(f"adult {name} seed=0" for name in ("individual-ranking k=3", "fuzzy k=3")),
    *(f"tarragona {m} k=5 seed=0" for m in ("mdav", "v-mdav", "optimal-1d", "npn-mhm", "k-ward")),
    *(f"census {m} k=3 seed=0" for m in ("cbfs-nc", "tfrp-i", "kwdr", "mdav-mhm", "omma", "lns")),
    *(f"eia {m} k=10 seed=0" for m in ("mdav-nc", "hilbert-mhm", "gap-width", "hanani", "blocks")),
    *(f"census mdav + {step} k=3" for step in ("decompose-2018", "swap-shift")),
}
"""Quick cases of every kind: methods of each family, refinements, maskings, mixed records, commands."""


MARKED = [pytest.param(name, marks=[] if name in SAMPLE else [pytest.mark.slow]) for name in CASES]


def test_every_case_has_a_digest_and_the_sample_exists():
    assert DIGESTS.keys() >= CASES.keys()
    assert CASES.keys() >= SAMPLE


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", MARKED)
def test_as_in_the_last_version(data_folder, name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert CASES[name]() == DIGESTS[name]
