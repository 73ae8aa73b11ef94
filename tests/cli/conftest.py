"""The command line, run in this process: fast, and with all it says kept apart."""

import signal
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

SECRETS = ("Xyzzy", "86420")  # stand for a person's values: no message may show them
RECORDS = "id,age,income,note\n" + "".join(
    f"{i},{20 + i},{86420.5 + i},Xyzzy {i}\n" for i in range(12)
)


@dataclass(frozen=True)
class Said:
    """What a command left behind."""

    code: int
    out: bytes
    err: str


@pytest.fixture
def microagg(capfdbinary, monkeypatch):
    """Return a function that runs the command line."""
    from microagg.cli.app import run

    def call(*arguments: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["microagg", *map(str, arguments)])
        capfdbinary.readouterr()
        code = 0
        try:
            run()
        except SystemExit as end:
            code = end.code or 0
        sys.stdout.flush()
        out, err = capfdbinary.readouterr()
        return Said(code, out, err.decode())

    before = signal.getsignal(signal.SIGTERM)
    yield call
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def people(tmp_path, monkeypatch) -> Path:
    """Return a file of records in a folder of its own, which is the current one."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    rng = np.random.default_rng(3)
    rows = [
        f"00{i % 7},person {i},{20 + int(rng.integers(50))},{rng.normal(3e4, 5e3):.2f},1.50,é{i}"
        for i in range(23)
    ]
    path = folder / "people.csv"
    path.write_text("zip,name,age,income,rate,note\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def records(tmp_path, monkeypatch) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    path = folder / "people.csv"
    path.write_text(RECORDS)
    return path


@pytest.fixture
def refused(microagg, records):
    """Return a function that runs a command, checks how it is refused, and gives its words."""

    def snapshot():
        return {path: path.read_bytes() for path in records.parent.rglob("*") if path.is_file()}

    def call(*arguments, code=1) -> str:
        before = snapshot()
        said = microagg(*arguments)
        assert said.code == code, said.err
        assert said.out == b""
        assert "Traceback" not in said.err
        assert "Error" in said.err
        assert not [secret for secret in SECRETS if secret in said.err]
        assert snapshot() == before
        return " ".join(said.err.replace("│", " ").split())

    return call
