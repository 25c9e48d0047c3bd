"""What of a reading is kept: for the rest of the run the pages, for the next run what they looked like.

The first saves a second request for a page that changed. The second saves requests for pages that did not; it holds no
text, may be lost at any time, and is only believed as far as the option `version` says.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import tempfile
import zlib
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from include.connectors.sitemap_options import SitemapOptions
from include.connectors.sitemap_visits import Visit
from include.domain.dates import Precision, from_rfc3339, parse_date, rfc3339

_FORMAT = 1
_SETTLED = {
    # An edit within the precision of a date leaves it as it is; somewhere a day ends 12 hours after it does in UTC
    Precision.DAY: timedelta(days=1, hours=12),
    Precision.INSTANT: timedelta(seconds=60),
}


class PageSpool:
    """Visited pages on disk in a private temporary file; each can be taken once, for it grows old."""

    def __init__(self, most_bytes: int) -> None:
        self._file = tempfile.TemporaryFile(prefix="truecopy-")  # noqa: SIM115 (lives as long as the spool)
        self._places: dict[str, tuple[int, int]] = {}
        self._left = most_bytes

    def add(self, visit: Visit) -> None:
        """Kept if there is room; a page that is not must be asked for again."""
        data = zlib.compress(pickle.dumps(visit, pickle.HIGHEST_PROTOCOL), 1)
        if len(data) <= self._left:
            self._left -= len(data)
            self._places[visit.doc_id] = (self._file.seek(0, 2), len(data))
            self._file.write(data)

    def take(self, doc_id: str) -> Visit | None:
        place = self._places.pop(doc_id, None)
        if place is None:
            return None
        self._file.seek(place[0])
        visit: Visit = pickle.loads(zlib.decompress(self._file.read(place[1])))  # our own file, unlinked from the start
        return visit

    def close(self) -> None:
        self._places.clear()
        self._file.close()


@dataclass(frozen=True, slots=True)
class Remembered:
    """What a page was when it was last read in full, at `read_at`. `lastmod` is the sitemap's of that moment."""

    version: str
    text_hash: str
    etag: str
    lastmod: str
    read_at: str


class PageMemory:
    """What pages looked like, by id, in one file of `cache_dir`. Without `version: etag` or `lastmod` it is empty."""

    def __init__(self, source: str, options: SitemapOptions, cache_dir: Path) -> None:
        self._options = options
        name = hashlib.sha256(f"{source}\0{options.url}".encode()).hexdigest()[:16]
        self._path = cache_dir / f"sitemap-{name}.json"
        what = [_FORMAT, options.content, options.drop, options.noindex_hides, options.soft_404]
        self._settings = hashlib.sha256(json.dumps(what).encode()).hexdigest()[:16]
        self._pages: dict[str, Remembered] = {}
        if options.version != "page":
            self._pages = self._loaded()

    def of(self, doc_id: str, *, now: datetime) -> Remembered | None:
        """None also for a page that is due to be read in full; each is at an age of its own, so not all at once."""
        page = self._pages.get(doc_id)
        if page is None:
            return None
        share = int(hashlib.sha256(doc_id.encode()).hexdigest()[:8], 16) / 0xFFFFFFFF
        due = from_rfc3339(page.read_at) + timedelta(days=self._options.reread_days * (0.5 + share / 2))
        return page if from_rfc3339(page.read_at) <= now < due else None

    def is_unchanged(self, page: Remembered, lastmod: str) -> bool:
        """By the sitemap's date: the same as then, and so much older than the reading that no edit can hide in it."""
        read_at = from_rfc3339(page.read_at)
        if self._options.version != "lastmod" or not lastmod or lastmod != page.lastmod:
            return False
        date = parse_date(lastmod, origin="", now=read_at)
        return date is not None and date.value + _SETTLED[date.precision] < read_at

    def etag(self, page: Remembered | None) -> str:
        """What to ask the server with; empty where its 304 would not be believed."""
        return page.etag if page is not None and self._options.version == "etag" else ""

    def keep(self, visit: Visit, lastmod: str, before: Remembered | None) -> None:
        """Remember a page; one that was not read in full keeps the age of its last full reading."""
        expires = visit.page is not None and visit.page.signs.expires
        if self._options.version == "page" or expires or visit.target:
            self._pages.pop(visit.doc_id, None)  # a page that expires changes without anybody changing it
            return
        read_at = before.read_at if before is not None and visit.is_remembered else rfc3339(visit.asked_at)
        self._pages[visit.doc_id] = Remembered(visit.version, visit.text_hash, visit.etag, lastmod, read_at)

    def save(self, listed: set[str]) -> None:
        """Only what is still listed. Replaced whole; a disk that is full costs requests, nothing else."""
        if self._options.version == "page":
            return
        pages = {doc_id: asdict(page) for doc_id, page in self._pages.items() if doc_id in listed}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=".sitemap-")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump({"settings": self._settings, "pages": pages}, file)
            Path(name).replace(self._path)
        except OSError:
            return

    def _loaded(self) -> dict[str, Remembered]:
        try:
            data = json.loads(self._path.read_text(encoding="utf-8"))
            if data["settings"] != self._settings:
                return {}
            return {doc_id: _checked(page) for doc_id, page in data["pages"].items()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return {}  # a cache that is lost or damaged is an empty one


def _checked(page: dict[str, str]) -> Remembered:
    found = Remembered(**page)
    from_rfc3339(found.read_at).astimezone(UTC)
    return found
