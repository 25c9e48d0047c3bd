"""A content system in memory, with its drafts, deletions and faults, and the connector that reads it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from include.domain.documents import DocumentKey, FetchedDocument, Presence
from include.domain.errors import DocumentGone, DocumentNotPublic, SourceUnavailable
from include.domain.inventory import ListedDocument, Listing, Proof
from include.ports import Clock
from tests.fakes.clock import FakeClock


def _nothing(_operation: str) -> None:
    pass


@dataclass
class Page:
    """One document at the source. Every edit gives it a new version; `draft` hides it from everybody."""

    body: bytes
    version: str
    draft: bool = False
    media_type: str = "text/plain"


@dataclass
class FakeSource:
    """What the source holds, and what is wrong with it.

    `down`         no question is answered
    `problem`      the listing says that it is not whole, for this reason
    `cut_off`      the listing stops after so many documents and says so
    `broken`       documents whose page fails to load with this error
    `unreadable`   documents that the listing names with a state that cannot be read
    `mute`         asked by id, the source gives no clear answer
    `before_fetch` is called with the document's id before it is read: the moment for an edit behind the listing
    """

    name: str = "handbook"
    pages: dict[str, Page] = field(default_factory=dict)
    down: bool = False
    problem: str = ""
    scope_verified: bool = True
    scope: str = ""
    declares_total: bool = True
    cut_off: int | None = None
    broken: dict[str, Exception] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)
    mute: bool = False
    before_fetch: Callable[[str], None] = _nothing

    def put(self, doc_id: str, text: str | bytes, *, version: str = "", media_type: str = "text/plain") -> None:
        """Publish a new page, or the next version of one."""
        earlier = self.pages.get(doc_id)
        number = int(earlier.version.removeprefix("v")) + 1 if earlier and not version else 1
        body = text.encode() if isinstance(text, str) else text
        self.pages[doc_id] = Page(body, version or f"v{number}", media_type=media_type)

    def put_pages(self, count: int, *, ending: str = "") -> FakeSource:
        """Publish page-00, page-01 …, each with a text of its own."""
        for number in range(count):
            self.put(f"page-{number:02}", f"page {number}\nabout thing {number}{ending.format(number)}")
        return self

    def touch(self, doc_id: str) -> None:
        """A new version with the same text: only something beside the text was edited."""
        self.put(doc_id, self.pages[doc_id].body)

    def delete(self, doc_id: str) -> None:
        del self.pages[doc_id]

    def hide(self, doc_id: str) -> None:
        self.pages[doc_id].draft = True

    def published(self) -> dict[str, Page]:
        return {doc_id: page for doc_id, page in sorted(self.pages.items()) if not page.draft}

    def frozen(self) -> FakeSource:
        """The source as it is at this moment, whatever happens to it later."""
        return copy.deepcopy(self)

    def connector(self, clock: Clock | None = None, on_io: Callable[[str], None] = _nothing) -> FakeConnector:
        return FakeConnector(self, clock or FakeClock(), on_io)


class FakeConnector:
    """Connector over a FakeSource. `on_io` is called before each question, as for the fake index."""

    def __init__(self, content: FakeSource, clock: Clock, on_io: Callable[[str], None] = _nothing) -> None:
        self._content = content
        self._clock = clock
        self._on_io = on_io
        self.fetched: list[str] = []

    @property
    def source(self) -> str:
        return self._content.name

    def list_documents(self) -> Listing:
        asked_at = self._asked("list")
        content = self._content
        pages = list(content.published().items())
        shown = pages[: content.cut_off]
        documents = {
            doc_id: ListedDocument(doc_id, page.version, content.unreadable.get(doc_id, "")) for doc_id, page in shown
        }
        proof = Proof(
            end_reached=len(shown) == len(pages),
            scope_verified=content.scope_verified,
            seen=len(shown),
            declared_total=len(pages) if content.declares_total else None,
            detail=f"{len(shown)} of {len(pages)} pages",
            problem=content.problem,
            scope=content.scope,
        )
        return Listing(self.source, documents, proof, asked_at)

    def fetch(self, doc_id: str) -> FetchedDocument:
        fetched_at = self._asked("fetch")
        self._content.before_fetch(doc_id)
        self.fetched.append(doc_id)
        if doc_id in self._content.broken:
            raise self._content.broken[doc_id]
        page = self._content.pages.get(doc_id)
        if page is None:
            raise DocumentGone(f"{self.source}: there is no document {doc_id}", source=self.source, doc_id=doc_id)
        if page.draft:
            raise DocumentNotPublic(f"{self.source}: {doc_id} is not public", source=self.source, doc_id=doc_id)
        return FetchedDocument(
            DocumentKey(self.source, doc_id),
            page.version,
            page.body,
            page.media_type,
            f"https://example.org/{doc_id}",
            fetched_at,
        )

    def probe(self, doc_id: str) -> Presence:
        try:
            self._asked("probe")
        except SourceUnavailable:
            return Presence.UNKNOWN
        if self._content.mute:
            return Presence.UNKNOWN
        page = self._content.pages.get(doc_id)
        if page is None:
            return Presence.GONE
        return Presence.NOT_PUBLIC if page.draft else Presence.PRESENT

    def close(self) -> None:
        pass

    def _asked(self, operation: str) -> datetime:
        """The clock before the source is asked: an answer may be younger than its fence, never older."""
        moment = self._clock.now()
        self._on_io(operation)
        if self._content.down:
            raise SourceUnavailable(f"{self.source}: no answer; the next run tries again", source=self.source)
        return moment
