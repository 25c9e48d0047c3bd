"""From a request to a stored event, or to a refusal that says nothing.

    source known? -> size -> secret -> signature -> time window -> names of documents -> stored -> 204

Every step that fails ends it, is counted under its reason, and stores nothing. The answer holds the status only:
never a redirect or 410 (Ghost deletes a webhook on it), never a 5xx for what the sender did wrong; 503 asks it to try
again. Nothing of a request reaches a log.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from include.domain.errors import ConfigError
from include.domain.events import Event, Reason
from include.hooks.delivery import Delivery, RefusedError, Signature, Vouched
from include.hooks.payload import event_name, named_documents, parsed, plain_name
from include.hooks.secrets import weakness
from include.hooks.signatures import GHOST, GITHUB, ZENDESK, Contentful, Hmac, Standard, StaticHeader
from include.ports import Clock, Inbox, Traffic
from include.settings import WebhookSettings

log = logging.getLogger(__name__)

MEMORY_DAYS = 7
"""How long a delivery without an instant is remembered. With one, the time window refuses it long before."""

STATUS: Mapping[Reason, int] = {
    Reason.ACCEPTED: 204,
    Reason.REPLAYED: 204,
    Reason.UNKNOWN_SOURCE: 404,
    Reason.OVERSIZED: 413,
    Reason.UNFINISHED: 400,
    Reason.MALFORMED: 400,
    Reason.UNAVAILABLE: 503,
}
"""Everything else is 401."""


@dataclass(frozen=True, slots=True)
class Answer:
    reason: Reason

    @property
    def status(self) -> int:
        return STATUS.get(self.reason, 401)


@dataclass(frozen=True, slots=True)
class Door:
    """The webhook of one source: how it is signed, and where its payload names documents and the event."""

    settings: WebhookSettings
    signature: Signature
    documents: Sequence[str] = ()
    name: str = ""
    name_header: str = ""

    @classmethod
    def of(cls, settings: WebhookSettings) -> Door:
        signature, documents, name, name_header = _schemes(settings)[settings.scheme]
        chosen = documents if settings.documents is None else settings.documents
        return cls(settings, signature, chosen, name, name_header)

    @property
    def remembered_days(self) -> int:
        return 1 if self.signature.has_timestamp else MEMORY_DAYS


def _schemes(settings: WebhookSettings) -> dict[str, tuple[Signature, Sequence[str], str, str]]:
    """Per scheme: the signature, where ids are, and where the event's name is, in the payload or in a header."""
    ghost = ("post.current.id", "post.previous.id", "page.current.id", "page.previous.id")
    return {
        "standard": (Standard(), ("data.id",), "type", ""),
        "github": (Hmac(GITHUB), (), "", "x-github-event"),
        "ghost": (Hmac(GHOST), ghost, "", ""),
        "contentful": (Contentful(settings.path), ("sys.id",), "", "x-contentful-topic"),
        "strapi": (StaticHeader(settings.header), ("entry.documentId",), "event", ""),
        "zendesk": (Hmac(ZENDESK), ("detail.id",), "type", ""),
        **({"hmac": (Hmac(settings.hmac), (), "", "")} if settings.hmac else {}),
    }


def _nobody(_seconds: float) -> None:
    pass


class Receiver:
    """Judges deliveries for all sources. Used by many threads at once; keeps nothing of its own.

    `secrets` gives the shared secrets of a `conn_id`, the one in use and those being replaced; raises ConfigError for
    an unknown one. `stored` is told after how many seconds a look at what was stored is due.
    """

    def __init__(
        self,
        doors: Mapping[str, Door],
        *,
        inbox: Inbox,
        traffic: Traffic,
        secrets: Callable[[str], Sequence[str]],
        clock: Clock,
        stored: Callable[[float], None] = _nobody,
    ) -> None:
        self._doors = doors
        self._inbox = inbox
        self._traffic = traffic
        self._secrets = secrets
        self._clock = clock
        self._stored = stored

    def most_bytes(self, source: str, declared: str | None) -> int | Answer:
        """How much of the body to read, or an answer that needs none of it. `declared` is the Content-Length."""
        door = self._doors.get(source)
        if door is None:
            return self.refuse("", Reason.UNKNOWN_SOURCE)
        most = door.settings.max_bytes
        if declared is not None and (not declared.isdecimal() or int(declared[:20]) > most):
            return self.refuse(source, Reason.OVERSIZED)
        return most

    def refuse(self, source: str, reason: Reason) -> Answer:
        self._traffic.count(source, reason)
        return Answer(reason)

    def receive(self, source: str, delivery: Delivery) -> Answer:
        """The whole way, for a body that was read. Never raises."""
        door = self._doors.get(source)
        if door is None:
            return self.refuse("", Reason.UNKNOWN_SOURCE)
        try:
            reason = self._take_in(source, door, delivery)
        except RefusedError as refused:
            reason = refused.reason
        except Exception as error:  # noqa: BLE001 (whatever is wrong on our side, the sender should try again)
            # Its message may hold what was sent; the kind of error is enough to find our side of it.
            log.error("%s: a delivery could not be taken in: %s", source, type(error).__name__)
            reason = Reason.UNAVAILABLE
        self._traffic.count(source, reason)
        if reason is Reason.ACCEPTED:
            self._stored(door.settings.coalesce_seconds)
        return Answer(reason)

    def _take_in(self, source: str, door: Door, delivery: Delivery) -> Reason:
        settings = door.settings
        if len(delivery.body) > settings.max_bytes:
            return Reason.OVERSIZED
        usable = self._usable_secrets(settings)
        if not usable:
            return Reason.NO_SECRET
        vouched = door.signature.verify(delivery, usable)
        now = self._clock.now()
        window = timedelta(seconds=settings.tolerance_seconds)
        if vouched.signed_at is not None and abs(now - vouched.signed_at) > window:
            return Reason.STALE
        payload = parsed(delivery.body) if door.documents or door.name else None
        event = Event(
            source,
            delivery_key(source, delivery, vouched),
            now,
            named_documents(payload, door.documents),
            event_name(payload, door.name) or plain_name(delivery.headers.get(door.name_header)),
        )
        new = self._inbox.put(event, remembered_days=door.remembered_days)
        return Reason.ACCEPTED if new else Reason.REPLAYED

    def _usable_secrets(self, settings: WebhookSettings) -> list[str]:
        try:
            known = self._secrets(settings.conn_id)
        except ConfigError:
            return []  # no such connection; `truecopy doctor` says so
        return [each for each in known if not weakness(settings.scheme, each)]


def delivery_key(source: str, delivery: Delivery, vouched: Vouched) -> str:
    """The same for a second copy of a delivery, whatever unsigned headers were added, changed or taken away.

    With a signed id also for one that was sent again, at another instant. The body counts always: a sender that gives
    one id to two events would lose the second."""
    signed_at = vouched.signed_at.isoformat() if vouched.signed_at else ""
    told = f"id {vouched.delivery_id}" if vouched.delivery_id else f"at {signed_at}"
    return hashlib.sha256(b"\0".join((source.encode(), told.encode(), delivery.body))).hexdigest()
