"""READ-LEAK: what is hidden, gone or outdated leaves with an answer.

Asked through the HTTP API on an embedded index, as a reader asks. That an erasure purges every copy (RL-05) comes with
erasures; nothing that reads the index keeps answers today, and the tests here hold it to that.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from include.api.answers import Answers
from include.api.app import create_app
from include.domain.documents import DocumentKey, Status
from include.domain.manifest import RunState
from include.domain.selection import Selector
from include.settings import Settings
from include.wiring.application import Application
from tests.builders import at
from tests.cms.wordpress_states import OPEN
from tests.fakes.wordpress import FakeWordPress
from tests.known_failures.pages import publish_page, publish_pages
from tests.known_failures.site import Site

SECRET = "plutonium"


def application(folder: Path, *sources: str, engine: str = "edge") -> Application:
    return Application(
        Settings.model_validate(
            {
                "sources": {name: {"kind": "git_markdown"} for name in sources},
                "store": {"url": f"{engine}:{folder}/index", "alias": "docs"},
                "state": str(folder / "state"),
                "ledger": str(folder / "ledger"),
                "api": {"burst": 10_000},
            }
        )
    )


@contextmanager
def reader(made: Application) -> Iterator[TestClient]:
    with TestClient(create_app(Answers(made), None), "http://localhost") as client:
        yield client


def ask(client: TestClient, query: str, **options: Any) -> dict[str, Any]:
    answer = client.post("/retrieve", json={"query": query, "explain": True, **options})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def texts(answer: dict[str, Any]) -> list[str]:
    return [chunk["text"] for result in answer["results"] for chunk in result["chunks"]]


@pytest.fixture
def wordpress() -> Iterator[FakeWordPress]:
    with FakeWordPress.serving() as site:
        yield site


def everything(client: TestClient, wordpress: FakeWordPress) -> str:
    """Whatever a reader can get: questions of every intent, and every document by its id."""
    said = [
        json.dumps(ask(client, query, intent=intent, limit=20))
        for query in (SECRET, f"the latest {SECRET} memo", "protected private pending draft future")
        for intent in (None, "latest", "history", "as_of")
    ]
    for doc_id in wordpress.posts:
        answer = client.get(f"/documents/wordpress/{doc_id}")
        assert answer.status_code in (200, 404)
        said.append(answer.text)
    return "\n".join(said)


@pytest.mark.parametrize("user", ["", "viewer", "admin"])
def test_rl_03_what_wordpress_does_not_show_to_everybody_is_in_no_answer_manifest_or_file(
    wordpress: FakeWordPress, tmp_path: Path, user: str
) -> None:
    secret = f"<p>the {SECRET} memo</p>"
    states: list[dict[str, str]] = [{"password": "x"}]
    states += [{"status": status} for status in ("private", "pending", "draft", "trash", "auto-draft")]
    for rest_base in ("posts", "pages"):
        for number, state in enumerate(states):
            wordpress.create(rest_base, title=f"{SECRET} {rest_base} {number}", content=secret, **state)
        wordpress.schedule(rest_base, title=f"{SECRET} {rest_base} future", content=secret)
    public = [wordpress.create(title=f"Public {number}", content=f"<p>memo {number}</p>") for number in range(6)]
    made = application(tmp_path, "wordpress")
    site = Site(
        lambda clock: wordpress.open_connector(clock, user=user), store=made.store, embedder=made.embedder, limits=OPEN
    )
    assert site.night().state is RunState.TRUE
    with reader(made) as client:
        assert ask(client, "memo", limit=20)["results"]
        assert SECRET not in everything(client, wordpress).replace(f'"query":"{SECRET}', "")

    # What was public is hidden in each of these ways, and gone with the next night.
    for doc_id, state in zip(public[1:], states[:5], strict=True):
        wordpress.edit(doc_id, content=secret, **state)
    manifest = site.night()
    assert manifest.state is RunState.TRUE
    assert SECRET not in repr(manifest)
    with reader(made) as client:
        assert SECRET not in everything(client, wordpress)
        assert [result["doc_id"] for result in ask(client, "memo", limit=20)["results"] if result["doc_id"] in public]
        for doc_id in public[1:]:
            assert client.get(f"/documents/wordpress/{doc_id}").status_code == 404
    assert not [path for path in tmp_path.rglob("*.json") if SECRET in path.read_text(errors="replace")]


@pytest.mark.parametrize("engine", ["edge", "local"])
def test_rl_05_the_same_question_after_an_update_a_deletion_and_an_addition(tmp_path: Path, engine: str) -> None:
    """One server process that has answered before, word for word the same question each time."""
    made = application(tmp_path, "handbook", engine=engine)
    made.store.prepare(made.embedder.id, made.embedder.dimension)
    key, question = DocumentKey("handbook", "refunds"), "how many days for refunds"
    publish_page(made.store, made.embedder, "refunds", "refunds are possible for 60 days", fetched_at=at(0))
    with reader(made) as client:
        assert texts(ask(client, question)) == ["refunds are possible for 60 days"]

        publish_page(
            made.store, made.embedder, "refunds", "refunds are possible for 30 days", fetched_at=at(1), doc_version="v2"
        )
        with made.store.writing() as index:
            index.delete(Selector(key, older_than=at(0)))
        for _ in range(2):
            answer = ask(client, question)
            assert texts(answer) == ["refunds are possible for 30 days"]
            assert answer["results"][0]["doc_version"] == "v2"
        assert client.get("/documents/handbook/refunds").json()["doc_version"] == "v2"

        with made.store.writing() as index:
            index.set_payload(Selector(key), {"status": Status.STAGED.value})
        assert ask(client, question)["candidates"] == []
        assert client.get("/documents/handbook/refunds").status_code == 404

        publish_page(made.store, made.embedder, "elsewhere", "refunds are possible for 14 days")
        assert texts(ask(client, question)) == ["refunds are possible for 14 days"]

        with made.store.writing() as index:
            index.delete(Selector(DocumentKey("handbook", "elsewhere")))
        assert "14 days" not in json.dumps(ask(client, question))


@pytest.mark.parametrize("status", list(Status))
def test_rl_07_whatever_crowds_around_it_the_current_document_is_found_at_every_limit(
    tmp_path: Path, status: Status
) -> None:
    made = application(tmp_path, "handbook")
    made.store.prepare(made.embedder.id, made.embedder.dimension)
    fields: dict[str, Any] = {"superseded_by": ["now"]} if status is Status.SUPERSEDED else {}
    crowd = {f"x{number}": f"refunds are possible for 60 days ({number})" for number in range(10)}
    publish_pages(made.store, made.embedder, crowd, status=status, title="Refunds", **fields)
    publish_page(made.store, made.embedder, "now", "money back takes a month", title="Money back")
    with reader(made) as client:
        for limit in (1, 5, 6, 7):
            found = [result["doc_id"] for result in ask(client, "refunds are possible for", limit=limit)["results"]]
            if status is Status.PUBLISHED:
                assert len(found) == limit  # all are to be seen: the best of them come first
            else:
                assert found == ["now"]


def test_rl_07_a_filter_of_sources_is_part_of_the_search(tmp_path: Path) -> None:
    made = application(tmp_path, "handbook", "decks")
    made.store.prepare(made.embedder.id, made.embedder.dimension)
    crowd = {f"x{number}": f"refunds for {number} days" for number in range(20)}
    publish_pages(made.store, made.embedder, crowd, source="decks")
    publish_page(made.store, made.embedder, "one", "money back takes a month")
    with reader(made) as client:
        answer = ask(client, "refunds for days", limit=1, sources=["handbook"])
    assert [result["doc_id"] for result in answer["candidates"]] == ["one"]


@pytest.mark.parametrize("engine", ["edge", "local"])
def test_rl_08_after_eight_of_ten_points_were_deleted_pages_of_every_length_are_full(
    tmp_path: Path, engine: str
) -> None:
    made = application(tmp_path, "handbook", engine=engine)
    made.store.prepare(made.embedder.id, made.embedder.dimension)
    pages = {f"page-{n}": f"refund number {n} takes {n * 7} days of {'waiting ' * (n % 4)}" for n in range(60)}
    publish_pages(made.store, made.embedder, pages)
    left = {f"page-{number}" for number in range(0, 60, 5)}
    with reader(made) as client:
        ask(client, "refund takes days")
        with made.store.writing() as index:
            for number in range(60):
                if f"page-{number}" not in left:
                    index.delete(Selector(DocumentKey("handbook", f"page-{number}")))
        for limit in (1, 5, 11, 12, 20):
            found = [result["doc_id"] for result in ask(client, "refund takes days", limit=limit)["results"]]
            assert len(found) == len(set(found)) == min(limit, len(left))
            assert set(found) <= left
