"""Events are sent by the app that users install (examples/webhooks/wagtail), to where a file says, and at once: when an
editor's action is over, its events have been sent.
"""

import json

from django.conf import settings
from truecopy_events import events


def connect():
    events.receiver = receiver
    events.in_background = lambda work: work()


def receiver():
    place = settings.FOLDER / "events.json"
    if not place.exists():
        return "", ""
    told = json.loads(place.read_text())
    return told["url"], told["secret"]
