"""A real Wagtail dies, hides behind a maintenance page or loses its data in the middle of a run: nothing is deleted."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import pytest
import requests

from include.domain.manifest import DocumentState, Manifest, RunState
from tests.cms.rich_text import new_text, to_form
from tests.cms.sync import Searchable, Sync
from tests.cms.wagtail import WagtailSite
from tests.cms.wagtail_admin import ROOT
from tests.cms.words import unique_word

pytestmark = pytest.mark.cms

LIST_PAGE = 20
PAGES = "/api/v2/pages/"
RANDOM = Random(1)
MAINTENANCE = "<!doctype html><title>Maintenance</title><h1>We will be back soon</h1>"


@dataclass
class Night:
    """A true index of a site whose list has three pages, and what it held before the trouble."""

    site: WagtailSite
    sync: Sync
    before: Searchable

    def run(self) -> Manifest:
        *_, manifest = self.sync.night()
        return manifest

    def live(self) -> list[int]:
        return [page.id for page in self.site.admin.pages() if page.live]

    def proxy_answers(self, *, path: str, status: object, after: int = 0, **more: object) -> None:
        """A maintenance page from the request number `after` on; seen to be there before it is counted upon."""
        process, answer = self.site.process, {"status": status, "body": MAINTENANCE, **more}
        some_page = f"{process.url}{PAGES}{self.live()[0]}/"
        process.break_with("answered by the proxy", path=path, **answer)
        seen = requests.get(some_page, allow_redirects=False, timeout=30)
        assert (seen.status_code, seen.text) == (status, MAINTENANCE)
        process.break_with("answered by the proxy", path=path, after=after, **answer)

    def assert_nothing_changed(self) -> None:
        assert self.sync.searchable() == self.before

    def mend(self) -> None:
        """The site is started again, and the next night is true."""
        assert not self.site.process.answers()
        self.site.process.mend()
        self.site.process.start()
        self.assert_true_again()

    def assert_true_again(self) -> None:
        manifest = self.run()
        assert manifest.state is RunState.TRUE, manifest.reason
        assert set(self.sync.searchable()) == set(self.site.visible())


@pytest.fixture(scope="module")
def sync(shared_wagtail: WagtailSite, tmp_path_factory: pytest.TempPathFactory) -> Sync:
    admin = shared_wagtail.admin
    first, *others = admin.pages()
    for page in others:
        admin.move(page.id, first.id)
    return Sync(shared_wagtail, tmp_path_factory.mktemp("index"))


@pytest.fixture
def night(shared_wagtail: WagtailSite, sync: Sync) -> Night:
    admin, process = shared_wagtail.admin, shared_wagtail.process
    process.mend()
    if not process.answers():  # the test before this one failed
        process.start()
    while len([page for page in admin.pages() if page.live]) <= 2 * LIST_PAGE:
        admin.copy(admin.pages()[0].id, ROOT, unique_word(RANDOM), publish=True, subpages=True)
    *_, manifest = sync.night()
    assert manifest.state is RunState.TRUE, manifest.reason
    return Night(shared_wagtail, sync, sync.searchable())


@pytest.mark.parametrize("what", ["killed before the answer", "killed during the answer"])
@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_site_that_is_killed_while_it_is_listed(night: Night, what: str, after: int) -> None:
    removed = night.live()[-2:]
    for page_id in removed:
        night.site.admin.unpublish(page_id)
    night.site.process.break_with(what, path=PAGES, after=after)
    manifest = night.run()
    assert manifest.state is RunState.UNPROVEN, manifest
    night.assert_nothing_changed()
    night.mend()
    assert not set(map(str, removed)) & night.sync.searchable().keys()


@pytest.mark.parametrize("what", ["killed before the answer", "killed during the answer"])
def test_a_site_that_is_killed_while_a_page_is_read(night: Night, what: str) -> None:
    pages, admin = night.live(), night.site.admin
    edited, gone = pages[3:9], pages[-1]
    for page_id in edited:
        admin.edit(page_id, {"body": to_form(new_text(RANDOM))})
    admin.delete(gone)
    night.site.process.break_with(what, path=f"{PAGES}{edited[2]}/")
    manifest = night.run()
    assert manifest.state is RunState.DEGRADED, manifest
    states = {outcome.doc_id: outcome.state for outcome in manifest.outcomes}
    assert states[str(edited[2])] is DocumentState.FAILED
    assert states[str(gone)] is DocumentState.KEPT, "a dead site confirms no removal"
    assert night.sync.searchable().keys() == night.before.keys()
    night.mend()
    assert str(gone) not in night.sync.searchable()


def test_a_site_that_is_killed_when_it_is_asked_before_a_removal(night: Night) -> None:
    gone = night.live()[-3:]
    for page_id in gone:
        night.site.admin.unpublish(page_id)
    night.site.process.break_with("killed before the answer", path=f"{PAGES}{gone[1]}/")
    manifest = night.run()
    assert manifest.state is RunState.DEGRADED, manifest
    assert str(gone[1]) in night.sync.searchable()
    night.mend()
    assert not set(map(str, gone)) & night.sync.searchable().keys()


@pytest.mark.parametrize("after", [0, 1])
@pytest.mark.parametrize(
    "answer",
    [
        {"status": 503, "headers": {"Retry-After": "600"}},
        {"status": 200},
        {"status": 302, "headers": {"Location": "/maintenance.html"}},
        {"status": 404},
        {"status": 410},
    ],
    ids=lambda answer: str(answer["status"]),
)
def test_a_maintenance_page_in_front_of_everything(night: Night, answer: dict[str, object], after: int) -> None:
    night.site.admin.unpublish(night.live()[-1])
    night.proxy_answers(path="/", after=after, **answer)
    assert night.run().state is RunState.UNPROVEN
    night.assert_nothing_changed()
    night.site.process.mend()
    night.assert_true_again()


@pytest.mark.parametrize("status", [503, 200, 404])
def test_a_maintenance_page_in_front_of_single_pages_only(night: Night, status: int) -> None:
    """Each page by itself is not there, the list is. A 404 for a page that is gone proves nothing then."""
    night.site.admin.unpublish(night.live()[-1])
    night.proxy_answers(path=PAGES, only_below=True, status=status)
    manifest = night.run()
    assert manifest.state is RunState.DEGRADED, manifest
    night.assert_nothing_changed()
    night.site.process.mend()
    night.assert_true_again()


def test_a_database_that_is_gone_and_comes_back(night: Night) -> None:
    night.site.admin.unpublish(night.live()[-1])
    with night.site.process.without_database():
        manifest = night.run()
        assert manifest.state is RunState.UNPROVEN, manifest
    night.assert_nothing_changed()
    night.assert_true_again()


def test_a_database_without_pages_in_its_place(night: Night) -> None:
    with night.site.process.without_database(in_its_place=night.site.process.template):
        manifest = night.run()
        assert manifest.state is RunState.UNPROVEN, manifest
        assert "an empty list proves nothing" in manifest.reason
    night.assert_nothing_changed()
    night.assert_true_again()
