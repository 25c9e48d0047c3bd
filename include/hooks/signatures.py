"""Signatures, one class for each way of making them. All look at the raw bytes: JSON that is read and written again
has another signature.

| scheme | signature | signed text |
|---|---|---|
| standard | `webhook-signature: v1,<base64> …` | `{id}.{timestamp}.{body}` |
| github | `X-Hub-Signature-256: sha256=<hex>` | `{body}` |
| ghost | `X-Ghost-Signature: sha256=<hex>, t=<ms>` | `{body}{timestamp}` |
| zendesk | `X-Zendesk-Webhook-Signature: <base64>` | `{timestamp}{body}` |
| contentful | `x-contentful-signature: <hex>` | method, path, the headers it names, body |
| strapi | none: the secret itself in a header | |
| hmac | as the settings say | as the settings say |
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote

from standardwebhooks.webhooks import Webhook

from include.domain.dates import from_rfc3339
from include.domain.events import Reason
from include.hooks.delivery import Delivery, RefusedError, Vouched
from include.settings import HmacSettings

_SECONDS = re.compile(r"[1-9][0-9]{9}")
_MILLISECONDS = re.compile(r"[1-9][0-9]{12}")
_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)", re.ASCII)


def _instant(text: str, unit: str) -> datetime:
    """In exactly one spelling: a second one of the same instant would be a second delivery."""
    try:
        if unit == "seconds" and _SECONDS.fullmatch(text):
            return datetime.fromtimestamp(int(text), UTC)
        if unit == "milliseconds" and _MILLISECONDS.fullmatch(text):
            return datetime.fromtimestamp(int(text) / 1000, UTC)
        if unit == "rfc3339" and _RFC3339.fullmatch(text):
            return from_rfc3339(text)
    except (ValueError, OverflowError):
        pass
    raise RefusedError(Reason.FORGED)


def _sent(delivery: Delivery, name: str) -> str:
    value = delivery.headers.get(name.lower(), "").strip()
    if not value:
        raise RefusedError(Reason.UNSIGNED)
    return value


def decoded(signature: str, encoding: str) -> bytes:
    """Empty for what cannot be decoded: no signature is."""
    try:
        if encoding == "hex":
            return bytes.fromhex(signature)
        # Both alphabets, with and without padding: senders differ, and the digest is compared, not its spelling.
        plain = signature.replace("-", "+").replace("_", "/").rstrip("=")
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (ValueError, binascii.Error):
        return b""


@dataclass(frozen=True, slots=True)
class Hmac:
    """An HMAC over a text made of body, instant and id. Where the header is a list, one good signature suffices."""

    how: HmacSettings

    @property
    def has_timestamp(self) -> bool:
        return bool(self.how.timestamp_header or self.how.timestamp_field)

    def verify(self, delivery: Delivery, secrets: Sequence[str]) -> Vouched:
        how = self.how
        value = _sent(delivery, how.header)
        if how.field:
            pairs = [pair.strip().partition("=") for pair in value.split(",")]
            signatures = [text for name, _, text in pairs if name == how.field]
            instants = [text for name, _, text in pairs if name == how.timestamp_field]
            timestamp = instants[0] if len(instants) == 1 else ""
        else:
            signatures = [value.removeprefix(how.prefix)] if value.startswith(how.prefix) else []
            timestamp = _sent(delivery, how.timestamp_header) if how.timestamp_header else ""
        delivery_id = _sent(delivery, how.id_header) if how.id_header else ""
        values = {"timestamp": timestamp.encode(), "id": delivery_id.encode(), "body": delivery.body}
        text = b"".join(values[part] if place else part.encode() for place, part in _parts(how.signed))
        given = [decoded(signature, how.encoding) for signature in signatures]
        digests = [hmac.digest(secret.encode(), text, how.algorithm) for secret in secrets]
        if not any(hmac.compare_digest(digest, one) for digest in digests for one in given):
            raise RefusedError(Reason.FORGED)
        return Vouched(_instant(timestamp, how.timestamp_unit) if self.has_timestamp else None, delivery_id)


def _parts(template: str) -> Iterator[tuple[bool, str]]:
    """(whether it is a place to fill, its name or the text between)."""
    for number, part in enumerate(re.split(r"\{(body|timestamp|id)\}", template)):
        yield number % 2 == 1, part


GITHUB = HmacSettings(header="X-Hub-Signature-256", prefix="sha256=")
GHOST = HmacSettings(
    header="X-Ghost-Signature",
    field="sha256",
    timestamp_field="t",
    timestamp_unit="milliseconds",
    signed="{body}{timestamp}",
)
ZENDESK = HmacSettings(
    header="X-Zendesk-Webhook-Signature",
    encoding="base64",
    timestamp_header="X-Zendesk-Webhook-Signature-Timestamp",
    timestamp_unit="rfc3339",
    signed="{timestamp}{body}",
)


@dataclass(frozen=True, slots=True)
class Standard:
    """The Standard Webhooks specification, computed by its own library.

    Its `verify` looks at the machine's clock and a fixed window, and takes an instant in several spellings; so it
    signs here, and instant and signatures are compared by us.
    """

    has_timestamp = True

    def verify(self, delivery: Delivery, secrets: Sequence[str]) -> Vouched:
        delivery_id, timestamp = _sent(delivery, "webhook-id"), _sent(delivery, "webhook-timestamp")
        listed = [one.partition(",") for one in _sent(delivery, "webhook-signature").split(" ")]
        given = [decoded(text, "base64") for version, _, text in listed if version == "v1"]
        signed_at = _instant(timestamp, "seconds")
        try:
            body = delivery.body.decode()
        except UnicodeDecodeError:
            raise RefusedError(Reason.FORGED) from None  # the specification signs text
        for secret in secrets:
            _, _, expected = Webhook(secret).sign(delivery_id, signed_at, body).partition(",")
            if any(hmac.compare_digest(decoded(expected, "base64"), one) for one in given):
                return Vouched(signed_at, delivery_id)
        raise RefusedError(Reason.FORGED)


@dataclass(frozen=True, slots=True)
class Contentful:
    """A digest of the request in one form: method, path, the headers that it names itself, body, a line each.

    `path` replaces the path we see, where a proxy in front of us changes it.
    """

    path: str = ""
    has_timestamp = True

    def verify(self, delivery: Delivery, secrets: Sequence[str]) -> Vouched:
        signature = decoded(_sent(delivery, "x-contentful-signature"), "hex")
        timestamp = _sent(delivery, "x-contentful-timestamp")
        names = {name.strip().lower() for name in _sent(delivery, "x-contentful-signed-headers").split(",")}
        if not names >= {"x-contentful-timestamp", "x-contentful-signed-headers"}:
            raise RefusedError(Reason.FORGED)
        headers = ";".join(
            f"{name}:{delivery.headers[name].strip()}" for name in sorted(names) if name in delivery.headers
        )
        text = "\n".join((delivery.method, _canonical(self.path or delivery.path), headers, "")).encode()
        digests = [hmac.digest(secret.encode(), text + delivery.body, "sha256") for secret in secrets]
        if not any(hmac.compare_digest(digest, signature) for digest in digests):
            raise RefusedError(Reason.FORGED)
        key = "x-contentful-idempotency-key"
        signed_id = delivery.headers.get(key, "").strip() if key in names else ""
        return Vouched(_instant(timestamp, "milliseconds"), signed_id)


def _canonical(path: str) -> str:
    """As the sender writes it: the query escaped as one value, then the whole as an address."""
    before, mark, query = path.partition("?")
    escaped = before + (mark + quote(query, safe="-_.!~*'()") if query else "")
    return quote(escaped, safe=";,/?:@&=+$-_.!~*'()#")


@dataclass(frozen=True, slots=True)
class StaticHeader:
    """No signature: the sender repeats the secret, alone or as a bearer token. Whoever reads one request can send
    another; use it over TLS only."""

    header: str
    has_timestamp = False

    def verify(self, delivery: Delivery, secrets: Sequence[str]) -> Vouched:
        given = _sent(delivery, self.header).encode()
        for secret in secrets:
            for accepted in (secret.encode(), b"Bearer " + secret.encode()):
                # Digests have one length, whatever the secret's.
                if hmac.compare_digest(hashlib.sha256(accepted).digest(), hashlib.sha256(given).digest()):
                    return Vouched()
        raise RefusedError(Reason.FORGED)
