"""Real content systems for tests; a test is skipped with the reason where one cannot be had."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cms.peers import PeerUnavailable
from tests.cms.wagtail import WagtailSite


def _started(folder: Path) -> WagtailSite:
    try:
        return WagtailSite(folder)
    except PeerUnavailable as reason:
        pytest.skip(str(reason))


@pytest.fixture
def wagtail(tmp_path: Path) -> Iterator[WagtailSite]:
    """A Wagtail of the test's own."""
    site = _started(tmp_path / "site")
    yield site
    site.stop()


@pytest.fixture(scope="module")
def shared_wagtail(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WagtailSite]:
    """One for tests that each keep to pages of their own and leave the site unharmed."""
    site = _started(tmp_path_factory.mktemp("wagtail") / "site")
    yield site
    site.stop()
