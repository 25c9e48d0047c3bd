"""Each row of the state table in a preset, played on a model of that content system over real HTTP.

The table in the YAML file is the list of cases: what the list says, what is said by id, and what becomes of the index
after one night without any webhook. A row that cannot be played, or an action without a row, fails.

Ghost's rows are also played on a real Ghost by `tests/cms/test_ghost_states.py` where one is given (last: 5.130.6 with
SQLite). Strapi's answers are those recorded from 5.54.0; Contentful's and Zendesk Guide's those of their references.
"""

from __future__ import annotations

import pytest

from tests.fakes.cms_models import MODELS, ContentfulModel
from tests.preset_plays import PLAYS, ROWS, Row, became_of, play, table_of
from tests.preset_sites import TickingClock, as_anybody, site_of


def test_every_action_that_can_be_played_stands_in_a_table():
    assert {row.action for row in ROWS} == PLAYS.keys()
    assert {row.preset for row in ROWS} == MODELS.keys()


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_the_index_follows_what_the_editor_did_as_the_preset_says(row: Row):
    cms = MODELS[row.preset](TickingClock())
    if isinstance(cms, ContentfulModel):
        cms.is_rich = "embedded" in row.action
    with site_of(row.preset, cms=cms, key=as_anybody(row.preset)) as site:
        play(site, row)


@pytest.mark.parametrize("row", table_of("zendesk_guide"), ids=str)
def test_a_credential_that_sees_drafts_and_restricted_articles_makes_no_difference_to_the_index(row: Row):
    with site_of(row.preset, key="right") as site:
        PLAYS[row.action].before(site)
        site.night()
        before = site.indexed()
        PLAYS[row.action].act(site)
        site.clock.turn(hours=1)
        manifest = site.night()
        assert became_of(before.get(site.one), site.indexed().get(site.one), manifest) == row.index
        assert site.cms.requests[-1].headers["authorization"].startswith("Basic ")
