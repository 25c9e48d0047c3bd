"""Through everything editors do to a real CMS, the index holds what an anonymous reader can see, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cms.life import Mode, live
from tests.cms.wagtail import WagtailSite

pytestmark = [pytest.mark.cms, pytest.mark.slow]


@pytest.mark.parametrize(
    "mode",
    [Mode.NO_WEBHOOKS, Mode.WEBHOOKS, pytest.param(Mode.BAD_WEBHOOKS, marks=pytest.mark.sample)],  # events and nights
)
def test_two_hundred_actions_on_a_real_wagtail_leave_what_a_reader_sees(
    wagtail: WagtailSite, tmp_path: Path, mode: Mode
) -> None:
    life = live(wagtail, tmp_path, mode=mode)
    print(life)
    assert not life.differences, str(life)
    assert life.removed > 20, "a life in which nothing is removed proves nothing"
