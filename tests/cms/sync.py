"""An installation as production puts it together, with a real CMS as its only source."""

from __future__ import annotations

import base64
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from include.domain.events import Reason
from include.domain.manifest import Manifest, RunState
from include.embedding.static import StaticEmbedder
from include.hooks.delivery import Delivery
from include.ports import Embedder, Hit
from include.settings import LimitSettings, Settings, SourceSettings, StoreSettings, WebhookSettings
from include.wiring.application import Application, NoSecrets
from include.wiring.events import follow_events
from include.wiring.held_plans import release_held
from include.wiring.hooks import FOLLOW, Hooks
from include.wiring.runs import APPLY_HELD, RECONCILE, Run, reconcile_source

if TYPE_CHECKING:
    from tests.cms.life import EditorsSite

Searchable = Mapping[str, Sequence[Hit]]
"""The chunks that a search can return, by document, in the order of the text."""

SECRET = "whsec_" + base64.b64encode(b"a secret of twenty-four!").decode()
GATE_OPEN = LimitSettings(
    deletion_percent=100, window_percent=100, update_percent=100, same_text_percent=100, update_allowance=10_000
)


class _Secrets(NoSecrets):
    def webhook_secrets(self, conn_id: str) -> Sequence[str]:
        return [SECRET]


@dataclass(frozen=True)
class _Installation(Application):
    """As it is put together in production; the embedder is loaded once for all tests."""

    @cached_property
    def embedder(self) -> Embedder:
        return _embedder()


@cache
def _embedder() -> StaticEmbedder:
    return StaticEmbedder.bundled()


class Sync:
    """An installation with the site as its only source."""

    def __init__(self, site: EditorsSite, folder: Path) -> None:
        self.source = site.source
        webhook = WebhookSettings(scheme="standard", conn_id="hook", coalesce_seconds=0, settle_seconds=0)
        source = SourceSettings(
            kind=site.connector_kind, options=dict(site.connector_options), limits=GATE_OPEN, webhook=webhook
        )
        self._installation = _Installation(
            Settings(
                sources={self.source: source},
                store=StoreSettings(url=f"edge:{folder / 'index'}"),
                state=str(folder / "state"),
                ledger=folder / "ledger",
            ),
            secrets=_Secrets(),
        )
        hooks = Hooks(self._installation.settings, self._installation.secrets)
        self._receiver = hooks.receiver(stored=lambda seconds: None)
        self._runs = 0
        self._chunks: set[str] = set()  # texts of the chunks there were when it was last compared

    def night(self) -> Iterator[Manifest]:
        """A nightly run, and while something is held a person who says yes, and the run that applies it."""
        self._runs += 1
        manifest = self._reconcile(Run(RECONCILE, f"night-{self._runs}"))
        yield manifest
        if manifest.state is RunState.HELD:
            release_held(self._installation, self.source, manifest.held_checksum, by="owner", why="it is meant so")
            yield self._reconcile(Run(APPLY_HELD, f"night-{self._runs}-approved"), released=True)

    def receive(self, delivery: Delivery) -> None:
        """Through the receiver into the inbox. A second copy is taken and changes nothing."""
        answer = self._receiver.receive(self.source, delivery)
        assert answer.reason in (Reason.ACCEPTED, Reason.REPLAYED), answer.reason

    def follow(self) -> Iterator[Manifest]:
        """Runs for what is in the inbox, until nothing is."""
        while True:
            self._runs += 1
            run = Run(FOLLOW, f"events-{self._runs}")
            with self.open_index():
                manifest = follow_events(self._installation, self.source, run, progress=lambda *_: None)
            if manifest is None:
                return
            yield manifest

    def _reconcile(self, run: Run, *, released: bool = False) -> Manifest:
        with self.open_index():
            return reconcile_source(self._installation, self.source, run, progress=lambda *_: None, released=released)

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
        return {doc_id: sorted(hits, key=chunk_index) for doc_id, hits in by_document.items()}

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
            found = text in self._installation.retrieve(text).texts
            if found is not (text in now):
                yield f"a search in its own words {'still finds' if found else 'does not find'} {text[:80]!r}"
        self._chunks = now


def chunk_index(hit: Hit) -> int:
    """Its place in the document, from 0."""
    return int(str(hit.payload["chunk_index"]))
