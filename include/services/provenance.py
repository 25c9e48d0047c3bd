"""Dates of a whole source: doubted before they are written where too many documents share them, counted afterwards.

What a document says of itself is judged when it is read. That an import dated half of a source shows only when the
whole of it is seen: at night, which reads everything that it writes before it writes, and at the end of a run that
brought in many documents. What is found is remembered, so that a document that is read alone is doubted as well.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from include.domain.documents import DocumentKey, Marks
from include.domain.inventory import IndexInventory
from include.domain.provenance import DateCluster, DateReport
from include.domain.selection import Selector
from include.planning.provenance import (
    clusters_in,
    lowered,
    of_stored,
    provenance_of,
    redated,
    report_of,
    still_believed,
)
from include.services.context import SourceContext
from include.services.reading import Reading

log = logging.getLogger(__name__)

MANY_CREATED = 5
"""A run that created fewer documents leaves the look at the whole source to the night."""

_NO_MARKS = Marks()


def doubt_what_was_read(context: SourceContext, reading: Reading, inventory: IndexInventory | None = None) -> None:
    """Choose the dates of what was read again, where the source has too many that are alike: as it will be, with an
    inventory of the rest of it; without one, as it was known to be."""
    clusters = context.date_clusters.of(context.source)
    if inventory is not None:
        clusters = clusters_in({**provenance_of(inventory), **reading.provenance}.values(), clusters)
        context.date_clusters.put(context.source, clusters)
    for doc_id, provenance in reading.provenance.items():
        if still_believed(provenance, clusters):
            reading.spool.add(redated(reading.spool.get(doc_id), clusters))


def take_stock(context: SourceContext, inventory: IndexInventory) -> DateReport:
    """Where the dates of the index come from. Those that turn out to be shared by too many documents are not trusted
    any more when this returns. What else speaks for their dates is not in the index: it counts when they are read
    again."""
    stock = provenance_of(inventory)
    clusters = clusters_in(stock.values(), context.date_clusters.of(context.source))
    context.date_clusters.put(context.source, clusters)
    doubted = {doc_id: found for doc_id, one in stock.items() if (found := still_believed(one, clusters))}
    if doubted:
        log.warning("%s: too many documents share a date; %d are not trusted any more", context.source, len(doubted))
        _lower(context, sorted(doubted), clusters)
    for doc_id, found in doubted.items():
        metadata = inventory.documents[doc_id].metadata
        stock[doc_id] = of_stored({**metadata, **lowered(metadata, _NO_MARKS, found)})
    return report_of(stock, clusters)


def _lower(context: SourceContext, doc_ids: Sequence[str], clusters: Sequence[DateCluster]) -> None:
    """One operation a version, made from what is stored at that moment: nobody's newer version or mark is undone."""
    for start in range(0, len(doc_ids), context.batch_documents):
        keys = [DocumentKey(context.source, doc_id) for doc_id in doc_ids[start : start + context.batch_documents]]
        with context.store.writing() as index:
            marks = context.ledger.marks(context.source)
            for key, chunks in index.chunks_of(keys).items():
                for fence, chunk in {one.fetched_at: one for one in chunks}.items():
                    found = still_believed(of_stored(chunk.metadata), clusters)
                    if found and fence is not None:
                        changes = lowered(chunk.metadata, marks.get(key.doc_id, _NO_MARKS), found)
                        index.set_payload(Selector(key, fence=fence), changes)
