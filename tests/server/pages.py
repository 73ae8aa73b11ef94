"""A client that goes through the page as a browser would."""

import time
from contextlib import contextmanager

from starlette.testclient import TestClient

from microagg.server.app import Config, Server, build
from microagg.server.security import Access

HOST = "127.0.0.1:8765"
OURS = {"Origin": f"http://{HOST}"}

RECORDS = "name,age,pay,city\n" + "".join(
    f"n{i},{20 + i % 37},{1000 + 13 * (i * 7 % 50)},{'abc'[i % 3]}\n" for i in range(120)
)
ROLES = {0: "identifier", 1: "quasi-identifier", 2: "quasi-identifier", 3: "other"}

HOSTILE_NAMES = ("<script>alert(1)</script>", 'a"b', "'; DROP TABLE", "{{ x }}", "a=b, c", "--k")
HOSTILE = (
    ",".join('"' + name.replace('"', '""') + '"' for name in HOSTILE_NAMES)
    + "\n"
    + "".join(f"{i % 11},{i % 7},x{i % 3},{i % 5},{i % 13},{i}\n" for i in range(60))
)


class Visitor:
    """A browser that has opened the page."""

    def __init__(self, server, client):
        self.server, self.client = server, client

    def get(self, path, status=200):
        """Return the text of a page."""
        response = self.client.get(path)
        assert response.status_code == status, response.text
        return response.text

    def post(self, path, status=200, **data):
        """Send a form and return the response after redirections."""
        response = self.client.post(path, data=data)
        assert response.status_code == status, response.text
        return response

    def upload(self, text=RECORDS, name="people.csv"):
        """Upload a file and return the address of its project."""
        response = self.client.post("/upload", files={"file": (name, text)})
        assert response.status_code == 200, response.text
        return "/".join(response.url.path.split("/")[:3])

    def decide(self, project, roles=ROLES, status=200, **more):
        """Choose the role of each column by its number."""
        sent = {f"role-{number}": role for number, role in roles.items()}
        return self.post(f"{project}/roles", status, **sent, **more)

    def project(self, path):
        return self.server.projects[path.split("/")[2]]

    def runs(self, path):
        return [self.server.runs[id] for id in self.project(path).runs]

    def protect(self, path, **options):
        """Start a run, wait for its end and return its address."""
        self.post(f"{path}/runs", **options)
        self.wait(path)
        run = self.runs(path)[-1]
        assert run.state == "finished", (run.error, run.messages)
        return f"{path}/runs/{run.id}"

    def wait(self, path, seconds=90):
        """Wait until all runs of a project have ended."""
        deadline = time.monotonic() + seconds
        while any(run.active for run in self.runs(path)):
            assert time.monotonic() < deadline
            time.sleep(0.1)
            self.client.get("/static/mark.svg")  # lets the server's loop go on


@contextmanager
def visiting(**config):
    """Start a server and visit it."""
    server, access = Server(Config(**config)), Access((HOST,))
    base = f"http://{HOST}"
    with TestClient(build(server, access), base_url=base, headers=OURS) as client:
        client.get(f"/?token={access.token}")
        yield Visitor(server, client)
