"""The built site works in a real browser: `make site` builds it and runs this."""

import functools
import http.server
import os
import re
import shutil
import threading
from pathlib import Path

import pytest

import microagg as ma

SITE = os.environ.get("MICROAGG_SITE")
CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)

pytestmark = [
    pytest.mark.skipif(SITE is None, reason="the site is not built (make site)"),
    pytest.mark.timeout(300),
]
PAGES = ["index.html", "quickstart.html", "methods/index.html", "api/microagg.protect.html"]
PAGES += ["notebooks/quickstart.html", "guides/is-it-safe.html"]


@pytest.fixture(scope="module")
def address():
    """Serve the site on this computer; return its address."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=SITE)
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser():
    """Start Chromium, or skip where there is none."""
    api = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no browser (chromium is not installed)")
    with api.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser):
    """Open a tab that records errors and requests."""
    tab = browser.new_page()
    tab.faults, tab.asked = [], []
    tab.on(
        "console",
        lambda message: tab.faults.append(message.text) if message.type == "error" else None,
    )
    tab.on("pageerror", lambda error: tab.faults.append(str(error)))
    tab.on("request", lambda request: tab.asked.append(request.url))
    yield tab
    tab.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_error_and_asks_no_other_host(page, address, name):
    page.goto(f"{address}/{name}", wait_until="networkidle")
    assert page.locator("h1").count() == 1
    assert page.faults == []
    outside = [url for url in page.asked if not url.startswith((address, "data:", "blob:"))]
    assert outside == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_has_the_colours_of_the_readers_system(page, address, scheme):
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{address}/quickstart.html", wait_until="networkidle")
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    assert page.locator("[class*='theme-switch']").count() > 0


def test_a_page_has_a_version_a_sidebar_and_buttons_that_copy(page, address):
    page.goto(f"{address}/quickstart.html", wait_until="networkidle")
    assert ma.__version__ in page.locator(".bd-header").inner_text()
    assert page.locator(".bd-sidebar-primary a").count() > 10
    assert page.locator("button.copybtn").count() >= 5


def test_search_finds_t_closeness(page, address):
    page.goto(f"{address}/search.html?q=t-closeness", wait_until="networkidle")
    page.wait_for_selector("#search-results li")
    assert "beyond-k.html" in page.locator("#search-results").inner_html()
    assert page.faults == []


def test_the_table_of_methods_can_be_filtered(page, address):
    page.goto(f"{address}/methods/index.html", wait_until="networkidle")
    rows = page.locator(".methods-table tbody tr:visible")
    every = rows.count()
    assert every == len(ma.methods())
    page.get_by_label("Filter methods").fill("mdav")
    assert 0 < rows.count() < every
    page.get_by_label("Filter methods").fill("")
    page.get_by_label("mixed records").check()
    assert 0 < rows.count() < every


def test_the_table_of_methods_can_be_sorted(page, address):
    page.goto(f"{address}/methods/index.html", wait_until="networkidle")
    heading = page.get_by_role("button", name="Census")
    losses = page.locator(".methods-table tbody tr td:nth-child(4)")
    for falling in (False, True):
        heading.click()
        values = [float(text.rstrip("*")) for text in losses.all_inner_texts()]
        assert values == sorted(values, reverse=falling)
    assert page.faults == []


def test_every_public_name_has_a_page():
    pages = {path.stem for path in (Path(SITE) / "api").glob("microagg.*.html")}
    assert pages == {f"microagg.{name}" for name in ma.__all__ if name != "__version__"}


def test_the_guide_quotes_the_figures_of_the_notebook():
    """Both pages have them in their first table."""
    pages = [
        Path(SITE) / name for name in ("notebooks/analysis.html", "guides/analysis-quality.html")
    ]
    tables = [
        re.search(r"<tbody>.*?</tbody>", page.read_text("utf-8"), re.DOTALL)[0] for page in pages
    ]
    figures = [re.findall(r"\b0\.\d{3}\b", table) for table in tables]
    assert len(figures[0]) == 10
    assert figures[0] == figures[1]


def test_pages_are_light():
    heavy = [path for path in Path(SITE).rglob("*.html") if path.stat().st_size > 1_500_000]
    assert heavy == []


def test_nothing_is_loaded_from_another_host():
    pattern = re.compile(r"""<(?:script|img|link)[^>]+(?:src|href)="(https?:)?//""")
    for path in Path(SITE).rglob("*.html"):
        assert not pattern.search(path.read_text(encoding="utf-8")), path.name
