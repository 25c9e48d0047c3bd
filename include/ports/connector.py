"""Where documents come from: one content source, read and never changed."""

from __future__ import annotations

from typing import Protocol

from include.domain.documents import FetchedDocument, Presence
from include.domain.inventory import Listing


class Connector(Protocol):
    """Lists and fetches one source's documents; does nothing else."""

    @property
    def source(self) -> str: ...

    def list_documents(self) -> Listing:
        """Every public document with its version, and the proof that nothing is missing.

        Raises SourceUnavailable when the source cannot be read at all. A listing that was read but proves
        nothing is returned with `complete=False` and the problem in its proof, never padded or emptied.
        """
        ...

    def fetch(self, doc_id: str) -> FetchedDocument:
        """One document as it is now. Raises DocumentGone, DocumentNotPublic, DocumentUnreadable,
        SourceUnavailable; never returns an empty stand-in."""
        ...

    def probe(self, doc_id: str) -> Presence:
        """Ask the source for this one document before it is removed. Never raises; doubt is UNKNOWN."""
        ...

    def close(self) -> None: ...


class FormerBodies(Protocol):
    """What a connector can do besides where its source keeps what documents said before."""

    def former_body(self, version: str) -> bytes:
        """The bytes of a version, as they once were fetched. Raises DocumentGone where they are not at hand."""
        ...
