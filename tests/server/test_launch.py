"""`microagg serve` as a process: its address, its end, what it leaves behind and what it logs."""

import http.cookiejar
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from microagg.cli.commands import serve
from microagg.errors import ParameterError
from microagg.server.launch import _hosts, is_loopback
from microagg.server.workspace import Workspace
from tests.examples import sample
from tests.server.pages import RECORDS


class Served:
    """A server in a process of its own, and a browser of few words."""

    def __init__(self, folder, *options):
        command = [sys.executable, "-m", "microagg", "serve", "--no-browser", *options]
        self.folder = folder
        self.process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(folder)}
        )
        self.address = re.search(r"http\S+", self.process.stderr.readline()).group()
        self.origin = self.address.partition("/?")[0]
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.browser = urllib.request.build_opener(cookies)

    def get(self, path):
        return self.browser.open(self.origin + path, timeout=100).read().decode()

    def upload(self, name="people.csv"):
        body = (
            f'--x\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
            f"{RECORDS}\r\n--x--\r\n"
        )
        headers = {"Content-Type": "multipart/form-data; boundary=x", "Origin": self.origin}
        request = urllib.request.Request(f"{self.origin}/upload", body.encode(), headers)
        return self.browser.open(request, timeout=100).geturl()

    def post(self, path, text=""):
        headers = {"Origin": self.origin}
        request = urllib.request.Request(self.origin + path, text.encode(), headers)
        return self.browser.open(request, timeout=100).geturl()

    def kept(self):
        """Return every file of the server."""
        return [path for path in self.folder.rglob("*") if path.is_file()]

    def end(self, number):
        """Send a signal, and return the exit code and what was said."""
        self.process.send_signal(number)
        said = self.process.communicate(timeout=60)[1]
        return self.process.returncode, said


@pytest.mark.parametrize("number", sample([signal.SIGINT, signal.SIGTERM, signal.SIGHUP]))
def test_everything_is_deleted_however_the_server_ends(tmp_path, number):
    served = Served(tmp_path, "--port", "0")
    served.browser.open(served.address)
    project = served.upload().rpartition("/")[0].removeprefix(served.origin)
    served.post(f"{project}/roles", "role-1=quasi-identifier&role-2=quasi-identifier")
    served.post(f"{project}/runs", "k=5&method=mdav")  # at work when the server ends
    assert any(path.name == "records.csv" for path in served.kept())
    _, said = served.end(number)
    assert not served.kept()
    assert "Traceback" not in said
    assert "Ada" not in said


@pytest.mark.slow
def test_what_a_killed_server_leaves_behind_is_deleted_by_the_next(tmp_path):
    killed = Served(tmp_path)
    killed.browser.open(killed.address)
    killed.upload()
    killed.end(signal.SIGKILL)
    assert killed.kept()
    another = Served(tmp_path)
    third = Served(tmp_path)  # which leaves the folder of the second alone
    names = [path.name for path in another.kept()]
    assert names == ["server.lock", "server.lock"]
    another.end(signal.SIGINT)
    third.end(signal.SIGINT)
    assert not third.kept()


def test_the_address_can_be_opened_as_soon_as_it_is_shown_and_works_with_its_token_alone(tmp_path):
    served = Served(tmp_path)
    try:
        with pytest.raises(urllib.error.HTTPError, match="403"):
            served.get("/")
        assert "Protect a file" in served.browser.open(served.address).read().decode()
        assert "Protect a file" in served.get("/")
        assert served.address.startswith("http://127.0.0.1:")
    finally:
        code, said = served.end(signal.SIGINT)
    assert code == 0
    assert served.address.partition("token=")[2] not in said  # shown once, in the address


def test_a_port_in_use_is_an_error_in_words(tmp_path):
    served = Served(tmp_path)
    port = served.origin.rpartition(":")[2]
    command = [sys.executable, "-m", "microagg", "serve", "--no-browser", "--port", port]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    served.end(signal.SIGINT)
    assert done.returncode == 1
    assert "cannot listen" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_names_of_a_server_are_those_of_its_address():
    assert _hosts("127.0.0.1", 80) == ("127.0.0.1:80", "localhost:80")
    assert _hosts("192.0.2.7", 80) == ("192.0.2.7:80",)
    assert "127.0.0.1:80" in _hosts("0.0.0.0", 80)
    assert [
        is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "x.org")
    ] == [*(True, True, True, False, False)]


def test_a_read_only_server_needs_a_file_and_windows_cannot_limit_memory(monkeypatch):
    with pytest.raises(ParameterError, match="needs a file"):
        serve.command(read_only=True)
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(ParameterError, match="Windows"):
        serve.command(max_memory="1GB")


def test_a_workspace_is_private_and_discards_only_its_own_folders(tmp_path):
    workspace = Workspace()
    try:
        assert workspace.folder.stat().st_mode & 0o777 == 0o700
        workspace.discard(tmp_path)
        assert tmp_path.exists()
        folder = workspace.new_folder()
        workspace.discard(folder)
        assert not folder.exists()
    finally:
        workspace.remove()
    assert not Path(workspace.folder).exists()


def test_the_first_page_needs_no_heavy_library():
    """Which keeps it below a second: those are imported once the first page is there."""
    code = """
import sys
from microagg.cli.commands import serve
from tests.server.pages import visiting
with visiting() as visitor:
    visitor.get("/")
    print(*sorted({"numba", "pandas", "pyarrow", "scipy", "sklearn"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.skipif(
    sys.platform != "linux" or os.getuid() != 0, reason="only root can become another user"
)
def test_another_user_with_the_token_is_refused(tmp_path):
    served = Served(tmp_path)
    try:
        pid = os.fork()  # the interpreter may lie where the other user cannot go
        if pid == 0:
            os.setgid(65534)
            os.setuid(65534)
            status = 0
            try:
                urllib.request.urlopen(served.address, timeout=100)
            except urllib.error.HTTPError as error:
                status = error.status
            os._exit(status % 256)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 403 % 256
        assert served.browser.open(served.address).status == 200
    finally:
        served.end(signal.SIGTERM)
