"""Documents of any CMS with a JSON list and a JSON page endpoint. What is CMS-specific is configuration (presets).

Three distrusts run through it. A 200 proves no identity: many a CMS answers a revoked credential with the anonymous
list, so the identity is asked for before and after a listing. A 404 proves no deletion: a lost table says 404 to
living ids, so canaries must answer at that moment (both in `witnesses`). A published state is an allow-list: what is
unknown is not public.
"""

from __future__ import annotations

import hashlib
import html
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any
from urllib.parse import quote, urljoin

from include.connectors.credentials import Credentials
from include.connectors.http_listing import ListReader
from include.connectors.http_options import Fields, HttpJsonOptions
from include.connectors.http_pages import ListEndpoint
from include.connectors.http_session import Answer, HttpSession, Pace
from include.connectors.http_standing import standing_of
from include.connectors.json_fields import judge, search, text_of, utf8, version_of
from include.connectors.json_lineage import lineage_of
from include.connectors.page_text import PageText, page_text
from include.connectors.page_version import version_as_read
from include.connectors.witnesses import Witnesses
from include.domain.date_candidates import DateCandidate, DateField, Rank, stated
from include.domain.dates import EvidencedDate, Precision, parse_date
from include.domain.documents import DocumentKey, FetchedDocument, Presence
from include.domain.errors import (
    DocumentUnreadable,
    TruecopyError,
)
from include.domain.inventory import Listing, Proof
from include.domain.written_dates import Conventions
from include.ports import Clock

_ALL_TIME = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Living:
    """A page that exists. `data` is the document's object. `public` is None where its state cannot be told."""

    data: Any
    public: bool | None
    why: str


class HttpJsonConnector:
    """`ports.Connector` over HTTP. Not thread-safe; one instance serves one run."""

    def __init__(
        self,
        source: str,
        options: HttpJsonOptions,
        *,
        clock: Clock,
        credentials: Credentials | None = None,
        pace: Pace | None = None,
    ) -> None:
        self._source = source
        self._options = options
        self._clock = clock
        self._session = HttpSession(
            options.base_url, limits=options.http, clock=clock, credentials=credentials, pace=pace
        )
        self._endpoint = ListEndpoint(self._session, options.list, options.public, self._text_token)
        self._listed_at: Mapping[str, object] = {}  # doc_id -> timestamp of the version the list showed
        self._witnesses = Witnesses(
            source,
            options.canaries,
            ask_standing=partial(standing_of, self._session, options),
            ask_canary=self._ask_canary,
            elapsed=self._session.elapsed,
        )

    @property
    def source(self) -> str:
        return self._source

    def list_documents(self) -> Listing:
        """See `ports.Connector`."""
        listed_at = self._clock.now()
        before = self._witnesses.standing(anew=True)
        reading, passes = ListReader(self._endpoint).read()
        standing, doubts = self._witnesses.standing_after(before)
        documents = {item.doc_id: item.listed for item in reading.items.values() if item.listed is not None}
        self._listed_at = {item.doc_id: item.updated_at for item in reading.items.values()}
        problems = [*reading.problems, *doubts]
        if not documents:
            problems.append(
                f"no public document among {len(reading.items)} listed; an empty list proves nothing: has the "
                "credential lost its scope, has the source lost its data?"
            )
        if not problems:
            self._witnesses.choose([[doc_id for doc_id, listed in documents.items() if not listed.unreadable]])
        proof = Proof(
            end_reached=reading.end_reached,
            scope_verified=standing.verified,
            seen=len(reading.items),
            declared_total=reading.total,
            detail=reading.summary(passes),
            problem="; ".join(f"{self._source}: {problem}" for problem in problems),
            scope=standing.scope,
        )
        return Listing(self._source, documents, proof, listed_at)

    def fetch(self, doc_id: str) -> FetchedDocument:
        """See `ports.Connector`. SourceUnavailable also when the page shows an older version than the list did: a
        cache has not caught up, and the old text must not be recorded as the new version; and when the credential is
        not accepted any more, for the text may be cut then."""
        fetched_at = self._clock.now()
        answer = self._get_page(doc_id)
        if self._says_absent(answer):
            raise self._absence(doc_id, answer)
        page = self._living(doc_id, answer, fetched_at)
        self._witnesses.admit(doc_id, public=page.public, why=page.why)
        options, fields = self._options, self._options.page.fields
        body = self._body(doc_id, page.data)
        if (title := text_of(search(fields.title, page.data)) if fields.title else None) and options.page.title_is_html:
            title = html.unescape(title)
        return FetchedDocument(
            key=DocumentKey(self._source, doc_id),
            version=self._version(doc_id, page.data, fetched_at),
            body=utf8(body.text, f"{self._source}: {doc_id}"),
            media_type=body.media_type,
            url=urljoin(
                options.site_url or f"{self._session.base_url}/", self._text(fields.url, page.data) or answer.where
            ),
            fetched_at=fetched_at,
            title=title or None,
            charset="utf-8",
            lang=self._text(fields.lang, page.data) or options.lang,
            content_type=self._text(fields.content_type, page.data) or options.content_type,
            dates=_dates(fields, page.data, options.conventions),
            conventions=options.conventions,
            empty_is_legitimate=options.empty_pages,
            lineage=lineage_of(fields.lineage, page.data),
        )

    def probe(self, doc_id: str) -> Presence:
        """See `ports.Connector`. GONE and NOT_PUBLIC only as long as known documents answer normally."""

        def is_public() -> bool | None:
            answer = self._get_page(doc_id)
            if self._says_absent(answer):
                raise self._absence(doc_id, answer)
            return self._living(doc_id, answer, self._clock.now()).public

        return self._witnesses.presence(is_public)

    def close(self) -> None:
        self._session.close()

    def _get_page(self, doc_id: str) -> Answer:
        page = self._options.page
        path = page.path.replace("{id}", quote(doc_id, safe=""))
        return self._session.get(path, {name: value.replace("{id}", doc_id) for name, value in page.params.items()})

    def _says_absent(self, answer: Answer) -> bool:
        absent = self._options.page.absent
        if answer.status == 200 and absent:
            return judge(absent, answer.json())[0] is True
        return answer.status in (401, 403, 404, 410)

    def _body(self, doc_id: str, data: object) -> PageText:
        """Raises DocumentUnreadable when there is no text, or not all of it, or when it would go stale unseen."""
        try:
            body = page_text(self._options.page, data)
            if not (body.text.strip() or self._options.empty_pages):
                raise DocumentUnreadable(f"an empty text at `{self._options.page.fields.body}` (protected?)")
            if body.is_borrowed and not self._options.list.version_covers_text:
                raise DocumentUnreadable(
                    "it embeds other entries, and its version would not show their edits; set list.version_covers_text"
                )
        except DocumentUnreadable as error:
            raise DocumentUnreadable(f"{self._source}: {doc_id}: {error}", source=self._source, doc_id=doc_id) from None
        return body

    def _text_token(self, data: object) -> str:
        """The part of a version that stands for the text. Raises DocumentUnreadable."""
        return (
            "+" + hashlib.sha256(page_text(self._options.page, data).text.encode("utf-8", "replace")).hexdigest()[:16]
        )

    def _living(self, doc_id: str, answer: Answer, now: datetime) -> _Living:
        """Raises SourceUnavailable when the answer is no page, or shows another document."""
        options, page = self._options, self._options.page
        data = search(page.item, answer.json())
        if not isinstance(data, dict):
            raise answer.refused(f"holds no document at `{page.item}`")
        shown = search(page.fields.id, data) if page.fields.id else doc_id
        if str(shown) != doc_id:
            raise answer.refused(f"shows document {shown!r:.60} when asked for {doc_id}")
        public, why = judge({**self._options.public, **page.public}, data)
        for field, hides in ((page.fields.goes_live_at, "after"), (page.fields.expires_at, "before")):
            stated_at = search(field, data) if field else None
            moment = parse_date(stated_at, origin="", now=_ALL_TIME, zone=options.conventions.zone)
            if moment and public and (moment.value > now if hides == "after" else moment.value <= now):
                public, why = False, f"{field} is {moment.value:%Y-%m-%d %H:%M} UTC, now is {now:%Y-%m-%d %H:%M} UTC"
        return _Living(data, public, why)

    def _version(self, doc_id: str, data: object, fetched_at: datetime) -> str:
        """Raises SourceUnavailable when the list has already shown a newer version than this page does."""
        options = self._options
        chosen = options.page.version
        expressions = options.list.versions if chosen is None else (chosen,) if isinstance(chosen, str) else chosen
        version = version_of(expressions, data)
        if not version:
            raise DocumentUnreadable(f"{self._source}: {doc_id} shows no version at {', '.join(expressions)}")
        if options.list.version_covers_text:
            version += self._text_token(data)
        shown = options.page.fields.updated_at or options.list.updated_at or options.list.versions[0]
        return version_as_read(
            version,
            DocumentKey(self._source, doc_id),
            shown=_instant(search(shown, data)),
            listed=_instant(self._listed_at.get(doc_id)),
            fetched_at=fetched_at,
            settle_seconds=options.settle_seconds,
        )

    def _absence(self, doc_id: str, answer: Answer) -> TruecopyError:
        """DocumentGone for 404 and 410, DocumentNotPublic for 401 and 403, SourceUnavailable without witnesses."""
        return self._witnesses.error_for(
            doc_id, exists=answer.status in (401, 403), answer=f"answers {answer.status}", status=answer.status
        )

    def _ask_canary(self, doc_id: str) -> str:
        page = self._living(doc_id, self._get_page(doc_id), self._clock.now())
        return "" if page.public else page.why

    @staticmethod
    def _text(expression: str | None, data: object) -> str | None:
        value = search(expression, data) if expression else None
        return value.strip() or None if isinstance(value, str) else None


def _dates(fields: Fields, data: object, conventions: Conventions) -> tuple[DateCandidate, ...]:
    """What the page's fields say of its dates."""
    named = {
        DateField.CREATED: fields.created_at,
        DateField.UPDATED: fields.updated_at,
        DateField.EFFECTIVE: fields.effective_date,
        DateField.EXPIRES: fields.expires_at,
    }
    read = (
        stated(field, Rank.CMS, f"field {expression}", search(expression, data), conventions=conventions)
        for field, expression in named.items()
        if expression
    )
    return tuple(candidate for candidate in read if candidate is not None)


def _instant(value: object) -> EvidencedDate | None:
    """A timestamp that versions can be ordered by; a calendar day is too coarse for that."""
    found = parse_date(value, origin="", now=_ALL_TIME)
    return found if found and found.precision is Precision.INSTANT else None
