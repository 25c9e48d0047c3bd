"""Metadata that is not as the ledger decides is set right in place: nothing is read from the source or embedded.

Marks reach every chunk when a version is written and when they are set. What differs at night was altered behind our
back, decided in the ledger by hand, or left over by a run that was killed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from include.domain.errors import Skippable
from include.domain.inventory import IndexedDocument, IndexInventory
from include.domain.manifest import DocumentOutcome, DocumentState
from include.planning.metadata_rules import hidden_by, marked_now
from include.services.context import SourceContext
from include.services.hiding import why_not_to_hide
from include.services.marking import bring_in
from include.services.reading import Progress


def settle_drift(
    context: SourceContext, inventory: IndexInventory, *, settled: Collection[str], run_id: str, progress: Progress
) -> list[DocumentOutcome]:
    """Set right every document of the inventory that drifted, but for those in `settled`; one outcome for each that
    had to be written. One that cannot be marked fails alone. More documents than may be deleted are not hidden either,
    whatever was written into the ledger by hand: they fail. Raises StoreBusy or StoreUnavailable."""
    drifted = [each for each in inventory.documents.values() if each.drift and each.doc_id not in settled]
    marks = marked_now((each.doc_id for each in drifted), context.ledger.marks(context.source))
    hidden = frozenset(hidden_by(marks, inventory))
    if why := why_not_to_hide(context, hidden, inventory, run_id=run_id):
        shown = [each for each in drifted if each.doc_id not in hidden]
        return [
            *_settle(context, shown, frozenset(), progress),
            *(
                DocumentOutcome(each.doc_id, DocumentState.FAILED, why, version=each.version)
                for each in drifted
                if each.doc_id in hidden
            ),
        ]
    return _settle(context, drifted, hidden, progress)


def _settle(
    context: SourceContext, drifted: Sequence[IndexedDocument], hidden: Collection[str], progress: Progress
) -> list[DocumentOutcome]:
    if not drifted:
        return []
    try:
        marking = bring_in(context, [document.doc_id for document in drifted], progress=progress)
    except Skippable as error:
        # A mark that the store refuses, written into the ledger by hand, keeps only its own document from being marked.
        if len(drifted) > 1:
            middle = len(drifted) // 2
            return [
                *_settle(context, drifted[:middle], hidden, progress),
                *_settle(context, drifted[middle:], hidden, progress),
            ]
        return [DocumentOutcome(drifted[0].doc_id, DocumentState.FAILED, str(error), version=drifted[0].version)]
    return [
        DocumentOutcome(
            document.doc_id,
            DocumentState.HIDDEN if document.doc_id in hidden else DocumentState.REFRESHED,
            f"not as the ledger decides: {', '.join(document.drift)}",
            version=document.version,
            chunks=marking.chunks[document.doc_id],
        )
        for document in drifted
        if document.doc_id in marking.written
    ]
