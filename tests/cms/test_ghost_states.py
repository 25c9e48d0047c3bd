"""The state table of the Ghost preset, played on a real Ghost.

Runs where GHOST_URL, GHOST_ADMIN_KEY and GHOST_CONTENT_KEY name a site that may be emptied (the two keys of a custom
integration). Last played on Ghost 5.130.6 with SQLite.
"""

from __future__ import annotations

import os

import pytest
import requests

from tests.cms.ghost import RealGhost
from tests.preset_plays import Row, play, table_of
from tests.preset_sites import site_at

pytestmark = [
    pytest.mark.cms,
    pytest.mark.slow,
    pytest.mark.skipif("GHOST_URL" not in os.environ, reason="no real Ghost is given (GHOST_URL)"),
]


def ghost() -> tuple[str, RealGhost]:
    url = os.environ["GHOST_URL"].rstrip("/")
    return url, RealGhost(url, os.environ["GHOST_ADMIN_KEY"], os.environ["GHOST_CONTENT_KEY"])


@pytest.mark.parametrize("row", table_of("ghost"), ids=str)
def test_a_real_ghost_says_what_the_table_says(row: Row):
    url, cms = ghost()
    play(site_at(url, cms, key=cms.key), row)


def test_a_real_ghost_gives_the_answers_that_the_model_gives():
    url, cms = ghost()
    site = site_at(url, cms, key=cms.key)
    cms.restrict(site.one, "members")

    def ask(path: str, **params: str) -> requests.Response:
        return requests.get(f"{url}{cms.path}/{path}", params={"key": cms.key, **params}, timeout=60)

    assert ask("posts/", key="0" * 26).status_code == 401
    assert requests.get(f"{url}{cms.path}/posts/", timeout=60).status_code == 403
    assert ask(f"posts/{'0' * 24}/").status_code == 404
    beyond = ask("posts/", page="99", limit="5").json()
    assert (beyond["posts"], beyond["meta"]["pagination"]["next"]) == ([], 100)
    rows = ask("posts/", fields="id,visibility,status").json()["posts"]
    assert {"id": site.one, "visibility": "members"} in rows  # and no status
    restricted = ask(f"posts/{site.one}/").json()["posts"][0]
    assert (restricted["access"], restricted["html"]) == (False, "")
