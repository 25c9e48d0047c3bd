"""Chromium at one Airflow: logs in as a person does, looks at pages inside Airflow's frame, keeps pictures."""

from __future__ import annotations

import base64
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote

from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

HERE = Path(__file__).parent
SCREENSHOTS = HERE / "screenshots"
AXE = (HERE / "vendor" / "axe.min.js").read_text(encoding="utf-8")
PATIENCE_SECONDS = 120.0  # a run of Airflow is awaited too; a page takes a second
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--hide-scrollbars",
)

T = TypeVar("T")


def why_there_is_none() -> str:
    """Empty where Chromium and its driver are installed."""
    missing = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    return f"{' and '.join(missing)} not installed: apt-get install chromium chromium-driver" if missing else ""


@contextmanager
def chromium(url: str) -> Iterator[Browser]:
    """A browser of its own; `url` is Airflow's."""
    options = Options()
    options.binary_location = str(shutil.which("chromium"))
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(shutil.which("chromedriver"))))
    try:
        yield Browser(driver, url)
    finally:
        driver.quit()


class Browser:
    def __init__(self, driver: webdriver.Chrome, url: str) -> None:
        self.driver = driver
        self.url = url

    def log_in(self, account: str, password: str) -> None:
        """By Airflow's own login page."""
        self.driver.get(f"{self.url}/")
        self.find("input[name=username]").send_keys(account)
        self.find("input[name=password]").send_keys(password)
        self.find("button[type=submit]").click()
        self.until(lambda: "/login" not in self.driver.current_url, "the login to end")

    def size(self, width: int, height: int = 900) -> None:
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )

    def theme(self, name: str) -> None:
        """As Airflow keeps what a user has chosen. Takes effect with the next page."""
        self.driver.switch_to.default_content()
        self.driver.execute_script("localStorage.setItem('theme', arguments[0])", name)

    def open(self, path: str = "/") -> None:
        """A page of the ops view inside Airflow's UI; what follows is looked for in its frame."""
        self.driver.switch_to.default_content()
        self.driver.get(f"{self.url}/plugin/truecopy/truecopy{path}")
        self.enter()

    def enter(self) -> None:
        """Into the frame of the ops view."""
        self.driver.switch_to.default_content()
        self.driver.switch_to.frame(self.find("iframe"))
        self.find("main h1")

    def go(self, path: str) -> None:
        """Another page in the same frame. Airflow follows along, and may spell its address another way."""
        self.driver.execute_script("window.location.assign(arguments[0])", f"/truecopy{path}")
        wanted = unquote(f"/truecopy{path}".partition("?")[0])
        self.until(lambda: unquote(self.path) == wanted, f"{path} to open")
        self.find("main h1")

    def alone(self, path: str) -> None:
        """A page of the ops view by itself, without Airflow around it."""
        self.driver.switch_to.default_content()
        self.driver.get(f"{self.url}/truecopy{path}")
        self.find("main h1")

    @property
    def path(self) -> str:
        return str(self.driver.execute_script("return window.location.pathname"))

    @property
    def text(self) -> str:
        return self.find("main").text

    def find(self, css: str) -> WebElement:
        """The first one, as soon as it is there and can be seen."""

        def visible() -> WebElement | None:
            for each in self.driver.find_elements(By.CSS_SELECTOR, css):
                if each.is_displayed():
                    return each
            return None

        return self.until(visible, css)

    def link(self, text: str) -> WebElement:
        return self.until(lambda: self.driver.find_element(By.PARTIAL_LINK_TEXT, text), f"a link {text!r}")

    def until(self, found: Callable[[], T | None], what: str) -> T:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                if value := found():
                    return value
            except (NoSuchElementException, StaleElementReferenceException):
                pass
            if time.monotonic() > deadline:
                self.shot("timed-out")
                raise TimeoutError(
                    f"{what} did not appear at {self.driver.current_url} within {PATIENCE_SECONDS:.0f} s"
                )
            time.sleep(0.1)

    def shot(self, name: str) -> Path:
        """A picture of the whole window."""
        SCREENSHOTS.mkdir(exist_ok=True)
        path = SCREENSHOTS / f"{name}.png"
        picture = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
        path.write_bytes(base64.b64decode(picture))
        return path

    def overflow(self) -> int:
        """Pixels by which the page is wider than its window."""
        script = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
        return int(self.driver.execute_script(script))

    def barriers(self) -> list[str]:
        """What axe-core finds serious or critical on the page of this frame."""
        self.driver.execute_script(AXE)
        found: list[dict[str, Any]] = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "axe.run(document, {resultTypes: ['violations'], iframes: false}).then(r => done(r.violations));"
        )
        return [
            f"{each['id']}: {each['help']}: {node['html'][:150]}"
            for each in found
            if each["impact"] in ("serious", "critical")
            for node in each["nodes"][:3]
        ]

    def complaints(self) -> list[str]:
        """What the browser refused or failed at on pages of the ops view since it was last asked."""
        return [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] == "SEVERE" and "/truecopy/" in entry["message"]
        ]
