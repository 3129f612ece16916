"""Exported pages in a real headless Chromium, served on loopback by a server that notes what it is asked for.

Chromium and its driver are the system's (Debian: chromium, chromium-driver), Selenium comes from PyPI. Where one is
missing the tests are skipped, unless CI is set: then they fail.
"""

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from builder import SessionBuilder
from pisess_cli.core.reports.excerpt import branch_excerpt, whole_excerpt
from pisess_cli.core.session.session import Session
from pisess_cli.view.dates import date_format
from pisess_cli.view.export_html import html_page

if TYPE_CHECKING:
    from selenium.webdriver import Chrome
    from selenium.webdriver.remote.webelement import WebElement

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
DESKTOP = (1100, 900)


def give_up(reason: str) -> NoReturn:
    """Skip what needs a browser; in CI, where it must not go untested, fail."""
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def chromium() -> Iterator["Chrome"]:
    """One browser for all tests."""
    try:
        from selenium import webdriver
    except ImportError:
        give_up("selenium is not installed")
    binary = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        give_up("chromium or chromedriver is not there")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    chrome.execute_cdp_cmd("Page.enable", {})
    try:
        yield chrome
    finally:
        chrome.quit()


class Server:
    """A server on loopback that has one page."""

    def __init__(self) -> None:
        self.page = b""
        self.asked: list[str] = []
        notes = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                notes.asked.append(self.path)
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(notes.page)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    yield found
    found.close()


class Page:
    """An exported page in the browser, in verbs."""

    def __init__(self, chrome: "Chrome", server: Server) -> None:
        self.chrome = chrome
        self.server = server

    def load(self, address: str = "/page.html") -> None:
        # By way of another page, so that a fragment in the address does not keep the old one.
        self.chrome.get("about:blank")
        self.chrome.get_log("browser")  # what is told of the page before is not told again
        self.chrome.get(self.server.address + address)

    def run(self, script: str, *arguments: object) -> Any:
        return self.chrome.execute_script(script, *arguments)

    def find(self, selector: str) -> "WebElement":
        from selenium.webdriver.common.by import By

        return self.chrome.find_element(By.CSS_SELECTOR, selector)

    def press(self, *keys: str) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.chrome).send_keys(*keys).perform()

    def search(self, words: str) -> None:
        """Searches, and goes to the first hit."""
        from selenium.webdriver.common.keys import Keys

        self.find("#search").clear()
        self.find("#search").send_keys(words, Keys.ENTER)

    def choose(self, number: int) -> None:
        """Chooses the branch that stands in the list at that place, from 0."""
        self.find(f"#branch option:nth-child({number + 1})").click()

    @property
    def shown(self) -> list[str]:
        """The texts of the entries that are shown."""
        found: list[str] = self.run(
            "return [...document.querySelectorAll('article')].filter(e => !e.hidden)"
            ".map(e => e.querySelector('.body').textContent)"
        )
        return found

    @property
    def focused(self) -> str:
        """The text of the entry that has the focus, or the id of what else has it."""
        found: str = self.run("const e = document.activeElement; return e.querySelector('.body')?.textContent ?? e.id")
        return found

    @property
    def hits(self) -> str:
        found: str = self.run("return document.getElementById('hits').value")
        return found

    def resize(self, width: int, height: int, *, is_phone: bool = False) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone}
        self.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def emulate(self, *, media: str = "screen", scheme: str = "light") -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})


@pytest.fixture
def show(chromium: "Chrome", server: Server, tmp_path: Path) -> Callable[..., Page]:
    """Exports a session with all its branches, or the current one alone, and opens the page on a desktop."""

    def show_it(story: SessionBuilder, *, every: bool = True) -> Page:
        file = Session(story.write(tmp_path))
        excerpt = (whole_excerpt if every else branch_excerpt)(file, file.leaf, full=False)
        server.page = "".join(html_page(excerpt, date_format("iso"))).encode()
        page = Page(chromium, server)
        page.resize(*DESKTOP)
        page.emulate()
        page.load()
        return page

    return show_it
