"""A signal at any line of the code that commits files leaves the whole set or nothing."""

import os
import signal
import sys
import threading
import traceback

import pytest

from microagg.data.atomic import replacing
from microagg.data.lock import LOCK, alone_in
from microagg.data.uninterrupted import Uninterrupted

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals as Unix has them")
TRACED = ("atomic.py", "lock.py", "open_folder.py", "uninterrupted.py", "contextlib.py")


def commit(folder):
    with replacing(folder / "a.csv", folder / "b.json") as beside:
        for path in beside:
            path.write_text("whole")


def work_alone(folder):
    with alone_in(folder) as held:
        held.inside.stat()


def struck_at(line, call, folder):
    """Send SIGINT before the given line of a call; return whether the call reached that line."""
    passed = 0

    def at_line(frame, event, _):
        nonlocal passed
        if event == "line":
            passed += 1
            if passed == line:
                sys.settrace(None)
                signal.raise_signal(signal.SIGINT)
        return at_line

    def at_call(frame, *_):
        return at_line if frame.f_code.co_filename.endswith(TRACED) else None

    before, ended = sys.gettrace(), False
    try:
        sys.settrace(at_call)
        call(folder)
        ended = True
    except KeyboardInterrupt as error:
        traceback.clear_frames(error.__traceback__)  # as at the end of the command
    finally:
        sys.settrace(before)
    reached = passed >= line
    assert ended != reached  # no signal is lost
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return reached


# A file that is open when the signal strikes is closed as garbage.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("call", "wanted"), [(commit, [set(), {"a.csv", "b.json"}]), (work_alone, [set()])]
)
def test_a_signal_at_any_line(call, wanted, tmp_path):
    line = 1
    while struck_at(line, call, tmp_path):
        assert {path.name for path in tmp_path.iterdir()} in wanted, line
        for path in tmp_path.iterdir():
            path.unlink()
        line += 1
    assert line > 100


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_takes_effect_at_the_end(number):
    arrived = []
    before = signal.signal(number, lambda got, _: arrived.append(got))
    try:
        with Uninterrupted():
            signal.raise_signal(number)
            assert not arrived
        assert arrived == [number]
    finally:
        signal.signal(number, before)


def test_an_ignored_signal_remains_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Uninterrupted():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_signal_ends_the_wait_for_a_lock(tmp_path, monkeypatch):
    """Another process may hold the lock for up to half a minute."""
    with alone_in(tmp_path):
        monkeypatch.setattr("time.sleep", lambda _: signal.raise_signal(signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            commit(tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == [LOCK]


def test_other_threads_defer_nothing(tmp_path):
    worker = threading.Thread(target=commit, args=[tmp_path])
    worker.start()
    worker.join()
    assert {path.name for path in tmp_path.iterdir()} == {"a.csv", "b.json"}
