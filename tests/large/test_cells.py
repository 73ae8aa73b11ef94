"""The repair of borders: tasks that share no group, in any order."""

import numpy as np
import pytest

import microagg as ma
from microagg.large import memory
from microagg.large.executors import local
from microagg.large.group import repair_one

GIVEN = {
    "k": 3,
    "quasi_identifiers": ["x0", "x1", "x2"],
    "identifiers": ["name"],
    "parameters": {"block_size": 60},
}


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    monkeypatch.setattr(memory, "LARGEST_PIECE", 150)


def released(folder):
    names = ("release.parquet", "groups.parquet")
    return [(folder / name).read_bytes() for name in names]


def test_no_two_cells_share_a_group_and_their_order_does_not_matter(source, tmp_path, monkeypatch):
    path = source()
    ma.protect_file(path, tmp_path / "forwards", **GIVEN)
    plain, cells = local.LocalExecutor.run, []

    def run(self, stage, plan, items, context, **options):
        if stage is repair_one:
            for cell in items:
                own = plan.work.gather("borders", cell.spans)["group"].astype(np.int64)
                lengths = [end - start for _, start, end in cell.spans]
                cells.append(set(own + np.repeat(cell.firsts, lengths)))
            plain(self, stage, plan, items[::-1], context, **options)
        return plain(self, stage, plan, items, context, **options)

    monkeypatch.setattr(local.LocalExecutor, "run", run)
    ma.protect_file(path, tmp_path / "backwards", **GIVEN)
    assert len(cells) > 3
    assert sum(map(len, cells)) == len(set.union(*cells))
    assert released(tmp_path / "backwards") == released(tmp_path / "forwards")
