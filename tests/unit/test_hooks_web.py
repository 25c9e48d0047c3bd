"""The routes below /truecopy: the door is open to whoever signs, everything else asks for Airflow's login."""

from __future__ import annotations

import hmac
import time
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import anyio
import pytest
from fastapi import APIRouter, FastAPI, HTTPException, Request
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from starlette.types import Message

from include.domain.errors import ConfigError
from include.domain.events import Reason
from include.hooks.bell import Bell
from include.hooks.delivery import Delivery
from include.settings import Settings
from include.wiring import web
from include.wiring.hooks import Hooks
from include.wiring.web import OPEN, create_app, open_routes

SECRET = "the-secret-of-both-sides"


class Secrets:
    """Looked up once in a while, counted."""

    def __init__(self) -> None:
        self.asked = 0

    def webhook_secrets(self, conn_id: str) -> list[str]:
        self.asked += 1
        return [SECRET]


def login(request: Request) -> str:
    if "authorization" not in request.headers:
        raise HTTPException(401)
    return "somebody"


@pytest.fixture
def hooks(tmp_path: Path) -> Hooks:
    webhook = {"scheme": "github", "conn_id": "site", "documents": ["id"], "max_bytes": 4096}
    sources = {"site": {"kind": "git_markdown", "webhook": webhook}, "silent": {"kind": "git_markdown"}}
    return Hooks(Settings.model_validate({"sources": sources, "state": str(tmp_path)}), Secrets())


@pytest.fixture
def client(hooks: Hooks) -> Iterator[TestClient]:
    app = FastAPI()
    app.mount("/truecopy", create_app(hooks, Bell(lambda: None, lambda: None), login=login))
    with TestClient(app, follow_redirects=False, raise_server_exceptions=False) as client:
        yield client


def signed(body: bytes, secret: str = SECRET) -> dict[str, str]:
    return {"X-Hub-Signature-256": f"sha256={hmac.new(secret.encode(), body, 'sha256').hexdigest()}"}


async def status_of(client: TestClient, receive: Callable[[], Awaitable[Message]]) -> int:
    """What is answered to a request whose body comes piece by piece."""
    path, sent = "/truecopy/hooks/site", []

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(b"host", b"x")],
        "scheme": "http",
    }
    await client.app(scope, receive, send)
    return int(sent[0]["status"])


def counted(hooks: Hooks, reason: Reason) -> int:
    hooks.traffic.flush()
    return sum(counts.get(reason, 0) for counts in hooks.traffic.since(datetime.now(UTC)).values())


def test_a_signed_delivery_is_stored_before_it_is_answered(client: TestClient, hooks: Hooks) -> None:
    answer = client.post("/truecopy/hooks/site", content=b'{"id": "a"}', headers=signed(b'{"id": "a"}'))
    assert (answer.status_code, answer.content) == (204, b"")
    assert [event.doc_ids for event in hooks.inbox.open("site")] == [("a",)]


@pytest.mark.parametrize(
    ("path", "body", "headers", "status", "reason"),
    [
        ("site", b'{"id": "a"}', {}, 401, Reason.UNSIGNED),
        ("site", b'{"id": "a"}', signed(b'{"id": "b"}'), 401, Reason.FORGED),
        ("site", b'{"id": "a"}', signed(b'{"id": "a"}', "another-secret-here"), 401, Reason.FORGED),
        ("site", b"x" * 4097, signed(b"x" * 4097), 413, Reason.OVERSIZED),
        ("site", b"not json", signed(b"not json"), 400, Reason.MALFORMED),
        ("silent", b'{"id": "a"}', signed(b'{"id": "a"}'), 404, Reason.UNKNOWN_SOURCE),
        ("other", b'{"id": "a"}', signed(b'{"id": "a"}'), 404, Reason.UNKNOWN_SOURCE),
        ("..%2Fsite", b'{"id": "a"}', signed(b'{"id": "a"}'), 404, None),
    ],
)
def test_what_is_refused_is_counted_stored_nowhere_and_told_nothing(
    client: TestClient,
    hooks: Hooks,
    path: str,
    body: bytes,
    headers: dict[str, str],
    status: int,
    reason: Reason | None,
) -> None:
    answer = client.post(f"/truecopy/hooks/{path}", content=body, headers=headers)
    assert answer.status_code == status
    assert reason is None or (answer.content, counted(hooks, reason)) == (b"", 1)
    assert hooks.inbox.open("site") == []


def test_a_body_without_a_declared_length_is_cut_at_the_limit(client: TestClient, hooks: Hooks) -> None:
    taken = 0

    async def endless() -> Message:
        nonlocal taken
        taken += 1
        assert taken < 100, "the rest of the flood is read as well"
        return {"type": "http.request", "body": b"x" * 1024, "more_body": True}

    assert anyio.run(status_of, client, endless) == 413
    assert taken == 5
    assert counted(hooks, Reason.OVERSIZED) == 1


def test_a_header_that_is_sent_twice_is_no_signature(client: TestClient, hooks: Hooks) -> None:
    body, good = b'{"id": "a"}', signed(b'{"id": "a"}')["X-Hub-Signature-256"]
    for headers in ([("X-Hub-Signature-256", good), ("x-hub-signature-256", "sha256=00")],):
        assert client.post("/truecopy/hooks/site", content=body, headers=headers).status_code == 401
    assert counted(hooks, Reason.FORGED) == 1


def test_no_spelling_of_the_address_is_a_redirect(client: TestClient) -> None:
    for path in ("/truecopy/hooks/site/", "/truecopy//hooks/site", "/truecopy/hooks/", "/truecopy/hooks", "/truecopy/"):
        assert client.post(path, content=b"{}").status_code == 404, path
    for method in ("GET", "HEAD", "PUT", "DELETE", "PATCH"):
        assert client.request(method, "/truecopy/hooks/site").status_code == 405, method


def test_every_route_but_the_door_asks_for_airflows_login(client: TestClient, hooks: Hooks) -> None:
    app = create_app(hooks, Bell(lambda: None, lambda: None), login=login)
    paths = {route.path: route for route in app.routes if isinstance(route, APIRoute)}
    assert len(paths) == len(app.routes), "nothing but routes that can ask for a login"
    assert open_routes(app.routes, login) == OPEN == {"/hooks/{source}"}
    for path, route in paths.items():
        for method in route.methods:
            if path not in OPEN:
                assert client.request(method, f"/truecopy{path}").status_code == 401, (method, path)
    for path in ("/truecopy/docs", "/truecopy/openapi.json", "/truecopy/redoc"):
        assert client.get(path).status_code == 404


def test_an_app_with_a_route_that_was_left_open_cannot_be_made(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    def leaking(receiver: object) -> APIRouter:
        router = APIRouter()
        router.add_api_route("/settings", lambda: SECRET)
        return router

    monkeypatch.setattr(web, "_doors", leaking)
    with pytest.raises(RuntimeError, match="/settings"):
        create_app(hooks, Bell(lambda: None, lambda: None), login=login)


def test_who_is_logged_in_sees_what_came_and_what_waits(client: TestClient, hooks: Hooks) -> None:
    client.post("/truecopy/hooks/site", content=b'{"id": "a"}', headers=signed(b'{"id": "a"}'))
    client.post("/truecopy/hooks/site", content=b'{"id": "a"}')
    hooks.traffic.flush()
    answer = client.get("/truecopy/events", headers={"Authorization": "Bearer x"})
    assert answer.json() == {"site": {"accepted": 1, "refused": {"unsigned": 1}, "open": 1, "oldest_seconds": 0}}


def test_a_flood_asks_for_the_secret_once_and_is_answered_in_parallel(client: TestClient, hooks: Hooks) -> None:
    def post(number: int) -> int:
        body = b'{"id": "%d"}' % (number % 20)
        headers = signed(body) if number < 20 else {}
        return client.post("/truecopy/hooks/site", content=body, headers=headers).status_code

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(post, range(300)))
    assert answers == [204] * 20 + [401] * 280
    assert hooks.secrets.asked == 1  # type: ignore[attr-defined]
    assert counted(hooks, Reason.UNSIGNED) == 280


def test_a_flood_at_a_door_without_a_secret_leaves_none_of_its_bodies_in_memory(hooks: Hooks) -> None:
    def unknown(conn_id: str) -> list[str]:
        raise ConfigError(f"connection {conn_id!r} is not known")

    hooks.secrets.webhook_secrets = unknown  # type: ignore[method-assign]
    receiver = hooks.receiver(lambda _: None)
    receiver.receive("site", Delivery("/hooks/site", {}, b""))
    tracemalloc.start()
    try:
        for number in range(200):
            body = bytes([number]) * 4096
            assert receiver.receive("site", Delivery("/hooks/site", {}, body)).reason is Reason.NO_SECRET
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 50 * 4096


def test_counts_are_written_at_every_turn_and_folders_are_looked_through_once_an_hour(
    hooks: Hooks, tmp_path: Path
) -> None:
    chores = hooks.chores()

    def with_old_ones() -> list[Path]:
        old = [tmp_path / "inbox/site/done/2020-01-01", tmp_path / "traffic/2020-01-01T00"]
        for folder in old:
            folder.mkdir(parents=True)
        return old

    first = with_old_ones()
    hooks.traffic.count("site", Reason.FORGED)
    chores()
    assert not any(folder.exists() for folder in first)
    second = with_old_ones()
    hooks.traffic.count("site", Reason.FORGED)
    chores()
    assert all(folder.exists() for folder in second), "an object store is paid for each look into a folder"
    assert hooks.traffic.since(datetime.now(UTC))["site"] == {Reason.FORGED: 2}


def test_a_body_that_dribbles_is_given_up(client: TestClient, hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "BODY_WITHIN_SECONDS", 0.2)

    pieces = 0

    async def dribbling() -> Message:
        nonlocal pieces
        pieces += 1
        assert pieces < 10, "it is waited for as long as it likes"
        await anyio.sleep(0.15)
        return {"type": "http.request", "body": b"x", "more_body": True}

    began = time.monotonic()
    assert anyio.run(status_of, client, dribbling) == 400
    assert time.monotonic() - began < 3
    assert counted(hooks, Reason.UNFINISHED) == 1
