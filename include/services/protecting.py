"""What people protect: pins (for as long as they stand) and holds (until a day). Protection can be added by anybody who
has a reason, and nothing that runs by itself gets past it.

| road         | a pinned document              | a document on hold             |
|--------------|--------------------------------|--------------------------------|
| detector     | is no candidate                | is no candidate                |
| resolver     | is never superseded            | is not superseded              |
| review       | the decision goes back to open | the decision goes back to open |
| dispositions | is not taken away, not linked  | is not taken away, not linked  |

A pin is a mark and stands on every chunk. A hold stands in the ledger alone: whoever would change the document looks.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

from include.domain.dates import from_rfc3339, rfc3339
from include.domain.documents import DocumentKey
from include.domain.errors import ConfigError
from include.domain.metadata import Hand, Shape, value_of
from include.domain.review import Decision, Disposition, Protection, one_line
from include.ports import Ledger
from include.services.context import SourceContext
from include.services.metadata_run import Done, Wish, apply_run
from include.services.reading import Progress
from include.staleness.evidence import Evidence, Signal
from include.staleness.subject import NO_CARE, Care
from include.staleness.supersession import BY_A_PERSON


def pin(
    context: SourceContext,
    doc_ids: Collection[str],
    *,
    by: str,
    reason: str,
    run_id: str,
    progress: Progress,
    pinned: bool = True,
) -> Done:
    """Pin these documents, or take their pins away; raises what `metadata_run.apply_run` raises."""
    value = True if pinned else None
    wish = Wish(
        by,
        reason,
        patches={doc_id: {"pinned": value} for doc_id in doc_ids},
        words=f"{'pin' if pinned else 'unpin'} {', '.join(doc_ids)}",
    )
    return apply_run(context, wish, run_id=run_id, progress=progress)


def hold(
    context: SourceContext, doc_ids: Collection[str], *, until: str, by: str, reason: str
) -> Mapping[str, Protection]:
    """Hold these documents until a day or an instant, a commit in the name of `by`. A longer hold stays as it is: to
    end one earlier it has to be let go. Returns the holds that were made.

    Raises ConfigError for a date that is none or has passed, a missing reason, and a document that is not indexed.
    """
    source, now = context.source, context.clock.now()
    _check_words(source, by, reason)
    try:
        held_until = str(value_of("expires_at", until))
    except ValueError:
        raise ConfigError(f"{source}: until is {until!r}; allowed is {Shape.DATE.allowed}") from None
    if held_until <= rfc3339(now):
        raise ConfigError(f"{source}: until is {until!r}, which has passed; a hold ends later than now")
    if missing := not_indexed(context, doc_ids):
        raise ConfigError(f"{source}: {', '.join(missing)} is not in the index; nothing was held")
    standing = context.ledger.holds(source)
    made = {
        doc_id: Protection(held_until, reason.strip(), by.strip(), rfc3339(now))
        for doc_id in sorted(set(doc_ids))
        if doc_id not in standing or standing[doc_id].held_until < held_until
    }
    named = ", ".join(sorted(set(doc_ids)))
    context.ledger.protect(source, made, by=by, message=f"Hold {named} of {source} until {until}\n\n{reason}")
    return made


def let_go(context: SourceContext, doc_ids: Collection[str], *, by: str, reason: str) -> Collection[str]:
    """End the holds on these documents; returns those that had one. Raises ConfigError when none has."""
    source = context.source
    _check_words(source, by, reason)
    held = sorted(set(doc_ids) & context.ledger.holds(source).keys())
    if not held:
        raise ConfigError(f"{source}: {', '.join(sorted(set(doc_ids)))} is not held; nothing was let go")
    message = f"Let go of {', '.join(held)} of {source}\n\n{reason}"
    context.ledger.protect(source, dict.fromkeys(held), by=by, message=message)
    return held


def held_now(ledger: Ledger, source: str, now: datetime) -> Mapping[str, Protection]:
    """The holds that have not run out, by doc id."""
    return {doc_id: each for doc_id, each in ledger.holds(source).items() if from_rfc3339(each.held_until) > now}


def why_protected(ledger: Ledger, source: str, now: datetime) -> Mapping[str, str]:
    """Every document that a person protects, and why in a sentence, by doc id. What is carried out by itself looks here
    last of all, and leaves these alone."""
    pinned = {
        doc_id: "it is pinned"
        for doc_id, fields in ledger.decided(source, Hand.PERSON).items()
        if fields.get("pinned") is True
    }
    held = {
        doc_id: f"it is held until {each.held_until[:10]}: {each.reason}"
        for doc_id, each in held_now(ledger, source, now).items()
    }
    return {**held, **pinned}


def care_of(ledger: Ledger, source: str) -> Mapping[str, Care]:
    """What people have decided in reviews of each document: holds, and what they kept. By doc id."""
    holds = ledger.holds(source)
    reviewed: dict[str, datetime] = {}
    kept: dict[str, frozenset[str]] = {}
    for item in ledger.settled(source).items:
        if item.decision is None:
            continue
        at = from_rfc3339(item.decision.at)
        reviewed[item.doc_id] = max(at, reviewed.get(item.doc_id, at))
        if item.decision.disposition in (Disposition.KEEP, Disposition.SUPERSEDE_LINK):
            seen = frozenset((*(each.fingerprint for each in item.evidence), *_of_the_link(item.decision)))
            kept[item.doc_id] = kept.get(item.doc_id, frozenset()) | seen
    return {
        doc_id: Care(
            held_until=from_rfc3339(holds[doc_id].held_until) if doc_id in holds else None,
            hold_reason=holds[doc_id].reason if doc_id in holds else "",
            reviewed_at=reviewed.get(doc_id),
            kept=kept.get(doc_id, NO_CARE.kept),
        )
        for doc_id in holds.keys() | reviewed.keys()
    }


def _of_the_link(made: Decision) -> tuple[str, ...]:
    """Whoever linked a document has answered the evidence that the link itself makes: it stays searchable behind the
    other."""
    if not made.superseded_by:
        return ()
    facts = {"superseded_by": made.superseded_by}
    return (Evidence(Signal.SUPERSEDED, BY_A_PERSON, str(made), anchor=True, facts=facts).fingerprint,)


def _check_words(source: str, by: str, reason: str) -> None:
    for name, text in (("by", by), ("reason", reason)):
        if not one_line(text):
            raise ConfigError(f"{source}: {name} is {text!r}; allowed is one line of text that says it")


def not_indexed(context: SourceContext, doc_ids: Collection[str]) -> list[str]:
    """Those of which the index holds nothing, sorted."""
    keys = [DocumentKey(context.source, doc_id) for doc_id in sorted(set(doc_ids))]
    with context.store.reading() as index:
        found = {str(hit.payload["doc_id"]) for hit in index.documents(keys)}
        stored = index.chunks_of([key for key in keys if key.doc_id not in found])
    return [key.doc_id for key, chunks in stored.items() if not chunks]
