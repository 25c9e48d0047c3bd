"""Documents that a sync brings in though something was decided about them.

A stage hides the text that somebody is to look at, and a person takes out a version: neither is about what its source
makes of the document later.

| the sync writes                                      | what becomes of it                                         |
|------------------------------------------------------|------------------------------------------------------------|
| another text of a staged document                    | readers find it, until the detector has looked again       |
| a staged document that had left the index            | the same; what was decided about it goes back to open      |
| another version of a document that a person took out | it is new, and its outcome says who had taken it out       |
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from include.domain.dates import rfc3339
from include.domain.documents import ExtractedDocument, Status
from include.domain.errors import ConfigError
from include.domain.manifest import DocumentOutcome, DocumentState
from include.domain.metadata import Hand, MetadataChange, Patch
from include.domain.review import KeptOut
from include.planning.metadata_rules import patches_of
from include.services.context import SourceContext

_NOT_STAGED: Patch = {"status": None}


def show_what_changed(context: SourceContext, documents: Sequence[ExtractedDocument]) -> None:
    """Before these are written: take back the stage of those whose text is another than the one in the index. In the
    ledger, so that they are written as everybody may read them."""
    source = context.source
    staged = context.ledger.decided(source, Hand.DETECTOR)
    suspected = {each.key: each.content_hash for each in documents if each.key.doc_id in staged}
    if not suspected:
        return
    with context.store.reading() as index:
        stored = index.chunks_of(list(suspected))
    back: dict[str, str] = {}
    for key, chunks in stored.items():
        texts = {chunk.content_hash for chunk in chunks if chunk.status != Status.INCOMING}
        if suspected[key] not in texts:
            back[key.doc_id] = "the document was changed since" if texts else "it had left the index and came back"
    if not back:
        return
    patches = patches_of(dict.fromkeys(back, _NOT_STAGED), staged)
    named = ", ".join(sorted(back))
    now = rfc3339(context.clock.now())
    digest = hashlib.sha256(f"{now} {named}".encode()).hexdigest()[:16]
    context.ledger.record(
        MetadataChange(
            run_id=f"shown-again-{digest}",
            source=source,
            hand=Hand.DETECTOR,
            by="truecopy",
            reason=f"what was staged is another text by now: {named}",
            at=now,
            selector="documents that a sync brought in",
            patches=patches,
        )
    )
    notes = {doc_id: why for doc_id, why in back.items() if _is_decided(context, doc_id)}
    if notes:
        context.ledger.reopen(source, notes, message=f"Decide again, of {source}: {', '.join(sorted(notes))}")


def kept_out_of(context: SourceContext, documents: Sequence[ExtractedDocument]) -> Mapping[str, KeptOut]:
    """Those of these documents that a person has taken out of the index."""
    out = context.ledger.kept_out(context.source)
    return {doc_id: out[doc_id] for each in documents if (doc_id := each.key.doc_id) in out}


def let_in(
    context: SourceContext,
    out: Mapping[str, KeptOut],
    documents: Sequence[ExtractedDocument],
    outcomes: Sequence[DocumentOutcome],
) -> list[DocumentOutcome]:
    """After these were written: those that had been taken out are no longer, and their outcomes say so."""
    if not out:
        return list(outcomes)
    # Replaced: the run that was to take it out was killed before the index.
    written = (DocumentState.CREATED, DocumentState.REPLACED)
    landed = {each.doc_id for each in outcomes if each.state in written}
    versions = {
        each.key.doc_id: each.version for each in documents if each.key.doc_id in landed and each.key.doc_id in out
    }
    if versions:
        context.ledger.let_in(context.source, versions)
    return [
        replace(each, detail=f"{out[each.doc_id]}, and its source has changed it since")
        if each.doc_id in versions
        else each
        for each in outcomes
    ]


def _is_decided(context: SourceContext, doc_id: str) -> bool:
    try:
        return not context.ledger.candidate(context.source, doc_id).is_open
    except ConfigError:
        return False  # no candidate, or a file that whoever reads the queue names
