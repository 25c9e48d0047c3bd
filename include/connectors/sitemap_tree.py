"""Reads all sitemaps of a site and says whether nothing is missing.

One file is one moment. Several files are several moments: an address that moves from a file not yet read into one that
was read is seen by nobody. So a site with more than one file is read again until two readings in a row name the same
addresses in the same files. Dates may differ: some generators write the present into every answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from include.connectors.credentials import without_query
from include.connectors.sitemap_address import normal_form
from include.connectors.sitemap_files import SitemapFile, parse_sitemap
from include.connectors.sitemap_http import SiteHttp
from include.connectors.sitemap_options import SitemapOptions
from include.domain.errors import SourceUnavailable

_DEEPEST = 3  # levels of index files; the protocol knows one
_GIVE_UP_AFTER = 3  # files that do not answer; the listing proves nothing from the first one on


@dataclass(slots=True)
class SitemapReading:
    """What the sitemaps list. `entries` maps a page's id to its `lastmod` as written, the first that is not empty.

    `rejected` are entries that name no page, as (a name for the manifest, why). `files` holds the addresses in each
    file, to compare two readings by.
    """

    roots: tuple[str, ...]
    entries: dict[str, str] = field(default_factory=dict)
    rejected: list[tuple[str, str]] = field(default_factory=list)
    files: dict[str, tuple[str, ...]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    off_site: int = 0
    excluded: int = 0
    respelled: int = 0
    failed: int = 0


class SitemapTree:
    """The sitemaps of one site, from their roots down."""

    def __init__(self, http: SiteHttp, options: SitemapOptions) -> None:
        self._http = http
        self._options = options
        self._site = options.site

    def roots(self) -> tuple[tuple[str, ...], str]:
        """(where the sitemaps are, what is doubtful about that). Raises SourceUnavailable."""
        if self._options.sitemap:
            return self._addresses(self._options.sitemap, normal_form(self._options.url)), ""
        robots = self._http.robots()
        if robots.sitemaps:
            return self._addresses(robots.sitemaps, self._site.root), ""
        problem = self._http.robots_problem
        doubt = f"{problem}, so it is unknown which sitemaps there are; name them (option sitemap)" if problem else ""
        return (f"{self._site.root}sitemap.xml",), doubt

    def read(self) -> tuple[SitemapReading, int]:
        """The last reading and how many there were. Raises SourceUnavailable when no sitemap could be read."""
        passes = self._options.passes
        reading = self.read_once()
        for number in range(1, passes + 1):
            if reading.failed or len(reading.files) <= 1:
                return reading, number
            if number < passes:
                previous, reading = reading, self.read_once()
                if reading.files == previous.files and reading.problems == previous.problems:
                    return reading, number + 1
        reading.problems.append(
            f"the sitemaps changed while they were read: of {passes} readings no two in a row agree (limit passes)"
        )
        return reading, passes

    def read_once(self) -> SitemapReading:
        """One walk over all files. Raises SourceUnavailable when no root could be read."""
        roots, doubt = self.roots()
        reading = SitemapReading(roots, problems=[doubt] if doubt else [])
        failure: SourceUnavailable | None = None
        for root in roots:
            try:
                self._read(root, reading, depth=0)
            except SourceUnavailable as error:
                failure = failure or error
                self._failed(reading, str(error))
        if failure is not None and not reading.files:
            raise failure
        if len(reading.entries) > self._options.max_documents:
            reading.problems.append(
                f"{len(reading.entries)} pages are listed, the limit is {self._options.max_documents} (max_documents)"
            )
        return reading

    def _read(self, address: str, reading: SitemapReading, *, depth: int) -> None:
        """Raises SourceUnavailable for this file; its children fail by themselves."""
        if address in reading.files:
            reading.notes.append(f"{without_query(address)} is named twice")
            return
        found = self._file(address)
        reading.files[address] = tuple(entry.location for entry in found.entries)
        reading.notes.extend(f"{without_query(address)}: {note}" for note in found.notes)
        for number in found.rejected:
            reading.rejected.append((f"{address}#entry-{number}", f"entry {number} of {address} names no address"))
        if not found.is_index:
            self._collect(address, found, reading)
            return
        for entry in found.entries:
            if reading.failed >= _GIVE_UP_AFTER:
                return
            try:
                if depth >= _DEEPEST:
                    raise SourceUnavailable(f"{without_query(address)} nests index files deeper than {_DEEPEST}")
                self._read(self._child(address, entry.location), reading, depth=depth + 1)
            except SourceUnavailable as error:
                self._failed(reading, str(error))

    def _addresses(self, written: Sequence[str], base: str) -> tuple[str, ...]:
        """Without user and password: those are for the session, and these are shown."""
        return tuple(dict.fromkeys(self._child(base, each) for each in written))

    @staticmethod
    def _child(address: str, location: str) -> str:
        try:
            return normal_form(location, base=address, is_asked=True)
        except ValueError as error:
            raise SourceUnavailable(f"{without_query(address)} names a sitemap whose address {error}") from None

    def _file(self, address: str) -> SitemapFile:
        answer = self._http.get_file(address)
        if answer.status != 200:
            raise answer.refused(f"answers {answer.status} where a sitemap was due")
        try:
            return parse_sitemap(answer.body)
        except ValueError as error:
            raise answer.refused(f"{error}, where a sitemap was due") from None

    def _collect(self, address: str, found: SitemapFile, reading: SitemapReading) -> None:
        for number, entry in enumerate(found.entries, start=1):
            try:
                doc_id = self._site.doc_id(entry.location, base=address)
            except ValueError as error:
                why = f"{entry.location[:80]!r} in {address} {error}"
                reading.rejected.append((f"{address}#address-{number}", why))
                continue
            if doc_id is None:
                reading.off_site += 1
            elif not self._site.covers(doc_id):
                reading.excluded += 1
            elif doc_id in reading.entries:
                reading.respelled += 1
                reading.entries[doc_id] = reading.entries[doc_id] or entry.lastmod
            else:
                reading.entries[doc_id] = entry.lastmod

    @staticmethod
    def _failed(reading: SitemapReading, why: str) -> None:
        reading.failed += 1
        reading.problems.append(why)
