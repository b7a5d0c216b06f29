"""The site that `make docs` has built: no link leads nowhere, and a real browser, without a network, shows every page whole."""

import functools
import http.server
import shutil
import threading
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

SITE = Path(__file__).parents[1] / "site"
FOUND = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
PAGES = [page for page in FOUND if not page.startswith("_static/")]
WIDTHS = {"desktop": (1280, 900), "phone": (390, 844)}


class Links(HTMLParser):
    """What a page links to or loads, and the anchors that it has."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.anchors: set[str] = set()
        self.feed((SITE / page).read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}  # type: ignore[misc]
        self.targets |= {given[name] for name in ("href", "src") if given.get(name)}  # type: ignore[misc]


@functools.cache
def links(page: str) -> Links:
    return Links(page)


def test_the_site_has_its_parts():
    wanted = ["index", "start", "guide", "api", "benchmarks", "paper", "glossary", "cite", "changelog", "contributing"]
    assert {f"{name}.html" for name in wanted} <= set(PAGES)
    assert len([page for page in PAGES if page.startswith("gallery/plot_")]) >= 10
    assert len([page for page in PAGES if page.startswith("api/cesaro.")]) > 80


def test_no_link_is_broken():
    broken = []
    for page in PAGES:
        for target in links(page).targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            path = (SITE / page).parent / unquote(parts.path) if parts.path else SITE / page
            if not path.exists():
                broken.append(f"{page}: {target}")
            elif parts.fragment and path.suffix == ".html":
                known = links(path.resolve().relative_to(SITE.resolve()).as_posix()).anchors
                if unquote(parts.fragment) not in known:
                    broken.append(f"{page}: {target}")
    assert broken == []


def test_nothing_is_loaded_from_elsewhere():
    loaded = [f"{page}: {each}" for page in PAGES for each in scripts_and_styles(page) if urlsplit(each).netloc]
    assert loaded == []


def scripts_and_styles(page: str) -> list[str]:
    """What a browser loads to show a page."""

    class Loaded(HTMLParser):
        found: list[str] = []

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            given = dict(attrs)
            if tag in ("script", "img") and given.get("src"):
                self.found.append(given["src"] or "")
            if tag == "link" and given.get("rel") in ("stylesheet", "preload", "icon"):
                self.found.append(given["href"] or "")

    parser = Loaded()
    parser.found = []
    parser.feed((SITE / page).read_text(encoding="utf-8"))
    return parser.found


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture(scope="module")
def address():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(SITE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser():
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: pip install cesaro[docs]")
    programs = shutil.which("chromium") or shutil.which("chromium-browser"), shutil.which("chromedriver")
    if None in programs:
        pytest.skip("no browser: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = programs[0]
    for flag in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "disable-gpu", "hide-scrollbars"):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(programs[1]))
    yield driver
    driver.quit()


def resize(browser, width: int, height: int) -> None:
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


@pytest.mark.parametrize("device", WIDTHS)
def test_no_page_is_wider_than_the_screen_and_none_complains(browser, address, device):
    resize(browser, *WIDTHS[device])
    browser.get_log("browser")
    wide = []
    for page in PAGES:
        browser.get(f"{address}/{page}")
        if browser.execute_script("return document.documentElement.scrollWidth > innerWidth"):
            wide.append(page)
    assert wide == []
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_every_picture_is_drawn(browser, address):
    resize(browser, *WIDTHS["desktop"])
    for page in ("index.html", "benchmarks.html", "experiments.html", "gallery/index.html"):
        browser.get(f"{address}/{page}")
        loaded = browser.execute_script(
            "const all = [...document.images]; all.forEach(i => i.loading = 'eager');"
            "return Promise.all(all.map(i => i.decode().then(() => true, () => i.src)))"
        )
        assert loaded
        assert [each for each in loaded if each is not True] == []


def test_search_finds_a_page(browser, address):
    from selenium.webdriver.support.ui import WebDriverWait

    browser.get(f"{address}/search.html?q=predict_certified")
    found = "return [...document.querySelectorAll('#search-results li a')].map(a => a.textContent)"
    results = WebDriverWait(browser, 20).until(lambda b: b.execute_script(found))
    assert any("DualAveragingClassifier" in title for title in results)


def test_the_page_is_dark_where_the_system_is(browser, address):
    grounds = {}
    for theme in ("light", "dark"):
        scheme = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", scheme)
        browser.get(f"{address}/benchmarks.html")
        browser.execute_script("localStorage.clear()")
        browser.get(f"{address}/benchmarks.html")
        grounds[theme] = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
        shown = browser.execute_script(
            "return [...document.querySelectorAll('img.chart')].filter(i => i.offsetParent).map(i => i.src)"
        )
        assert shown
        assert all(f"-{theme}.svg" in source for source in shown)
    assert grounds["light"] != grounds["dark"]


def test_formulas_are_drawn(browser, address):
    browser.get(f"{address}/linear.html")
    heights = browser.execute_script(
        "return [...document.querySelectorAll('math')].map(m => m.getBoundingClientRect().height)"
    )
    assert heights
    assert min(heights) > 5
