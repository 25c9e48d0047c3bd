"""The lists of all types of a WordPress, read to their ends and put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from include.connectors.http_listing import ListReader, Reading
from include.connectors.http_pages import ListedItem, Page, Question
from include.connectors.http_session import Answer
from include.connectors.json_fields import whole_number
from include.connectors.wordpress_documents import FULL, LIGHT, WordPressDocument
from include.connectors.wordpress_options import WordPressOptions
from include.connectors.wordpress_rest import PAST_THE_END, WordPressRest, code_of, unanswered
from include.domain.errors import SourceUnavailable


def route_of(rest_base: str) -> str:
    """`posts` lies below `wp/v2`; a base with a slash names its namespace itself."""
    return rest_base if "/" in rest_base else f"wp/v2/{rest_base}"


@dataclass(frozen=True, slots=True)
class TypeListing:
    """The list of one type, as it was read last, after so many readings."""

    rest_base: str
    reading: Reading
    passes: int

    @property
    def items(self) -> Mapping[str, ListedItem]:
        return self.reading.items

    def detail(self) -> str:
        return f"{self.rest_base}: {self.reading.summary(self.passes)}"


def read_types(rest: WordPressRest, options: WordPressOptions) -> list[TypeListing]:
    """Every configured type in turn. Raises SourceUnavailable, naming the type, when a list cannot be read at all;
    one that broke off is returned with its problem. Nothing is ever resumed."""
    listings = []
    for rest_base in options.types:
        try:
            reading, passes = ListReader(TypeList(rest, rest_base, options)).read()
        except SourceUnavailable as error:
            raise SourceUnavailable(f"the list of {rest_base}: {error}", type=rest_base, **error.facts) from error
        listings.append(TypeListing(rest_base, reading, passes))
    return listings


def problems_of(listings: Sequence[TypeListing]) -> list[str]:
    """What does not add up, in words: within a list, and between two of them."""
    problems = [f"{one.rest_base}: {problem}" for one in listings for problem in one.reading.problems]
    found: dict[str, str] = {}
    for listing in listings:
        for doc_id in listing.items:
            if doc_id in found:
                problems.append(
                    f"{doc_id} is listed as {found[doc_id]} and as {listing.rest_base}: it changed its type meanwhile"
                )
            found[doc_id] = listing.rest_base
    if not any(item.listed for listing in listings for item in listing.items.values()):
        count = sum(len(listing.items) for listing in listings)
        problems.append(
            f"no public document among {count} listed; an empty list proves nothing: has the database lost its posts, "
            "does a plugin filter the list, has the credential lost its scope?"
        )
    return problems


class TypeList:
    """The list endpoint of one type, a `http_pages.PagedList`: in the order of ids, which no edit changes."""

    def __init__(self, rest: WordPressRest, rest_base: str, options: WordPressOptions) -> None:
        self._rest = rest
        self._route = route_of(rest_base)
        self._with_content = options.content_in_version
        self.paging = options.paging

    def first(self, size: int) -> Question:
        return self.numbered(0, size)

    def numbered(self, number: int, size: int) -> Question:
        params = {
            "orderby": "id",
            "order": "asc",
            "_fields": FULL if self._with_content else LIGHT,
            "per_page": str(size),
            "offset": str(number),
        }
        return Question(self._route, tuple(params.items()), number)

    def linked(self, question: Question, link: str, size: int) -> Question:
        raise NotImplementedError("WordPress pages by offset")

    def ask(self, question: Question) -> Page:
        """See `PagedList`. WordPress declares its total with every page; where a cache drops that header, the list is
        read until a page past its end, and the proof says so."""
        answer = self._rest.get(question.path, dict(question.params))
        if answer.status != 200:
            if question.number and answer.status == 400 and code_of(answer) == PAST_THE_END:
                return Page(past_end=True)
            raise unanswered(answer)
        rows, total = answer.json(), whole_number(answer.headers.get("x-wp-total"))
        if not isinstance(rows, list):
            raise answer.refused(f"holds {type(rows).__name__} where a list was due")
        return Page(rows=tuple(self._item(answer, position, row) for position, row in enumerate(rows, 1)), total=total)

    def _item(self, answer: Answer, position: int, row: object) -> ListedItem:
        try:
            document = WordPressDocument.read(row)
        except ValueError as error:
            raise answer.refused(f"lists a document without an id (row {position}): {error}") from None
        return ListedItem(document.doc_id, document.listed(with_content=self._with_content), document.modified)
