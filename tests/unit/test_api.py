"""The HTTP API on a real embedded index: who is let in, what is answered, and what never leaves."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from include.api.answers import Answers
from include.api.app import create_app
from include.api.guard import OPEN
from include.api.keys import Keyring
from include.api.messages import Answer, Document, Ready
from include.domain.dates import rfc3339
from include.domain.documents import SEARCHABLE, DocumentKey, Status
from include.domain.errors import Retriable
from include.domain.manifest import Manifest, RunState
from include.records.query_log import QueryLog
from include.settings import Settings
from include.wiring.application import Application
from include.wiring.runs import RECONCILE
from tests.builders import new_points, publish

KEY = "a-key-of-the-assistant-000"
OTHER = "a-key-of-the-support-00000"
KEYS = f"assistant:{KEY} support:{OTHER}"
LETTER = "Refunds are possible within 30 days of the purchase."


def application(folder: Path, **api: Any) -> Application:
    settings = {
        "sources": {name: {"kind": "git_markdown"} for name in ("decks", "handbook")},
        "store": {"url": f"edge:{folder}/index", "alias": "docs"},
        "state": str(folder / "state"),
        "ledger": str(folder / "ledger"),
        "api": api,
    }
    return Application(Settings.model_validate(settings))


def put(made: Application, doc_id: str, *texts: str, source: str = "decks", created: str = "", **fields: Any) -> None:
    if created:
        moment = datetime.fromisoformat(created).replace(tzinfo=UTC)
        fields |= {"created_at": rfc3339(moment), "created_at_origin": "front matter", "created_at_trust": "high"}
    fields = {"status": Status.PUBLISHED, "title": f"About {doc_id}", **fields}
    points = new_points(DocumentKey(source, doc_id), texts, dimension=made.embedder.dimension, **fields)
    with made.store.writing() as index:
        index.insert([replace(point, vector=made.embedder.embed([point.text])[0]) for point in points])


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Application:
    """Written once; no test changes it."""
    made = application(tmp_path_factory.mktemp("index"))
    put(made, "refunds", LETTER, "A form is on the last page.", created="2026-01-10", doc_family="refunds")
    put(made, "refunds-2024", "Refunds are possible within 60 days.", created="2024-02-01")
    put(made, "a/b c?d#e", "Shipping takes a week.", source="handbook")
    put(made, "old-terms", "Terms of trade, first edition.", status=Status.SUPERSEDED, superseded_by=["new-terms"])
    put(made, "new-terms", "Terms of trade, second edition.")
    for status in Status:
        put(made, f"case-{status}", f"The secret word of {status} is xylophone.", status=status)
    put(made, "led-astray", "The word before was dulcimer.", status=Status.SUPERSEDED, superseded_by=["case-archived"])
    put(made, "moved", "Opening hours are nine to five.", fetched_at=datetime(2026, 1, 1, tzinfo=UTC))
    put(made, "moved", "Opening hours are ten to six.", version="v2", fetched_at=datetime(2026, 2, 1, tzinfo=UTC))
    put(made, "moved", "Opening hours are never.", version="v3", status=Status.INCOMING)
    put(made, "foreign", "The xylophone of somebody else.", source="elsewhere")
    return made


@contextmanager
def serving(
    made: Application, *, keys: str | None = KEYS, log: QueryLog | None = None, **api: Any
) -> Iterator[TestClient]:
    """The app with other settings of `api`. With keys, the client has the assistant's."""
    settings = made.settings.model_copy(update={"api": type(made.settings.api).model_validate(api)})
    ours = replace(made, settings=settings)
    keyring = None if keys is None else Keyring(lambda: keys)
    answers = Answers(ours, log)
    answers.warm_up()
    app = create_app(answers, keyring)
    headers = {"Authorization": f"Bearer {KEY}"} if keys else {}
    with TestClient(app, "http://localhost", headers=headers, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="module")
def client(index: Application) -> Iterator[TestClient]:
    with serving(index, burst=10_000) as made:
        yield made


def ask(client: TestClient, query: str, **options: Any) -> dict[str, Any]:
    answer = client.post("/retrieve", json={"query": query, **options})
    assert answer.status_code == 200, answer.text
    Answer.model_validate(answer.json())
    return answer.json()


# --- who is let in


def test_every_path_but_the_probes_asks_for_a_key_whatever_is_behind_it(client: TestClient) -> None:
    routes = set(client.get("/openapi.json").json()["paths"])
    assert routes == {"/retrieve", "/documents/{source}/{doc_id}", "/healthz", "/readyz", "/metrics"}
    for path in [*routes - OPEN, "/docs", "/nothing", "//healthz", "/healthz/", "/HEALTHZ", "/readyz/x"]:
        for method in ("GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"):
            answer = client.request(method, path, headers={"Authorization": ""})
            assert answer.status_code == 401, (method, path)


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "Bearer",
        "Bearer ",
        f"Basic {KEY}",
        KEY,
        f"Bearer {KEY}x",
        f"Bearer {KEY[:-1]}",
        "Bearer assistant",
        "Bearer é",
    ],
)
def test_what_is_no_key_is_refused_in_words_that_help_nobody_else(client: TestClient, sent: str) -> None:
    answer = client.post("/retrieve", json={"query": "refunds"}, headers={"Authorization": sent.encode()})
    assert answer.status_code == 401
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert KEY not in answer.text


def test_without_keys_only_this_machine_s_own_names_are_answered_to(index: Application) -> None:
    with serving(index, keys=None) as open_client:
        assert ask(open_client, "refunds")["results"]
        for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:8090", ""):
            answer = open_client.post("/retrieve", json={"query": "refunds"}, headers={"Host": host})
            assert answer.status_code == 403, host


def test_a_key_that_asks_too_often_waits_and_the_other_one_does_not(index: Application) -> None:
    with serving(index, requests_per_minute=1, burst=2) as client:
        path = "/documents/decks/refunds"
        assert [client.get(path).status_code for _ in range(3)] == [200, 200, 429]
        refused = client.get(path)
        assert 50 < int(refused.headers["retry-after"]) <= 60
        assert client.get(path, headers={"Authorization": f"Bearer {OTHER}"}).status_code == 200
        assert client.get("/healthz").status_code == 200


def test_browsers_of_other_websites_are_let_in_only_where_that_is_set(index: Application) -> None:
    asking = {"Origin": "https://shop.example", "Access-Control-Request-Method": "POST"}
    with serving(index) as closed:
        answer = closed.get("/healthz", headers={"Origin": "https://shop.example"})
        assert "access-control-allow-origin" not in answer.headers
    with serving(index, cors_origins=["https://shop.example"]) as opened:
        assert opened.options("/retrieve", headers=asking).headers["access-control-allow-origin"] == asking["Origin"]
        other = opened.options("/retrieve", headers=asking | {"Origin": "https://evil.example"})
        assert "access-control-allow-origin" not in other.headers


# --- what is answered


def test_an_answer_says_what_must_be_cited(client: TestClient) -> None:
    answer = ask(client, "refunds within how many days")
    first = answer["results"][0]
    assert first["source"] == "decks"
    assert {"doc_version", "url", "status", "notice", "created_at", "updated_at", "effective_date"} <= first.keys()
    assert first["chunks"][0]["text"].startswith("Refunds are possible")
    assert answer["intent"]["kind"] == "plain"
    assert len(answer["retrieval_id"]) == 32
    assert "candidates" not in answer


def test_explain_accounts_for_every_candidate(client: TestClient) -> None:
    answer = ask(client, "latest refunds", limit=1, explain=True)
    assert answer["intent"]["kind"] == "latest"
    shown = [each for each in answer["candidates"] if each["shown"]]
    assert [each["doc_id"] for each in shown] == [each["doc_id"] for each in answer["results"]] == ["refunds"]
    assert all(each["suppressed"] for each in answer["candidates"] if not each["shown"])
    assert len(answer["candidates"]) > 5


def test_the_caller_may_ask_what_held_on_a_day(client: TestClient) -> None:
    assert ask(client, "how long are refunds possible", as_of="2026-03-01")["results"][0]["doc_id"] == "refunds"
    for as_of in ("2024-05-05", "2024-05", "2024"):
        answer = ask(client, "how long are refunds possible", as_of=as_of)
        assert answer["intent"]["kind"] == "as_of"
        assert answer["intent"]["period"]["start"].startswith("2024-0")
        assert answer["results"][0]["doc_id"] == "refunds-2024"


def test_sources_narrow_the_search_and_foreign_points_are_never_found(client: TestClient) -> None:
    everything = ask(client, "shipping xylophone refunds terms", limit=50)
    assert {each["source"] for each in everything["results"]} == {"decks", "handbook"}
    narrowed = ask(client, "shipping xylophone refunds terms", limit=50, sources=["handbook"])
    assert {each["source"] for each in narrowed["results"]} == {"handbook"}


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ({"query": ""}, "query"),
        ({"query": "  \n"}, "empty"),
        ({"query": "refund " * 700}, "tokens, the embedder takes 512"),
        ({"query": "x" * 8001}, "8001 characters"),
        ({"query": "refund", "limit": 0}, "limit"),
        ({"query": "refund", "limit": 51}, "at most 50"),
        ({"query": "refund", "sources": ["payroll"]}, "no source 'payroll'"),
        ({"query": "refund", "intent": "whatever"}, "intent"),
        ({"query": "refund", "as_of": "2024-02-31"}, "no day"),
        ({"query": "refund", "as_of": "last year"}, "as_of"),
        ({"query": "refund", "as_of": "2099"}, "lies ahead"),
        ({"query": "refund", "as_of": "2024", "intent": "latest"}, "leave one of them out"),
        ({"query": "refund", "statuses": ["archived"]}, "statuses"),
        ({"query": 7}, "query"),
        ({"query": "lone \ud800 surrogate"}, "query"),
        ([], "body"),
    ],
)
def test_what_cannot_be_asked_is_a_problem_that_says_what_is_allowed(
    client: TestClient, question: Any, said: str
) -> None:
    answer = client.post("/retrieve", content=json.dumps(question), headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem.keys() == {"type", "title", "status", "detail"}
    assert said in problem["detail"]


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[" * 30_000, b'{"query": "a"} trailing'])
def test_a_body_that_is_no_json_is_a_problem_and_no_fault(client: TestClient, body: bytes) -> None:
    answer = client.post("/retrieve", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("declared", [True, False])
def test_a_body_is_read_up_to_its_limit_whatever_it_declares(client: TestClient, declared: bool) -> None:
    body = json.dumps({"query": "x" * 70_000}).encode()
    pieces = body if declared else iter([body[:40_000], body[40_000:]])
    answer = client.post("/retrieve", content=pieces, headers={"Content-Type": "application/json"})
    assert answer.status_code == 413
    assert answer.json()["status"] == 413


def test_what_is_not_there_is_a_problem_too(client: TestClient) -> None:
    for method, path, status in (("GET", "/nothing", 404), ("GET", "/retrieve", 405), ("POST", "/healthz", 405)):
        answer = client.request(method, path)
        assert (answer.status_code, answer.json()["status"]) == (status, status)


# --- documents, and what never leaves


def test_a_document_is_its_newest_readable_version(client: TestClient) -> None:
    found = client.get("/documents/decks/moved").json()
    Document.model_validate(found)
    assert found["doc_version"] == "v2"
    assert [chunk["text"] for chunk in found["chunks"]] == ["Opening hours are ten to six."]
    assert found["chunk_count"] == 1


def test_a_date_is_told_with_how_exact_it_is_and_how_far_it_is_trusted(tmp_path: Path) -> None:
    made = application(tmp_path)
    known = {"created_at_precision": "year", "effective_date": "2024-05-01T00:00:00.000000Z"}
    known |= {"effective_date_origin": "text, effective", "effective_date_trust": "low"}
    put(made, "almanac", "The tides of the harbour.", created="2024-01-01", **known, effective_date_precision="month")
    with serving(made) as client:
        shown = ask(client, "tides of the harbour", explain=True)
        document = client.get("/documents/decks/almanac").json()
    assert (shown["results"][0]["date"]["value"][:10], shown["results"][0]["date"]["precision"]) == (
        "2024-05-01",
        "month",
    )
    for told in (shown["results"][0], shown["candidates"][0], document):
        assert {name: told[name] for name in ("created_at_origin", "created_at_trust", "created_at_precision")} == {
            "created_at_origin": "front matter",
            "created_at_trust": "high",
            "created_at_precision": "year",
        }
        assert (told["effective_date_trust"], told["effective_date_precision"]) == ("low", "month")
        assert (told["updated_at"], told["updated_at_precision"], told["expires_at_trust"]) == (None, "", "")


def test_any_id_can_be_asked_for(client: TestClient) -> None:
    for path in ("a%2Fb%20c%3Fd%23e", "a/b%20c%3Fd%23e"):
        assert client.get(f"/documents/handbook/{path}").json()["doc_id"] == "a/b c?d#e"


def test_a_chunk_that_is_hidden_by_itself_does_not_leave_with_its_siblings(tmp_path: Path) -> None:
    made = application(tmp_path)
    put(made, "torn", "What everybody may read.", "What nobody may read.")
    (hidden,) = (
        p
        for p in new_points(DocumentKey("decks", "torn"), ["What everybody may read.", "What nobody may read."])
        if p.payload["chunk_index"] == 1
    )
    with made.store.writing() as index:
        publish(index, [hidden], Status.STAGED)
    found = Answers(made).document("decks", "torn")
    assert found
    assert [chunk["text"] for chunk in found["chunks"]] == ["What everybody may read."]
    assert found["chunk_count"] == 2


@pytest.mark.parametrize("status", Status)
def test_hidden_statuses_never_leave_by_any_route(client: TestClient, status: Status) -> None:
    word = f"The secret word of {status} is xylophone."
    visible = status in SEARCHABLE
    found = client.get(f"/documents/decks/case-{status}")
    unknown = client.get("/documents/decks/never-was")
    assert (found.status_code == 200) is visible
    if not visible:
        assert (found.status_code, found.content) == (404, unknown.content)
        assert {k: v for k, v in found.headers.items() if k != "date"} == dict(unknown.headers)
    for options in ({}, {"intent": "history"}, {"intent": "latest"}, {"as_of": "2026"}, {"explain": True}):
        answer = client.post("/retrieve", json={"query": word, "limit": 50, **options})
        texts = [c["text"] for r in answer.json()["results"] for c in r["chunks"]]
        assert (word in texts) is visible
        assert visible or f"case-{status}" not in answer.text.replace(f"case-{status}-", "")


def test_not_even_the_name_of_a_hidden_successor_is_told(client: TestClient) -> None:
    answer = ask(client, "the word before was dulcimer", explain=True, intent="history")
    assert "led-astray" in {each["doc_id"] for each in answer["results"]}
    assert "case-archived" not in json.dumps(answer)
    plain = ask(client, "the word before was dulcimer")
    (astray,) = [each for each in plain["results"] if each["doc_id"] == "led-astray"]
    assert astray["notice"] == "superseded; what replaced it cannot be shown"
    assert client.get("/documents/decks/led-astray").json()["superseded_by"] == []


def test_a_visible_successor_is_named(client: TestClient) -> None:
    assert client.get("/documents/decks/old-terms").json()["superseded_by"] == ["new-terms"]
    answer = ask(client, "terms of trade first edition", intent="history")
    (old,) = [each for each in answer["results"] if each["doc_id"] == "old-terms"]
    assert old["superseded_by"] == ["new-terms"]


def test_a_source_that_is_not_configured_has_no_documents(client: TestClient) -> None:
    for path in ("elsewhere/foreign", "nowhere/x", "decks/"):
        assert client.get(f"/documents/{path}").status_code == 404


# --- when something is wrong


def test_an_index_that_another_process_holds_is_told_in_time_and_without_its_place(index: Application) -> None:
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with index.store.writing():
            held.set()
            done.wait(30)

    holder = threading.Thread(target=hold)
    with serving(index, timeout_seconds=2) as client:
        holder.start()
        held.wait(10)
        try:
            answer = client.post("/retrieve", json={"query": "refunds"})
            ready = client.get("/readyz")
        finally:
            done.set()
            holder.join()
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) >= 1
        assert str(index.settings.store.url.removeprefix("edge:")) not in answer.text
        assert ready.status_code == 503
        deadline = time.monotonic() + 60  # a busy machine needs more than a second to open the index
        while client.post("/retrieve", json={"query": "refunds"}).status_code != 200:
            assert time.monotonic() < deadline


class BrokenEmbedder:
    """In front of a real one: fails where it is told to."""

    def __init__(self, made: Any, problem: Exception) -> None:
        self._made, self._problem = made, problem

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made, name)

    def embed(self, texts: Any) -> Any:
        raise self._problem


@pytest.mark.parametrize(
    ("problem", "status"),
    [(Retriable("https://user:pw@host answered 503"), 503), (RuntimeError("/srv/secret/path"), 500)],
)
def test_a_fault_is_told_without_its_inside(index: Application, problem: Exception, status: int) -> None:
    answers = Answers(index)
    answers.application.__dict__["embedder"] = BrokenEmbedder(index.embedder, problem)
    with TestClient(create_app(answers, None), "http://localhost", raise_server_exceptions=False) as client:
        answer = client.post("/retrieve", json={"query": "refunds"})
    assert answer.status_code == status
    assert "secret" not in answer.text
    assert "pw" not in answer.text


def test_a_request_that_takes_too_long_is_told_so(index: Application) -> None:
    answers = Answers(
        replace(
            index, settings=index.settings.model_copy(update={"api": type(index.settings.api)(timeout_seconds=0.3)})
        )
    )
    answers.retrieve = lambda question, *, asked_by: time.sleep(1) or {}  # type: ignore[method-assign]
    with TestClient(create_app(answers, None), "http://localhost", raise_server_exceptions=False) as client:
        answer = client.post("/retrieve", json={"query": "refunds"})
    assert answer.status_code == 504
    assert answer.json()["status"] == 504


# --- probes


def save_night(made: Application, source: str, hours_ago: float) -> None:
    at = made.clock.now() - timedelta(hours=hours_ago)
    night = Manifest(
        run_id=f"night-{hours_ago}", dag_id=RECONCILE, source=source, started_at=at, finished_at=at, state=RunState.TRUE
    )
    made.manifests.save(night)


def test_alive_is_not_ready_and_the_reason_is_told_to_those_who_have_a_key(tmp_path: Path, index: Application) -> None:
    settings = index.settings.model_copy(update={"state": str(tmp_path)})
    made = Application(settings)
    save_night(made, "decks", 30)
    with serving(made) as client:
        assert client.get("/healthz", headers={"Authorization": ""}).json() == {"status": "alive"}
        answer = client.get("/readyz", headers={"Authorization": ""})
        Ready.model_validate(answer.json())
        assert answer.status_code == 503
        (night,) = [each for each in answer.json()["checks"] if not each["ok"]]
        assert (night["name"], night["reason"]) == ("nights", "the index was not proven true lately")
        (told,) = [each for each in client.get("/readyz").json()["checks"] if not each["ok"]]
        assert "decks: 30 hours ago, handbook: never" in told["reason"]


def test_ready_is_an_index_that_is_read_and_was_proven_true_last_night(tmp_path: Path, index: Application) -> None:
    made = Application(index.settings.model_copy(update={"state": str(tmp_path)}))
    for source in ("decks", "handbook"):
        save_night(made, source, 23)
    with serving(made) as client:
        answer = client.get("/readyz", headers={"Authorization": ""})
        assert (answer.status_code, answer.json()["ready"]) == (200, True)


def test_where_nights_do_not_count_an_index_that_can_be_read_is_ready(index: Application) -> None:
    with serving(index, fresh_hours=None) as client:
        assert client.get("/readyz").status_code == 200


# --- the query log


def test_what_was_shown_is_recorded_under_the_id_of_the_answer_and_the_key_s_name(
    tmp_path: Path, index: Application
) -> None:
    made = Application(index.settings.model_copy(update={"state": str(tmp_path)}))
    log = QueryLog(made.state, made.clock)
    with serving(made, log=log) as client:
        answer = ask(client, "can Jane Roe have a refund", limit=2)
    (line,) = log.since(made.clock.now())
    assert line["retrieval_id"] == answer["retrieval_id"]
    assert line["asked_by"] == "assistant"
    assert [each["doc_id"] for each in line["shown"]] == [each["doc_id"] for each in answer["results"]]
    written = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"Jane" not in written
    assert KEY.encode() not in written
