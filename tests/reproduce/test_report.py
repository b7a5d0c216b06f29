"""The report: what the page says, and what it does in a real browser.

SCREENSHOTS=folder keeps pictures of the page, in both themes at both widths.
"""

import base64
import csv
import io
import json
import math
import os
import re
import shutil

import pytest

pytest.importorskip("plotly", reason="plotly is not installed: pip install cesaro[report]")

from cesaro.reproduce.report import html
from cesaro.reproduce.report.colours import colour, on_dark
from cesaro.reproduce.report.html import write_report
from cesaro.reproduce.results import Claim, Figure, Panel, Series

HOSTILE = '</script><img src=x onerror="document.title=1"> & <b>bold</b>'


def line(method, decay, points=12, dashed=False):
    mean = [2.0 * decay**t for t in range(points)]
    x = {"epochs": [t + 1.0 for t in range(points)], "seconds": [0.3 * (t + 1) for t in range(points)]}
    return Series(method, x, mean, [0.8 * v for v in mean], [1.2 * v for v in mean], dashed)


def figures():
    """Two figures that share methods; one has a panel without data and text that wants to be markup."""
    panels = (
        Panel("a9a", "f(w) - f*", (line("GDA", 0.7), line("SC-PDA", 0.6), line("Pegasos", 0.8)), log_y=True),
        Panel(
            "w8a", "f(w) - f*", (line("GDA", 0.7), line("SC-PDA", 0.6), line("anchored", 0.3, dashed=True)), log_y=True
        ),
    )
    claims = (
        Claim("GDA is lower than Pegasos", "2.1 times lower after 10 epochs", "reproduced"),
        Claim("always", HOSTILE, "not"),
    )
    numbers = (("method", "seconds"), ("GDA", "0.1"), (HOSTILE, "none"))
    short = ("two seeds instead of five",)
    one = Figure("figure1", "Figure 1: vectors", HOSTILE, panels, claims, short, table=numbers)
    drawn = Panel("CIFAR-10", HOSTILE, (line("GDA", 0.9), line(HOSTILE, 0.95)), note="dropout on")
    empty = Panel("CIFAR-100", "loss", note="CIFAR-100 is not here: set CESARO_DATA")
    partly = Claim("a slight edge", "0.4 points, in 2 of 3 seeds", "partly")
    return [one, Figure("figure2", "Figure 2: a network", "Loss.", (drawn, empty), (partly,))]


def links(page):
    """File name -> text of what the page offers for download."""
    found = re.findall(r'<a download="([^"]+)" href="data:[^;]+;base64,([^"]+)"', page)
    return {name: base64.b64decode(text).decode() for name, text in found}


def test_the_downloads_carry_the_numbers(tmp_path):
    page = write_report(figures(), tmp_path).read_text(encoding="utf-8")
    found = links(page)
    assert set(found) == {"figure1.json", "figure1.csv", "figure2.json", "figure2.csv"}
    (tmp_path / "figure1.json").write_text(found["figure1.json"], encoding="utf-8")
    assert Figure.load(tmp_path / "figure1.json") == figures()[0]
    rows = list(csv.DictReader(io.StringIO(found["figure1.csv"])))
    assert len(rows) == 6 * 12
    assert rows[1]["panel"] == "a9a"
    assert (float(rows[1]["epochs"]), float(rows[1]["mean"])) == (2.0, 1.4)


def test_pictures_are_linked_where_they_are(tmp_path):
    (tmp_path / "figure2.pdf").write_bytes(b"%PDF")
    page = write_report(figures(), tmp_path).read_text(encoding="utf-8")
    assert 'href="figure2.pdf"' in page
    assert 'href="figure2.png"' not in page


def test_a_number_that_is_none_becomes_a_gap(tmp_path):
    broken = Series("GDA", {"epochs": [1.0, 2.0]}, [1.0, math.nan], [1.0, 1.0], [1.0, math.inf])
    page = write_report([Figure("figure9", "Nine", "", (Panel("p", "y", (broken,)),))], tmp_path).read_text(
        encoding="utf-8"
    )
    known = json.loads(re.search(r'id="data">(.*?)</script>', page).group(1))
    assert known[0]["panels"][0]["series"][0]["mean"] == [1.0, None]
    assert "NaN" not in links(page)["figure9.json"]


def test_an_unknown_verdict_is_refused(tmp_path):
    figure = Figure("figure9", "Nine", "", (), (Claim("a", "b", "maybe"),))
    with pytest.raises(ValueError, match="reproduced, partly, not: got 'maybe'"):
        write_report([figure], tmp_path)
    assert not (tmp_path / "index.html").exists()


def test_a_variant_has_the_colour_of_its_method_and_dark_colours_are_lighter():
    assert colour("GDA, as printed") == colour("GDA") != colour("unheard of")
    assert int(on_dark("anchored")[1:3], 16) > int(colour("anchored")[1:3], 16)
    assert on_dark("SC-RDA") == colour("SC-RDA")  # bright enough as it is


def test_of_what_was_measured_the_first_sentence_is_shown_and_the_rest_unfolds():
    assert html.measured("At most 0.5 of it. So it <holds>. Always.") == (
        "<p>At most 0.5 of it.</p><details><summary>more</summary><p>So it &lt;holds&gt;. Always.</p></details>"
    )
    assert html.measured("At most 0.5 of it.") == "<p>At most 0.5 of it.</p>"


# From here on in a browser.


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed: pip install cesaro[test]")
    programs = shutil.which("chromium") or shutil.which("chromium-browser"), shutil.which("chromedriver")
    if None in programs:
        pytest.skip("no browser: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = programs[0]
    quiet = "disable-gpu disable-quic no-first-run disable-background-networking disable-component-update disable-sync"
    for flag in ("headless=new", "no-sandbox", "disable-dev-shm-usage", *quiet.split()):
        options.add_argument(f"--{flag}")
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(programs[1]))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def loaded(browser, tmp_path_factory):
    """The page, from disk, with the network cut off."""
    browser.execute_cdp_cmd("Network.enable", {})
    offline = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
    browser.get(write_report(figures(), tmp_path_factory.mktemp("report")).as_uri())
    return browser


@pytest.fixture
def page(loaded):
    """The page, fresh, on a desk."""
    look(loaded, 1280)
    loaded.refresh()
    return loaded


def look(browser, width, theme="light"):
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    features = [{"name": "prefers-color-scheme", "value": theme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def lines(browser):
    """How many lines one sees in each panel; the edges of the bands have no width."""
    wide = "[...p.querySelectorAll('.js-line')].filter(e => parseFloat(e.style.strokeWidth) > 0).length"
    return browser.execute_script(f"return [...document.querySelectorAll('.drawing')].map(p => {wide})")


def axes(browser):
    said = "[p.querySelector('.xtitle').textContent, p.layout.yaxis.type]"
    found = browser.execute_script(f"return [...document.querySelectorAll('.drawing')].map(p => {said})")
    return [tuple(pair) for pair in found]


def press(browser, selector):
    browser.find_element("css selector", selector).click()


def test_the_page_loads_from_disk_without_a_word_in_the_console(page):
    assert [entry["message"] for entry in page.get_log("browser")] == []
    assert page.title == "cesaro: the paper, reproduced"


def test_every_figure_is_drawn_and_what_is_missing_says_so(page):
    drawn = page.execute_script(
        "return [...document.querySelectorAll('section')].map(s => [s.id, s.querySelectorAll('.main-svg').length > 0])"
    )
    assert drawn == [["statements", False], ["figure1", True], ["figure2", True], ["environment", False]]
    assert page.find_element("css selector", ".missing").text == "CIFAR-100 is not here: set CESARO_DATA"


def test_text_stays_text(page):
    assert HOSTILE in page.find_element("css selector", "#figure1 .caption").text
    assert not page.find_elements("css selector", "img, section b b, .drawing b")
    assert "<b>bold</b>" in page.find_element("css selector", "#figure2 .drawing .ytitle").text


def test_tables_and_what_was_shortened_are_on_the_page(page):
    assert "two seeds instead of five" in page.find_element("css selector", "#figure1 .shortened").text
    rows = [row.text for row in page.find_elements("css selector", "#figure1 tr")]
    assert rows == ["method seconds", "GDA 0.1", f"{HOSTILE} none"]


def test_claims_stand_beside_what_was_measured(page):
    said = [item.text for item in page.find_elements("css selector", "#figure1 .claims li")]
    assert "GDA is lower than Pegasos" in said[0]
    assert "2.1 times lower" in said[0]
    pills = [pill.text for pill in page.find_elements("css selector", ".claims .verdict")]
    assert pills == ["reproduced", "not reproduced", "partly reproduced"]


def test_every_statement_is_in_one_table_with_its_verdict_and_its_command(page):
    rows = [row.text for row in page.find_elements("css selector", "#statements tbody tr")]
    assert len(rows) == 3
    assert "GDA is lower than Pegasos" in rows[0]
    assert "reproduced" in rows[0]
    assert "cesaro reproduce figure1" in rows[0]
    badges = page.find_elements("css selector", "#statements .verdict")
    assert [badge.get_attribute("class") for badge in badges] == ["verdict reproduced", "verdict not", "verdict partly"]


def test_switching_a_method_off_takes_it_out_of_all_figures(page):
    before = lines(page)
    press(page, "#figure1 [data-method='GDA']")
    after = lines(page)
    assert [b - a for b, a in zip(before, after, strict=True)] == [1, 1, 1]
    assert page.find_element("css selector", "#figure2 [data-method='GDA']").get_attribute("aria-pressed") == "false"
    press(page, "#figure2 [data-method='GDA']")
    assert lines(page) == before


def test_the_scale_and_the_axis_can_be_chosen(page):
    assert axes(page)[0] == ("epochs", "log")
    press(page, "[data-y='linear']")
    press(page, "[data-x='seconds']")
    assert axes(page) == [("seconds", "linear")] * 3
    press(page, "[data-y='log']")
    assert {scale for _, scale in axes(page)} == {"log"}
    press(page, "[data-y='own']")
    press(page, "[data-x='epochs']")
    assert axes(page) == [("epochs", "log"), ("epochs", "log"), ("epochs", "linear")]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_sticks_out_at_any_width_in_either_theme(loaded, width, theme):
    look(loaded, width, theme)
    loaded.refresh()
    assert (
        loaded.execute_script("return document.documentElement.scrollWidth <= window.innerWidth && window.innerWidth")
        == width
    )
    outside = """return [...document.querySelectorAll('.main-svg, button, li, p, h2')].filter((e) => {
        const box = e.getBoundingClientRect(); return box.left < 0 || box.right > innerWidth; }).length"""
    assert loaded.execute_script(outside) == 0
    dark = loaded.execute_script("return document.documentElement.dataset.theme") == "dark"
    assert dark == (theme == "dark")
    if folder := os.environ.get("SCREENSHOTS"):
        height = loaded.execute_script("return document.documentElement.scrollHeight")
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        loaded.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        loaded.save_screenshot(f"{folder}/report_{width}_{theme}.png")


def test_the_theme_can_be_switched_by_hand(page):
    ground = "return getComputedStyle(document.body).backgroundColor"
    text = "return document.querySelector('.drawing .xtick text').style.fill"
    before = page.execute_script(ground), page.execute_script(text)
    press(page, "#theme")
    after = page.execute_script(ground), page.execute_script(text)
    assert before[0] != after[0]
    assert before[1] != after[1]
