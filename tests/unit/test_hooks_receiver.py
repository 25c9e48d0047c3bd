"""The way of a delivery: what is stored, what is refused and how it is answered, what is never said."""

from __future__ import annotations

import hmac
import json
import logging
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from include.domain.errors import ConfigError
from include.domain.events import Reason
from include.hooks.delivery import Delivery
from include.hooks.receiver import Answer, Door, Receiver
from include.settings import WebhookSettings
from tests.fakes.clock import FakeClock
from tests.fakes.inbox import FakeInbox, FakeTraffic

SECRET = "the-secret-of-both-sides"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
KNOWN = {"cms": [SECRET], "rotating": [SECRET, "the-secret-before-it"], "blank": ["", " "], "short": ["hunter2"]}


class Hall:
    """One receiver with everything around it in memory."""

    def __init__(self, **webhook: object) -> None:
        self.clock = FakeClock(NOON)
        self.inbox = FakeInbox(self.clock)
        self.traffic = FakeTraffic()
        self.due: list[float] = []
        options = {"scheme": "ghost", "conn_id": "cms", **webhook}
        self.receiver = Receiver(
            {"site": Door.of(WebhookSettings.model_validate(options))},
            inbox=self.inbox,
            traffic=self.traffic,
            secrets=self.secrets,
            clock=self.clock,
            stored=self.due.append,
        )

    @staticmethod
    def secrets(conn_id: str) -> Sequence[str]:
        if conn_id not in KNOWN:
            raise ConfigError(f"connection {conn_id!r} is not known")
        return KNOWN[conn_id]

    def receive(self, sent: Delivery, source: str = "site") -> Answer:
        return self.receiver.receive(source, sent)

    @property
    def reasons(self) -> dict[Reason, int]:
        return {reason: number for (_, reason), number in self.traffic.counted.items()}

    @property
    def named(self) -> list[tuple[str, ...]]:
        return [event.doc_ids for event in self.inbox.open("site")]


def ghost(payload: object, *, secret: str = SECRET, at: datetime = NOON, **headers: str) -> Delivery:
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    ms = str(int(at.timestamp() * 1000))
    signature = hmac.new(secret.encode(), body + ms.encode(), "sha256").hexdigest()
    return Delivery("/hooks/site", {"x-ghost-signature": f"sha256={signature}, t={ms}", **headers}, body)


def later(seconds: float) -> datetime:
    return datetime.fromtimestamp(NOON.timestamp() + seconds, UTC)


POST = {"post": {"current": {"id": "a1", "slug": "new", "html": "PRIVATE TEXT"}, "previous": {"slug": "old"}}}
DELETED = {"post": {"current": {}, "previous": {"id": "b2"}}}


def test_an_accepted_delivery_is_stored_by_the_documents_it_names_and_a_look_is_asked_for() -> None:
    hall = Hall()
    assert hall.receive(ghost(POST)).status == 204
    assert hall.receive(ghost(DELETED)).status == 204
    assert hall.named == [("a1",), ("b2",)]
    assert hall.due == [5, 5]
    assert hall.reasons == {Reason.ACCEPTED: 2}
    assert "PRIVATE" not in repr(hall.inbox.opened), "nothing of the payload is kept"


def test_an_event_that_names_no_document_is_about_the_whole_source() -> None:
    hall = Hall()
    for payload in ({}, [], {"site": {}}, {"post": {"current": {"id": None}}}, {"post": {"current": {"id": True}}}):
        assert hall.receive(ghost(payload)).status == 204
    assert hall.named == [()] * 5


def test_a_duplicate_is_answered_like_the_first_and_changes_nothing() -> None:
    hall = Hall()
    sent = ghost(POST)
    assert [hall.receive(sent).status for _ in range(3)] == [204, 204, 204]
    hall.inbox.settle(hall.inbox.open("site"))
    assert hall.receive(sent).status == 204
    assert hall.named == []
    assert hall.reasons == {Reason.ACCEPTED: 1, Reason.REPLAYED: 3}
    assert hall.due == [5]


def test_a_replay_with_other_unsigned_headers_is_still_a_replay() -> None:
    hall = Hall(scheme="github")
    body = b'{"ref": "refs/heads/main"}'
    signature = f"sha256={hmac.new(SECRET.encode(), body, 'sha256').hexdigest()}"
    for unsigned in ({"x-github-delivery": "1"}, {"x-github-delivery": "2"}, {}, {"webhook-id": "3"}):
        sent = Delivery("/hooks/site", {"x-hub-signature-256": signature, "x-github-event": "push", **unsigned}, body)
        assert hall.receive(sent).status == 204
    assert hall.reasons == {Reason.ACCEPTED: 1, Reason.REPLAYED: 3}


@pytest.mark.parametrize(
    ("seconds", "reason"),
    [(-301, Reason.STALE), (301, Reason.STALE), (-299, Reason.ACCEPTED), (299, Reason.ACCEPTED), (-3e7, Reason.STALE)],
)
def test_the_time_window_holds_in_both_directions(seconds: float, reason: Reason) -> None:
    hall = Hall()
    assert hall.receive(ghost(POST, at=later(seconds))).reason is reason
    assert hall.receive(ghost(POST, at=later(seconds), secret="x" * 20)).reason is Reason.FORGED
    assert len(hall.named) == (reason is Reason.ACCEPTED)


def test_both_secrets_are_good_while_one_replaces_the_other() -> None:
    hall = Hall(conn_id="rotating")
    assert hall.receive(ghost(POST)).status == 204
    assert hall.receive(ghost(DELETED, secret="the-secret-before-it")).status == 204


@pytest.mark.parametrize("conn_id", ["blank", "short", "never_made"])
def test_without_a_usable_secret_the_door_is_closed(conn_id: str) -> None:
    hall = Hall(conn_id=conn_id)
    for secret in ("", " ", "hunter2", SECRET):
        assert hall.receive(ghost(POST, secret=secret)) == Answer(Reason.NO_SECRET)
    assert hall.receive(ghost(POST)).status == 401
    assert hall.named == []


def test_a_body_beyond_the_limit_is_refused_by_what_is_declared_and_by_what_came() -> None:
    hall = Hall(max_bytes=2048)
    assert hall.receiver.most_bytes("site", "2048") == 2048
    assert hall.receiver.most_bytes("site", None) == 2048
    for declared in ("2049", "9" * 400, "-1", "1e3", "x", ""):
        assert hall.receiver.most_bytes("site", declared) == Answer(Reason.OVERSIZED)
    assert hall.receive(ghost({"x": "y" * 2048})).status == 413
    assert hall.named == []


def test_a_name_that_is_no_source_is_counted_under_none() -> None:
    hall = Hall()
    for name in ("other", "", "../site", "site/", "SITE"):
        assert hall.receive(ghost(POST), name).status == 404
        assert hall.receiver.most_bytes(name, "10") == Answer(Reason.UNKNOWN_SOURCE)
    assert set(hall.traffic.counted) == {("", Reason.UNKNOWN_SOURCE)}, "made-up names must not fill the counts"


@pytest.mark.parametrize("body", [b"", b"not json", b"{", b"\xff", b"[" * 100_000, b"1" * 5_000])
def test_a_signed_body_that_is_no_payload_is_malformed(body: bytes) -> None:
    hall = Hall()
    assert hall.receive(ghost(body)) == Answer(Reason.MALFORMED)
    assert Answer(Reason.MALFORMED).status == 400
    assert hall.named == []


def test_an_inbox_that_cannot_be_written_asks_the_sender_to_try_again(caplog: pytest.LogCaptureFixture) -> None:
    hall = Hall()
    hall.inbox.broken = True
    assert hall.receive(ghost(POST)).status == 503
    hall.inbox.broken = False
    assert hall.receive(ghost(POST)).status == 204
    assert hall.named == [("a1",)]
    assert "site: a delivery could not be taken in: OSError" in caplog.text


def test_no_answer_is_a_redirect_or_gone_and_a_senders_fault_is_never_ours() -> None:
    for reason in Reason:
        status = Answer(reason).status
        assert status in (204, 400, 401, 404, 413, 503), reason
        assert (status == 503) is (reason is Reason.UNAVAILABLE)


def test_nothing_that_was_sent_is_ever_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    hall = Hall()
    sent = ghost(POST)
    hall.receive(sent)
    hall.receive(ghost(POST, secret="another-secret-entirely"))
    hall.inbox.broken = True
    hall.receive(ghost(DELETED))
    for secret in (SECRET, "another-secret", "PRIVATE", sent.headers["x-ghost-signature"][7:40]):
        assert secret not in caplog.text
    assert SECRET not in repr(sent)
    assert "PRIVATE" not in repr(sent)


def test_two_events_under_one_signed_id_are_two_and_a_copy_of_either_is_none() -> None:
    """A sender whose ids repeat is broken; its second event must not be lost for it."""
    how = {"header": "X-Signature", "id_header": "X-Id", "signed": "{id}.{body}"}
    hall = Hall(scheme="hmac", hmac=how, documents=["id"])
    for body in (b'{"id": "a"}', b'{"id": "b"}', b'{"id": "a"}', b'{"id": "b"}'):
        signature = hmac.new(SECRET.encode(), b"1." + body, "sha256").hexdigest()
        assert hall.receive(Delivery("/hooks/site", {"x-signature": signature, "x-id": "1"}, body)).status == 204
    assert hall.named == [("a",), ("b",)]
    assert hall.reasons == {Reason.ACCEPTED: 2, Reason.REPLAYED: 2}


@pytest.mark.parametrize("expression", ["max_by(pages, &at).id", "to_string(ceil(to_number(size)))"])
def test_a_payload_that_an_expression_cannot_take_is_no_fault_of_ours(expression: str) -> None:
    hall = Hall(documents=[expression])
    payload = {"pages": [{"id": "a", "at": 1}, {"id": "b", "at": "x"}], "size": "1e999"}
    assert hall.receive(ghost(payload)).status == 204
    assert hall.named == [()]


def test_ids_are_taken_from_where_the_settings_say_numbers_as_text() -> None:
    hall = Hall(documents=["join(':', ['post', to_string(post.id)])", "also[].id", "broken.id[0]"])
    hall.receive(ghost({"post": {"id": 7}, "also": [{"id": 1}, {"id": "x"}, {"id": 1.5}, {"id": "a\nb"}, {"id": "x"}]}))
    assert hall.named == [("post:7", "1", "x")]


def test_an_event_that_names_a_thousand_documents_and_more_is_about_the_whole_source() -> None:
    hall = Hall(documents=["ids"])
    hall.receive(ghost({"ids": list(range(1000))}))
    hall.receive(ghost({"ids": list(range(1001))}))
    assert [len(doc_ids) for doc_ids in hall.named] == [1000, 0]


@pytest.mark.parametrize(
    ("scheme", "payload", "doc_ids"),
    [
        ("ghost", {"page": {"current": {"id": "c3"}, "previous": {}}}, ("c3",)),
        ("ghost", DELETED, ("b2",)),
        ("strapi", {"event": "entry.update", "entry": {"id": 3, "documentId": "doc"}}, ("doc",)),
        ("strapi", {"event": "media.update", "media": {"id": 3}}, ()),
        ("github", {"ref": "refs/heads/main", "commits": [{"modified": ["a.md"]}]}, ()),
        ("zendesk", {"type": "zen:event-type:article.unpublished", "detail": {"id": "70"}, "id": "e"}, ("70",)),
        ("standard", {"type": "page.published", "data": {"id": 12}}, ("12",)),
        ("contentful", {"sys": {"type": "DeletedEntry", "id": "5kq"}}, ("5kq",)),
    ],
)
def test_each_scheme_knows_where_its_sender_names_the_document(
    scheme: str, payload: object, doc_ids: tuple[str, ...]
) -> None:
    from include.hooks.payload import named_documents

    settings = WebhookSettings.model_validate({"scheme": scheme, "conn_id": "cms"})
    assert named_documents(payload, Door.of(settings).documents) == doc_ids


def test_a_delivery_without_an_instant_is_remembered_longer_than_one_with() -> None:
    days = {
        scheme: Door.of(WebhookSettings.model_validate({"scheme": scheme, "conn_id": "cms"})).remembered_days
        for scheme in ("standard", "github", "ghost", "contentful", "strapi", "zendesk")
    }
    assert days == {"standard": 1, "github": 7, "ghost": 1, "contentful": 1, "strapi": 7, "zendesk": 1}
