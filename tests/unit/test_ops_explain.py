"""The page that explains a ranking: the numbers of the retrieval service, escaped, whatever was asked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from include.domain.documents import Status
from include.ranking.explain import explained
from include.wiring.application import Application
from tests.ops_library import HOSTILE_TEXT, HOSTILE_TITLE, SOURCE, document, shelf
from tests.ops_pages import FakeAccess, application_in, served, without_index

COUNTED = ("similarity", "recency", "canonical", "pinned")
VIEWER = {"x-user": "viewer"}
DATED: dict[str, Any] = {
    "created_at_origin": "front matter date",
    "created_at_trust": "high",
    "created_at_precision": "day",
}
OLD: dict[str, Any] = {"created_at": "2025-03-02T00:00:00.000000Z", **DATED}
NEW: dict[str, Any] = {"created_at": "2026-03-02T00:00:00.000000Z", **DATED}


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Application:
    return shelf(
        tmp_path_factory.mktemp("explained"),
        document(
            "deck-2026.md", "The sales deck: what we sell to clubs.", title="Sales deck", is_canonical=True, **NEW
        ),
        document(
            "deck-2025.md",
            "The sales deck: what we sold to clubs.",
            title="Sales deck of old",
            status=Status.SUPERSEDED,
            superseded_by=["deck-2026.md"],
            is_current=False,
            **OLD,
        ),
        document("hostile/page.md", f"A sales deck for clubs. {HOSTILE_TEXT}", title=HOSTILE_TITLE, pinned=True, **OLD),
        document("hidden.md", "The sales deck that nobody may see.", status=Status.ARCHIVED),
        document("heat.md", "What to do in great heat."),
    )


@pytest.fixture(scope="module")
def client(application: Application) -> TestClient:
    return TestClient(served(application, FakeAccess()))


def asked(client: TestClient, **query: str | int) -> str:
    answer = client.get("/truecopy/explain", params=query, headers=VIEWER)
    assert answer.status_code == 200, answer.text
    return answer.text


def rows(page: str) -> Mapping[str, str]:
    """The words of each candidate's row, by document, in the order of the page."""
    found = {}
    for row in re.findall(r"<tr(?: class=\"out\")?>\s*<td class=\"lead\">.*?</tr>", page, re.DOTALL):
        doc_id = re.search(r"<bdi>(.*?)</bdi>", row)
        assert doc_id
        found[doc_id[1]] = " ".join(re.sub(r"<[^>]+>", " ", row).split())
    return found


def test_the_page_shows_every_candidate_with_the_numbers_of_the_retrieval_service(
    application: Application, client: TestClient
) -> None:
    records = explained(application.retrieve("the latest sales deck for clubs", limit=2).placed)
    page = asked(client, q="the latest sales deck for clubs", limit=2)
    found = rows(page)
    assert list(found) == [
        record["doc_id"]
        for record in sorted(records, key=lambda each: (not each["shown"], each["suppressed"] == "below the first 2"))
    ]
    for record in records:
        row = found[record["doc_id"]]
        for value in (
            record["score"],
            *(record["parts"][name] for name in COUNTED),
        ):
            assert f"{value:.3f}" in row
        for leg in record["chunks"][0]["legs"].values():
            assert f"{leg['score']:.3f} #{leg['rank']}" in row
        assert (record["date"]["value"] or record["date"]["note"])[:10] in row
    assert "latest: says \u201clatest\u201d" in re.sub(r"</?strong>", "", page)


def test_what_is_suppressed_says_by_what_and_hidden_documents_are_no_candidates(client: TestClient) -> None:
    page = asked(client, q="sales deck for clubs")
    assert f"superseded by {SOURCE}:deck-2026.md, which stands in its place" in rows(page)["deck-2025.md"]
    assert "2025-03-02 front matter date , trust high" in rows(page)["deck-2025.md"]
    assert "hidden.md" not in page


def test_intent_and_time_may_be_said_by_whoever_asks(client: TestClient) -> None:
    assert "asked for by the caller: history" in asked(client, q="sales deck", intent="history")
    page = asked(client, q="sales deck for clubs", as_of="2025-03")
    assert "(2025-03-01 to 2025-04-01)" in page
    assert next(iter(rows(page))) == "deck-2025.md"


def test_titles_and_texts_stay_text_and_every_document_is_linked(client: TestClient) -> None:
    page = asked(client, q="sales deck for clubs <script>alert(1)</script>")
    assert "<script>alert" not in page
    assert "onerror=alert(1)&gt;" in page
    assert 'href="/truecopy/document/handbook/hostile%2Fpage.md"' in page
    assert "style=" not in page


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ({"as_of": "last week"}, "is no day (2024-05-01)"),
        ({"as_of": "2099"}, "lies ahead"),
        ({"as_of": "2025", "intent": "latest"}, "leave one of them out"),
        ({"intent": "yesterday"}, "there is no intent"),
        ({"source": "nope"}, "there is no source"),
        ({"q": "word " * 900}, "nothing is cut silently"),
    ],
)
def test_what_cannot_be_asked_is_said_beside_the_question(client: TestClient, query: dict[str, str], said: str) -> None:
    answer = client.get("/truecopy/explain", params={"q": "sales deck", **query}, headers=VIEWER)
    assert answer.status_code == 422
    assert said in answer.text
    assert '<form class="filters ask"' in answer.text


def test_an_index_that_is_not_there_is_said_and_not_created(tmp_path: Path) -> None:
    application = without_index(application_in(tmp_path, SOURCE), tmp_path)
    answer = TestClient(served(application, FakeAccess())).get("/truecopy/explain?q=deck", headers=VIEWER)
    assert answer.status_code == 503
    assert "the folder does not exist" in answer.text
    assert not (tmp_path / "none").exists()


def test_strangers_ask_nothing(client: TestClient) -> None:
    assert client.get("/truecopy/explain?q=deck").status_code == 401
    assert client.get("/truecopy/explain?q=deck", headers={"x-user": "nobody"}).status_code == 403
