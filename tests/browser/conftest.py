"""One Airflow and one browser for all tests of the ops view."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.browser.browser import SCREENSHOTS, Browser, chromium, why_there_is_none
from tests.browser.site import Site, living_site


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    chosen = config.option.markexpr or ""
    asked_for = "browser" in chosen.replace("not browser", "")
    why = why_there_is_none() if asked_for else "`make test-browser` runs these"
    for item in items:
        if why and item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.skip(reason=why))


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    shutil.rmtree(SCREENSHOTS, ignore_errors=True)
    with living_site(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture(scope="session")
def browser(site: Site) -> Iterator[Browser]:
    """Logged in as an editor."""
    with chromium(site.url) as browser:
        browser.size(1280)
        browser.log_in("editor", site.password("editor"))
        yield browser
