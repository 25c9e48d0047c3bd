"""From what the engine found to candidates: the newest version of each document, and the documents that it leads to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from include.domain.documents import DocumentKey, Status
from include.ports import Hit, Hybrid, IndexReader, Vectors
from include.ranking.blend import BEST_CHUNKS
from include.ranking.candidates import Candidate, FoundChunk, Leg, candidate_of
from include.ranking.relevance import scores_of_legs

LONGEST_CHAIN = 100
"""So many steps a chain of superseded documents is followed to its head."""


def candidates_of(searches: Sequence[Hybrid], words: float) -> list[Candidate]:
    """The newest version of each document that was found, each chunk with the score that its legs make together. A
    reader may see two versions while one replaces the other."""
    legs: dict[str, dict[str, Leg]] = defaultdict(dict)
    hits: dict[str, Hit] = {}
    for number, search in enumerate(searches):
        for name, found in search.legs.items():
            for rank, hit in enumerate(found, start=1):
                # Only the first search was among all: what a later one brings in stands somewhere behind it.
                legs[hit.point_id].setdefault(name, Leg(hit.score, rank if number == 0 else None))
        for hit in search.fused:
            hits.setdefault(hit.point_id, hit)
    scores = scores_of_legs(legs, words)
    return [
        candidate_of(
            version[0].payload,
            [_chunk(hit, legs[hit.point_id], scores.get(hit.point_id, hit.score)) for hit in version],
        )
        for version in _newest_versions(hits.values())
    ]


def with_heads(
    index: IndexReader, found: Sequence[Candidate], vector: Vectors, sources: Sequence[str], *, current: bool
) -> list[Candidate]:
    """Them, and the documents that replaced them, and the canonical members of their families (`current`: the current
    ones too): reachable though their own wording did not match. A document that is hidden is followed through."""
    known = {candidate.key for candidate in found}
    wanted, hidden = _followed(index, found)
    families: dict[str, set[str]] = defaultdict(set)
    for candidate in found:
        if candidate.family:
            families[candidate.key.source].add(candidate.family)
    for source, names in families.items():
        wanted |= {candidate.key for candidate in _described(index.heads(source, sorted(names)))}
        if current:
            wanted |= _current(_described(index.heads(source, sorted(names), current=True)))
    wanted = {key for key in wanted - known if not sources or key.source in sources}
    candidates = [*found, *with_chunks(index, wanted, vector, lowest_score(found))]
    return [_past_hidden(candidate, hidden) for candidate in candidates] if hidden else candidates


def with_chunks(index: IndexReader, keys: Collection[DocumentKey], vector: Vectors, score: float) -> list[Candidate]:
    """These documents with their best chunks, at this score; those that cannot be read are left out."""
    candidates = []
    for key in sorted(keys):
        hits = index.search(vector, limit=BEST_CHUNKS, sources=[key.source], doc_ids=[key.doc_id])
        for version in _newest_versions(hits):
            candidates.append(candidate_of(version[0].payload, [_chunk(hit, {}, score) for hit in version]))
    return candidates


def lowest_score(found: Iterable[Candidate]) -> float:
    return min((chunk.fused for candidate in found for chunk in candidate.chunks), default=0.0)


def outdated(index: IndexReader, shown: Iterable[Candidate]) -> set[DocumentKey]:
    """Those of which a newer version can be read: none of its chunks was found, because what was asked for is no longer
    in it. A run that was killed may leave both for hours."""
    fences = {candidate.key: candidate.fetched_at for candidate in shown}
    newest = {candidate.key: candidate.fetched_at for candidate in _described(index.documents(sorted(fences)))}
    return {key for key, fence in fences.items() if newest.get(key, fence) > fence}


def _followed(
    index: IndexReader, found: Sequence[Candidate]
) -> tuple[set[DocumentKey], Mapping[DocumentKey, tuple[str, ...]]]:
    """(the documents that the links lead to, what replaced each of those on the way that cannot be read)."""
    seen = {candidate.key for candidate in found}
    wanted: set[DocumentKey] = set()
    hidden: dict[DocumentKey, tuple[str, ...]] = {}
    links = _links(found)
    for _ in range(LONGEST_CHAIN):
        following = links - seen
        if not following:
            break
        seen |= following
        described = _described(index.documents(sorted(following)))
        readable = {candidate.key for candidate in described}
        wanted |= readable
        beyond = _links_of_hidden(index, following - readable)
        hidden |= beyond
        links = _links(described) | {
            DocumentKey(key.source, doc_id) for key, doc_ids in beyond.items() for doc_id in doc_ids
        }
    return wanted, hidden


def _links_of_hidden(index: IndexReader, keys: Collection[DocumentKey]) -> dict[DocumentKey, tuple[str, ...]]:
    """What replaced documents that are archived or staged. Nothing else of them is looked at."""
    found = {}
    for key, chunks in index.chunks_of(sorted(keys)).items() if keys else ():
        of_versions = [chunk for chunk in chunks if chunk.fetched_at and chunk.status != Status.INCOMING]
        if not of_versions:
            continue
        links = max(of_versions, key=lambda chunk: (chunk.fetched_at, chunk.point_id)).metadata.get("superseded_by")
        found[key] = tuple(each for each in links if isinstance(each, str) and each) if isinstance(links, list) else ()
    return found


def _past_hidden(candidate: Candidate, hidden: Mapping[DocumentKey, tuple[str, ...]]) -> Candidate:
    """With links that lead past hidden documents to what replaced them; to the last of them where nothing did."""
    source = candidate.key.source
    ends: dict[str, None] = {}
    waiting, seen = list(candidate.superseded_by), set()
    while waiting:
        doc_id = waiting.pop(0)
        if doc_id in seen:
            continue
        seen.add(doc_id)
        following = hidden.get(DocumentKey(source, doc_id), ()) if doc_id else ()
        if following:
            waiting += following
        else:
            ends[doc_id] = None
    return replace(candidate, superseded_by=tuple(ends)) if ends else candidate


def _current(members: Sequence[Candidate]) -> set[DocumentKey]:
    """The current member of each family that has one. Where many call themselves current nobody has decided."""
    by_family: dict[tuple[str, str | None, str | None], list[DocumentKey]] = defaultdict(list)
    for member in members:
        by_family[member.key.source, member.family, member.lang].append(member.key)
    return {keys[0] for keys in by_family.values() if len(keys) == 1}


def _described(hits: Iterable[Hit]) -> list[Candidate]:
    """What the hits say of their documents, without chunks."""
    return [candidate_of(version[0].payload, ()) for version in _newest_versions(hits)]


def _links(candidates: Iterable[Candidate]) -> set[DocumentKey]:
    return {
        DocumentKey(candidate.key.source, doc_id)
        for candidate in candidates
        for doc_id in candidate.superseded_by
        if doc_id
    }


def _newest_versions(hits: Iterable[Hit]) -> list[list[Hit]]:
    """The hits of each document's newest version. Two texts are never mixed, whatever their fences say."""
    versions: dict[tuple[str, str], dict[tuple[str, str], list[Hit]]] = defaultdict(lambda: defaultdict(list))
    for hit in hits:
        source, doc_id = hit.payload.get("source"), hit.payload.get("doc_id")
        if isinstance(source, str) and source and isinstance(doc_id, str) and doc_id:
            version = (str(hit.payload.get("fetched_at", "")), str(hit.payload.get("content_hash", "")))
            versions[source, doc_id][version].append(hit)
    return [by_version[max(by_version)] for by_version in versions.values()]


def _chunk(hit: Hit, legs: Mapping[str, Leg], score: float) -> FoundChunk:
    index, text = hit.payload.get("chunk_index"), hit.payload.get("text")
    heading = hit.payload.get("heading_path")
    return FoundChunk(
        hit.point_id,
        index if isinstance(index, int) else 0,
        text if isinstance(text, str) else "",
        heading if isinstance(heading, str) else "",
        score,
        legs,
    )
