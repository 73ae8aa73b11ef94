"""Column names and categories that try to steer a terminal, a browser, a plot or a shell."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import microagg as ma

TURN = "\u202egnp.exe"
NAMES = [
    *("$\\frac{$", "<script>alert(1)</script>", "=1+1", "\x1b[31mred\x1b]0;x\x07", TURN),
    *("../../etc/passwd", "a\nb\r", "'\"`$(id)", "{{7*7}}", "%s%n", "💣", "A" * 300),
]
WORDS = ["<b>x</b>", "=cmd|' /C calc'!A0", "\x1b[2J", "\u2067y"]
STEERING = ["\x1b", "\x07", "\u202e", "\u2067"]
"""What must be nowhere as it is."""


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.normal(size=60).round(2) for name in NAMES})
    return frame.assign(town=rng.choice(WORDS, 60))


@pytest.fixture(scope="module")
def release(people):
    chosen = [*NAMES[:6], "town"]
    return ma.protect(people, 3, quasi_identifiers=chosen, method="mdav")


def require_safe(text, *more):
    """Raise AssertionError if a text can steer what shows it."""
    assert not [part for part in (*STEERING, *more) if part in text]


def require_safe_html(text):
    require_safe(text, "<script>", "<b>x")


@pytest.mark.filterwarnings("ignore")
def test_in_notebooks_and_summaries(release, people):
    require_safe(release.summary())
    require_safe_html(release._repr_html_())
    require_safe_html(release.partition._repr_html_())
    compared = ma.compare(people, 3, methods=["mdav"], quasi_identifiers=NAMES[:5])
    require_safe_html(compared._repr_html_())


@pytest.mark.parametrize("audience", ["internal", "external"])
def test_in_reports(release, audience, tmp_path):
    path = tmp_path / "report.html"
    release.write({"report": path}, audience=audience)
    require_safe_html(path.read_text(encoding="utf-8"))


def test_in_plots(release, tmp_path):
    pytest.importorskip("matplotlib")
    for column in (None, *NAMES[:6], "town"):
        release.plot(column).figure.savefig(tmp_path / "plot.svg")
        assert "<script>alert" not in (tmp_path / "plot.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", [["schema"], ["protect", "-k", "3", "--qi", "nothing"]])
def test_on_a_terminal(people, command, tmp_path):
    ma.write_file(people.rename(columns={"a\nb\r": "c"}), tmp_path / "people.csv")
    words = [sys.executable, "-m", "microagg", command[0], str(tmp_path / "people.csv")]
    done = subprocess.run([*words, *command[1:]], capture_output=True, timeout=110, check=False)
    said = (done.stdout + done.stderr).decode()
    assert "Traceback" not in said
    require_safe(said)
