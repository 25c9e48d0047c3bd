"""What a payload names. Nothing else of it is read, and nothing of it is kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

import jmespath

from include.domain.events import Reason
from include.hooks.delivery import RefusedError

MOST_DOCUMENTS = 1_000
"""An event that names more is taken as one about the whole source."""

_LONGEST_ID = 1_000


def parsed(body: bytes) -> object:
    """Raises RefusedError for what is not JSON, however it is malformed."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise RefusedError(Reason.MALFORMED) from None


def named_documents(payload: object, expressions: Sequence[str]) -> tuple[str, ...]:
    """The ids at these expressions, each once; empty when the payload names none."""
    found = dict.fromkeys(doc_id for expression in expressions for doc_id in _ids(_value(payload, expression)))
    return tuple(found) if len(found) <= MOST_DOCUMENTS else ()


def event_name(payload: object, expression: str) -> str:
    """What the sender calls the event, fit for a log line; empty where it has no name."""
    return plain_name(_value(payload, expression)) if expression else ""


def plain_name(value: object) -> str:
    return re.sub(r"[^A-Za-z0-9._:-]", "", value)[:80] if isinstance(value, str) else ""


def _value(payload: object, expression: str) -> object:
    try:
        return jmespath.search(expression, payload)
    except Exception:  # noqa: BLE001 (the payload has another shape; the library lets Python's own errors through)
        return None


def _ids(value: object) -> Iterator[str]:
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, bool) or not isinstance(each, str | int):
            continue
        doc_id = str(each)
        if doc_id.strip() and len(doc_id) <= _LONGEST_ID and doc_id.isprintable():
            yield doc_id
