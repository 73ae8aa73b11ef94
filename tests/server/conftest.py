"""Visitors of the page."""

import pytest

pytest.importorskip("starlette")

from tests.server.pages import visiting


@pytest.fixture
def visitor():
    """Return a visitor of a new server."""
    with visiting() as visitor:
        yield visitor


@pytest.fixture(scope="module")
def finished():
    """Return a visitor, a project and the address of its finished run, for tests that only look."""
    with visiting() as visitor:
        project = visitor.upload()
        visitor.decide(project)
        run = visitor.protect(project, k="5", method="mdav")
        yield visitor, project, run
