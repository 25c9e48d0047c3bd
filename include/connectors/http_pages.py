"""Asks a list endpoint for one page and reads what the answer says: rows, total, size, what comes next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urljoin

from requests.utils import parse_header_links

from include.connectors.http_options import ListOptions, Paging
from include.connectors.http_session import Answer, HttpSession
from include.connectors.json_fields import States, identifier, judge, search, version_of, whole_number
from include.domain.errors import DocumentUnreadable
from include.domain.inventory import ListedDocument

# Where APIs say that there is more. Only used to contradict a configuration that takes one answer for the whole list.
_NEXT_PAGE_HINTS = "next || next_page || next_url || links.next || meta.next || meta.pagination.next || pagination.next"


@dataclass(frozen=True, slots=True)
class ListedItem:
    """One row of the list. `listed` is None for a row that is not public; `updated_at` is its raw timestamp."""

    doc_id: str
    listed: ListedDocument | None
    updated_at: object = None

    @property
    def presence(self) -> tuple[str, bool]:
        """What two readings of a list must agree on. Not the version: of a text with a counter in it, no two do."""
        return self.doc_id, self.listed is not None


@dataclass(frozen=True, slots=True)
class Question:
    """What to ask for. `number` is the page or offset of the numbered styles."""

    path: str
    params: tuple[tuple[str, str], ...] = ()
    number: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """What one answer says. `past_end`: the source says that there is no such page."""

    rows: tuple[ListedItem, ...] = ()
    total: int | None = None
    total_pages: int | None = None
    next: str | None = None
    echoed_size: int | None = None
    echoed_page: int | None = None
    past_end: bool = False

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(row.doc_id for row in self.rows)

    @property
    def presences(self) -> tuple[tuple[str, bool], ...]:
        return tuple(row.presence for row in self.rows)


class PagedList(Protocol):
    """A list that can be asked page by page: what `ListReader` reads."""

    @property
    def paging(self) -> Paging: ...

    def first(self, size: int) -> Question: ...

    def numbered(self, number: int, size: int) -> Question:
        """Page or offset `number`; for styles without numbers the first page."""
        ...

    def linked(self, question: Question, link: str, size: int) -> Question:
        """The page that an answer to `question` names as next."""
        ...

    def ask(self, question: Question) -> Page:
        """Raises SourceUnavailable when the answer is not a page of the list."""
        ...


class ListEndpoint:
    """The list endpoint of one source. `public` is the allow-list that rows are judged by. `text_token` makes a part
    of the version from a row's text, where the version covers it; it may raise DocumentUnreadable."""

    def __init__(
        self, session: HttpSession, options: ListOptions, public: States, text_token: Callable[[object], str]
    ) -> None:
        self._session = session
        self._text_token = text_token
        self._options = options
        self.paging = options.paging
        self._public = {**public, **options.public}

    def first(self, size: int) -> Question:
        return self.numbered(self.paging.first, size)

    def numbered(self, number: int, size: int) -> Question:
        """Page or offset `number`; for the other styles the first page, which has no number."""
        params = dict(self._options.params)
        if self.paging.style in ("page", "offset") and self.paging.parameter:
            params[self.paging.parameter] = str(number)
        if self.paging.size_parameter:
            params[self.paging.size_parameter] = str(size)
        return Question(self._options.path, tuple(params.items()), number)

    def linked(self, question: Question, link: str, size: int) -> Question:
        """The page that an answer to `question` names as next: a cursor, or a URL absolute or relative."""
        if self.paging.style == "cursor":
            params = {**dict(self.first(size).params), str(self.paging.parameter): link}
            return Question(question.path, tuple(params.items()))
        here = question.path if "://" in question.path else f"{self._session.base_url}/{question.path.lstrip('/')}"
        try:
            return Question(urljoin(here, link))
        except ValueError:
            return Question(link)  # no address at all: asking for it says so

    def ask(self, question: Question) -> Page:
        """Raises SourceUnavailable when the answer is not a page of the list."""
        answer = self._session.get(question.path, dict(question.params))
        paging = self.paging
        if question.number > paging.first and self._says_past_end(answer):
            return Page(past_end=True)
        data = answer.json()
        rows = search(self._options.items, data)
        if not isinstance(rows, list):
            found = "nothing" if rows is None else type(rows).__name__
            raise answer.refused(f"holds {found} at `{self._options.items}` where a list was due")
        beside = search(self._options.beside, data) if self._options.beside else None
        if isinstance(beside, dict):
            rows = [{**row, **beside} if isinstance(row, dict) else row for row in rows]
        return Page(
            rows=tuple(self._row(answer, position, row) for position, row in enumerate(rows, 1)),
            total=_count(paging.total, answer, data),
            total_pages=_count(paging.total_pages, answer, data),
            next=self._next(answer, data),
            echoed_size=_count(paging.echoed_size, answer, data),
            echoed_page=_count(paging.echoed_page, answer, data),
        )

    def _says_past_end(self, answer: Answer) -> bool:
        sign = self.paging.past_end
        if sign is None or answer.status != sign.status or "json" not in answer.headers.get("content-type", "").lower():
            return False
        return bool(search(sign.field, answer.parsed()) == sign.equals)

    def _next(self, answer: Answer, data: Any) -> str | None:
        links = parse_header_links(answer.headers.get("link", ""))
        link = next((one.get("url") for one in links if one.get("rel") == "next"), None)
        if self.paging.style == "link_header":
            return link
        expression = _NEXT_PAGE_HINTS if self.paging.style == "none" else self.paging.next
        value = search(expression, data) if expression else None
        named = str(value) if isinstance(value, str | int) and not isinstance(value, bool) and value != "" else None
        return named or (link if self.paging.style == "none" else None)

    def _row(self, answer: Answer, position: int, row: object) -> ListedItem:
        try:
            doc_id = identifier(search(self._options.id, row))
        except ValueError as error:
            raise answer.refused(
                f"lists a document without an id at `{self._options.id}` (row {position}): {error}"
            ) from None
        version = version_of(self._options.versions, row)
        when = search(self._options.updated_at or self._options.versions[0], row)
        public, why = judge(self._public, row)
        if public is False:
            return ListedItem(doc_id, None, when)
        if not version and not why:
            why = f"the list gives no version at {', '.join(self._options.versions)}"
        if self._options.version_covers_text and not why:
            try:
                version += self._text_token(row)
            except DocumentUnreadable as error:
                why = str(error)
        return ListedItem(doc_id, ListedDocument(doc_id, version, unreadable=why), when)


def _count(where: str | None, answer: Answer, data: Any) -> int | None:
    if where is None:
        return None
    if where.startswith("header:"):
        return whole_number(answer.headers.get(where.removeprefix("header:").strip().lower()))
    return whole_number(search(where, data))
