"""The report in a real browser: no console error, no outside request, and it looks like one.

With MICROAGG_PICTURES=docs/img, one of the tests writes the picture of the documentation.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pictures import PICTURES, small

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-default-apps", "--hide-scrollbars", "--enable-logging=stderr"]  # fmt: skip
needs_browser = pytest.mark.skipif(
    BROWSER is None, reason="no Chromium is installed: the report is not opened in a browser"
)


def browse(address, folder, *flags):
    log = folder / "net.json"
    command = [BROWSER, *FLAGS, f"--user-data-dir={folder / 'profile'}", f"--log-net-log={log}",
               *flags, address]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True), log


def requests(log):
    """Return the addresses that the page asked for, from the browser's own network log."""
    text = log.read_text(encoding="utf-8").rstrip().rstrip(",")
    events = json.loads(text if text.endswith("}") else text + "]}")["events"]
    asked = {str(event.get("params", {}).get("url", "")) for event in events}
    return {a for a in asked if a.startswith(("http:", "https:", "ws:"))}


@needs_browser
@pytest.mark.parametrize("audience", ["internal", "external"])
def test_opens_without_error_or_request(released, tmp_path, audience):
    path = tmp_path / "report.html"
    released[1].write({"report": path}, original=released[0], audience=audience)
    picture = tmp_path / "report.png"
    done, log = browse(
        path.as_uri(), tmp_path, "--window-size=1100,1600", f"--screenshot={picture}"
    )
    assert "CONSOLE" not in done.stderr
    own = {a for a in requests(log) if "google" not in a and "gstatic" not in a}  # the browser's
    assert not own
    assert picture.stat().st_size > 50_000


@needs_browser
def test_a_script_in_a_name_is_not_run(released, tmp_path):
    path = tmp_path / "report.html"
    released[1].write({"report": path}, original=released[0])
    done, _ = browse(path.as_uri(), tmp_path, "--dump-dom")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in done.stdout
    assert "<script" not in done.stdout


@needs_browser
def test_prints(released, tmp_path):
    path = tmp_path / "report.html"
    released[1].write({"report": path}, original=released[0])
    paper = tmp_path / "report.pdf"
    browse(path.as_uri(), tmp_path, f"--print-to-pdf={paper}")
    assert paper.read_bytes().startswith(b"%PDF")


def microagg(*words):
    subprocess.run([sys.executable, "-m", "microagg", *words], capture_output=True, check=True)


@needs_browser
@pytest.mark.slow
@pytest.mark.skipif(PICTURES is None, reason="MICROAGG_PICTURES names no folder for pictures")
def test_the_picture_of_the_documentation(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    microagg("datasets", "adult", "-o", "adult.csv")
    keys = "age,education,marital-status,race,sex"
    microagg("protect", "adult.csv", "-k", "5", "--qi", keys, "--confidential", "income",
             "-o", "release.csv", "--report", "report.html", "--quiet")  # fmt: skip
    picture = tmp_path / "report.png"
    page = (tmp_path / "report.html").as_uri()
    browse(page, tmp_path, "--window-size=1000,900", f"--screenshot={picture}")
    content = small(picture.read_bytes())
    assert len(content) < 120_000
    Path(PICTURES, "report.png").write_bytes(content)
