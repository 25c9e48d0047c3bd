"""How an item of the review queue changes: found again, decided, taken back to open. Pure.

| the item is | found now                             | it becomes                                            |
|-------------|---------------------------------------|-------------------------------------------------------|
| new         | yes                                   | open                                                  |
| open        | yes                                   | open, with the evidence of now; its age stays         |
| open        | no                                    | nothing; with a note on a lost decision it stays open |
| decided     | yes, same text and evidence           | decided                                               |
| decided     | with another text, other evidence, no | open, with a note that says who had decided what      |

A decided item whose removal waits for its source is decided like any other. No decision is dropped without a note, and
none is made here.
"""

from __future__ import annotations

from dataclasses import replace

from include.domain.errors import DecisionConflict
from include.domain.review import Decision, ReviewItem


def renewed(
    standing: ReviewItem | None, found: ReviewItem | None, *, content_hash: str | None, why_not: str = ""
) -> ReviewItem | None:
    """The item as it should stand after a run that `found` it, or did not; None: no item any more. `content_hash` is
    that of the document's text now, None where the index no longer holds it. `why_not` says why it was not found."""
    if standing is None:
        return found
    if standing.decision is None:
        if found is not None:
            return replace(found, since=standing.since, notes=standing.notes)
        return standing if standing.notes else None
    if standing.waits_for_source and content_hash is None:
        return standing  # its source has taken it up; whoever carries decisions out settles it
    why = why_outdated(standing, found, content_hash=content_hash, why_not=why_not)
    fresh = standing if found is None else replace(found, since=standing.since, notes=standing.notes)
    fresh = replace(fresh, decision=standing.decision, applied=standing.applied)
    return taken_back(fresh, why) if why else fresh


def why_outdated(item: ReviewItem, found: ReviewItem | None, *, content_hash: str | None, why_not: str = "") -> str:
    """Why a decision on this item is not about what is there now; empty where it still is."""
    if content_hash is None:
        return "the document is not in the index any more"
    if changed := why_changed(item, content_hash):
        return changed
    if found is None:
        return why_not or "nothing speaks against the document any more"
    if found.fingerprint != item.fingerprint:
        return "the evidence is another now"
    return ""


def why_changed(item: ReviewItem, content_hash: str) -> str:
    """Empty where the document's text is the one that the item is about."""
    return "" if content_hash == item.content_hash else "the document was changed since"


def taken_back(item: ReviewItem, why: str) -> ReviewItem:
    """Open again, with a note; an open item as it is."""
    if item.decision is None:
        return item
    made = item.decision
    when = f" on {made.at[:10]}" if made.at else ""
    note = f"{made.by} decided {made}{when} ({made.why}), but {why}. Decide again.{_still_proposed(item)}"
    return replace(item, decision=None, applied=None, notes=(*item.notes, note))


def decided(item: ReviewItem, decision: Decision, *, fingerprint: str, overrule: bool) -> ReviewItem:
    """The item with a person's word on it. Raises DecisionConflict as `ports.ReviewQueue.decide` says."""
    first = item.decision
    if first is not None and first.says_the_same(decision) and item.fingerprint == fingerprint:
        return item
    if item.fingerprint != fingerprint:
        raise DecisionConflict(
            f"{item.source}: {item.doc_id}: the evidence is another than the one that you saw ({item.fingerprint}, not "
            f"{fingerprint}); nothing was recorded. Look at it again: `truecopy review {item.source} {item.doc_id}`",
            source=item.source,
            doc_id=item.doc_id,
        )
    notes = item.notes
    if first is not None:
        if not overrule:
            raise DecisionConflict(
                f"{item.source}: {item.doc_id}: {first.by} decided {first} on {first.at[:10]} ({first.why}); your "
                f"{decision} was not recorded. Agree with one another, then the later word can overrule (`--overrule`)",
                source=item.source,
                doc_id=item.doc_id,
                first=first.by,
            )
        notes = (*notes, f"{overruled(first, decision)}{_still_proposed(item)}")
    return replace(item, decision=decision, applied=None, notes=notes)


def _still_proposed(item: ReviewItem) -> str:
    """A commit that was made for a decision outlives it: only whoever owns the source can drop it."""
    if item.applied is None or not item.applied.commit:
        return ""
    return f" The branch {item.applied.branch} still removes it ({item.applied.commit[:12]}): do not merge that."


def overruled(first: Decision, second: Decision) -> str:
    """The note that is left where one person's word takes the place of another's."""
    return f"{first.by} decided {first} on {first.at[:10]} ({first.why}); {second.by} overruled it with {second}."
