"""What `truecopy doctor` looks at: settings, store, embedder, sources, webhooks, ledger, state root, clock, alarms."""

from __future__ import annotations

import email.utils
import os
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial

from include.domain.errors import TruecopyError
from include.domain.events import Reason
from include.domain.plan import PlanKind
from include.hooks.secrets import weakness
from include.records.receipts import FileReceipts
from include.services.diagnose import Check, Diagnosis, Health
from include.telemetry.erasures import how_open, open_erasures
from include.telemetry.reception import OVER
from include.wiring.application import Application
from include.wiring.nights import alerts_of, reception_at

CLOCKS_MAY_DIFFER_SECONDS = 60.0


def checks(application: Application) -> list[tuple[str, Check]]:
    """In the order in which a person would mend them."""
    return [
        ("state root", partial(_state, application)),
        ("ledger", partial(_ledger, application)),
        ("embedder", partial(_embedder, application)),
        ("index", partial(_index, application)),
        *((f"source {name}", partial(_source, application, name)) for name in sorted(application.settings.sources)),
        ("webhooks", partial(_misaddressed, application)),
        *(
            (f"webhook of {name}", partial(_webhook, application, name))
            for name in sorted(application.settings.sources)
        ),
        ("erasures", partial(_erasures, application)),
        ("clock", partial(_clock, application)),
        *((f"alarms of {name}", partial(_alarms, application, name)) for name in sorted(application.settings.sources)),
    ]


def _state(application: Application) -> Iterator[Diagnosis]:
    probe = f"doctor/{os.getpid()}"
    application.state.write(probe, b"written by truecopy doctor")
    try:
        application.state.read(probe)
    finally:
        application.state.remove(probe)
    yield Diagnosis("state root", Health.OK, f"{application.state} can be written and read")


def _ledger(application: Application) -> Iterator[Diagnosis]:
    if shutil.which("git") is None:
        yield Diagnosis("ledger", Health.BROKEN, "git is not installed", "Install git; the ledger is a git repository")
        return
    for source in application.settings.sources:
        application.ledger.marks(source)
        for kind in PlanKind:
            application.ledger.held(source, kind)
        application.ledger.reviews(source)
        application.ledger.holds(source)
        for spoilt in application.ledger.candidates(source).unreadable:
            yield Diagnosis(
                "ledger", Health.BROKEN, str(spoilt), "Mend the file in the ledger, or `git revert` the change"
            )
    yield Diagnosis("ledger", Health.OK, f"{application.settings.ledger} can be read")


def _embedder(application: Application) -> Iterator[Diagnosis]:
    embedder = application.embedder
    embedder.embed(["truecopy"])
    finding = f"{embedder.id}, {embedder.dimension} dimensions, {embedder.max_tokens} tokens at most"
    yield Diagnosis("embedder", Health.OK, finding)


def _index(application: Application) -> Iterator[Diagnosis]:
    store = application.store
    problems = store.problems()
    for problem in problems:
        yield Diagnosis("index", Health.BROKEN, problem, "See docs/OPERATIONS.md, An index that does not fit")
    with store.reading() as index:
        points, foreign = index.count_points(), index.count_foreign(tuple(application.settings.sources))
    if foreign:
        advice = (
            "They belong to no configured source and are never touched: another user of the collection, or tampering"
        )
        yield Diagnosis("index", Health.WARNING, f"{foreign} of {points} points are foreign", advice)
    if not problems:
        yield Diagnosis("index", Health.OK, f"{store.location} holds {points} points")


def _source(application: Application, name: str) -> Iterator[Diagnosis]:
    subject = f"source {name}"
    connector = application.connector(name)
    try:
        listing = connector.list_documents()
    except TruecopyError as error:
        yield Diagnosis(subject, Health.BROKEN, str(error), "Check its options and its connection")
        return
    finally:
        connector.close()
    if not listing.complete or not listing.documents:
        advice = "Until a listing is proven complete, nothing of this source is removed from the index"
        yield Diagnosis(subject, Health.BROKEN, listing.proof.problem or "0 documents are listed", advice)
    else:
        yield Diagnosis(subject, Health.OK, f"{len(listing.documents)} documents: {listing.proof.detail}")
    unreadable = [listed.doc_id for listed in listing.documents.values() if listed.unreadable]
    if unreadable:
        advice = "They keep their last good version; mend them at the source"
        named = ", ".join(unreadable[:5])
        yield Diagnosis(subject, Health.WARNING, f"{len(unreadable)} documents cannot be read: {named}", advice)


def _erasures(application: Application) -> Iterator[Diagnosis]:
    receipts, now = FileReceipts(application.state).all(), application.clock.now()
    left = open_erasures(receipts)
    for receipt in left:
        advice = "Mend what its receipt names, then run the same erasure again: docs/ERASURE.md"
        yield Diagnosis("erasures", Health.WARNING, how_open(receipt, now), advice)
    if receipts and not left:
        yield Diagnosis("erasures", Health.OK, "all that were asked for are complete")


def _misaddressed(application: Application) -> Iterator[Diagnosis]:
    now = application.clock.now()
    number = application.traffic.since(now - OVER).get("", {}).get(Reason.UNKNOWN_SOURCE, 0)
    if number:
        finding = f"within 24 hours {number} deliveries went to a name that is no source with a webhook"
        advice = "A misspelt address, a webhook that the API server has not been restarted for, or a stranger"
        yield Diagnosis("webhooks", Health.WARNING, finding, advice)


def _webhook(application: Application, name: str) -> Iterator[Diagnosis]:
    """The secret as this process sees it; the API server, which receives, must see the same."""
    webhook = application.settings.sources[name].webhook
    reception = reception_at(application, name)
    if webhook is None or reception is None:
        return
    subject = f"webhook of {name}"
    known = list(application.secrets.webhook_secrets(webhook.conn_id))
    weak = [why for secret in known if (why := weakness(webhook.scheme, secret))]
    if len(weak) == len(known):
        finding = f"the secret of connection {webhook.conn_id!r} {weak[0] if weak else 'is missing'}"
        advice = "Every delivery is refused. Set its password to the secret that the source signs with"
        yield Diagnosis(subject, Health.BROKEN, finding, advice)
        return
    for why in weak:
        advice = "It is not used; the other one is"
        yield Diagnosis(subject, Health.WARNING, f"a secret of connection {webhook.conn_id!r} {why}", advice)
    refused = ", ".join(f"{number} {reason.value}" for reason, number in reception.refused.items()) or "none"
    finding = f"within 24 hours {reception.accepted} deliveries accepted, refused {refused}; "
    finding += f"{reception.waiting.events} events wait"
    yield Diagnosis(subject, Health.OK, finding)


def _clock(application: Application) -> Iterator[Diagnosis]:
    """Fences compare clocks: one that is wrong makes old reads look new."""
    if datetime.now(UTC).year < 2026:
        yield Diagnosis("clock", Health.BROKEN, f"the clock says {datetime.now(UTC):%Y-%m-%d}", "Set it, run NTP")
        return
    url = application.settings.store.url
    if not url.startswith("http"):
        yield Diagnosis("clock", Health.OK, f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC; one machine, one clock")
        return
    began = time.time()
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            served = answer.headers.get("Date", "")
    except urllib.error.HTTPError as error:
        served = error.headers.get("Date", "")
    if not served:
        yield Diagnosis("clock", Health.WARNING, "the server does not say what time it is", "Run NTP on all machines")
        return
    off = abs(email.utils.parsedate_to_datetime(served).timestamp() - (began + time.time()) / 2)
    finding = f"differs by {off:.0f} s from the Qdrant server's"
    if off > CLOCKS_MAY_DIFFER_SECONDS:
        yield Diagnosis("clock", Health.BROKEN, finding, "Run NTP on all machines")
    else:
        yield Diagnosis("clock", Health.OK, finding)


def _alarms(application: Application, source: str) -> Iterator[Diagnosis]:
    for alert in alerts_of(application, source):
        yield Diagnosis(f"alarms of {source}", Health.WARNING, f"{alert.name}: {alert.message}", "")
