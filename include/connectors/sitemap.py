"""Documents of any website that has a sitemap, read as an anonymous reader reads them. Knows no CMS.

The sitemap says which pages there are, each page says what it is. Neither is believed alone: a page is a document if
the sitemap leads to it and it answers with a text that is meant for everybody; a document is removed if both deny it.

| the site's owner …                  | sitemap | page                          | listing     | probe      | index    |
|-------------------------------------|---------|-------------------------------|-------------|------------|----------|
| publishes, restores                 | lists   | 200                           | document    | present    | created  |
| edits, shortens                     | lists   | 200, another main text        | new version | present    | replaced |
| changes the template, a date        | lists   | 200, same main text           | as before   | present    | as before|
| unpublishes, trashes, deletes       | drops   | 404, 410                      | absent      | gone       | removed  |
| the same, behind a cached sitemap   | lists   | 404, 410                      | absent      | gone       | removed  |
| the same, on a site without 404     | either  | 200, the not-found page       | absent      | gone       | removed  |
| protects by password or login       | either  | 401, 403, form, 302 to login  | absent      | not public | removed  |
| sets noindex, an expiry that passed | either  | 200, noindex                  | absent      | not public | removed  |
| renames, moves, merges by redirect  | either  | 301, 308, refresh at once     | the target  | moved      | moved    |
| merges by canonical link            | either  | 200, canonical to another     | the target  | moved      | moved    |
| moves without a redirect            | drops   | 404; the new one is listed    | the new one | gone       | moved    |
| hides for a while                   | either  | 302, 307                      | absent      | not public | removed  |
| takes out of the sitemap alone      | drops   | 200                           | absent      | present    | kept     |
| schedules for later                 | not yet | 404                           | absent      | -          | nothing  |
| disallows in robots.txt             | lists   | is not asked                  | unreadable  | unknown    | kept     |
| breaks a page                       | lists   | 5xx, no text, a circle        | unreadable  | unknown    | kept     |
| is down, in maintenance             | any     | 503, one text for all         | not proven  | unknown    | kept     |

The last but four is a decision: a page that answers and is in no sitemap was left out on purpose or by accident, and
nothing tells which. It is kept and named in every manifest until it answers otherwise; `unlisted: remove` decides
the other way, for sitemaps that are known to be complete.

Nothing is taken for absent while the canaries (other pages of the listing) do not answer as usual.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from include.connectors.credentials import Credentials, without_query
from include.connectors.http_session import Pace
from include.connectors.sitemap_absence import Absence, impossible_addresses, learn_absence
from include.connectors.sitemap_crawl import Crawl, one_build
from include.connectors.sitemap_http import SiteHttp
from include.connectors.sitemap_memory import PageMemory, PageSpool
from include.connectors.sitemap_options import SitemapOptions
from include.connectors.sitemap_tree import SitemapReading, SitemapTree
from include.connectors.sitemap_visits import Resolution, Said, Visit, Visitor, resolve
from include.connectors.witnesses import Standing, Witnesses
from include.domain.date_candidates import DateCandidate, DateField, Doubt, Rank, stated
from include.domain.documents import DocumentKey, FetchedDocument, Presence
from include.domain.errors import (
    DocumentGone,
    DocumentNotPublic,
    DocumentUnreadable,
    SourceUnavailable,
    TruecopyError,
)
from include.domain.inventory import Listing, Proof
from include.ports import Clock


class SitemapConnector:
    """`ports.Connector` over a website. Not thread-safe; one instance serves one run."""

    def __init__(
        self,
        source: str,
        options: SitemapOptions,
        *,
        clock: Clock,
        cache_dir: Path,
        credentials: Credentials | None = None,
        pace: Pace | None = None,
    ) -> None:
        self._source = source
        self._options = options
        self._site = options.site
        self._clock = clock
        self._http = SiteHttp(options, clock=clock, credentials=credentials, pace=pace)
        self._tree = SitemapTree(self._http, options)
        self._visitor = Visitor(self._http, options, clock=clock, absence=self._absence_of_pages)
        self._absence: Absence | None = None
        self._memory = PageMemory(source, options, cache_dir)
        self._spool = PageSpool(options.spool_bytes)
        canaries = [self._site.page(address) or address for address in options.canaries]
        self._witnesses = Witnesses(source, canaries, ask_standing=self._ask_standing, ask_canary=self._ask_canary)
        self._lastmods: Mapping[str, str] | None = None
        self._one_build = ""
        self._listing: Listing | None = None

    @property
    def source(self) -> str:
        return self._source

    def list_documents(self) -> Listing:
        """See `ports.Connector`. Reads every page that `version` does not let it pass over."""
        listed_at = self._clock.now()
        self._absence, self._listing = None, None
        self._http.robots(anew=True)
        before = self._witnesses.standing(anew=True)
        reading, passes = self._tree.read()
        self._learn_dates(reading)
        crawl = Crawl(self._visitor, self._memory, self._spool, clock=self._clock)
        crawl.run(list(reading.entries)[: self._options.max_documents], reading.entries, source=self._source)
        documents = {**crawl.documents(), **crawl.unreadable(reading.rejected)}
        standing, doubts = self._witnesses.standing_after(before)
        absence = self._absence or Absence()  # of a site whose pages all say it plainly nothing had to be learnt
        problems = [*reading.problems, *crawl.problems(), *doubts, *filter(None, (absence.problem,))]
        if reading.rejected and self._options.unlisted == "remove":
            problems.append(f"{len(reading.rejected)} entries name no page, so no page is known to be unlisted")
        if not problems:
            self._witnesses.choose([crawl.readable()])
        roots = ", ".join(sorted(map(without_query, reading.roots)))
        proof = Proof(
            end_reached=not reading.failed,
            scope_verified=standing.verified,
            seen=len(documents),
            detail="; ".join([_detail(reading, passes), crawl.detail(), absence.words, *reading.notes]),
            problem="; ".join(f"{self._source}: {problem}" for problem in problems),
            scope=f"{self._http.account}; {len(reading.roots)} sitemaps: {roots}",
        )
        self._listing = Listing(self._source, documents, proof, listed_at)
        self._memory.save(set(documents))
        return self._listing

    def fetch(self, doc_id: str) -> FetchedDocument:
        """See `ports.Connector`. A page that the listing has just read is not asked for a second time."""
        visit = self._spool.take(doc_id)
        if visit is None:
            found = self._resolve(doc_id)
            if found.said is not Said.PAGE or found.visit.doc_id != self._own_id(doc_id):
                raise self._refusal(doc_id, found)
            visit = found.visit
        page = visit.page
        if page is None:
            raise SourceUnavailable(f"{self._source}: {doc_id} came without its text", source=self._source)
        return FetchedDocument(
            key=DocumentKey(self._source, visit.doc_id),
            version=visit.version,
            body=page.document(),
            media_type="text/html",
            url=visit.doc_id,
            fetched_at=visit.asked_at,
            title=page.title or None,
            charset="utf-8",
            lang=page.lang or self._options.lang,
            content_type=self._options.content_type,
            dates=self._dates(visit),
            conventions=self._options.conventions,
        )

    def probe(self, doc_id: str) -> Presence:
        """See `ports.Connector`. Any absence only as long as known pages answer as usual."""
        try:
            found = self._resolve(doc_id)
            has_moved = found.said is Said.AWAY or (found.said is Said.PAGE and found.visit.doc_id != doc_id)
            if found.said is Said.PAGE and not has_moved and not self._is_unlisted(doc_id):
                return Presence.PRESENT
            refusal = self._refusal(doc_id, found)
        except Exception:  # noqa: BLE001 - a probe promises never to raise; whatever went wrong is doubt
            return Presence.UNKNOWN
        if isinstance(refusal, DocumentGone):
            return Presence.MOVED if has_moved else Presence.GONE
        return Presence.NOT_PUBLIC if isinstance(refusal, DocumentNotPublic) else Presence.UNKNOWN

    def close(self) -> None:
        self._http.close()
        self._spool.close()

    def _own_id(self, address: str) -> str | None:
        """The id of the page of this site that an address means; None for another site's."""
        try:
            return self._site.doc_id(address) if "://" in address else None
        except ValueError:
            return None

    def _resolve(self, doc_id: str) -> Resolution:
        """What the site says of a document now. Ids that are none of this site's are gone without asking."""
        now = self._clock.now()
        own = self._own_id(doc_id)
        if own is None:
            visit = Visit(doc_id, Said.GONE, now, "is no address of this site", status=0)
            return Resolution(Said.GONE, visit, visit.why)
        if not self._site.covers(own):
            visit = Visit(doc_id, Said.NOT_PUBLIC, now, "is excluded (options include, exclude)", status=0)
            return Resolution(Said.NOT_PUBLIC, visit, visit.why)
        return resolve(own, self._visitor.visit)

    def _refusal(self, doc_id: str, found: Resolution) -> TruecopyError:
        """Why this is no document, as one of the errors that `ports.Connector.fetch` promises."""
        if found.said is Said.UNREADABLE:
            return DocumentUnreadable(f"{self._source}: {doc_id} {found.why}", source=self._source, doc_id=doc_id)
        why, is_hidden = found.why, found.said is Said.NOT_PUBLIC
        if found.said is Said.PAGE:
            is_hidden = found.visit.doc_id == doc_id
            why = "answers, and is in no sitemap" if is_hidden else f"is {found.visit.doc_id} now"
        return self._witnesses.error_for(doc_id, exists=is_hidden, answer=why, status=found.visit.status)

    def _is_unlisted(self, doc_id: str) -> bool:
        """Whether the page's absence from the sitemap removes it. An unreadable page might be the one leading to it."""
        listing = self._listing
        if self._options.unlisted == "keep" or listing is None or not listing.complete:
            return False
        return doc_id not in listing.documents and not any(one.unreadable for one in listing.documents.values())

    def _absence_of_pages(self) -> Absence:
        if self._absence is None:
            self._absence = Absence()  # the pages asked for here are judged without what is being learnt
            asked = impossible_addresses(self._site, self._lastmods or ())
            if self._options.obey_robots:
                asked = [address for address in asked if self._http.robots().allows(address)]
            self._absence = learn_absence(
                asked, self._site, self._http.get_page, self._visitor.read, self._options.soft_404
            )
        return self._absence

    def _ask_standing(self) -> Standing:
        """A credential is in force if the site refuses those who have none."""
        if not self._http.has_credentials:
            return Standing(True)
        roots, _ = self._tree.roots()
        if self._http.is_refused_without_credentials(roots[0]):
            return Standing(True)
        return Standing(
            False,
            f"a credential is used, but {roots[0]} is served without one, so it cannot be told whether it is still "
            "accepted; take it away, or protect the sitemap as well",
        )

    def _ask_canary(self, doc_id: str) -> str:
        found = self._resolve(doc_id)
        return "" if found.said is Said.PAGE else f"{found.said}: {found.why}"

    def _learn_dates(self, reading: SitemapReading) -> None:
        self._lastmods = reading.entries
        self._one_build = one_build(reading.entries.values(), now=self._clock.now())

    def _dates(self, visit: Visit) -> tuple[DateCandidate, ...]:
        """What the sitemap and the page's own marks say."""
        if self._lastmods is None:
            try:
                self._learn_dates(self._tree.read_once())
            except SourceUnavailable:
                self._lastmods = {}  # the page is there all the same
        lastmod = (self._lastmods or {}).get(visit.doc_id, "")
        marks = [(DateField.UPDATED, lastmod, "sitemap lastmod")]
        if visit.page is not None:
            signs = visit.page.signs
            marks += [
                (DateField.CREATED, *signs.published),
                (DateField.UPDATED, *signs.modified),
                (DateField.EXPIRES, signs.expires, "robots unavailable_after"),
            ]
        conventions = self._options.conventions
        read = [stated(field, Rank.CMS, origin, value, conventions=conventions) for field, value, origin in marks]
        if self._one_build and read[0] is not None:
            read[0] = read[0].doubted(Doubt.BULK, self._one_build)
        return tuple(candidate for candidate in read if candidate is not None)


def _detail(reading: SitemapReading, passes: int) -> str:
    left_out = {
        "on other sites": reading.off_site,
        "excluded": reading.excluded,
        "named twice": reading.respelled,
        "without an address": len(reading.rejected),
    }
    besides = ", ".join(f"{count} {what}" for what, count in left_out.items() if count)
    times = "one reading" if passes == 1 else f"{passes} readings"
    return f"{len(reading.files)} sitemaps in {times}, {len(reading.entries)} pages" + (
        f" ({besides})" if besides else ""
    )
