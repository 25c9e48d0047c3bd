"""An editor's life on a real CMS: random actions, a sync after every few, and the index compared with the public site.

What the index holds is judged by what an anonymous reader sees in the HTML pages, not by what the CMS says through
the API that the connector reads. The installation is the one of `wiring`: embedded index, static embedder, gate,
manifests and ledger on disk. The limits are opened, since a random life removes a lot; what is held all the same is
approved as a person would. What the gate does is tested elsewhere.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, cached_property
from pathlib import Path
from random import Random
from typing import Protocol

import requests
from selectolax.lexbor import LexborHTMLParser

from include.domain.manifest import DocumentState, Manifest, RunState
from include.embedding.static import StaticEmbedder
from include.ports import Clock, Connector, Embedder, Hit
from include.services.retrieve import retrieve
from include.settings import LimitSettings, Settings, SourceSettings, StoreSettings
from include.wiring.application import Application, SystemClock
from include.wiring.held_plans import release_held
from include.wiring.runs import APPLY_HELD, RECONCILE, Run, reconcile_source

Searchable = Mapping[str, Sequence[Hit]]

GATE_OPEN = LimitSettings(
    deletion_percent=100, window_percent=100, update_percent=100, same_text_percent=100, update_allowance=10_000
)


class EditorsSite(Protocol):
    """A running CMS with editors. Everything it does is random in `random` alone, so that a seed repeats a life."""

    def act(self, random: Random) -> str:
        """One editor's action through the CMS's own admin interface or API; a sentence of what was done.

        When it returns, the action is over: what was scheduled for "soon" has happened, its events have been sent.
        The site always keeps one public document; texts hold a word that occurs in no other text of the life, and
        no numbered lists (their numbers are markup in HTML and text in Markdown).
        """
        ...

    def visible(self) -> dict[str, str]:
        """doc_id -> text of the main part, for every document that an anonymous reader can read now.

        Every document ever created is looked for by its HTML page: 200, no log-in, no password form. Never read
        through the API that the connector uses. The text may start with the document's title.
        """
        ...

    def open_connector(self, clock: Clock) -> Connector:
        """A new connector of this site; the caller closes it. Its `source` is the same every time."""
        ...

    def send_events_to(self, url: str, secret: str) -> None:
        """From now on every event goes to this address, signed with the secret; "" for none."""
        ...

    def stop(self) -> None: ...


class Mode(StrEnum):
    """How changes are noticed."""

    NO_WEBHOOKS = "no webhooks"  # by the nightly reconciliation alone
    WEBHOOKS = "webhooks"  # by events alone, no nightly run
    BAD_WEBHOOKS = "bad webhooks"  # events duplicated, shuffled and 30 % lost; the nightly run makes up for it


@dataclass
class Life:
    """What came of one life. `differences` say in words where the index and the public site disagreed, and after
    which actions."""

    seed: int
    mode: Mode
    log: list[str] = field(default_factory=list)
    syncs: int = 0
    documents: int = 0
    removed: int = 0
    approved: int = 0
    differences: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def __str__(self) -> str:
        spent = ", ".join(f"{what} {seconds:.1f} s" for what, seconds in self.seconds.items())
        head = (
            f"{self.mode}, seed {self.seed}: {len(self.log)} actions, {self.syncs} syncs, {self.documents} documents "
            f"in the end, {self.removed} removals, {self.approved} plans approved, {len(self.differences)} differences "
            f"({spent})"
        )
        if not self.differences:
            return head
        actions = [f"  {number:3} {what}" for number, what in enumerate(self.log, start=1)]
        return "\n".join([head, *self.differences, "what the editors did:", *actions])


def live(
    site: EditorsSite,
    folder: Path,
    *,
    actions: int = 200,
    every: int = 5,
    mode: Mode = Mode.NO_WEBHOOKS,
    seed: int = 1,
) -> Life:
    """Drive a life of `actions`, with a sync and a comparison after every so many; stops at the first difference.

    `folder` takes index, manifests and ledger. The site may have lived before: the first sync takes it as it is.
    """
    life, random = Life(seed, mode), Random(seed)
    sync = _Sync(site, folder)
    _compare(life, site, sync)
    while len(life.log) < actions and not life.differences:
        for _ in range(min(every, actions - len(life.log))):
            with _timed(life, "acting"):
                life.log.append(site.act(random))
        _compare(life, site, sync)
    return life


def _compare(life: Life, site: EditorsSite, sync: _Sync) -> None:
    with _timed(life, "syncing"):
        manifests = list(sync.night())
    life.syncs += 1
    life.approved += len(manifests) - 1
    life.removed += sum(manifest.count(DocumentState.DELETED) for manifest in manifests)
    last = manifests[-1]
    found = [] if last.state is RunState.TRUE else [f"the run ended {last.state}: {last.reason}"]
    with _timed(life, "looking"):
        visible = site.visible()
    with _timed(life, "comparing"), sync.open_index():
        searchable = sync.searchable()
        found += [
            *sync.hidden_points(searchable),
            *differences(visible, searchable),
            *wrong_addresses(searchable),
            *sync.wrong_answers(searchable),
        ]
    life.documents = len(searchable)
    life.differences.extend(f"after action {len(life.log)}: {difference}" for difference in found)


@contextmanager
def _timed(life: Life, what: str) -> Iterator[None]:
    started = time.monotonic()
    try:
        yield
    finally:
        life.seconds[what] += time.monotonic() - started


@dataclass(frozen=True)
class _Installation(Application):
    """As it is put together in production, but for the connector, which the site opens."""

    site: EditorsSite | None = None

    @cached_property
    def embedder(self) -> Embedder:
        return _embedder()

    def connector(self, source: str) -> Connector:
        assert self.site is not None
        return self.site.open_connector(self.clock)


@cache
def _embedder() -> StaticEmbedder:
    return StaticEmbedder.bundled()


class _Sync:
    """An installation with the site as its only source."""

    def __init__(self, site: EditorsSite, folder: Path) -> None:
        with closing(site.open_connector(SystemClock())) as connector:
            self.source = connector.source
        self._installation = _Installation(
            Settings(
                sources={self.source: SourceSettings(kind="http_json", limits=GATE_OPEN)},
                store=StoreSettings(url=f"edge:{folder / 'index'}"),
                state=str(folder / "state"),
                ledger=folder / "ledger",
            ),
            site=site,
        )
        self._nights = 0
        self._chunks: set[str] = set()  # texts of the chunks there were when it was last compared

    def night(self) -> Iterator[Manifest]:
        """A nightly run, and while something is held a person who says yes, and the run that applies it."""
        self._nights += 1
        manifest = self._reconcile(Run(RECONCILE, f"night-{self._nights}"))
        yield manifest
        if manifest.state is RunState.HELD:
            release_held(self._installation, self.source, manifest.held_checksum, by="owner", why="it is meant so")
            yield self._reconcile(Run(APPLY_HELD, f"night-{self._nights}-approved"), released=True)

    def _reconcile(self, run: Run, *, released: bool = False) -> Manifest:
        return reconcile_source(
            self._installation, self.source, run, progress=lambda what, done, total: None, released=released
        )

    def open_index(self) -> AbstractContextManager[object]:
        """Sessions inside reuse this one: the index is read from the disk once."""
        return self._installation.store.reading()

    def searchable(self) -> Searchable:
        """Every chunk that a search can return, by document, in the order of the text."""
        anything = self._installation.embedder.embed(["anything"])[0]
        by_document: dict[str, list[Hit]] = defaultdict(list)
        with self._installation.store.reading() as index:
            if everything := index.count_points():
                for hit in index.search(anything, limit=everything):
                    by_document[str(hit.payload["doc_id"])].append(hit)
        return {doc_id: sorted(hits, key=lambda hit: _index(hit)) for doc_id, hits in by_document.items()}

    def hidden_points(self, searchable: Searchable) -> Iterator[str]:
        """Points that no search returns: nothing in these lives leaves one behind."""
        with self._installation.store.reading() as index:
            stored = index.count_points()
        if stored != (found := sum(map(len, searchable.values()))):
            yield f"the index holds {stored} points, a search returns {found}"

    def wrong_answers(self, searchable: Searchable) -> Iterator[str]:
        """A question in the words of a chunk is answered with it as long as it is there, and not afterwards.

        Asked of every chunk that came or went since the last comparison."""
        now = {str(hit.payload["text"]) for hits in searchable.values() for hit in hits}
        for text in sorted(now ^ self._chunks):
            hits = retrieve(self._installation.store, self._installation.embedder, text)
            found = any(hit.payload["text"] == text for hit in hits)
            if found is not (text in now):
                yield f"a search in its own words {'still finds' if found else 'does not find'} {text[:80]!r}"
        self._chunks = now


def differences(visible: Mapping[str, str], searchable: Searchable) -> Iterator[str]:
    """Where the chunks that a search returns are not exactly the visible documents, in words."""
    for doc_id in sorted(visible.keys() - searchable.keys()):
        yield f"{doc_id} can be read on the site and is not in the index: {visible[doc_id]!r:.120}"
    for doc_id in sorted(searchable.keys() - visible.keys()):
        yield f"{doc_id} is in the index and cannot be read on the site: {searchable[doc_id][0].payload['text']!r:.120}"
    for doc_id in sorted(visible.keys() & searchable.keys()):
        hits = searchable[doc_id]
        held, shown = letters("".join(str(hit.payload["text"]) for hit in hits)), letters(visible[doc_id])
        if shown not in (held, letters(str(hits[0].payload["title"])) + held):
            yield f"{doc_id}: the index holds {held!r:.300}, the site shows {shown!r:.300}"
        expected = [(index, len(hits)) for index in range(len(hits))]
        if (found := [(_index(hit), hit.payload["chunk_count"]) for hit in hits]) != expected:
            yield f"{doc_id}: its chunks are (index, count) {found}"


def wrong_addresses(searchable: Searchable) -> Iterator[str]:
    """Documents whose address does not show them: what a citation links to, opened by anybody."""
    with requests.Session() as reader:
        for doc_id, hits in sorted(searchable.items()):
            for url in sorted({str(hit.payload["url"]) for hit in hits}):
                answer = reader.get(url, timeout=30, allow_redirects=False)
                first = letters(str(hits[0].payload["text"]))
                if answer.status_code != 200 or first not in letters(text_of_page(answer.text)):
                    yield f"{doc_id}: its address {url} answers {answer.status_code} and does not show it"


def letters(text: str) -> str:
    """Letters and digits only, in lower case: what HTML and Markdown of one text have in common."""
    return re.sub(r"[\W_]+", "", text.lower())


def text_of_page(html: str) -> str:
    """All text of a page, furniture included."""
    body = LexborHTMLParser(html).body
    return body.text() if body else ""


def _index(hit: Hit) -> int:
    return int(str(hit.payload["chunk_index"]))
