"""Webhooks from Wagtail's and Django's signals, signed by the Standard Webhooks specification.

An event names one page and nothing more. What happens to a page changes the address or the visibility of those below
it, and no signal is sent for them: each gets an event of its own, or all together one about the whole site. An alias
that is created sends no `page_published`.
"""

import json
import logging
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

from django.conf import settings
from django.db import transaction
from django.db.models.signals import post_delete, post_save
from standardwebhooks.webhooks import Webhook
from wagtail import hooks
from wagtail.models import Page, PageViewRestriction
from wagtail.signals import page_published, page_slug_changed, page_unpublished, post_page_move

log = logging.getLogger(__name__)

MOST_PAGES = 100
"""More pages at once are told as one event about the whole site: a section that is moved must not send thousands."""

_sender = ThreadPoolExecutor(max_workers=1, thread_name_prefix="truecopy event")


def connect():
    page_published.connect(lambda instance, **_: tell("page.published", instance), weak=False)
    page_unpublished.connect(lambda instance, **_: tell("page.unpublished", instance), weak=False)
    page_slug_changed.connect(lambda instance, **_: tell("page.moved", instance), weak=False)
    post_page_move.connect(lambda instance, **_: tell("page.moved", instance), weak=False)
    post_delete.connect(lambda instance, **_: send("page.deleted", instance.pk), sender=Page, weak=False)
    for signal in (post_save, post_delete):
        signal.connect(
            lambda instance, **_: tell("page.privacy", instance.page), sender=PageViewRestriction, weak=False
        )


@hooks.register("after_copy_page")
def copied(request, page, new_page):
    tell("page.published", new_page)


def tell(kind, page):
    """One event for the page and one for each below it."""
    pks = list(page.get_descendants(inclusive=True).values_list("pk", flat=True)[: MOST_PAGES + 1])
    for pk in pks if len(pks) <= MOST_PAGES else [None]:
        send(kind, pk)


def send(kind, pk):
    """Once the change is committed, and without the editor waiting for it. No `pk`: about the whole site."""
    transaction.on_commit(lambda: in_background(lambda: deliver(kind, pk)))


def in_background(work):
    """One after the other, in one thread, however many pages there are."""
    _sender.submit(work)


def deliver(kind, pk):
    """A delivery that fails is lost: nobody tries it again. The nightly run finds what it was about."""
    url, secret = receiver()
    if not url:
        return
    try:
        post(url, secret, kind, {} if pk is None else {"id": pk})
    except Exception as error:  # noqa: BLE001 (whatever it is, the next event must not wait for it)
        log.warning("event %s of page %s was not taken: %s", kind, pk, error)


def post(url, secret, kind, data):
    identity, now = f"msg_{uuid.uuid4().hex}", datetime.now(UTC)
    body = json.dumps({"type": kind, "timestamp": now.isoformat(), "data": data})
    headers = {
        "content-type": "application/json",
        "webhook-id": identity,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(secret).sign(identity, now, body),
    }
    with urllib.request.urlopen(urllib.request.Request(url, body.encode(), headers), timeout=10):
        pass


def receiver():
    """(address, secret); no address, no events."""
    return getattr(settings, "TRUECOPY_WEBHOOK_URL", ""), getattr(settings, "TRUECOPY_WEBHOOK_SECRET", "")
