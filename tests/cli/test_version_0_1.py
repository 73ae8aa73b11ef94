"""A release of version 0.1 is made again from its provenance, to the same bytes.

The files of `version_0_1/` were written by version 0.1 from made-up records:

    microagg protect people.csv -k 3 --qi age --id name --confidential ill --p-sensitive 2
        --method mdav --set leftovers=nearest --round-to age=0.5 --strata region --decimal ,
        -o release.csv
"""

import json
from pathlib import Path

OLD = Path(__file__).with_name("version_0_1")


def test_it_is_repeated_to_the_same_bytes(microagg, tmp_path):
    target = tmp_path / "release.csv"
    said = microagg(
        *("protect", OLD / "people.csv", "--repeat", OLD / "provenance.json", "-o", target)
    )
    assert said.code == 0, said.err
    assert target.read_bytes() == (OLD / "release.csv").read_bytes()
    assert target.with_name("release.groups.csv").read_bytes() == (OLD / "groups.csv").read_bytes()
    kept = json.loads(target.with_name("release.provenance.json").read_text())
    assert kept["provenance_format"] == 2
    assert kept["arguments"]["l_diversity"] == 2  # which 0.1 called p_sensitive too
    assert kept["release"]["name"] == "release.csv"
    assert "differs from the recorded release" not in said.err


def test_an_unknown_format_is_refused(microagg, tmp_path):
    recorded = json.loads((OLD / "provenance.json").read_text())
    path = tmp_path / "provenance.json"
    path.write_text(json.dumps({**recorded, "provenance_format": 99}))
    said = microagg("protect", OLD / "people.csv", "--repeat", path)
    assert said.code == 1
    assert "is not a provenance file that this version can read" in " ".join(said.err.split())
