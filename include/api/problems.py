"""What is wrong, as RFC 9457 problem details. A fault of ours is told without its inside: that is for the log."""

from __future__ import annotations

import json
import logging
import math
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.responses import Response

from include.domain.errors import Retriable, Skippable, StoreBusy, TruecopyError

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"

TITLES: Mapping[int, str] = {
    400: "The request cannot be read",
    401: "A key is needed",
    403: "Not from here",
    404: "There is no such thing",
    405: "Not this way",
    413: "The body is too large",
    422: "The request cannot be answered as it is",
    429: "Too many requests of this key",
    500: "The service is at fault",
    503: "Not now",
    504: "It took too long",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """`detail` is for the caller and holds nothing that a caller may not know."""

    status: int
    detail: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def response(self) -> Response:
        return Response(
            json.dumps(self.as_record(), ensure_ascii=False).encode("utf-8", "replace"),
            status_code=self.status,
            headers=dict(self.headers),
            media_type=MEDIA_TYPE,
        )

    def as_record(self) -> dict[str, object]:
        return {
            "type": "about:blank",
            "title": TITLES.get(self.status, "The request cannot be answered"),
            "status": self.status,
            "detail": self.detail,
        }


def later(status: int, detail: str, seconds: float) -> Problem:
    """One that passes. Seconds are rounded up: who comes at the named time is served."""
    return Problem(status, detail, {"Retry-After": str(max(1, math.ceil(seconds)))})


def problem_of(error: Exception) -> Problem:
    """Of an error while a question was answered. Messages of the index and of embedders name folders and hosts: they
    go into the log, under the id that the caller is told."""
    if isinstance(error, Skippable):  # the embedder cannot use the question, and says why
        return Problem(422, str(error))
    incident = uuid.uuid4().hex[:12]
    if isinstance(error, TruecopyError):
        log.error("%s: %s: %s", incident, type(error).__name__, error)
    else:
        log.error("%s: %s", incident, type(error).__name__, exc_info=error)
    if isinstance(error, StoreBusy):
        return later(503, f"The index is in use by another process (incident {incident}).", 2)
    if isinstance(error, Retriable):
        return later(503, f"The index or the embedder does not answer (incident {incident}).", 5)
    return Problem(500, f"The log of the service says more under {incident}.")
