"""Webhooks from Wagtail's and Django's signals, signed by the Standard Webhooks specification.

An event names one page and nothing more. What happens to a page changes the address or the visibility of those below
it, and no signal is sent for them: each gets an event of its own. An alias that is created sends no `page_published`.
"""

import json
import logging
import threading
import urllib.request
import uuid
from datetime import UTC, datetime

from django.conf import settings
from django.db import transaction
from django.db.models.signals import post_delete, post_save
from standardwebhooks.webhooks import Webhook
from wagtail import hooks
from wagtail.models import Page, PageViewRestriction
from wagtail.signals import page_published, page_slug_changed, page_unpublished, post_page_move

log = logging.getLogger(__name__)


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
    for pk in page.get_descendants(inclusive=True).values_list("pk", flat=True):
        send(kind, pk)


def send(kind, pk):
    """Once the change is committed, and without the editor waiting for it."""
    transaction.on_commit(lambda: in_background(lambda: deliver(kind, pk)))


def in_background(work):
    threading.Thread(target=work, name="truecopy event").start()


def deliver(kind, pk):
    """A delivery that fails is lost: nobody tries it again. The nightly run finds what it was about."""
    url, secret = receiver()
    if not url:
        return
    identity, now = f"msg_{uuid.uuid4().hex}", datetime.now(UTC)
    body = json.dumps({"type": kind, "timestamp": now.isoformat(), "data": {"id": pk}})
    headers = {
        "content-type": "application/json",
        "webhook-id": identity,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(secret).sign(identity, now, body),
    }
    request = urllib.request.Request(url, body.encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=10):
            pass
    except OSError as error:
        log.warning("event %s of page %s was not taken: %s", kind, pk, error)


def receiver():
    """(address, secret); no address, no events."""
    return getattr(settings, "TRUECOPY_WEBHOOK_URL", ""), getattr(settings, "TRUECOPY_WEBHOOK_SECRET", "")
