"""Bring new and changed documents into the index, between nights. Never removes a document.

Every document is its own unit of success. What looks like a mass update is left to the nightly reconciliation, which
reads every text before it judges, and can ask a person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from include.domain.documents import DocumentKey
from include.domain.errors import ListingNotProven
from include.domain.manifest import DocumentOutcome, DocumentState, Manifest, RunState
from include.domain.plan import Plan
from include.planning.diff import due_by_day, presence_changes
from include.planning.gate import MOST_PERCENT
from include.planning.inspection import inspect
from include.services.context import SourceContext
from include.services.deferral import deferred_changes
from include.services.drift import settle_drift
from include.services.holding import with_standing_hold
from include.services.judging import as_decided
from include.services.marking import write_versions
from include.services.provenance import MANY_CREATED, doubt_what_was_read, take_stock
from include.services.reading import Progress, read_documents


@dataclass(frozen=True, slots=True)
class ChangedDocuments:
    """What an ingest run has to look at. `deferred` waits for the nightly run, `reason` says why; `unknown` was asked
    for by id and is not listed by the source."""

    doc_ids: tuple[str, ...]
    indexed: int
    unknown: tuple[str, ...] = ()
    deferred: tuple[str, ...] = ()
    reason: str = ""


def find_changed(context: SourceContext, *, doc_ids: Sequence[str] = (), force: bool = False) -> ChangedDocuments:
    """Documents whose version, points or pipeline differ from what the source lists.

    `doc_ids` narrows the search; `force` takes them whatever their version, but nothing that waits for a person, was
    taken out by one, or looks like a mass change. Raises SourceUnavailable, and
    ListingNotProven if the credential's scope is unverified: a document then might be read with half its text.
    """
    listing = context.connector.list_documents()
    if not listing.proof.scope_verified:
        raise ListingNotProven(
            f"{context.source}: the credential's scope is not verified ({listing.proof.problem or 'no reason given'}); "
            "nothing is read with it. Check the connection",
            source=context.source,
        )
    with context.store.reading() as index:
        inventory = as_decided(context, inspect(context.source, index.scan(context.source)))
    wanted = set(doc_ids)
    unknown = tuple(sorted(wanted - listing.documents.keys()))
    due = presence_changes(listing, inventory, pipeline=context.writer.pipeline, read_with=context.read_with)
    changes = [change for change in due_by_day(due) if not wanted or change.doc_id in wanted]
    indexed = len(inventory.documents)
    plan = Plan(context.source, tuple(changes), indexed, len(listing.documents), listing.proof)
    deferred = deferred_changes(context, plan, inventory, listing)
    why = " ".join(dict.fromkeys(deferred.values()))
    reason = f"{why}. They are left to the nightly reconciliation, which reads their texts first" if deferred else ""
    chosen = {change.doc_id for change in changes}
    if force:
        chosen |= {
            each.doc_id
            for each in listing.documents.values()
            if not each.unreadable and inventory.kept_out.get(each.doc_id) != each.version
        }
        chosen = {doc_id for doc_id in chosen if not wanted or doc_id in wanted}
    now = tuple(sorted(chosen - deferred.keys()))
    return ChangedDocuments(now, indexed, unknown, tuple(sorted(deferred)), reason)


def ingest_documents(
    context: SourceContext, doc_ids: Sequence[str], *, indexed: int, progress: Progress, forced: bool = False
) -> list[DocumentOutcome]:
    """Read and write these documents; one outcome each. `indexed` is how many documents the index held before,
    `forced` that they are read whatever their version, so that most of them should come out unchanged.

    Documents that turn into one and the same text, many at a time, keep their last good version and wait for the
    nightly run. Raises Retriable when source, embedder or store are unavailable.
    """
    reading = read_documents(context.connector, doc_ids, context.read, progress=progress)
    try:
        doubt_what_was_read(context, reading)
        suspects = _suspects(context, reading.contents, indexed, forced=forced)
        outcomes = list(reading.outcomes)
        outcomes.extend(DocumentOutcome(doc_id, DocumentState.HELD, why) for doc_id, why in sorted(suspects.items()))
        good = [doc_id for doc_id in sorted(reading.contents) if doc_id not in suspects]
        done = 0
        for batch in reading.spool.batches(good, context.batch_documents):
            outcomes.extend(write_versions(context, batch))
            done += len(batch)
            progress("write", done, len(good))
        return outcomes
    finally:
        reading.spool.close()


def _suspects(context: SourceContext, contents: dict[str, str], indexed: int, *, forced: bool) -> dict[str, str]:
    """Documents that must not be written on the hour's own judgement, with the reason.

    Either too many documents of the source would share one text, or (`forced`) a large share of what should be
    unchanged comes back with another text. Documents that have this very text already are no suspects.
    """
    limits = context.limits
    keys = {doc_id: DocumentKey(context.source, doc_id) for doc_id in contents}
    with context.store.reading() as index:
        shared = {
            content_hash: count + index.count_documents_with(context.source, content_hash)
            for content_hash, count in Counter(contents.values()).items()
        }
        base, percent = (indexed, limits.same_text_percent) if indexed else (len(contents), MOST_PERCENT)
        crowded = {
            content_hash
            for content_hash, sharing in shared.items()
            if sharing >= limits.same_text_minimum and sharing * 100 > percent * base
        }
        doubtful = [doc_id for doc_id, content_hash in contents.items() if forced or content_hash in crowded]
        before = index.chunks_of([keys[doc_id] for doc_id in doubtful])
    new = [doc_id for doc_id in doubtful if not before[keys[doc_id]]]
    turning = [
        doc_id
        for doc_id in doubtful
        if (had := {chunk.content_hash for chunk in before[keys[doc_id]]}) and contents[doc_id] not in had
    ]
    # Twins among new documents are normal; one text for most of what is new is not.
    created = Counter(contents[doc_id] for doc_id in new)
    most_new = [doc_id for doc_id in new if created[contents[doc_id]] * 100 > MOST_PERCENT * len(contents)]
    why = "takes the text of too many others; left to the nightly reconciliation"
    suspects = {doc_id: why for doc_id in (*turning, *most_new) if contents[doc_id] in crowded}
    share = len(turning) * 100 / len(contents) if contents else 0.0
    if forced and len(turning) > limits.update_allowance and share > limits.update_percent:
        why = f"{len(turning)} of {len(contents)} documents read by force have another text; left to the night"
        suspects |= dict.fromkeys(turning, why)
    return suspects


def conclude_ingest(
    context: SourceContext,
    *,
    dag_id: str,
    run_id: str,
    started_at: datetime,
    outcomes: Sequence[DocumentOutcome],
    progress: Progress,
) -> Manifest:
    """Bring in what people have decided in the ledger meanwhile, a revert included, and write the manifest of an ingest
    run over one source, with exact counts of what the index holds now."""
    with context.store.reading() as index:
        inventory = as_decided(context, inspect(context.source, index.scan(context.source)))
    outcomes = [*outcomes, *settle_drift(context, inventory, settled=(), run_id=run_id, progress=progress)]
    failed = sum(outcome.state is DocumentState.FAILED for outcome in outcomes)
    held = [outcome for outcome in outcomes if outcome.state is DocumentState.HELD]
    why = []
    if failed:
        why.append(f"{failed} documents failed and keep their last good version")
    if held:
        why.append(f"{len(held)} documents wait for the nightly reconciliation: {held[0].detail}")
    created = sum(outcome.state is DocumentState.CREATED for outcome in outcomes)
    manifest = Manifest(
        run_id=run_id,
        dag_id=dag_id,
        source=context.source,
        started_at=started_at,
        finished_at=context.clock.now(),
        dates=take_stock(context, inventory) if created >= MANY_CREATED else None,
        state=RunState.DEGRADED if why else RunState.INGESTED,
        documents=len(inventory.documents),
        chunks=inventory.points,
        outcomes=tuple(outcomes),
        reason="; ".join(why),
        next_step="Open the documents named in this manifest at the source" if why else "",
        pipeline=context.writer.pipeline,
    )
    manifest = with_standing_hold(context.ledger, manifest)
    context.manifests.save(manifest)
    return manifest


def broken_off(
    context: SourceContext, *, dag_id: str, run_id: str, started_at: datetime, state: RunState, reason: str
) -> Manifest:
    """Write the manifest of an ingest run that could not even find its work."""
    manifest = Manifest(
        run_id=run_id,
        dag_id=dag_id,
        source=context.source,
        started_at=started_at,
        finished_at=context.clock.now(),
        state=state,
        reason=reason,
        next_step="Nothing was changed; the next run tries again. Look at the source and its connection",
        pipeline=context.writer.pipeline,
    )
    context.manifests.save(manifest)
    return manifest
