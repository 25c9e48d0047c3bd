"""The page of one document: what is stored, said, decided and past; found by id, title or address; what is broken hides
nothing else."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from include.domain.documents import DocumentKey, Status
from include.domain.manifest import DocumentOutcome, DocumentState, RunState
from include.domain.metadata import DocumentPatch, Hand, MetadataChange
from include.domain.review import Protection
from include.records.query_log import AskedQuestion, QueryLog, Shown
from include.records.removal_marks import FileRemovalMarks
from include.wiring.application import Application
from include.wiring.document_past import citations_of, past_of
from include.wiring.dossier import Branch, Kin, branches
from tests.builders import NOON, at
from tests.ops_library import HOSTILE_TEXT, HOSTILE_TITLE, SOURCE, candidate, document, queued, shelf
from tests.ops_pages import FakeAccess, a_night, application_in, served, without_index

OLD, NEW, HOSTILE, LONG = "decks/old.md", "decks/new.md", "odd/a b?c#d.md", "long.md"
NOTE = "created: git first commit 2026-03-01 not trusted: bulk import (90 of 90 documents bear 2026-03-01)"
LATER = "2099-01-01T00:00:00.000000Z"


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Application:
    made = shelf(
        tmp_path_factory.mktemp("documents"),
        document(
            OLD,
            "What we sold.",
            status=Status.SUPERSEDED,
            title="The deck of old",
            superseded_by=[NEW],
            is_current=False,
            created_at="2024-05-01T00:00:00.000000Z",
            created_at_origin="front matter date",
            created_at_trust="high",
            created_at_precision="month",
            date_notes=[NOTE],
        ),
        document(NEW, "What we sell.", title="The deck", supersedes=[OLD, "decks/never-indexed.md"]),
        document(HOSTILE, HOSTILE_TEXT, title=HOSTILE_TITLE, url="javascript:alert(1)"),
        document(LONG, *(f"Part {number} of a long page." for number in range(45))),
        document("two.md", "The text of before.", version="v1"),
        document("two.md", "The text of now.", "And more.", version="v2", fetched_at=at(5), status=Status.INCOMING),
    )
    queued(made, candidate(OLD))
    made.ledger.record(
        MetadataChange(
            "run-1",
            SOURCE,
            Hand.PERSON,
            "ada",
            "it sells",
            LATER,
            "doc_id",
            (DocumentPatch(NEW, {"pinned": None}, {"pinned": True}),),
        )
    )
    made.ledger.protect(
        SOURCE, {OLD: Protection(LATER, "the board quotes it", "ada", LATER)}, by="ada", message="Hold it"
    )
    FileRemovalMarks(made.state).put(DocumentKey(SOURCE, "gone.md"), NOON)
    replaced = DocumentOutcome(
        NEW, DocumentState.REPLACED, chunks=1, version="version-two", version_before="version-one"
    )
    made.manifests.save(a_night(SOURCE, 30, outcomes=(replaced,)))
    made.manifests.save(a_night(SOURCE, 6, RunState.TRUE, outcomes=(DocumentOutcome(OLD, DocumentState.KEPT),)))
    log = QueryLog(made.state, made.clock, form="plain")
    for minutes in range(25):
        asked_at = datetime.now(UTC) - timedelta(minutes=minutes)
        shown = (Shown(SOURCE, LONG, "v1", 0.5), Shown(SOURCE, NEW, "v1", 0.25))
        log.record(AskedQuestion("id", asked_at, "app", f"deck {minutes}?", "latest", (), 5, shown, 9, 3.0))
    log.close()
    return made


@pytest.fixture(scope="module")
def client(application: Application) -> TestClient:
    return TestClient(served(application, FakeAccess()))


def page(client: TestClient, path: str, status: int = 200) -> str:
    answer = client.get(f"/truecopy{path}", headers={"x-user": "viewer", "accept": "text/html"})
    assert answer.status_code == status, answer.text
    return answer.text


def words(text: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())


def test_a_page_says_where_a_document_stands_and_why(client: TestClient) -> None:
    said = words(page(client, "/document/handbook/decks%2Fold.md"))
    for part in (
        "readers find it: superseded",
        "held until 2099-01-01 by ada: the board quotes it",
        "a candidate: waits for a decision since 2026-11-01",
        "created 2024-05 front matter date high",
        NOTE,
        "1 superseded 1 2026-03-01 12:00 UTC",
        "superseded_by decks/new.md nobody",
        "content_type page source",
        "What we sold.",
        "new.md says that it replaces it",
    ):
        assert part in said
    pinned = words(page(client, "/document/handbook/decks%2Fnew.md"))
    assert "pinned: nothing happens to it by itself" in pinned
    assert "pinned no (the ledger says yes , the index does not yet) person" in pinned


def test_the_family_stands_as_a_tree_with_links(client: TestClient) -> None:
    text = page(client, "/document/handbook/decks%2Fold.md")
    (tree,) = re.findall(r'<ol class="tree">(.*?)</ol>', text, re.DOTALL)
    assert words(tree) == (
        "The deck decks/new.md published, current replaced decks/never-indexed.md decks/never-indexed.md not in the "
        "index replaced The deck of old decks/old.md superseded"
    )
    assert 'href="/truecopy/document/handbook/decks%2Fnew.md"' in tree


def test_a_tree_has_each_member_once_whatever_the_links_say() -> None:
    a, b, c = Kin("a", superseded_by=("b",)), Kin("b", superseded_by=("c",)), Kin("c", supersedes=("a", "b"))
    assert branches([a, b, c]) == [Branch(0, c), Branch(1, a), Branch(1, b)]
    circle = [Kin("a", superseded_by=("b",)), Kin("b", superseded_by=("a",)), Kin("self", supersedes=("self",))]
    assert sorted(each.kin.doc_id for each in branches(circle)) == ["a", "b", "self"]


def test_a_family_without_an_end_is_cut_and_says_so(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("include.wiring.dossier.MOST_KIN", 2)
    monkeypatch.setattr("include.ops_view.pages.document.MOST_KIN", 2)
    text = page(client, "/document/handbook/decks%2Fnew.md")
    assert text.count('class="depth-') == 2
    assert "the nearest 2; there may be more" in text


def test_versions_in_the_index_are_told_apart_and_the_readable_one_is_shown(client: TestClient) -> None:
    said = words(page(client, "/document/handbook/two.md"))
    assert "v2 2 incoming 2" in said
    assert "v1 1 published 1" in said
    assert "The text of before." in said
    assert "The text of now." not in said


def test_many_chunks_are_paged(client: TestClient) -> None:
    assert words(page(client, "/document/handbook/long.md")).count("of a long page.") == 20
    last = words(page(client, "/document/handbook/long.md?page=3"))
    assert "Part 44 of a long page." in last
    assert "41 to 45 of 45 chunks" in last


def test_past_runs_tell_what_became_of_it(application: Application, client: TestClient) -> None:
    said = words(page(client, "/document-past/handbook/decks%2Fnew.md"))
    assert "replaced version-one \u2192 version-two reconcile_index" in said
    assert "All 2 runs of the source were looked at" in said
    assert past_of(application, DocumentKey(SOURCE, NEW), seconds=0).looked == 0


def test_answers_that_showed_it_are_listed_the_newest_first(application: Application, client: TestClient) -> None:
    said = words(page(client, "/document-cited/handbook/decks%2Fnew.md"))
    assert "25 answers showed it since" in said
    assert "deck 0? latest 2 0.250 app" in said
    assert "deck 24?" not in said
    assert "No answer has shown it" in words(page(client, "/document-cited/handbook/two.md"))
    api = application.settings.api
    silent = api.model_copy(update={"query_log": api.query_log.model_copy(update={"enabled": False})})
    settings = application.settings.model_copy(update={"api": silent})
    assert citations_of(replace(application, settings=settings), DocumentKey(SOURCE, NEW)) is None


def test_what_is_not_there_is_said(client: TestClient) -> None:
    assert "Neither the index nor the ledger knows this document" in page(client, "/document/handbook/never.md", 404)
    gone = words(page(client, "/document/handbook/gone.md"))
    assert "the index holds nothing of it" in gone
    assert "removed: 2026-03-01 12:00 UTC" in gone
    page(client, "/document/nope/a.md", 404)
    assert "holds no text" in page(client, "/document-text/handbook/gone.md")
    assert "What we sold." in page(client, "/document-text/handbook/decks%2Fold.md")


@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("the DECK", {OLD, NEW}),
        ("two.md", {"two.md"}),
        ("example.org/long", {LONG}),
        ("odd/a b?c#d.md", {HOSTILE}),
        ("nothing like it", set()),
    ],
)
def test_documents_are_found_by_id_title_or_address(client: TestClient, q: str, found: set[str]) -> None:
    answer = client.get("/truecopy/document", params={"q": q}, headers={"x-user": "viewer"})
    assert answer.status_code == 200
    names = re.findall(r'<span class="mono quiet"><bdi>(.*?)</bdi>', answer.text)
    assert set(map(unescape, names)) == found


def test_markup_stays_text(client: TestClient) -> None:
    for path in (
        "/document/handbook/odd%2Fa%20b%3Fc%23d.md",
        "/document?q=odd",
        "/document?q=<script>alert(1)</script>",
    ):
        text = page(client, path)
        assert "<script>alert" not in text
        assert "onerror=alert(1)>" not in text
        assert 'href="javascript' not in text
        assert "style=" not in text
    assert words(page(client, "/document/handbook/odd%2Fa%20b%3Fc%23d.md")).count("{{ 7 * 7 }}") == 1


def test_what_cannot_be_read_hides_nothing_else(tmp_path: Path) -> None:
    application = without_index(queued(application_in(tmp_path, SOURCE), candidate(OLD)), tmp_path)
    (application.settings.ledger / "protection").mkdir()
    (application.settings.ledger / f"protection/{SOURCE}.yaml").write_text("- no\n", encoding="utf-8")
    client = TestClient(served(application, FakeAccess()))
    said = words(page(client, "/document/handbook/decks%2Fold.md"))
    assert "index: edge://" in said
    assert "the folder does not exist" in said
    assert f"protection/{SOURCE}.yaml cannot be read" in said
    assert "a candidate: waits for a decision" in said
    assert "the index holds nothing" not in said
    assert page(client, "/document?q=deck", 503)


def test_strangers_see_no_document(client: TestClient) -> None:
    for path in (
        "document",
        "document/handbook/two.md",
        "document-past/handbook/two.md",
        "document-cited/handbook/two.md",
    ):
        assert client.get(f"/truecopy/{path}").status_code == 401
        assert client.get(f"/truecopy/{path}", headers={"x-user": "nobody"}).status_code == 403
