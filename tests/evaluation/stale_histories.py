"""Sites as material: as they were on some day of their past. The verdict is what happened to each page afterwards."""

from __future__ import annotations

import base64
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import numpy as np

from include.domain.dates import EvidencedDate, Precision, Trust
from include.domain.documents import DocumentKey, ExtractedDocument, FetchedDocument
from include.domain.errors import Skippable
from include.embedding.static import StaticEmbedder
from include.families.members import Member
from include.staleness.detection import Observed
from include.staleness.links import read_links, targets_in
from include.staleness.neighbours import Vectors
from include.staleness.overlaps import find_overlaps
from include.text.chunk import chunk
from include.text.normalise import extract
from tests.evaluation.stale_material import Material, instant, resolved, rows_of, table_of
from tests.evaluation.stale_registers import verdicts

HISTORIES = ("handbook-18f", "kubernetes-community", "crossplane-docs", "fastapi-docs-en", "peps-2017")
LOOK_AHEAD = timedelta(days=365)
"""A page that is there so long after counts as alive."""

_MEDIA_TYPES = {".md": "text/markdown", ".rst": "text/x-rst", ".html": "text/html", ".txt": "text/x-rst"}
_BULK = 100  # files of a commit from which on its date says nothing of them
_CHUNK_TOKENS = 256
_PERMALINK = re.compile(rb"^permalink: *[\"']?(/[^\s\"']*)", re.MULTILINE)


@dataclass
class _Page:
    """A file while its history is told. `origin` is the same for all names that it ever has."""

    body: bytes
    created: datetime | None
    updated: datetime | None
    origin: int


@dataclass
class _Told:
    """A history, step by step: the pages by path now, and until when each origin lived (None: it still does)."""

    pages: dict[str, _Page] = field(default_factory=dict)
    died: dict[int, datetime] = field(default_factory=dict)
    born: int = 0


def history(name: str, shares: Sequence[float] = (0.1, 0.25, 0.4, 0.55, 0.7)) -> Iterator[Material]:
    """The site after so much of its history."""
    steps = rows_of(f"replays/{name}.jsonl.xz")[1:]
    wanted = {int(share * (len(steps) - 1)) for share in shares}
    told = _Told()
    days: list[tuple[datetime, dict[str, _Page]]] = []
    for number, step in enumerate(steps):
        now = instant(step["date"]) or instant(steps[1]["date"])
        assert now is not None
        _tell(told, step, now)
        if number in wanted:
            days.append((now, dict(told.pages)))
    last = instant(steps[-1]["date"])
    assert last is not None
    for now, pages in days:
        yield _site(name, now, pages, told, last)


def _tell(told: _Told, step: Mapping[str, Any], now: datetime) -> None:
    """One commit. A file that goes while one of its name comes, or one with its bytes, has moved."""
    changes, is_bulk = step["changes"], len(step["changes"]) > _BULK or bool(step.get("base"))
    when = None if is_bulk else now
    gone = {change["path"]: told.pages.pop(change["path"]) for change in changes if change["op"] == "delete"}
    renamed = {change["path"]: told.pages.pop(change["old_path"]) for change in changes if change["op"] == "rename"}
    for change in changes:
        path, body = change["path"], _body(change)
        if change["op"] == "add":
            moved = _same_file(path, body, gone)
            page = gone.pop(moved) if moved else None
            if page is None:
                told.born += 1
                page = _Page(body or b"", when, when, told.born)
            told.pages[path] = _Page(body or b"", page.created, when or page.updated, page.origin)
        elif change["op"] == "rename":
            page = renamed[path]
            told.pages[path] = _Page(body if body is not None else page.body, page.created, page.updated, page.origin)
            if body is not None and when:
                told.pages[path].updated = when
        elif change["op"] == "modify":
            page = told.pages[path]
            # a bulk edit may have changed anything: when the text was last right is not known any more
            told.pages[path] = _Page(body or b"", page.created, when, page.origin)
    for page in gone.values():
        told.died[page.origin] = now


def _same_file(path: str, body: bytes | None, gone: Mapping[str, _Page]) -> str | None:
    name = posixpath.splitext(posixpath.basename(path))[0].casefold()
    by_bytes = [each for each, page in gone.items() if page.body == body]
    by_name = [each for each in gone if posixpath.splitext(posixpath.basename(each))[0].casefold() == name]
    found = by_bytes or by_name
    return found[0] if len(found) == 1 or by_bytes else None


def _site(name: str, now: datetime, pages: Mapping[str, _Page], told: _Told, last: datetime) -> Material:
    read: dict[str, ExtractedDocument] = {}
    for path, page in sorted(pages.items()):
        document = _extracted(name, path, page, now)
        if document is not None:
            read[path] = document
    chunks = {path: _chunks(document) for path, document in read.items()}
    owners = [read[path].key for path, each in chunks.items() for _ in range(len(each))]
    vectors = np.concatenate(list(chunks.values()))
    first = {read[path].key: each[0] for path, each in chunks.items()}
    members = [_page_member(read[path], pages[path]) for path in read]
    subjects = resolved(members, now, lambda one, other: float(first[one] @ first[other]))
    written = {path: targets_in(pages[path].body.decode("utf-8", "replace")) for path in read}
    observed = Observed(
        links=read_links(subjects, written, declared=True),
        overlaps=find_overlaps(owners, vectors),
        texts=lambda key: read[key.doc_id].text,
    )
    stale = {
        path: verdict for path in read if (verdict := _became(name, path, pages[path], told, now, last)) is not None
    }
    return Material(f"{name}, {now:%Y-%m-%d}", subjects, observed, stale, now)


def _became(name: str, path: str, page: _Page, told: _Told, now: datetime, last: datetime) -> bool | None:
    """Whether a page was removed later, or put away: moved into a folder called archive. None for one that was put away
    before, and for one that nobody knows of because the history ends too soon. What a PEP became, its register says."""
    if name == "peps-2017":
        return _peps().get(posixpath.splitext(path)[0].upper())
    if page.origin in told.died:
        return True
    if _is_put_away(path):
        return None
    later = next(each for each, lived in told.pages.items() if lived.origin == page.origin)
    if _is_put_away(later):
        return True
    return False if last - now >= LOOK_AHEAD else None


def _is_put_away(path: str) -> bool:
    return not {"archive", "archived"}.isdisjoint(path.casefold().split("/"))


@cache
def _peps() -> Mapping[str, bool]:
    return verdicts(table_of("peps.docs.csv"))


def _extracted(name: str, path: str, page: _Page, now: datetime) -> ExtractedDocument | None:
    suffix = posixpath.splitext(path)[1].lower()
    fetched = FetchedDocument(
        key=DocumentKey(name, path),
        version="1",
        body=page.body,
        media_type=_MEDIA_TYPES[suffix],
        url=_address(path, page),
        fetched_at=now,
        empty_is_legitimate=True,
    )
    try:
        return extract(fetched)
    except Skippable:
        return None


def _address(path: str, page: _Page) -> str:
    """Where Jekyll puts a page that names its address; otherwise its path."""
    named = _PERMALINK.search(page.body[:2000])
    return f"https://docs.example.org/{named[1].decode().strip('/') + '/' if named else path}"


def _page_member(document: ExtractedDocument, page: _Page) -> Member:
    """Dates of its front matter, else of the commits that touched it."""
    return Member(
        document.key,
        title=document.title,
        url=document.url,
        lang=document.lang,
        content_hash=document.content_hash,
        lineage=document.lineage,
        created_at=document.created_at or _commit(page.created, "first commit"),
        updated_at=document.updated_at or _commit(page.updated, "last commit"),
        effective_date=document.effective_date,
    )


def _commit(moment: datetime | None, origin: str) -> EvidencedDate | None:
    return EvidencedDate(moment, Precision.INSTANT, origin, Trust.HIGH) if moment else None


_embedded: dict[str, Vectors] = {}


def _chunks(document: ExtractedDocument) -> Vectors:
    """One row for each chunk. A text is embedded once, however many days it lives through."""
    found = _embedded.get(document.content_hash)
    if found is None:
        embedder = _embedder()
        pieces = chunk(document, max_tokens=_CHUNK_TOKENS, count_tokens=embedder.count_tokens)
        found = _embedded[document.content_hash] = embedder.embed([piece.text for piece in pieces])
    return found


@cache
def _embedder() -> StaticEmbedder:
    return StaticEmbedder.bundled()


def _body(change: Mapping[str, Any]) -> bytes | None:
    """None for a pure rename."""
    if "text" in change:
        return str(change["text"]).encode()
    if "b64" in change:
        return base64.b64decode(change["b64"])
    return None
