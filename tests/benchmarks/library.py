"""A made-up library whose documents are versions of one another in the ways that real ones are. Same seed, same
library.

| share | what | how its members are told apart |
|---|---|---|
| 40 % | single pages | they have nothing to do with one another |
| 15 % | policies | `refund-terms-v9.md`, `-v10.md` |
| 15 % | decks | `sales-deck-2026-03.md`, dated |
| 15 % | manuals | the same page below `docs/v1.9/` and `docs/v1.10/` |
| 10 % | decisions | numbered, linked by what they state: *Superseded-By* |
| 5 % | translations and copies | `guide.de.md`, `Copy of guide.md`: nobody's successor |
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

import numpy as np

from include.domain.dates import EvidencedDate, Precision, Trust, rfc3339
from include.domain.documents import Chunk, DocumentKey, ExtractedDocument, Marks, Status
from include.domain.lineage import NO_LINEAGE, Lineage
from include.domain.payload import chunk_payload, chunk_point_id, document_payload
from include.ports import NewPoint, Vectors

SOURCE = "library"
PIPELINE = "benchmark"
DIMENSION = 256
"""Of the bundled embedder."""

_FETCHED = datetime(2026, 6, 1, tzinfo=UTC)
# None that makes records of documents: each audit, invoice or report stays true for its own time.
_WORDS = """
amber basic bold calm clear cold dry fair firm fresh grand green keen large light mild neat prime quiet
access backup cloud contract customer data delivery device email expense export finance fleet group
hiring import incident kitchen ledger license market network office order partner payment plant price
product quality refund retail safety sales school service shop stock supplier support tax team training
travel vendor visit wage warranty checklist guide handbook manual plan policy process rule standard terms
"""
_ADJECTIVES, _NOUNS, _KINDS = _WORDS.split()[:19], _WORDS.split()[19:-10], _WORDS.split()[-10:]


@dataclass(frozen=True, slots=True)
class Book:
    """One document. Books of one `work` have almost the same text. Of one `series` the last `place` supersedes the
    others; single pages, translations and copies are in none."""

    doc_id: str
    title: str
    work: str
    lang: str = "en"
    created_at: datetime | None = None
    lineage: Lineage = NO_LINEAGE
    series: str = ""
    place: int = 0


def library(documents: int, seed: int = 7) -> list[Book]:
    """So many books, in the shares above."""
    random = Random(seed)
    names = _names(random)
    makers = [_pages, _policies, _decks, _manuals, _decisions, _translations]
    shares = [40, 15, 15, 15, 10, 5]
    books: list[Book] = []
    for maker, share in zip(makers, shares, strict=True):
        until = len(books) + documents * share // 100
        while len(books) < until:
            books += maker(next(names), random)[: until - len(books)]
    while len(books) < documents:
        books += _pages(next(names), random)
    return books


def superseded(books: Iterable[Book]) -> set[str]:
    """What a resolver has to find: all of a series but the last."""
    last: dict[str, int] = {}
    for book in books:
        last[book.series] = max(last.get(book.series, 0), book.place)
    return {book.doc_id for book in books if book.series and book.place < last[book.series]}


def points(books: list[Book]) -> Iterator[NewPoint]:
    """One chunk a document, published, with the vector that its work's texts have."""
    for book in books:
        text = f"{book.title}\n\nThe text of {book.work}, as {book.doc_id} has it."
        document = ExtractedDocument(
            key=DocumentKey(SOURCE, book.doc_id),
            version="1",
            fetched_at=_FETCHED,
            text=text,
            content_hash=_hash(text),
            title=book.title,
            url=f"https://library.example/{book.doc_id}",
            content_type="page",
            lang=book.lang,
            created_at=_day(book.created_at),
            updated_at=None,
            effective_date=None,
            expires_at=None,
            lineage=book.lineage,
        )
        chunk = Chunk(0, text, "", _hash(text))
        payload = {
            **document_payload(document, Marks(), fetched_at=rfc3339(_FETCHED)),
            **chunk_payload(document, chunk, chunk_count=1, pipeline=PIPELINE),
            "status": Status.PUBLISHED.value,
        }
        yield NewPoint(chunk_point_id(document, chunk, PIPELINE), _vector(book), text, payload)


def _names(random: Random) -> Iterator[str]:
    """Names that nobody would take for versions of one another."""
    number = 0
    while True:
        words = [random.choice(each) for each in (_ADJECTIVES, _NOUNS, _NOUNS, _KINDS)]
        number += 1
        yield "-".join((*words[:3], _syllables(number), words[3]))


def _syllables(number: int) -> str:
    """A made-up word for each number; no digit, which would be a version."""
    letters = []
    while True:
        number, rest = divmod(number, 100)
        letters.append("bcdfghklmn"[rest // 10] + "aeiou"[rest % 10 // 2] + "rs"[rest % 2])
        if not number:
            return "".join(letters)


def _pages(name: str, random: Random) -> list[Book]:
    return [Book(f"pages/{name}.md", _title(name), name, created_at=_some_day(random))]


def _policies(name: str, random: Random) -> list[Book]:
    first, count = random.randint(1, 9), random.randint(2, 6)
    start = _some_day(random)
    return [
        Book(
            f"policies/{name}-v{n}.md",
            f"{_title(name)} v{n}",
            name,
            created_at=start + timedelta(days=90 * n),
            series=name,
            place=n,
        )
        for n in range(first, first + count)
    ]


def _decks(name: str, random: Random) -> list[Book]:
    months = random.sample(range(1, 13), random.randint(2, 5))
    return [
        Book(
            f"decks/{name}-2026-{month:02}.md",
            _title(name),
            name,
            created_at=datetime(2026, month, 3, tzinfo=UTC),
            series=name,
            place=month,
        )
        for month in months
    ]


def _manuals(name: str, random: Random) -> list[Book]:
    releases = ("1.8", "1.9", "1.10", "1.11", "2.0")
    places = random.sample(range(len(releases)), random.randint(2, 5))
    return [Book(f"docs/v{releases[n]}/{name}.md", _title(name), name, series=name, place=n) for n in places]


def _decisions(name: str, random: Random) -> list[Book]:
    """A chain that states itself; half of it forwards, half backwards, as registers do."""
    numbers = sorted(random.sample(range(100, 9_999), random.randint(2, 4)))
    ids = [f"decisions/{number:04}-{name}-{part}.md" for number, part in zip(numbers, "abcd", strict=False)]
    books = []
    for place, doc_id in enumerate(ids):
        follows = ids[place - 1 : place] if place else []
        followed = ids[place + 1 : place + 2]
        lineage = Lineage(
            status="Superseded" if followed else "Accepted",
            supersedes=tuple(follows) if place % 2 else (),
            superseded_by=tuple(followed),
        )
        title = f"{_title(name)}, part {place}"
        books.append(Book(doc_id, title, f"{name}-{place}", lineage=lineage, series=name, place=place))
    return books


def _translations(name: str, random: Random) -> list[Book]:
    return [
        Book(f"guides/{name}.md", _title(name), name),
        Book(f"guides/{name}.de.md", _title(name), f"{name}-de", lang="de"),
        Book(f"guides/Copy of {name}.md", f"Copy of {_title(name)}", name),
    ]


def _title(name: str) -> str:
    return name.replace("-", " ").capitalize()


def _some_day(random: Random) -> datetime:
    return datetime(2022, 1, 1, tzinfo=UTC) + timedelta(days=random.randint(0, 1000))


def _day(moment: datetime | None) -> EvidencedDate | None:
    return EvidencedDate(moment, Precision.DAY, "front matter", Trust.HIGH) if moment else None


def _vector(book: Book) -> Vectors:
    """Close to those of its work, far from all others."""
    vector = _direction(book.work) + 0.2 * _direction(book.doc_id)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def _direction(name: str) -> Vectors:
    seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8])
    vector = np.random.default_rng(seed).standard_normal(DIMENSION)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
