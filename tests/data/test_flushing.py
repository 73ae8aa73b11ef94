"""Files are on the disk before they get their names, so that a power cut leaves no empty file."""

import os

from microagg.data.atomic import replacing


def test_every_file_is_flushed_before_any_is_renamed(tmp_path, monkeypatch):
    targets = [tmp_path / "data.csv", tmp_path / "provenance.json"]
    done = []
    plain = os.replace

    def replace(source, target, **more):
        done.append("renamed")
        plain(source, target, **more)

    monkeypatch.setattr(os, "fsync", lambda descriptor: done.append(os.fstat(descriptor).st_ino))
    monkeypatch.setattr(os, "replace", replace)
    with replacing(*targets) as beside:
        for path in beside:
            path.write_text("whole", encoding="utf-8")
    assert done == [*(target.stat().st_ino for target in targets), "renamed", "renamed"]
