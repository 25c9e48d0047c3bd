"""The pictures of docs/OPS_VIEW.md: `python -m tests.browser.pictures`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from include.wiring.runs import RECONCILE
from tests.browser.browser import Browser, chromium
from tests.browser.site import CANDIDATES, Site, living_site

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"


def take(browser: Browser, site: Site) -> None:
    """Inside Airflow's UI, in the light theme, at the width of a small laptop."""
    browser.size(1280, 800)
    browser.log_in("editor", site.password("editor"))
    browser.theme("light")
    paths = {
        "ops-overview": "/",
        "ops-run": f"/runs/{RECONCILE}/{site.run_id}/guide",
        "ops-plan": f"/held/guide/{site.held.checksum}",
        "ops-review": f"/review/handbook/{next(iter(CANDIDATES))}",
        "ops-explain": "/explain?q=the latest refunds of kind 7",
    }
    for name, path in paths.items():
        browser.open()
        browser.go(path)
        browser.until(lambda: "is read from the index" not in browser.text, "the samples")
        browser.shot(name).replace(FOLDER / f"{name}.png")


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        living_site(Path(folder)) as site,
        chromium(site.url) as browser,
    ):
        take(browser, site)


if __name__ == "__main__":
    main()
