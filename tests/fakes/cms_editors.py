"""What editors do in a content system, the same in all of them; what its API then says is in `cms_models`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, ClassVar

from include.connectors.credentials import Credentials
from tests.connector_sources import Reply, Request, TurnableClock


@dataclass(frozen=True)
class Draft:
    """What an editor has typed. `embeds`: ids of other entries whose texts stand in this one."""

    title: str
    slug: str
    text: str
    embeds: tuple[str, ...] = ()


@dataclass
class Entry:
    """A document of the CMS. `live` is what readers see; None when it is not published."""

    id: str
    draft: Draft
    created_at: datetime
    updated_at: datetime
    live: Draft | None = None
    published_at: datetime | None = None
    revision: int = 0
    archived: bool = False
    audience: Any = None  # None: everybody
    kind: str = "article"
    odd: dict[str, Any] = field(default_factory=dict)  # fields that the API shows otherwise; `...`: not at all
    goes_live_at: datetime | None = None
    goes_down_at: datetime | None = None


@dataclass
class CmsModel:
    """Editors' actions, the same for all; the answers are the subclasses'. `key` is the one credential that is known.
    `between` runs after every page of the list, `busy` is sent instead of the next answers, `most` caps a page."""

    clock: TurnableClock
    entries: dict[str, Entry] = field(default_factory=dict)
    key: str = "right"
    between: Callable[[], None] = lambda: None
    busy: list[Reply] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)

    preset: ClassVar[str] = ""
    path: ClassVar[str] = ""
    most = 100

    @property
    def overlay(self) -> dict[str, Any]:
        """What a user of the preset sets besides base_url."""
        return {}

    @staticmethod
    def name(number: int) -> str:
        """The id of the nth document."""
        raise NotImplementedError

    @staticmethod
    def credentials(key: str) -> Credentials:
        raise NotImplementedError

    # what editors do

    def write(self, doc_id: str, text: str, *, kind: str = "article", embeds: Iterable[str] = ()) -> Entry:
        now = self.clock.now()
        draft = Draft(f"Title {doc_id}", f"slug-{doc_id}", text, tuple(embeds))
        entry = self.entries[doc_id] = Entry(doc_id, draft, now, now, kind=kind)
        return entry

    def edit(self, doc_id: str, **changes: Any) -> None:
        """Typed and saved, not published."""
        entry = self.entries[doc_id]
        entry.draft = replace(entry.draft, **changes)

    def publish(self, doc_id: str, **changes: Any) -> None:
        self.edit(doc_id, **changes)
        entry = self.entries[doc_id]
        entry.live, entry.updated_at, entry.revision = entry.draft, self.clock.now(), entry.revision + 1
        entry.published_at = entry.published_at or entry.updated_at

    def unpublish(self, doc_id: str) -> None:
        self.entries[doc_id].live = None

    def restrict(self, doc_id: str, audience: Any) -> None:
        self.entries[doc_id].audience = audience
        self.entries[doc_id].updated_at = self.clock.now()

    def archive(self, doc_id: str, archived: bool = True) -> None:
        self.unpublish(doc_id)
        self.entries[doc_id].archived = archived

    def delete(self, *doc_ids: str) -> None:
        for doc_id in doc_ids:
            del self.entries[doc_id]

    def schedule(self, doc_id: str, *, live: float | None = None, down: float | None = None) -> None:
        """Days from now at which it is published or unpublished."""
        now, entry = self.clock.now(), self.entries[doc_id]
        entry.goes_live_at = None if live is None else now + timedelta(days=live)
        entry.goes_down_at = None if down is None else now + timedelta(days=down)

    def send_by_mail(self, doc_id: str) -> None:
        """To subscribers only; no API for readers ever shows it."""

    def rename_tag(self, doc_id: str) -> None:
        """A tag that it carries gets another name; what is shown of the document itself stays."""

    # what the API says

    def answer(self, request: Request) -> Reply:
        self.requests.append(request)
        self._keep_the_schedule()
        if self.busy:
            return self.busy.pop(0)
        if not request.path.startswith(self.path):
            return Reply(404, b"not here", "text/html")
        return self.refusal(request) or self.reply(request.path.removeprefix(self.path).strip("/"), request)

    def refusal(self, request: Request) -> Reply | None:
        raise NotImplementedError

    def reply(self, path: str, request: Request) -> Reply:
        raise NotImplementedError

    def _keep_the_schedule(self) -> None:
        now = self.clock.now()
        for entry in self.entries.values():
            if entry.goes_live_at and entry.goes_live_at <= now:
                entry.goes_live_at = None
                self.publish(entry.id)
            if entry.goes_down_at and entry.goes_down_at <= now:
                entry.goes_down_at = None
                self.unpublish(entry.id)

    def _page_of(self, entries: Iterable[Entry], start: int, size: int) -> list[Entry]:
        served = sorted(entries, key=lambda entry: entry.id)[start : start + size]
        self.between()
        return served
