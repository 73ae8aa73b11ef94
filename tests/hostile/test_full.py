"""Files that cannot grow beyond a size, as on a full disk: all files of a release are written, or none.

The limit on the size of files is lowered step by step, so that each write of each file fails once.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples import sample

resource = pytest.importorskip("resource")

SCRIPT = """
import json, resource, sys, warnings
from pathlib import Path
import numpy as np
import pandas as pd
import microagg as ma

warnings.simplefilter("ignore")
what, folder = sys.argv[1], Path(sys.argv[2])
frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)).round(3), columns=list("abc"))
frame.to_csv(folder / "in.csv", index=False)
options = {"quasi_identifiers": ["a", "b"]}
release = ma.protect(frame, 3, method="mdav", **options)


def write(out):
    if what == "save":
        release.save(out)
    elif what == "report":
        out.mkdir()
        names = {"data": "data.csv", "groups": "groups.csv", "provenance": "provenance.json"}
        names |= {"report": "report.html", "external_report": "external.html"}
        release.write({name: out / file for name, file in names.items()})
    else:
        small = {"block_size": 30, "within": "mdav"}
        ma.protect_file(folder / "in.csv", out, 3, memory="500MB", parameters=small, **options)


write(folder / "whole")
sizes = [path.stat().st_size for path in (folder / "whole").iterdir()]
limits = sorted({0, *range(1, 2000, 97), *sizes, *(size - 1 for size in sizes), 10**7})
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
for limit in limits:
    out, end = folder / str(limit), "written"
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        write(out)
    except ma.MicroaggError:
        end = "refused"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    left = [path.name for path in out.iterdir()] if out.exists() else []
    print(json.dumps([limit, end, left]))
"""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("what", sample(["save", "report", "file"]))
def test_a_write_that_fails_leaves_all_files_or_none(what, tmp_path, record_property):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, what, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr
    whole = {path.name for path in (tmp_path / "whole").iterdir()}
    ends = [json.loads(line) for line in done.stdout.splitlines()]
    for limit, end, left in ends:
        seen = {name for name in left if not name.startswith(".")}
        assert seen == (whole if end == "written" else set()), (limit, end, left)
    assert {end for _, end, _ in ends} == {"written", "refused"}
    record_property("limits", len(ends))
