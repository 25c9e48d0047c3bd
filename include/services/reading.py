"""Read documents from a source before anything is written: fetch, extract, keep aside.

Everything a run will write is read first, so that the gate can look at the texts (one login page for all, a rename, a
mass rewrite) before the first write. What was read waits on disk, not in memory.
"""

from __future__ import annotations

import logging
import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from include.domain.documents import DocumentKey, ExtractedDocument, FetchedDocument
from include.domain.errors import DocumentGone, DocumentNotPublic, Skippable, SourceUnavailable
from include.domain.manifest import DocumentOutcome, DocumentState
from include.planning.provenance import DocumentProvenance, of_extracted
from include.ports import Connector

log = logging.getLogger(__name__)

Progress = Callable[[str, int, int], None]
"""Called with (what, done, total)."""

GIVE_UP_AFTER = 20
"""So many documents in a row that the source does not answer for are an outage, not bad documents."""


class Spool:
    """Extracted documents on disk in a private temporary file; deleted with the object."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="truecopy-")  # noqa: SIM115 (lives as long as the spool)
        self._places: dict[str, tuple[int, int]] = {}

    def add(self, document: ExtractedDocument) -> None:
        data = pickle.dumps(document, pickle.HIGHEST_PROTOCOL)
        place = self._file.seek(0, 2)
        self._file.write(data)
        self._places[document.key.doc_id] = (place, len(data))

    def get(self, doc_id: str) -> ExtractedDocument:
        """Raises KeyError."""
        place, length = self._places[doc_id]
        self._file.seek(place)
        document: ExtractedDocument = pickle.loads(self._file.read(length))  # our own file, unlinked from the start
        return document

    def batches(self, doc_ids: Iterable[str], size: int) -> Iterator[list[ExtractedDocument]]:
        batch: list[ExtractedDocument] = []
        for doc_id in doc_ids:
            batch.append(self.get(doc_id))
            if len(batch) == size:
                yield batch
                batch = []
        if batch:
            yield batch

    def close(self) -> None:
        self._file.close()


@dataclass(slots=True)
class Reading:
    """What came of reading: hashes, versions and provenance of dates by doc_id, the documents without any text, and an
    outcome for each that was not readable."""

    spool: Spool
    contents: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    provenance: dict[str, DocumentProvenance] = field(default_factory=dict)
    empty: set[str] = field(default_factory=set)
    outcomes: list[DocumentOutcome] = field(default_factory=list)


def read_documents(
    connector: Connector,
    doc_ids: Sequence[str],
    extract: Callable[[FetchedDocument], ExtractedDocument],
    *,
    progress: Progress,
    living: Sequence[str] = (),
) -> Reading:
    """Fetch and extract each document; one that cannot be read fails alone and keeps its last good version.

    `living` are listed documents besides these. When there is no answer for many in a row, one of them is asked: if it
    answers, the others fail alone; otherwise this is an outage. Raises SourceUnavailable then.
    """
    reading = Reading(Spool())
    unanswered = 0
    for number, doc_id in enumerate(doc_ids, start=1):
        key = DocumentKey(connector.source, doc_id)
        try:
            document = extract(connector.fetch(doc_id))
        except (DocumentGone, DocumentNotPublic) as error:
            reading.outcomes.append(DocumentOutcome(doc_id, DocumentState.VANISHED, str(error)))
        except SourceUnavailable as error:
            unanswered += 1
            reading.outcomes.append(DocumentOutcome(doc_id, DocumentState.FAILED, str(error)))
            if unanswered >= GIVE_UP_AFTER and not _answers(connector, [*living[:2], *reversed(doc_ids[number:])][:3]):
                raise SourceUnavailable(
                    f"{connector.source}: no answer for {unanswered} documents in a row, last {doc_id}: {error}. "
                    "Nothing was written; the next run tries again",
                    source=connector.source,
                    unanswered=unanswered,
                ) from error
            if unanswered >= GIVE_UP_AFTER:
                unanswered = 0
            continue
        except Exception as error:  # noqa: BLE001 (here one bad document is kept from stopping the others)
            log.warning("%s: not read: %s", key, error)
            reading.outcomes.append(DocumentOutcome(doc_id, DocumentState.FAILED, str(error) or type(error).__name__))
        else:
            reading.spool.add(document)
            reading.contents[doc_id] = document.content_hash
            reading.versions[doc_id] = document.version
            reading.provenance[doc_id] = of_extracted(document)
            if document.is_empty:
                reading.empty.add(doc_id)
        unanswered = 0
        progress("read", number, len(doc_ids))
    return reading


def _answers(connector: Connector, doc_ids: Sequence[str]) -> bool:
    """Does the source deliver one of these documents, or say anything definite about it?"""
    for doc_id in doc_ids:
        try:
            connector.fetch(doc_id)
        except SourceUnavailable:
            continue
        except Skippable:
            return True
        return True
    return False
