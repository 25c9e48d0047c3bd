"""A source with a webhook, its index and everything between, in memory: what wiring puts together of real parts."""

from __future__ import annotations

import hmac
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from include.domain.documents import Status
from include.domain.events import Reason
from include.domain.manifest import Manifest
from include.hooks.delivery import Delivery
from include.hooks.receiver import Answer, Door, Receiver
from include.planning.limits import Limits
from include.ports import Inbox
from include.services.context import SourceContext
from include.settings import Settings
from include.wiring.events import follow_events
from include.wiring.hooks import FOLLOW
from include.wiring.runs import Run
from tests.builders import context_of, night, no_progress
from tests.fakes.clock import FakeClock
from tests.fakes.date_clusters import FakeDateClusters
from tests.fakes.inbox import FakeInbox, FakeTraffic
from tests.fakes.index import FakeIndexStore
from tests.fakes.records import FakeLedger, FakeManifests, FakeRemovalMarks
from tests.fakes.source import FakeSource

SECRET = "the-secret-of-both-sides"


@dataclass
class FakeInstallation:
    """Stands where include.wiring.application.Application does. `fetches` is who was read when, in order."""

    source: FakeSource = field(default_factory=FakeSource)
    clock: FakeClock = field(default_factory=FakeClock)
    limits: Limits = field(default_factory=Limits)
    webhook: dict[str, object] = field(default_factory=dict)
    inbox: Inbox = None  # type: ignore[assignment]
    traffic: FakeTraffic = field(default_factory=FakeTraffic)
    manifests: FakeManifests = field(default_factory=FakeManifests)
    fetches: list[tuple[str, datetime]] = field(default_factory=list)
    due: list[float] = field(default_factory=list)
    file: str = "config/truecopy.yaml"

    def __post_init__(self) -> None:
        self.inbox = self.inbox or FakeInbox(self.clock)
        self._store, self._ledger, self._marks = FakeIndexStore(), FakeLedger(), FakeRemovalMarks()
        self._date_clusters = FakeDateClusters()
        self._runs = Counter[str]()
        self.source.before_fetch = lambda doc_id: self.fetches.append((doc_id, self.clock.now()))
        options = {"scheme": "ghost", "conn_id": "site", "documents": ["id"], **self.webhook}
        self.settings = Settings.model_validate(
            {"sources": {self.source.name: {"kind": "git_markdown", "webhook": options}}}
        )

    @contextmanager
    def context(self, source: str) -> Iterator[SourceContext]:
        yield context_of(
            self.source,
            store=self._store,
            clock=self.clock,
            ledger=self._ledger,
            manifests=self.manifests,
            removal_marks=self._marks,
            date_clusters=self._date_clusters,
            limits=self.limits,
        )

    @cached_property
    def receiver(self) -> Receiver:
        webhook = self.settings.sources[self.source.name].webhook
        assert webhook
        return Receiver(
            {self.source.name: Door.of(webhook)},
            inbox=self.inbox,
            traffic=self.traffic,
            secrets=lambda conn_id: [SECRET],
            clock=self.clock,
            stored=self.due.append,
        )

    def signed(self, *doc_ids: str, secret: str = SECRET, at: datetime | None = None, **payload: object) -> Delivery:
        """What the source sends now about these documents."""
        body = json.dumps({"id": list(doc_ids), **payload}).encode()
        ms = str(int((at or self.clock.now()).timestamp() * 1000))
        signature = hmac.new(secret.encode(), body + ms.encode(), "sha256").hexdigest()
        return Delivery("/hooks/handbook", {"x-ghost-signature": f"sha256={signature}, t={ms}"}, body)

    def receive(self, delivery: Delivery) -> Answer:
        return self.receiver.receive(self.source.name, delivery)

    def tell(self, *doc_ids: str, **payload: object) -> Answer:
        return self.receive(self.signed(*doc_ids, **payload))

    def follow(self) -> Manifest | None:
        """What a run of the DAG does now."""
        return follow_events(self, self.source.name, self._run(FOLLOW), progress=no_progress)  # type: ignore[arg-type]

    def follow_later(self, seconds: float = 5) -> Manifest | None:
        self.clock.turn(seconds=seconds)
        return self.follow()

    def night(self) -> Manifest:
        with self.context(self.source.name) as context:
            return night(context, self._run("night").run_id)

    def _run(self, kind: str) -> Run:
        self._runs[kind] += 1
        return Run(kind, f"{kind}-{self._runs[kind]}")

    def texts(self) -> dict[str, str]:
        """What a reader of the index can find."""
        found: dict[str, dict[int, str]] = {}
        with self._store.reading() as index:
            for chunk in index.scan(self.source.name):
                if chunk.status == Status.PUBLISHED:
                    found.setdefault(str(chunk.doc_id), {})[chunk.chunk_index or 0] = str(chunk.text)
        return {doc_id: "\n".join(text for _, text in sorted(chunks.items())) for doc_id, chunks in found.items()}

    def published(self) -> dict[str, str]:
        """What a reader of the source can see."""
        return {doc_id: page.body.decode() for doc_id, page in self.source.published().items()}

    def counted(self, reason: Reason) -> int:
        return sum(number for (_, why), number in self.traffic.counted.items() if why is reason)
