"""The page in a real browser: Playwright for Python drives the computer's own Chromium.

With MICROAGG_PICTURES=docs/img, one of the tests writes pictures of the documentation.
"""

import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.pictures import PICTURES, small
from tests.server.pages import HOSTILE, HOSTILE_NAMES

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
EXPECTED = re.compile("status of 4|status of 303")
"""What the console says of answers that a test asks for."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]


class Served:
    """A server in a process of its own."""

    def __init__(self, *options):
        command = [sys.executable, "-m", "microagg", "serve", "--no-browser", *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.address = re.search(r"http\S+", self.process.stderr.readline()).group()
        self.origin = self.address.partition("/?")[0]

    def end(self):
        """End it as Ctrl-C does, and return what it said."""
        self.process.send_signal(signal.SIGINT)
        return self.process.communicate(timeout=100)[1]


@pytest.fixture(scope="module")
def served():
    server = Served()
    yield server
    said = server.end()
    assert "Error" not in said
    assert "Traceback" not in said


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        # The sandbox of Chromium does not work for root in a container.
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])


@pytest.fixture
def visit(served, browser):
    """Return a function that opens the page; any console error or outside request is a failure."""
    contexts, problems = [], []

    def requested(request):
        if not request.url.startswith((f"{served.origin}/", "data:")):
            problems.append(f"request to {request.url}")

    def said(message):
        if message.type in ("error", "warning") and not EXPECTED.search(message.text):
            problems.append(message.text)

    def open_page(**options):
        options = {"viewport": {"width": 1280, "height": 860}, "color_scheme": "light", **options}
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.on("request", requested)
        page.on("console", said)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("dialog", lambda dialog: problems.append(f"a script ran: {dialog.message}"))
        page.goto(served.address)
        assert "token" not in page.url
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not problems


@pytest.fixture
def page(visit):
    return visit()


def proceed(page, name, step):
    """Go on to another step by its link or button, and wait until that page and its script are loaded."""
    page.locator("a, button").filter(has_text=name).first.click()
    page.wait_for_url(f"**/{step}")


def choose(page, path):
    """Upload a file."""
    page.get_by_label("Drop a file").set_input_files(path)
    page.get_by_role("button", name="Read the file").click()
    page.wait_for_url("**/data")


def practise(page, name="Town"):
    """Open practice data, and go on to the options as they are suggested."""
    proceed(page, re.compile(f"^{name}$"), "data")
    proceed(page, "Continue to roles", "roles")
    proceed(page, "Continue to protection", "protection")


def protect(page, method="mdav", **options):
    """Start a run."""
    page.locator("#method").select_option(method)
    for name, value in options.items():
        page.locator(f"#{name}").fill(value)
    page.get_by_role("button", name="Protect", exact=True).click()
    page.wait_for_url("**/runs/*")


def finish(page):
    """Wait for the result that the page shows by itself when the run has ended."""
    page.locator(".verdict, .problem").first.wait_for()
    problem = page.locator(".problem")
    assert page.locator(".verdict").count(), problem.first.inner_text()


def numbers(path, n, columns=2):
    """Write a file of numbers."""
    values = np.random.default_rng(0).normal(50, 12, (n, columns)).round(3)
    names = ",".join(f"x{j}" for j in range(columns))
    np.savetxt(path, values, fmt="%.3f", delimiter=",", header=names, comments="")
    return path


def test_from_upload_to_download_with_adult(page, data_folder, tmp_path):
    choose(page, data_folder / "adult.csv")
    assert page.get_by_text("48,842").first.is_visible()
    page.get_by_role("button", name="Treat as missing").click()
    page.locator(".tiles", has_text="6,465").wait_for()
    proceed(page, "Continue to roles", "roles")
    for name in ("education-num", "capital-gain", "capital-loss", "income"):
        page.get_by_label(f"Role of {name}", exact=True).select_option("confidential")
    page.get_by_label("Role of fnlwgt").select_option("identifier")
    page.get_by_text("on the 8 chosen").wait_for()
    proceed(page, "Continue to protection", "protection")
    assert page.locator("#missing").input_value() == "keep"
    protect(page, k="4")
    finish(page)
    assert page.locator(".box").count() == 4
    with page.expect_download() as download:
        page.get_by_role("link", name="Release", exact=True).click()
    path = tmp_path / "release.csv"
    download.value.save_as(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 48_843
    assert "fnlwgt" not in lines[0]
    with page.context.expect_page() as report:
        page.get_by_role("link", name="External report").click()
    report.value.get_by_role("heading", name="Release report").wait_for()


def test_a_file_can_be_dropped_anywhere_on_the_page(page):
    page.evaluate(
        """() => { const files = new DataTransfer();
        const text = "a,b\\n" + Array.from({length: 40}, (_, i) => `${i},${i % 7}\\n`).join("");
        files.items.add(new File([text], "dropped.csv"));
        document.body.dispatchEvent(new DragEvent("drop",
            {bubbles: true, cancelable: true, dataTransfer: files})); }"""
    )
    page.wait_for_url("**/data")
    assert page.get_by_text("dropped.csv").is_visible()


def test_a_file_that_is_too_large_is_not_even_sent(browser, tmp_path):
    server = Served("--max-upload", "1kB")
    try:
        page = browser.new_page()
        page.goto(server.address)
        sent = []
        page.on("request", lambda request: sent.append(request.method))
        page.get_by_label("Drop a file").set_input_files(numbers(tmp_path / "numbers.csv", 500))
        page.get_by_role("button", name="Read the file").click()
        page.get_by_text("larger than 1 kB").wait_for()
        assert "POST" not in sent  # the icon of the page may still be on its way
        page.close()
    finally:
        server.end()


def test_a_choice_made_before_the_script_is_loaded_is_counted(page):
    proceed(page, re.compile("^Town$"), "data")
    waiting = []
    page.route("**/static/page.js", lambda route: waiting.append(route))
    page.get_by_role("link", name="Continue to roles").click(no_wait_after=True)
    page.get_by_label("Role of schooling").select_option("quasi-identifier")
    while not waiting:  # the page may be shown before it asks for its script
        page.wait_for_timeout(50)
    waiting[0].continue_()
    page.get_by_text("on the 6 chosen").wait_for()


def test_hostile_names_are_only_text(page, tmp_path):
    path = tmp_path / "<img src=x onerror=alert(1)>.csv"
    path.write_text(HOSTILE)
    choose(page, path)
    for name in HOSTILE_NAMES:
        assert page.get_by_role("rowheader", name=name, exact=True).is_visible()
    proceed(page, "Continue to roles", "roles")
    for number in (0, 1, 3, 4):
        page.locator(f"[name=role-{number}]").select_option("quasi-identifier")
        page.locator(f"[name=kind-{number}]").select_option(label="nominal")
    page.get_by_text("on the 4 chosen").wait_for()
    proceed(page, "Continue to protection", "protection")
    protect(page, k="3")
    finish(page)
    assert page.get_by_role("heading", name=HOSTILE_NAMES[0]).is_visible()
    with page.context.expect_page() as report:
        page.get_by_role("link", name="Internal report").click()
    report.value.get_by_role("heading", name=HOSTILE_NAMES[0]).wait_for()


def test_wrong_input_is_shown_at_its_field_and_can_be_corrected(page):
    practise(page)
    page.locator("#k").fill("1")
    page.get_by_role("button", name="Protect", exact=True).click()
    message = page.locator("#error-k")
    message.wait_for()
    assert "must be an integer" in message.inner_text()
    assert page.locator("#k").get_attribute("aria-invalid") == "true"
    assert "error-k" in page.locator("#k").get_attribute("aria-describedby")
    protect(page, k="5")
    finish(page)


def test_a_search_that_is_stopped_shows_its_best(page, tmp_path):
    choose(page, numbers(tmp_path / "numbers.csv", 4000))
    proceed(page, "Continue to roles", "roles")
    proceed(page, "Continue to protection", "protection")
    page.get_by_text("More about groups").click()
    page.locator("#parameters").fill("time_limit=100")
    protect(page, "lns", k="5")
    page.get_by_role("heading", name="Searching").wait_for()
    bar = page.get_by_role("progressbar")
    page.locator(".steps", has_text=re.compile(r"^[4-9] %")).wait_for()
    assert float(bar.get_attribute("value")) > 0
    keep(page, "run", 480)
    page.get_by_role("button", name="Stop").click()
    finish(page)
    assert page.get_by_text("it cannot be reproduced exactly").is_visible()
    proceed(page, "All runs", "runs")
    assert page.get_by_text("stopped early").is_visible()


def test_a_run_without_a_search_is_cancelled_and_the_page_lives_on(page, tmp_path):
    choose(page, numbers(tmp_path / "numbers.csv", 60_000, 4))
    proceed(page, "Continue to roles", "roles")
    proceed(page, "Continue to protection", "protection")
    protect(page, "mdav-nc", k="5")
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("The run was cancelled.").wait_for()
    proceed(page, "Change the options", "protection*")
    assert page.locator("#k").input_value() == "5"


def test_a_reload_in_mid_run_goes_on_where_it_was(page, tmp_path):
    choose(page, numbers(tmp_path / "numbers.csv", 3000))
    proceed(page, "Continue to roles", "roles")
    proceed(page, "Continue to protection", "protection")
    page.get_by_text("More about groups").click()
    page.locator("#parameters").fill("time_limit=12")
    protect(page, "lns", k="5")
    page.get_by_role("heading", name="Searching").wait_for()
    page.reload()
    page.get_by_role("heading", name="Searching").wait_for()
    other = page.context.new_page()  # and the overview follows it too
    other.goto(page.url.rpartition("/")[0])
    assert other.get_by_role("progressbar").is_visible()
    finish(page)
    other.get_by_text("finished").first.wait_for()


def test_a_file_of_300_000_records_leaves_the_page_responsive(page, tmp_path):
    choose(page, numbers(tmp_path / "large.csv", 300_000, 4))
    assert page.get_by_text("300,000", exact=True).is_visible()
    proceed(page, "Continue to roles", "roles")
    page.get_by_text("of 300,000 records are unique").wait_for()
    proceed(page, "Continue to protection", "protection")
    protect(page, "blocks", k="10")
    page.locator(".working").wait_for()
    other = page.context.new_page()
    other.goto(page.url.rpartition("/runs/")[0] + "/data")
    assert page.locator(".working").is_visible()  # so the answer did not wait for the run
    finish(page)
    assert page.get_by_text("k = 10").first.is_visible()


def tab_to(page, name, most=120):
    """Press Tab until something with that name has the focus, which must be visible."""
    for _ in range(most):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            """() => { const e = document.activeElement;
            const label = e.labels?.[0]?.textContent ?? "";
            return [e.getAttribute("aria-label") ?? "", label, e.textContent.trim(),
                    e.matches(":focus-visible") && getComputedStyle(e).outlineStyle]; }"""
        )
        if any(text.strip().startswith(name) for text in focused[:3] if text):
            assert focused[3] == "solid"
            return
    pytest.fail(f"{name} cannot be reached by Tab")


def test_the_whole_way_by_keyboard_alone(page):
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    tab_to(page, "Town")
    page.keyboard.press("Enter")
    page.wait_for_url("**/data")
    tab_to(page, "Continue to roles")
    page.keyboard.press("Enter")
    page.wait_for_url("**/roles")
    tab_to(page, "Role of schooling")
    page.keyboard.type("quasi")
    page.get_by_text("on the 6 chosen").wait_for()
    tab_to(page, "Continue to protection")
    page.keyboard.press("Enter")
    page.wait_for_url("**/protection")
    tab_to(page, "k, the minimum")
    page.keyboard.press("Control+a")
    page.keyboard.type("4")
    tab_to(page, "Effort of auto")
    page.keyboard.type("quick")
    page.keyboard.press("Enter")
    tab_to(page, "Protect")
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs/*")
    finish(page)
    tab_to(page, "Release")
    with page.expect_download():
        page.keyboard.press("Enter")


def keep(page, name, height=860):
    """Keep a picture for the documentation."""
    if PICTURES:
        page.set_viewport_size({"width": 1180, "height": height})
        page.evaluate("scrollTo(0, 0)")
        content = small(page.screenshot(animations="disabled"))
        assert len(content) < 120_000
        Path(PICTURES, f"serve-{name}.png").write_bytes(content)


def faults(page):
    """Return what axe-core takes for serious or critical."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing")
    violations = axe.Axe().run(page).response["violations"]
    return [
        f"{page.url}: {each['id']}: {node['html'][:120]}"
        for each in violations
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]


def overflow(page):
    """Return how far the page is wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth - innerWidth")


@pytest.mark.parametrize(
    ("scheme", "width", "scale"),
    [("light", 1180, 1), ("dark", 820, 1), ("light", 640, 2)],
    ids=["light", "dark tablet", "zoomed to 200 %"],
)
def test_every_step_is_accessible_and_fits(visit, scheme, width, scale):
    """640 pixels at twice the scale are a window of 1,280 at 200 %."""
    size = {"width": width, "height": 860}
    page = visit(color_scheme=scheme, viewport=size, device_scale_factor=scale)
    pictures = scheme == "light" and scale == 1
    found, wide = [], {}

    def look(name, height=860):
        found.extend(faults(page))
        wide[page.url] = max(overflow(page), wide.get(page.url, 0))
        if pictures and name:
            keep(page, name, height)

    look("start", 620)
    page.get_by_role("button", name="Town", exact=True).click()
    page.get_by_role("link", name="Continue to roles").wait_for()
    look("data", 800)
    proceed(page, "Continue to roles", "roles")
    page.get_by_role("button", name="Continue to protection").wait_for()
    look("roles", 930)
    proceed(page, "Continue to protection", "protection")
    page.locator("#about-method", has_text="Chooses").wait_for()
    look("protection", 1100)
    for summary in page.locator("form > details > summary").all():
        summary.click()
    look("")
    protect(page, "auto", k="5")
    page.get_by_role("button", name="Stop").wait_for()
    look("")
    finish(page)
    look("result", 1000)
    page.get_by_role("button", name="Try k").click()
    page.wait_for_url("**/runs")
    look("")
    page.locator("[data-events]").wait_for(state="detached")
    assert page.locator("tbody tr").count() == 3
    look("map", 960)
    assert not found
    assert max(wide.values()) <= 0, wide


def test_the_content_policy_holds(served, browser):
    """What a hostile file might try, if it got into the page, is refused by the browser."""
    context = browser.new_context()
    page = context.new_page()
    said, answered = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("response", lambda response: answered.append(response.url))
    page.goto(served.address)
    page.evaluate(
        """() => { const s = document.createElement("script"); s.textContent = "window.ran = 1";
        const i = document.createElement("img"); i.src = "http://evil.example/x.png";
        const f = document.createElement("iframe"); f.src = "http://evil.example/";
        const n = document.createElement("script"); n.src = "http://evil.example/x.js";
        document.body.append(s, i, f, n);
        document.body.setAttribute("onclick", "window.ran = 2"); document.body.click(); }"""
    )
    refused = page.evaluate("fetch('http://evil.example/').then(() => false, () => true)")
    page.wait_for_timeout(500)
    assert refused
    assert page.evaluate("window.ran") is None
    assert sum("Content Security Policy" in text for text in said) >= 6
    assert not [url for url in answered if not url.startswith(served.origin)]
    cookies = context.cookies()
    assert [(c["httpOnly"], c["sameSite"]) for c in cookies] == [(True, "Strict")]
    context.close()


def test_the_page_works_without_scripts(served, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.goto(served.address)
    practise(page)
    page.locator("#method").select_option("mdav")
    page.get_by_role("button", name="Protect", exact=True).click()
    finish(page)  # the page asks again by itself
    context.close()
