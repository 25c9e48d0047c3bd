"""Posts, pages and custom types of a WordPress site, as any reader of the site can see them.

What an editor does, what WordPress shows of it, and what the next night does to the index. *modified*: whether the
document's modified_gmt tells. *by id*: the answer to an anonymous question (401 is rest_forbidden, 404
rest_post_invalid_id). *webhook*: the hook that names this document; core sends no webhooks, a plugin that does can know
of nothing else, and the nightly run needs none.

| editor's action                       | list        | modified | by id          | webhook              | index     |
| ------------------------------------- | ----------- | -------- | -------------- | -------------------- | --------- |
| publish a draft                       | new version | moves    | 200            | wp_after_insert_post | created   |
| edit                                  | new version | moves    | 200            | wp_after_insert_post | replaced  |
| shorten                               | new version | moves    | 200            | wp_after_insert_post | replaced  |
| give another title                    | new version | moves    | 200            | wp_after_insert_post | refreshed |
| rename the slug                       | new version | moves    | 200            | wp_after_insert_post | refreshed |
| move to another parent                | new version | moves    | 200            | wp_after_insert_post | refreshed |
| unpublish (draft)                     | absent      |          | 401            | wp_after_insert_post | deleted   |
| submit for review (pending)           | absent      |          | 401            | wp_after_insert_post | deleted   |
| make private                          | absent      |          | 401            | wp_after_insert_post | deleted   |
| move to the trash                     | absent      |          | 401            | wp_after_insert_post | deleted   |
| restore from the trash                | new version | moves    | 200            | wp_after_insert_post | created   |
| delete                                | absent      |          | 404            | deleted_post         | deleted   |
| merge into another and redirect       | absent      |          | 404            | deleted_post         | deleted   |
| schedule a new one                    | absent      |          | 401            | wp_after_insert_post | nothing   |
| it goes live                          | new version | stays    | 200            | wp_after_insert_post | created   |
| take offline until a date             | absent      |          | 401            | wp_after_insert_post | deleted   |
| protect with a password               | protected   | moves    | 200, protected | wp_after_insert_post | deleted   |
| take the password off                 | new version | moves    | 200            | wp_after_insert_post | created   |
| rename a category that the text shows | new version | stays    | 200            | none                 | replaced  |
| edit a synced pattern in the text     | new version | stays    | 200            | none                 | replaced  |
| rename the slug of its parent         | new version | stays    | 200            | none                 | refreshed |
| trash its parent                      | new version | stays    | 200            | none                 | refreshed |
| delete its parent                     | new version | stays    | 200            | none                 | refreshed |
| turn a post into a page               | new version | stays    | 200            | none                 | refreshed |

Where modified_gmt stays, the version sees the change in link, slug, status, type or, as long as the list is read with
its texts (`content_in_version`), in the text. A redirect from the old address shows nowhere in the API. An account adds
nothing to what is public: every state but `publish` is not, and neither is what has a password.
"""

from __future__ import annotations

from datetime import datetime

from include.connectors.credentials import Credentials
from include.connectors.http_session import Answer, HttpSession, Pace
from include.connectors.json_fields import utf8
from include.connectors.page_version import version_as_read
from include.connectors.witnesses import Standing, Witnesses
from include.connectors.wordpress_documents import FULL, WordPressDocument
from include.connectors.wordpress_listing import problems_of, read_types, route_of
from include.connectors.wordpress_options import WordPressOptions
from include.connectors.wordpress_rest import GONE, NOT_PUBLIC, WordPressRest, code_of, unanswered
from include.domain.dates import EvidencedDate
from include.domain.documents import DocumentKey, FetchedDocument, Presence
from include.domain.errors import DocumentUnreadable
from include.domain.inventory import Listing, Proof
from include.ports import Clock


class WordPressConnector:
    """`ports.Connector` over WordPress's REST API. The id of a document is WordPress's own number, unique over all
    types; slugs are reused. Not thread-safe; one instance serves one run."""

    def __init__(
        self,
        source: str,
        options: WordPressOptions,
        *,
        clock: Clock,
        credentials: Credentials | None = None,
        pace: Pace | None = None,
    ) -> None:
        self._source = source
        self._options = options
        self._clock = clock
        self._session = HttpSession(options.url, limits=options.http, clock=clock, credentials=credentials, pace=pace)
        self._rest = WordPressRest(self._session, options.rest, first_route=route_of(options.types[0]))
        self._type_of: dict[str, str] = {}
        self._listed_as_of: dict[str, EvidencedDate] = {}
        self._witnesses = Witnesses(
            source,
            options.canaries,
            ask_standing=self._ask_standing,
            ask_canary=self._ask_canary,
            elapsed=self._session.elapsed,
        )

    @property
    def source(self) -> str:
        return self._source

    def list_documents(self) -> Listing:
        """See `ports.Connector`. A type without a single document is no problem as long as another has some: each of
        its documents that is still indexed is asked for by id before it is removed, and the canaries of the other
        types, which live in the same table, vouch for the answer."""
        listed_at = self._clock.now()
        before = self._witnesses.standing(anew=True)
        listings = read_types(self._rest, self._options)
        after, doubts = self._witnesses.standing_after(before, "the lists were")
        problems = [*problems_of(listings), *doubts]
        items = {doc_id: (one.rest_base, item) for one in listings for doc_id, item in one.items.items()}
        documents = {doc_id: item.listed for doc_id, (_, item) in items.items() if item.listed is not None}
        self._type_of = {doc_id: rest_base for doc_id, (rest_base, _) in items.items()}
        self._listed_as_of = {
            doc_id: item.updated_at for doc_id, (_, item) in items.items() if isinstance(item.updated_at, EvidencedDate)
        }
        if not problems:
            living = [doc_id for doc_id, listed in documents.items() if not listed.unreadable]
            self._witnesses.choose(
                [[doc_id for doc_id in living if self._type_of[doc_id] == one.rest_base] for one in listings]
            )
        totals = [one.reading.total for one in listings]
        proof = Proof(
            end_reached=all(one.reading.end_reached for one in listings),
            scope_verified=after.verified,
            seen=sum(len(one.items) for one in listings),
            declared_total=None if None in totals else sum(total or 0 for total in totals),
            detail="; ".join(one.detail() for one in listings),
            problem="; ".join(f"{self._source}: {problem}" for problem in problems),
            scope=after.scope,
        )
        return Listing(self._source, documents, proof, listed_at)

    def fetch(self, doc_id: str) -> FetchedDocument:
        """See `ports.Connector`. SourceUnavailable also when the page shows an older version than the list did: a
        cache has not caught up, and the old text must not be recorded as the new version; and when the credential is
        not accepted any more, for the text may be cut then."""
        if not _is_number(doc_id):
            raise DocumentUnreadable(f"{self._source}: {doc_id!r:.60} is no id of WordPress, which are whole numbers")
        fetched_at = self._clock.now()
        rest_base, document = self._find(doc_id)
        self._witnesses.admit(doc_id, public=document.public, why=document.why)
        rendered = document.rendered
        if rendered is None or not (rendered.strip() or self._options.empty_pages):
            what = "no text" if rendered is None else "an empty text (option empty_pages)"
            raise DocumentUnreadable(
                f"{self._source}: {doc_id} has {what} at content.rendered", source=self._source, doc_id=doc_id
            )
        return FetchedDocument(
            key=DocumentKey(self._source, doc_id),
            version=self._version(document, fetched_at),
            body=utf8(rendered, f"{self._source}: {doc_id}"),
            media_type="text/html",
            url=document.link or f"{self._session.base_url}/?p={doc_id}",
            fetched_at=fetched_at,
            title=document.title,
            charset="utf-8",
            lang=self._options.lang,
            content_type=self._options.content_type(rest_base, document.type_name),
            dates=document.dates,
            conventions=self._options.conventions,
            empty_is_legitimate=self._options.empty_pages,
        )

    def probe(self, doc_id: str) -> Presence:
        """See `ports.Connector`. GONE and NOT_PUBLIC only as long as known documents answer normally."""
        if not _is_number(doc_id):
            return Presence.UNKNOWN
        return self._witnesses.presence(lambda: self._find(doc_id)[1].public)

    def close(self) -> None:
        self._session.close()

    def _find(self, doc_id: str) -> tuple[str, WordPressDocument]:
        """The document under whichever type it answers (REST base first). Absent only if every type says so: raises
        DocumentNotPublic if one of them knows it, DocumentGone if none does, SourceUnavailable for anything else."""
        known = self._type_of.get(doc_id)
        refusals: list[Answer] = []
        for rest_base in sorted(self._options.types, key=lambda one: one != known):
            answer = self._rest.get(f"{route_of(rest_base)}/{doc_id}", {"_fields": FULL})
            if answer.status == 200:
                return rest_base, self._read(doc_id, answer)
            if (answer.status, code_of(answer)) not in ((404, GONE), (401, NOT_PUBLIC), (403, NOT_PUBLIC)):
                raise unanswered(answer)
            refusals.append(answer)
        decisive = max(refusals, key=lambda answer: answer.status != 404)
        raise self._witnesses.error_for(
            doc_id,
            exists=decisive.status != 404,
            answer=f"answers {decisive.status} {code_of(decisive)}",
            status=decisive.status,
        )

    def _read(self, doc_id: str, answer: Answer) -> WordPressDocument:
        try:
            document = WordPressDocument.read(answer.json())
        except ValueError as error:
            raise answer.refused(f"holds no document: {error}") from None
        if document.doc_id != doc_id:
            raise answer.refused(f"shows document {document.doc_id:.60} when asked for {doc_id}")
        return document

    def _version(self, document: WordPressDocument, fetched_at: datetime) -> str:
        """Raises SourceUnavailable when the list has already shown a newer version than this page does."""
        doc_id, version = document.doc_id, document.version(with_content=self._options.content_in_version)
        if not version:
            raise DocumentUnreadable(f"{self._source}: {doc_id} shows neither modified_gmt nor any other state")
        return version_as_read(
            version,
            DocumentKey(self._source, doc_id),
            shown=document.modified,
            listed=self._listed_as_of.get(doc_id),
            fetched_at=fetched_at,
            settle_seconds=0 if self._options.content_in_version else self._options.settle_seconds,
        )

    def _ask_standing(self) -> Standing:
        return self._rest.standing(f"types {', '.join(sorted(self._options.types))} of {self._session.base_url}")

    def _ask_canary(self, doc_id: str) -> str:
        known = self._type_of.get(doc_id)
        for rest_base in (known,) if known else self._options.types:
            answer = self._rest.get(f"{route_of(rest_base)}/{doc_id}", {"_fields": FULL})
            if answer.status == 200:
                document = self._read(doc_id, answer)
                return "" if document.public else document.why
        raise unanswered(answer)


def _is_number(doc_id: str) -> bool:
    """As WordPress writes it: one document has one id, and `007` is not another name of 7."""
    return doc_id.isascii() and doc_id.isdecimal() and doc_id == str(int(doc_id))
