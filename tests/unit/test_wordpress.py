"""The `wordpress` connector on a fake WordPress: what editors do, and what a real one only does on a bad day."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cms.wordpress_states import WordPressStates
from tests.fakes.wordpress import FakeWordPress


@pytest.fixture
def wordpress() -> Iterator[FakeWordPress]:
    with FakeWordPress.serving() as site:
        yield site


class TestOnTheFakeWordPress(WordPressStates):
    """See `wordpress_states`."""
