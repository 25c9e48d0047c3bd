"""Fences of removed documents.

A read that began before a removal may finish after it and would bring the document back. The removal therefore
leaves its fence here *before* it deletes; a writer looks here after it has stored its points and before it makes them
readable, and withdraws.
The file name is a hash, so that the mark says nothing about the document.
"""

from __future__ import annotations

import hashlib
import json
import logging
from datetime import datetime

from include.domain.dates import from_rfc3339, rfc3339
from include.domain.documents import DocumentKey
from include.planning.fences import later_removal
from include.records.state import StateRoot

log = logging.getLogger(__name__)


class FileRemovalMarks:
    """Implements ports.RemovalMarks."""

    def __init__(self, state: StateRoot) -> None:
        self._state = state

    def put(self, key: DocumentKey, fence: datetime) -> None:
        standing = self.fence_of(key)
        remembered = later_removal(standing, fence)
        if remembered != standing:
            self._state.write(mark_path(key), json.dumps({"fence": rfc3339(remembered)}).encode())

    def fence_of(self, key: DocumentKey) -> datetime | None:
        try:
            return from_rfc3339(json.loads(self._state.read(mark_path(key)))["fence"])
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError) as error:
            # It protects against a race of seconds; blocking a document for good would be worse.
            log.warning("the removal mark of %s cannot be read and is passed over: %s", key, error)
            return None


def mark_path(key: DocumentKey) -> str:
    """Where the mark of a document is, below the state root."""
    digest = hashlib.sha256(key.doc_id.encode("utf-8", "surrogatepass")).hexdigest()
    return f"removals/{key.source}/{digest[:2]}/{digest}.json"
