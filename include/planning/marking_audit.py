"""Did marking the chosen documents do what it should, and nothing else? Judged from the whole source before and after.

For every chosen document three numbers of chunks must agree: those it had, those that the store counted under the
write, and those of its version now, if every one of them says what the ledger says. Every other document must be what
it was, unless somebody wrote a version of it meanwhile (another fence), removed it, or brought it nearer to the ledger.
Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from include.domain.inventory import IndexedDocument, IndexInventory
from include.domain.payload import source_says
from include.planning.inspection import flaws_of_version, siblings_agree


@dataclass(frozen=True, slots=True)
class MarkedDocument:
    """Chunks of a document's newest version: `before` it was written to, and `touched`, as the store then counted them
    under the write. `written`: something had to be set."""

    before: int
    touched: int
    written: bool


@dataclass(frozen=True, slots=True)
class Audit:
    """Numbers of chunks of the chosen documents, and the problems, by document. `others` were not chosen."""

    before: int
    touched: int
    after: int
    chosen: Mapping[str, str]
    others: Mapping[str, str]

    @property
    def is_clean(self) -> bool:
        return self.before == self.touched == self.after and not self.chosen and not self.others


def agrees(document: IndexedDocument) -> bool:
    """Does every chunk of its version say what the ledger says? Of an inventory `with_marks`."""
    return bool(document.version) and not document.drift and siblings_agree(document)


def audit(
    before: IndexInventory,
    after: IndexInventory,
    marked: Mapping[str, MarkedDocument],
    *,
    chosen: Collection[str],
    removed: Collection[str],
) -> Audit:
    """`marked` are the chosen documents that were there to be marked; `removed` those of the source whose removal
    somebody recorded meanwhile."""
    before_it, touched, after_it = 0, 0, 0
    problems: dict[str, str] = {}
    for doc_id, counted in sorted(marked.items()):
        if doc_id in removed:
            continue
        document = after.documents.get(doc_id)
        if document is None or not document.version:
            problems[doc_id] = "its chunks are gone"
            seen = (chunks_before(before, doc_id), counted.touched, 0)
        elif not agrees(document):
            fields = f"reads otherwise than it was set: {', '.join(document.drift)}" if document.drift else ""
            problems[doc_id] = fields or "its chunks disagree"
            seen = (chunks_before(before, doc_id), counted.touched, 0)
        elif fence_moved(before, after, doc_id):
            seen = (document.chunks,) * 3  # another version by now, written under the same marks
        else:
            seen = (chunks_before(before, doc_id), counted.touched, document.chunks)
            if len(set(seen)) > 1:
                problems[doc_id] = "{} chunks before, {} touched, {} after".format(*seen)
            elif flaws := new_flaws(before, after, doc_id):
                problems[doc_id] = flaws
        before_it, touched, after_it = before_it + seen[0], touched + seen[1], after_it + seen[2]
    others = {}
    for doc_id, was in sorted(before.documents.items()):
        if doc_id not in chosen and doc_id not in removed and (damage := _damage(was, after.documents.get(doc_id))):
            others[doc_id] = damage
    return Audit(before_it, touched, after_it, problems, others)


def chunks_before(before: IndexInventory, doc_id: str) -> int:
    document = before.documents.get(doc_id)
    return document.chunks if document else 0


def fence_moved(before: IndexInventory, after: IndexInventory, doc_id: str) -> bool:
    """Has somebody written a version of the document meanwhile?"""
    was, now = before.documents.get(doc_id), after.documents.get(doc_id)
    return (was.fetched_at if was else None) != (now.fetched_at if now else None)


def new_flaws(before: IndexInventory, after: IndexInventory, doc_id: str) -> str:
    """Flaws that a document's version has got though nobody wrote another; empty when there is none."""
    was, now = before.documents.get(doc_id), after.documents.get(doc_id)
    return _new_flaws(was, now) if was and now else ""


def _damage(was: IndexedDocument, now: IndexedDocument | None) -> str:
    """What became of a document that nobody chose; empty when that is nobody's fault."""
    if not was.version:
        return ""  # debris of a killed run: others clear it away
    if now is None or not now.version:
        return "its chunks are gone"
    if now.fetched_at != was.fetched_at:
        return ""
    if now.chunks < was.chunks:
        return f"{now.chunks} of {was.chunks} chunks are left"
    if flaws := _new_flaws(was, now):
        return flaws
    if source_says(now.metadata) != source_says(was.metadata):
        return "its metadata changed"
    if now.drift and (now.status, dict(now.metadata)) != (was.status, dict(was.metadata)):
        return f"its {', '.join(now.drift)} changed"
    return ""


def _new_flaws(was: IndexedDocument, now: IndexedDocument) -> str:
    if now.fetched_at != was.fetched_at:
        return ""
    return "; ".join(flaw for flaw in flaws_of_version(now) if flaw not in was.flaws)
