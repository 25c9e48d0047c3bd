"""Every signature scheme against the vectors of its publisher, and against what a forger would try."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook

from include.domain.events import Reason
from include.hooks.delivery import Delivery, RefusedError, Signature, Vouched
from include.hooks.secrets import weakness
from include.hooks.signatures import GHOST, GITHUB, ZENDESK, Contentful, Hmac, Standard, StaticHeader
from include.settings import HmacSettings

BODY = b'{"z":1.0,"a":"\\u00e9 \\/ \xc3\xa9",  "a":2}\n'
"""Unusual key order, escapes, a double key, spaces: another signature once it is parsed and written again."""


def delivery(body: bytes, headers: Mapping[str, str], *, path: str = "/truecopy/hooks/cms") -> Delivery:
    return Delivery(path, {name.lower(): value for name, value in headers.items()}, body)


def digest(secret: str, text: bytes, algorithm: str = "sha256") -> bytes:
    return hmac.new(secret.encode(), text, algorithm).digest()


def refusal(signature: Signature, sent: Delivery, *secrets: str) -> Reason:
    with pytest.raises(RefusedError) as refused:
        signature.verify(sent, secrets)
    return refused.value.reason


# --- published vectors


def test_github_publishes_a_vector() -> None:
    """docs.github.com, "Validating webhook deliveries", "Testing the webhook payload validation"."""
    secret = "It's a Secret to Everybody"
    header = {"X-Hub-Signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"}
    assert Hmac(GITHUB).verify(delivery(b"Hello, World!", header), [secret]) == Vouched()
    assert refusal(Hmac(GITHUB), delivery(b"Hello World!", header), secret) is Reason.FORGED


STANDARD = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
}
STANDARD_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def test_standard_webhooks_publishes_a_vector() -> None:
    """github.com/standard-webhooks/standard-webhooks, the tests of its libraries, "sign function works"."""
    signed = Standard().verify(delivery(b'{"test": 2432232314}', STANDARD), [STANDARD_SECRET])
    assert signed == Vouched(datetime.fromtimestamp(1614265330, UTC), "msg_p5jXN8AQM9LWM0D4loKWxJek")
    without_prefix = STANDARD_SECRET.removeprefix("whsec_")
    assert Standard().verify(delivery(b'{"test": 2432232314}', STANDARD), [without_prefix]) == signed


def test_storyblok_signs_under_the_name_of_the_standard_and_needs_its_own_settings() -> None:
    """No vector is published; SHA-1 over the body, in hex, in the header `webhook-signature`."""
    secret = "a-secret-of-storyblok"
    sent = delivery(BODY, {"webhook-signature": digest(secret, BODY, "sha1").hex()})
    storyblok = Hmac(HmacSettings(header="webhook-signature", algorithm="sha1"))
    assert storyblok.verify(sent, [secret]) == Vouched()
    assert refusal(Standard(), sent, STANDARD_SECRET) is Reason.UNSIGNED


# --- the other schemes: their documentation publishes no byte-exact signature, so it is computed here, once more and
# with nothing but the standard library, from the text that the documentation describes


@dataclass(frozen=True)
class Case:
    """A scheme with one good delivery. `instant` is the header that carries the time, and another time in it."""

    signature: Signature
    secret: str
    sent: Delivery
    header: str
    instant: tuple[str, str] = ("", "")


def _ghost() -> Case:
    # Ghost, core/server/services/webhooks/webhook-trigger.js: HMAC-SHA256 of body and milliseconds, nothing between.
    secret, ms = "a-secret-in-ghost-admin", "1764523200123"
    value = f"sha256={digest(secret, BODY + ms.encode()).hex()}, t={ms}"
    header = "X-Ghost-Signature"
    later = value.replace(ms, "1764523260123")
    return Case(Hmac(GHOST), secret, delivery(BODY, {header: value}), header, (header, later))


def _zendesk() -> Case:
    # developer.zendesk.com, "Verifying webhook authenticity": base64(HMACSHA256(TIMESTAMP + BODY)).
    secret, at = "a-signing-secret-of-zendesk==", "2021-03-25T05:09:27Z"
    headers = {
        "X-Zendesk-Webhook-Signature": base64.b64encode(digest(secret, at.encode() + BODY)).decode(),
        "X-Zendesk-Webhook-Signature-Timestamp": at,
    }
    instant = ("X-Zendesk-Webhook-Signature-Timestamp", "2021-03-25T05:10:27Z")
    return Case(Hmac(ZENDESK), secret, delivery(BODY, headers), "X-Zendesk-Webhook-Signature", instant)


def _contentful() -> Case:
    # contentful.com, "Request verification", and its node-apps-toolkit: method, path, signed headers, body, in lines.
    secret, ms = "a" * 64, "1603379941037"
    names = "x-contentful-idempotency-key,x-contentful-signed-headers,x-contentful-timestamp,x-contentful-topic"
    headers = {
        "x-contentful-topic": "ContentManagement.Entry.publish",
        "x-contentful-timestamp": ms,
        "x-contentful-signed-headers": names,
        "x-contentful-idempotency-key": "key-1",
    }
    lines = ";".join(f"{name}:{headers[name]}" for name in names.split(","))
    text = f"POST\n/truecopy/hooks/cms\n{lines}\n".encode() + BODY
    sent = delivery(BODY, {**headers, "x-contentful-signature": digest(secret, text).hex(), "x-request-id": "unsigned"})
    return Case(Contentful(), secret, sent, "x-contentful-signature", ("x-contentful-timestamp", "1603379942037"))


def _standard() -> Case:
    sent = delivery(b'{"test": 2432232314}', STANDARD)
    return Case(Standard(), STANDARD_SECRET, sent, "webhook-signature", ("webhook-timestamp", "1614265331"))


def _github() -> Case:
    secret = "a-secret-of-github"
    sent = delivery(BODY, {"X-Hub-Signature-256": f"sha256={digest(secret, BODY).hex()}"})
    return Case(Hmac(GITHUB), secret, sent, "X-Hub-Signature-256")


def _strapi() -> Case:
    secret = "a-static-secret-of-strapi"
    return Case(StaticHeader("Authorization"), secret, delivery(BODY, {"authorization": secret}), "Authorization")


def _stripe_like() -> Case:
    # A list with name=value, as Sanity and Stripe send it; the instant in seconds, a dot between.
    how = HmacSettings(
        header="X-Signature", encoding="base64", field="v1", timestamp_field="t", signed="{timestamp}.{body}"
    )
    secret, at = "a-secret-of-anybody", "1764523200"
    signature = base64.urlsafe_b64encode(digest(secret, at.encode() + b"." + BODY)).decode().rstrip("=")
    value = f"t={at},v1={signature}"
    later = value.replace(at, "1764523201")
    return Case(Hmac(how), secret, delivery(BODY, {"X-Signature": value}), "X-Signature", ("X-Signature", later))


def _with_id() -> Case:
    how = HmacSettings(
        header="X-Signature",
        algorithm="sha512",
        prefix="v0=",
        timestamp_header="X-Time",
        id_header="X-Id",
        signed="v0:{id}:{timestamp}:{body}",
    )
    secret, at = "a-secret-of-somebody", "1764523200"
    signature = digest(secret, b"v0:delivery-7:" + at.encode() + b":" + BODY, "sha512").hex()
    sent = delivery(BODY, {"X-Signature": f"v0={signature}", "X-Time": at, "X-Id": "delivery-7"})
    return Case(Hmac(how), secret, sent, "X-Signature", ("X-Time", "1764523201"))


CASES = {
    "standard": _standard(),
    "github": _github(),
    "ghost": _ghost(),
    "contentful": _contentful(),
    "zendesk": _zendesk(),
    "strapi": _strapi(),
    "name=value": _stripe_like(),
    "with an id": _with_id(),
}
each_scheme = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
each_signed = pytest.mark.parametrize(
    "case", [case for name, case in CASES.items() if name != "strapi"], ids=[name for name in CASES if name != "strapi"]
)


@each_scheme
def test_the_right_secret_vouches_alone_and_beside_others(case: Case) -> None:
    alone = case.signature.verify(case.sent, [case.secret])
    beside = case.signature.verify(case.sent, [STANDARD_SECRET, case.secret])
    assert alone == beside
    assert (alone.signed_at is not None) is case.signature.has_timestamp


@each_scheme
def test_without_a_signature_nothing_is_vouched_for(case: Case) -> None:
    for value in (None, "", "   "):
        headers = {name: text for name, text in case.sent.headers.items() if name != case.header.lower()}
        if value is not None:
            headers[case.header.lower()] = value
        assert refusal(case.signature, replace(case.sent, headers=headers), case.secret) is Reason.UNSIGNED


@each_scheme
def test_another_secret_is_a_forgery(case: Case) -> None:
    other = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    assert refusal(case.signature, case.sent, other) is Reason.FORGED
    assert refusal(case.signature, case.sent) is Reason.FORGED, "no secret vouches for nothing"


@each_signed
def test_a_body_that_was_touched_is_a_forgery(case: Case) -> None:
    for body in (case.sent.body + b" ", case.sent.body[:-1], case.sent.body.replace(b"2", b"3"), b"", b"\xff\xfe"):
        assert refusal(case.signature, replace(case.sent, body=body), case.secret) is Reason.FORGED


@each_signed
def test_an_instant_that_was_touched_is_a_forgery(case: Case) -> None:
    name, later = case.instant
    if not name:
        return
    for value in (later, f"{case.sent.headers[name.lower()]}0", f"0{case.sent.headers[name.lower()]}"):
        headers = {**case.sent.headers, name.lower(): value}
        assert refusal(case.signature, replace(case.sent, headers=headers), case.secret) is Reason.FORGED


@each_scheme
@given(garbage=st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=200), body=st.binary(max_size=100))
def test_whatever_is_sent_is_refused_and_never_an_error(case: Case, garbage: str, body: bytes) -> None:
    headers = dict.fromkeys((*case.sent.headers, case.instant[0].lower(), case.header.lower()), garbage)
    sent = Delivery(f"/truecopy/hooks/cms?{garbage}", headers, body)
    assert refusal(case.signature, sent, case.secret) in (Reason.UNSIGNED, Reason.FORGED)


def test_a_good_signature_counts_among_bad_ones_where_a_list_is_allowed() -> None:
    bad = f"v1,{base64.b64encode(b'0' * 32).decode()}"
    listed = f"v1a,not-ours {bad} v2,x v1 v1,%% {STANDARD['webhook-signature']}"
    sent = delivery(b'{"test": 2432232314}', {**STANDARD, "webhook-signature": listed})
    assert Standard().verify(sent, [STANDARD_SECRET]).delivery_id == STANDARD["webhook-id"]

    case = CASES["name=value"]
    several = case.sent.headers["x-signature"].replace(",v1=", ",v0=abc,v1=AAAA,v1=")
    assert case.signature.verify(replace(case.sent, headers={"x-signature": several}), [case.secret]).signed_at

    two = f"{CASES['github'].sent.headers['x-hub-signature-256']},sha256=00"
    headers = {"x-hub-signature-256": two}
    github = CASES["github"]
    assert refusal(github.signature, replace(github.sent, headers=headers), github.secret) is Reason.FORGED


@pytest.mark.parametrize(
    "spelling", ["1614265330.0", " 1614265330", "01614265330", "1614265330.5", "1_614_265_330", "nan", "١٦١٤٢٦٥٣٣٠"]
)
def test_an_instant_has_one_spelling_or_a_copy_would_be_a_new_delivery(spelling: str) -> None:
    sent = delivery(b'{"test": 2432232314}', {**STANDARD, "webhook-timestamp": spelling})
    if spelling.strip() == STANDARD["webhook-timestamp"]:
        assert Standard().verify(sent, [STANDARD_SECRET]).delivery_id == STANDARD["webhook-id"]
    else:
        assert refusal(Standard(), sent, STANDARD_SECRET) is Reason.FORGED


def test_two_instants_in_one_header_are_none() -> None:
    case = CASES["ghost"]
    value = f"{case.sent.headers['x-ghost-signature']}, t=1764523200124"
    sent = replace(case.sent, headers={"x-ghost-signature": value})
    assert refusal(case.signature, sent, case.secret) is Reason.FORGED


@given(body=st.text(max_size=200), identity=st.from_regex(r"[A-Za-z0-9_]{1,40}", fullmatch=True))
def test_we_and_the_librarys_own_check_agree(body: str, identity: str) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    library = Webhook(STANDARD_SECRET)
    signature = library.sign(identity, now, body)
    headers = {
        "webhook-id": identity,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": signature,
    }
    library.verify(body, headers, json_parse=False)
    assert Standard().verify(delivery(body.encode(), headers), [STANDARD_SECRET]) == Vouched(now, identity)


# --- Contentful's request in one form


def _contentful_request(path: str, *, names: str = "", idempotency: str = "", method: str = "POST") -> Delivery:
    headers = {"x-contentful-timestamp": "1603379941037", "x-contentful-topic": "t", "authorization": "  Bearer x "}
    if idempotency:
        headers["x-contentful-idempotency-key"] = idempotency
    signed = names or "authorization,x-contentful-signed-headers,x-contentful-timestamp"
    headers["x-contentful-signed-headers"] = signed
    listed = ";".join(f"{name}:{headers[name].strip()}" for name in sorted(signed.split(",")) if name in headers)
    before, mark, query = path.partition("?")
    # encodeURI(pathname + "?" + querystring.escape(search)), as the toolkit does it
    canonical = quote(before + mark + quote(query, safe="-_.!~*'()"), safe=";,/?:@&=+$-_.!~*'()#")
    text = f"POST\n{canonical}\n{listed}\n".encode() + BODY
    headers["x-contentful-signature"] = digest("a" * 64, text).hex()
    return Delivery(path, headers, BODY, method)


@pytest.mark.parametrize("path", ["/truecopy/hooks/cms", "/truecopy/hooks/cms?env=a&b=c d", "/päth/hooks/cms"])
def test_contentful_signs_path_and_query(path: str) -> None:
    sent = _contentful_request(path)
    assert Contentful().verify(sent, ["a" * 64]).delivery_id == ""
    assert refusal(Contentful(), replace(sent, path="/truecopy/hooks/other"), "a" * 64) is Reason.FORGED
    assert refusal(Contentful(), replace(sent, method="PUT"), "a" * 64) is Reason.FORGED
    assert Contentful(path).verify(replace(sent, path="/behind/a/proxy"), ["a" * 64])


def test_contentful_must_sign_its_own_list_and_instant() -> None:
    for names in ("authorization,x-contentful-timestamp", "authorization,x-contentful-signed-headers"):
        assert refusal(Contentful(), _contentful_request("/x", names=names), "a" * 64) is Reason.FORGED


def test_contentfuls_idempotency_key_counts_only_if_it_is_signed() -> None:
    assert Contentful().verify(_contentful_request("/x", idempotency="k"), ["a" * 64]).delivery_id == ""
    names = "x-contentful-idempotency-key,x-contentful-signed-headers,x-contentful-timestamp"
    assert Contentful().verify(_contentful_request("/x", names=names, idempotency="k"), ["a" * 64]).delivery_id == "k"


# --- secrets


def test_strapis_secret_is_taken_alone_or_as_a_bearer_token() -> None:
    for value in ("the-secret-of-strapi", "Bearer the-secret-of-strapi"):
        assert (
            StaticHeader("X-Secret").verify(delivery(b"", {"X-Secret": value}), ["the-secret-of-strapi"]) == Vouched()
        )
    for value in ("the-secret-of-strap", "Basic the-secret-of-strapi", "bearer the-secret-of-strapi"):
        sent = delivery(b"", {"X-Secret": value})
        assert refusal(StaticHeader("X-Secret"), sent, "the-secret-of-strapi") is Reason.FORGED


@pytest.mark.parametrize(
    ("scheme", "secret", "why"),
    [
        ("github", "", "empty"),
        ("github", " \t ", "empty"),
        ("github", "hunter2", "7 characters"),
        ("standard", "whsec_", "base64"),
        ("standard", "whsec_aGVsbG8=", "base64"),
        ("standard", "whsec_this is no base64 but it is long", "base64"),
        ("standard", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS-", "base64"),
        ("zendesk", "dGhpc19zZWNyZXRfaXNfZm9yX3Rlc3Rpbmdfb25seQ==", "publishes"),
    ],
)
def test_a_secret_that_is_none_is_named_without_being_repeated(scheme: str, secret: str, why: str) -> None:
    assert why in weakness(scheme, secret)
    assert len(secret.strip()) < 7 or secret not in weakness(scheme, secret)


def test_a_fair_secret_is_used() -> None:
    assert weakness("standard", STANDARD_SECRET) == ""
    assert weakness("standard", base64.b64encode(hashlib.sha256(b"x").digest()).decode()) == ""
    assert weakness("github", "It's a Secret to Everybody") == ""


def test_settings_that_would_check_an_unsigned_instant_or_id_are_refused() -> None:
    wrong = [
        {"timestamp_header": "X-Time"},
        {"signed": "{timestamp}.{body}"},
        {"id_header": "X-Id"},
        {"signed": "{id}.{body}"},
        {"signed": "{timestamp}", "timestamp_header": "X-Time"},
        {"signed": "{body}{secret}"},
        {"timestamp_field": "t", "signed": "{timestamp}{body}"},
    ]
    for options in wrong:
        with pytest.raises(ValueError, match=r"signed|timestamp|id"):
            HmacSettings(header="X-Signature", **options)  # type: ignore[arg-type]
