"""From chunks that lie close together to documents that say nearly the same. Pure.

A document is covered by another as far as the other has a neighbour for each of its chunks. Chunks that are everywhere
count on neither side; a document of nothing else is covered by nobody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from include.domain.documents import DocumentKey
from include.staleness.neighbours import MOST, Vectors, neighbours

CLOSE = 0.97
"""Cosine of two chunks that say nearly the same, of the bundled embedder. It only chooses whose texts are compared."""

COVERED = 0.9
"""Share of a document's chunks that the other has too."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """`share` of the chunks of `document` have a neighbour in `other`."""

    document: DocumentKey
    other: DocumentKey
    share: float


def find_overlaps(
    owners: Sequence[DocumentKey],
    vectors: Vectors,
    *,
    at_least: float = CLOSE,
    covered: float = COVERED,
    most: int = MOST,
) -> Mapping[DocumentKey, tuple[Overlap, ...]]:
    """For each document those that cover it, best first. Row n of `vectors` is a chunk of `owners[n]`; the order of the
    rows changes nothing. Raises ValueError where the two do not have the same length."""
    if len(owners) != len(vectors):
        raise ValueError(f"{len(owners)} owners for {len(vectors)} vectors: each row is a chunk of one document")
    documents = sorted(set(owners))
    numbers = {key: number for number, key in enumerate(documents)}
    owner = np.fromiter((numbers[key] for key in owners), dtype=np.int64, count=len(owners))
    close = neighbours(vectors, at_least=at_least, most=most)
    chunks = np.bincount(owner[~close.crowded], minlength=len(documents))
    # Each pair is seen from both sides; a chunk with two neighbours in one document counts once.
    rows = np.concatenate([close.first, close.second]).astype(np.int64)
    others = owner[np.concatenate([close.second, close.first])]
    is_foreign = owner[rows] != others
    seen = np.unique(rows[is_foreign] * len(documents) + others[is_foreign])
    rows, others = np.divmod(seen, max(1, len(documents)))
    pairs, shared = np.unique(owner[rows] * len(documents) + others, return_counts=True)
    found: dict[DocumentKey, list[Overlap]] = {}
    for pair, count in zip(pairs.tolist(), shared.tolist(), strict=True):
        one, other = divmod(pair, len(documents))
        share = count / int(chunks[one])
        if share >= covered:
            found.setdefault(documents[one], []).append(Overlap(documents[one], documents[other], share))
    return {key: tuple(sorted(each, key=lambda one: (-one.share, one.other))) for key, each in sorted(found.items())}
