"""A folder of parts is released with its own parts alone, whatever a killed run left behind."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import microagg as ma
from microagg.large import write


class Killed(BaseException):
    """An error that none of our handlers may catch."""


def test_a_part_that_was_not_finished_is_not_released(tmp_path, monkeypatch):
    folder = tmp_path / "people"
    folder.mkdir()
    for number in range(3):
        rows = {"age": [20.0 + number + i for i in range(40)], "pay": [float(i) for i in range(40)]}
        pq.write_table(pa.table(rows), folder / f"part-{number}.parquet")
    given = {"k": 4, "quasi_identifiers": ["age", "pay"]}
    finished = write._released
    calls = []
    # A run that was killed while it replaced folders leaves this one behind.
    (tmp_path / "out" / ".groups.old").mkdir(parents=True)

    def killed_in_the_second_part(*arguments):
        calls.append(arguments)
        if len(calls) > 1:
            raise Killed
        return finished(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(write, "_released", killed_in_the_second_part)
        with pytest.raises(Killed):
            ma.protect_file(folder, tmp_path / "out", **given)
    left = list((tmp_path / "out").rglob(".*-part-*.parquet"))
    assert left, "the run was killed while it wrote a part"
    ma.protect_file(folder, tmp_path / "out", **given)
    names = sorted(path.name for path in (tmp_path / "out" / "release").iterdir())
    assert names == [f"part-{number}.parquet" for number in range(3)]
    assert not (tmp_path / "out" / ".groups.old").exists()
