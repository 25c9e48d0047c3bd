"""Metadata that is not as the ledger decides is set right in place: nothing is read from the source or embedded.

Marks reach every chunk when a version is written and when they are set. What differs at night was altered behind our
back, decided in the ledger by hand, or left over by a run that was killed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from include.domain.errors import Skippable
from include.domain.inventory import IndexedDocument, IndexInventory
from include.domain.manifest import DocumentOutcome, DocumentState
from include.services.context import SourceContext
from include.services.marking import bring_in
from include.services.reading import Progress


def settle_drift(
    context: SourceContext, inventory: IndexInventory, *, settled: Collection[str], progress: Progress
) -> list[DocumentOutcome]:
    """Set right every document of the inventory that drifted, but for those in `settled`; one outcome for each that
    had to be written. One that cannot be marked fails alone. Raises StoreBusy or StoreUnavailable."""
    drifted = [document for document in inventory.documents.values() if document.drift]
    return _settle(context, [each for each in drifted if each.doc_id not in settled], progress)


def _settle(context: SourceContext, drifted: Sequence[IndexedDocument], progress: Progress) -> list[DocumentOutcome]:
    if not drifted:
        return []
    try:
        marking = bring_in(context, [document.doc_id for document in drifted], progress=progress)
    except Skippable as error:
        # A mark that the store refuses, written into the ledger by hand, keeps only its own document from being marked.
        if len(drifted) > 1:
            middle = len(drifted) // 2
            return [*_settle(context, drifted[:middle], progress), *_settle(context, drifted[middle:], progress)]
        return [DocumentOutcome(drifted[0].doc_id, DocumentState.FAILED, str(error), version=drifted[0].version)]
    return [
        DocumentOutcome(
            document.doc_id,
            DocumentState.REFRESHED,
            f"not as the ledger decides: {', '.join(document.drift)}",
            version=document.version,
            chunks=marking.chunks[document.doc_id],
        )
        for document in drifted
        if document.doc_id in marking.written
    ]
