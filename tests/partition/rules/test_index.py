"""Threads that help with searches end with the work, whatever happens."""

import threading

import pytest

from microagg.partition.rules import index


def test_helpers_end_when_another_one_cannot_start(monkeypatch):
    started = []

    class Few(threading.Thread):
        def start(self):
            if started:
                raise RuntimeError("can't start new thread")
            super().start()
            started.append(self)

    monkeypatch.setattr(index.threading, "Thread", Few)
    monkeypatch.setattr(index, "_help", lambda keeper, k, over: over.wait(60))
    with pytest.raises(RuntimeError, match="new thread"), index._helped(None, 3, 3):
        pytest.fail("the work began without all helpers")
    assert not started[0].is_alive()
