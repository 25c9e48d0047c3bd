"""Faults on demand, in front of the site: they are real ends of real processes, not answers made up.

`faults.json` in the site's folder, {"path": prefix, "after": number, "what": ...}: after so many requests to that
prefix, each further one meets the fault. `only_below` leaves the prefix itself alone.
"""

import json
import os
import signal
from itertools import count

from django.conf import settings
from django.http import HttpResponse, StreamingHttpResponse


class Faults:
    def __init__(self, get_response):
        self._get_response = get_response
        self._place = settings.FOLDER / "faults.json"
        self._counted = (0.0, count())

    def __call__(self, request):
        if not self._place.exists():
            return self._get_response(request)
        fault = json.loads(self._place.read_text())
        written = self._place.stat().st_mtime
        if self._counted[0] != written:
            self._counted = (written, count())
        if fault.get("only_below") and request.path == fault["path"]:
            return self._get_response(request)
        if not request.path.startswith(fault["path"]) or next(self._counted[1]) < fault["after"]:
            return self._get_response(request)
        if fault["what"] == "killed before the answer":
            end_all_processes()
        if fault["what"] == "killed during the answer":
            return cut_short(self._get_response(request))
        return HttpResponse(fault["body"], status=fault["status"], headers=fault.get("headers"))


def end_all_processes():
    """The master first, or it would start another worker."""
    os.kill(os.getppid(), signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


def cut_short(answer):
    """Half of the answer, under the length of the whole; then the end."""
    answer.render() if hasattr(answer, "render") and not answer.is_rendered else None
    whole = answer.content

    def half():
        yield whole[: len(whole) // 2]
        end_all_processes()

    cut = StreamingHttpResponse(half(), status=answer.status_code, headers=dict(answer.headers))
    cut.headers["Content-Length"] = str(len(whole))
    return cut
