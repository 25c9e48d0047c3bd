"""Remove every trace of documents that a person named, and say truthfully what became of each place.

    tombstones -> hidden from readers -> every other place -> the index, down to its files -> search -> receipt

The tombstones come first: whatever happens later, the documents do not come back. What readers see is hidden next, for
clearing takes its time. The index is cleared after the other places, because the phrases that are looked for come from
it and are kept nowhere else. Every step can be repeated; killed anywhere, the same command again finishes. Only the
search by phrases is weaker then, if the text was gone already: the receipt says so, and is partial.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from include.domain.dates import rfc3339
from include.domain.documents import DocumentKey, Status
from include.domain.erasure import (
    Ending,
    Erasure,
    PlaceReport,
    Receipt,
    ReceiptState,
    SearchReport,
    Target,
    Tombstone,
    Trace,
)
from include.domain.errors import ApprovalRefused
from include.domain.selection import Selector
from include.planning.traces import said, traces_of
from include.ports import Clock, IndexReader, IndexStore
from include.ports.erasing import ErasableIndex, Place, Receipts, Search, Tombstones

log = logging.getLogger(__name__)

REQUESTED = "erase"
"""The status that a page gives itself, in its front matter, when it was published by mistake or has to go by law."""


@dataclass(frozen=True, slots=True)
class Everywhere:
    """All that an erasure touches. `searches` look for what `places` and `index` have missed. `unsearched` names, in
    words, what this process cannot look into though the product may have put something there."""

    store: IndexStore
    index: ErasableIndex
    places: Sequence[Place]
    searches: Sequence[Search]
    tombstones: Tombstones
    receipts: Receipts
    clock: Clock
    unsearched: Sequence[str] = ()


def find_targets(
    everywhere: Everywhere,
    *,
    keys: Sequence[DocumentKey] = (),
    urls: Sequence[str] = (),
    phrases: Sequence[str] = (),
    requested: bool = False,
    source: str = "",
) -> list[Target]:
    """The named documents, those at these addresses, those that say one of these phrases anywhere: in their text,
    title, address or metadata, whatever the case and the white space; and with `requested` those whose source says that
    their status is REQUESTED. Sorted; a named one is there though the index does not hold it. `source` narrows it."""
    wanted = {_flat(phrase): phrase for phrase in phrases if phrase.strip()}
    found: dict[DocumentKey, Target] = {key: Target(key, why="named") for key in keys}
    for payload in everywhere.index.points_everywhere():
        key = _key_of(payload)
        if key is None or (source and key.source != source):
            continue
        why = found[key].why if key in found else ""
        if not why and str(payload.get("url") or "") in urls:
            why = "its address"
        if not why and requested and _flat(str(payload.get("stated_status") or "")) == REQUESTED:
            why = f"its source says: {REQUESTED}"
        if not why and wanted:
            text = _flat(" ".join(said(payload)))
            why = "; ".join(f"says {phrase!r}" for flat, phrase in wanted.items() if flat in text)
        if why or key in found:
            standing = found.get(key, Target(key, why=why))
            found[key] = replace(
                standing,
                url=standing.url or str(payload.get("url") or ""),
                title=standing.title or str(payload.get("title") or ""),
                chunks=standing.chunks,
            )
    if not found:
        return []
    counts = dict.fromkeys(found, 0)
    for payload in everywhere.index.points_everywhere():
        key = _key_of(payload)
        if key in counts:
            counts[key] += 1
    return [replace(found[key], chunks=counts[key]) for key in sorted(found)]


def erase(everywhere: Everywhere, erasure: Erasure, *, confirmed: str, progress: Callable[[str], None]) -> Receipt:
    """Do it. Returns the receipt, which is saved; a place that fails is named in it and stops no other.

    Raises ApprovalRefused unless `confirmed` is the checksum of exactly these documents.
    """
    if not erasure.keys or confirmed != erasure.checksum:
        raise ApprovalRefused(
            f"{len(erasure.keys)} documents have the checksum {erasure.checksum}, confirmed was {confirmed!r}; nothing "
            "was erased. Look at the list again and confirm what it says",
            checksum=erasure.checksum,
        )
    now = rfc3339(everywhere.clock.now())
    stones = everywhere.tombstones.bury(erasure.keys, by=erasure.by, rule=erasure.rule, at=now)
    receipt = Receipt(
        erasure_id="".join(char for char in now[:19] if char.isdigit()) + f"-{erasure.checksum}",
        state=ReceiptState.RUNNING,
        checksum=erasure.checksum,
        by=erasure.by,
        rule=erasure.rule,
        began_at=now,
        marks=tuple(stone.mark for stone in stones),
        sources=tuple(sorted({key.source for key in erasure.keys})),
    )
    earlier = everywhere.receipts.all()
    everywhere.receipts.save(receipt)
    progress("hide from readers")
    failures = _hidden(everywhere, erasure.keys)
    progress("read what is to be looked for")
    traces, unread = _traces(everywhere, erasure, stones)
    places = [_cleared(place, traces, progress) for place in everywhere.places]
    places.append(_cleared(_IndexPlace(everywhere.index), traces, progress))
    progress("search")
    search = _searched(everywhere, traces)
    known = any(each.checksum == receipt.checksum and each.state is ReceiptState.COMPLETE for each in earlier)
    weak = [] if known else [trace.mark for trace in traces if not trace.samples]
    receipt = replace(
        receipt,
        ended_at=rfc3339(everywhere.clock.now()),
        places=tuple(places),
        search=search,
        open=tuple(_open(places, search, [*failures, *unread], weak, everywhere.unsearched)),
    )
    receipt = replace(receipt, state=ReceiptState.PARTIAL if receipt.open else ReceiptState.COMPLETE)
    everywhere.receipts.save(receipt)
    return receipt


def erase_again(everywhere: Everywhere) -> int:
    """Take out of the index what tombstones say was erased, after a restore of an older state: so many points. To be
    called before readers are let in. Places beside the index are not looked at."""
    if not everywhere.tombstones.tombstones():
        return 0
    found: dict[str, set[str]] = {}
    for payload in everywhere.index.points_everywhere():
        if (key := _key_of(payload)) is not None:
            found.setdefault(key.source, set()).add(key.doc_id)
    erased = [
        DocumentKey(source, doc_id)
        for source, doc_ids in sorted(found.items())
        for doc_id in sorted(everywhere.tombstones.marks_among(source, doc_ids))
    ]
    return everywhere.index.erase(erased).before if erased else 0


def erased_in(index: IndexReader, tombstones: Tombstones, source: str) -> list[DocumentKey]:
    """Documents of a source that were erased, and are in its index all the same."""
    if not any(stone.source == source for stone in tombstones.tombstones()):
        return []
    found = {key.doc_id for hit in index.first_chunks(source) if (key := _key_of(hit.payload)) is not None}
    return [DocumentKey(source, doc_id) for doc_id in sorted(tombstones.marks_among(source, found))]


class _IndexPlace:
    """Place."""

    name = "index"

    def __init__(self, index: ErasableIndex) -> None:
        self._index = index

    def clear(self, traces: Sequence[Trace]) -> PlaceReport:
        return self._index.erase([trace.key for trace in traces])


def _hidden(everywhere: Everywhere, keys: Sequence[DocumentKey]) -> list[str]:
    try:
        with everywhere.store.writing() as index:
            for key in keys:
                index.set_payload(Selector(key), {"status": Status.ARCHIVED.value})
    except Exception as error:  # noqa: BLE001 (it is removed in a moment; the receipt names what is not)
        log.warning("the documents could not be hidden from readers: %s", type(error).__name__)
        return [f"readers: the documents could not be hidden at once ({type(error).__name__})"]
    return []


def _traces(everywhere: Everywhere, erasure: Erasure, stones: Sequence[Tombstone]) -> tuple[list[Trace], Sequence[str]]:
    """What is looked for, and what kept it from being more."""
    marks = {key: stone.mark for key, stone in zip(erasure.keys, stones, strict=True)}
    documents: dict[DocumentKey, list[Mapping[str, object]]] = {key: [] for key in erasure.keys}

    def others() -> Iterator[Mapping[str, object]]:
        return (payload for payload in everywhere.index.points_everywhere() if _key_of(payload) not in documents)

    try:
        for payload in everywhere.index.points_everywhere():
            key = _key_of(payload)
            if key is not None and key in documents:
                documents[key].append(payload)
        return traces_of(documents, others, mark_of=marks.__getitem__, phrases=erasure.phrases), ()
    except Exception as error:  # noqa: BLE001 (all other places are cleared all the same)
        log.warning("the index could not be read: %s", type(error).__name__)
        found = traces_of(
            {key: [] for key in erasure.keys}, lambda: (), mark_of=marks.__getitem__, phrases=erasure.phrases
        )
        return found, [f"index: it could not be read for phrases ({type(error).__name__})"]


def _cleared(place: Place, traces: Sequence[Trace], progress: Callable[[str], None]) -> PlaceReport:
    """A failure is part of the report. Its message may quote the document, so that only its kind is kept."""
    progress(f"clear {place.name}")
    try:
        return place.clear(traces)
    except Exception as error:  # noqa: BLE001 (one place that fails must not keep the others from being cleared)
        log.warning("%s could not be cleared: %s", place.name, type(error).__name__)
        why = f"it could not be cleared ({type(error).__name__})"
        return PlaceReport(place.name, Ending.FAILED, open=why, until="the same erasure again, when it is in order")


def _searched(everywhere: Everywhere, traces: Sequence[Trace]) -> SearchReport:
    report = SearchReport()
    for search in everywhere.searches:
        try:
            report = report.plus(search.search(traces))
        except Exception as error:  # noqa: BLE001 (what could not be searched is named)
            log.warning("a search failed: %s", type(error).__name__)
            report = report.plus(
                SearchReport(unread=(f"{getattr(search, 'name', 'a search')}: {type(error).__name__}",))
            )
    return report


def _open(
    places: Sequence[PlaceReport],
    search: SearchReport,
    failures: Sequence[str],
    weak: Sequence[str],
    unsearched: Sequence[str],
) -> Iterator[str]:
    yield from failures
    for report in places:
        if report.ending in (Ending.OPEN, Ending.FAILED) or report.after:
            remains = report.open or f"{report.after} of {report.before} {report.unit} are still there"
            yield f"{report.place}: {remains}" + (f"; until {report.until}" if report.until else "")
    for place in sorted({hit.place for hit in search.hits}):
        where = sorted({hit.where for hit in search.hits if hit.place == place})
        yield f"{place}: the search still found it in {len(where)} places there: {', '.join(where[:5])}"
    yield from (f"{each}; it could not be searched" for each in search.unread)
    yield from (f"{each}; it was not searched" for each in unsearched)
    if weak:
        yield (
            f"{len(weak)} of these documents had no text of their own in the index any more, so that the search knew "
            "no phrase of them; repeat it with phrases that you know"
        )


def _key_of(payload: Mapping[str, object]) -> DocumentKey | None:
    source, doc_id = payload.get("source"), payload.get("doc_id")
    return (
        DocumentKey(source, doc_id)
        if isinstance(source, str) and isinstance(doc_id, str) and source and doc_id
        else None
    )


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())
