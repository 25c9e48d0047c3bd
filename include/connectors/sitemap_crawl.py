"""Visits every page that the sitemaps list; says which documents they are, and what is doubtful about all of them."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from include.connectors.sitemap_memory import PageMemory, PageSpool
from include.connectors.sitemap_visits import Resolution, Said, Visit, Visitor, resolve
from include.domain.dates import parse_date
from include.domain.errors import SourceUnavailable
from include.domain.inventory import ListedDocument
from include.ports import Clock

_GIVE_UP_AFTER = 5  # pages in a row without an answer, and then none from a page that has answered either
_FEWEST_ALIKE = 3
_SAME_TEXT_PERCENT = 25  # more pages with one and the same text: a notice in front of the site
_SAME_TARGET_PERCENT = 50  # more pages that all lead to one: a wrong canonical link in the template
_FEWEST_DATES, _SAME_DATE_PERCENT = 10, 90  # more pages with dates of one build
_ONE_BUILD = timedelta(hours=1)


def one_build(lastmods: Iterable[str], *, now: datetime) -> str:
    """Says so where nearly all pages bear one date, or dates of one hour: the generator writes down its own."""
    read = (parse_date(lastmod, origin="", now=now) for lastmod in lastmods if lastmod)
    moments = sorted(date.value for date in read if date is not None)
    if len(moments) < _FEWEST_DATES:
        return ""
    most = max(bisect_right(moments, moment + _ONE_BUILD) - first for first, moment in enumerate(moments))
    if most * 100 <= _SAME_DATE_PERCENT * len(moments):
        return ""
    return f"{most} of {len(moments)} pages bear one date or dates of one hour"


class Crawl:
    """One reading of all pages."""

    def __init__(self, visitor: Visitor, memory: PageMemory, spool: PageSpool, *, clock: Clock) -> None:
        self._visitor = visitor
        self._memory = memory
        self._spool = spool
        self._clock = clock
        self._lastmods: Mapping[str, str] = {}
        self._visits: dict[str, Visit | SourceUnavailable] = {}
        self._found: dict[str, Resolution] = {}  # by the id that the sitemap lists
        self._unanswered: dict[str, str] = {}
        self._passed_over = 0

    def run(self, doc_ids: Sequence[str], lastmods: Mapping[str, str], *, source: str) -> None:
        """Raises SourceUnavailable when the site stops answering. `lastmods` are the sitemap's, by id."""
        self._lastmods = lastmods
        in_a_row = 0
        for doc_id in doc_ids:
            try:
                self._found[doc_id] = resolve(doc_id, self._visit)
                in_a_row = 0
            except SourceUnavailable as error:
                self._unanswered[doc_id] = str(error)
                in_a_row += 1
                if in_a_row >= _GIVE_UP_AFTER:
                    self._give_up_unless_it_answers(error, source)
                    in_a_row = 0

    def documents(self) -> dict[str, ListedDocument]:
        """By id, the pages that are documents and those of which nothing is known."""
        found: dict[str, ListedDocument] = {}
        for doc_id, resolution in self._found.items():
            if resolution.said is Said.UNREADABLE:
                found.setdefault(doc_id, ListedDocument(doc_id, "", unreadable=f"{doc_id} {resolution.why}"))
            elif resolution.said is Said.PAGE:
                page = resolution.visit
                found[page.doc_id] = ListedDocument(page.doc_id, page.version)
        for doc_id, why in self._unanswered.items():
            found.setdefault(doc_id, ListedDocument(doc_id, "", unreadable=why))
        return found

    def unreadable(self, rejected: Iterable[tuple[str, str]]) -> dict[str, ListedDocument]:
        """Entries that name no page, as documents that cannot be read: counted, named, in nobody's way."""
        return {name: ListedDocument(name, "", unreadable=why) for name, why in rejected}

    def readable(self) -> list[str]:
        """Pages that are what the sitemap lists: fit to be canaries."""
        return [doc_id for doc_id, each in self._found.items() if each.said is Said.PAGE and not each.hops]

    def problems(self) -> list[str]:
        """Why no absence may be concluded, whatever the sitemap says."""
        pages = {each.visit.doc_id: each.visit for each in self._found.values() if each.said is Said.PAGE}
        problems = []
        if not pages:
            problems.append(
                f"no page of {len(self._found) + len(self._unanswered)} listed is readable and public; an empty list "
                "proves nothing. Is the site closed, or is all of it noindex?"
            )
        for text, count in Counter(page.text_hash for page in pages.values()).most_common(1):
            is_everywhere = count == len(pages) > 1
            if is_everywhere or (count >= _FEWEST_ALIKE and count * 100 > _SAME_TEXT_PERCENT * len(pages)):
                example = next(doc_id for doc_id, page in pages.items() if page.text_hash == text)
                problems.append(
                    f"{count} of {len(pages)} pages show one and the same text (limit {_SAME_TEXT_PERCENT} %): a "
                    f"notice in front of the site? Open {example}"
                )
        led = Counter(each.visit.doc_id for each in self._found.values() if each.hops and each.said is Said.PAGE)
        for target, count in led.most_common(1):
            if count >= _FEWEST_ALIKE and count * 100 > _SAME_TARGET_PERCENT * len(self._found):
                problems.append(
                    f"{count} of {len(self._found)} listed pages lead to {target} (limit {_SAME_TARGET_PERCENT} %): "
                    "a wrong canonical link in the template, or a redirect of the whole site?"
                )
        return problems

    def detail(self) -> str:
        kinds = Counter("led to another" if each.said is Said.PAGE and each.hops else each.said.value
                        for each in self._found.values())  # fmt: skip
        shown = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        parts = [f"{len(self._visits)} visited: {shown}"]
        if self._unanswered:
            parts.append(f"{len(self._unanswered)} without an answer")
        if self._passed_over:
            parts.append(f"{self._passed_over} unchanged by etag or lastmod")
        return ", ".join(parts)

    def _visit(self, doc_id: str) -> Visit:
        """Each page once; its text goes to the spool, not to memory."""
        known = self._visits.get(doc_id)
        if isinstance(known, SourceUnavailable):
            raise known
        if known is None:
            try:
                known = self._ask(doc_id)
            except SourceUnavailable as error:
                self._visits[doc_id] = error
                raise
            self._visits[doc_id] = known
        return known

    def _ask(self, doc_id: str) -> Visit:
        now = self._clock.now()
        lastmod = self._lastmods.get(doc_id, "")
        before = self._memory.of(doc_id, now=now)
        if before is not None and self._memory.is_unchanged(before, lastmod):
            self._passed_over += 1
            return Visit(doc_id, Said.PAGE, now, version=before.version, text_hash=before.text_hash, is_remembered=True)
        visit = self._visitor.visit(doc_id, etag=self._memory.etag(before))
        if visit.is_remembered and before is not None:
            self._passed_over += 1
            visit = replace(visit, version=before.version, text_hash=before.text_hash)
        if visit.said is Said.PAGE:
            self._memory.keep(visit, lastmod, before)
            if visit.page is not None and not visit.target:
                self._spool.add(visit)
        return replace(visit, page=None)

    def _give_up_unless_it_answers(self, error: SourceUnavailable, source: str) -> None:
        """Raises SourceUnavailable when a page that answered before does not any more, or none has."""
        witness = next((doc_id for doc_id, each in self._found.items() if each.said is Said.PAGE), None)
        try:
            if witness is not None and self._visitor.visit(witness).said is Said.PAGE:
                return
        except SourceUnavailable:
            pass
        raise SourceUnavailable(
            f"{source}: the site stopped answering, {len(self._unanswered)} pages in all: {error}", source=source
        ) from error
