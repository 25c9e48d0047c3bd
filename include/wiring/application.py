"""One installation: settings, adapters made once, and a context for each source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Protocol

from include.connectors import registry as connectors
from include.connectors.credentials import Credentials
from include.connectors.read_with import read_with
from include.domain.errors import ConfigError
from include.embedding import registry as embedders
from include.ports import Connector, Embedder, IndexStore, Purging, RemovalMarks
from include.ranking.intent import IntentKind
from include.ranking.periods import Period
from include.records.date_clusters import FileDateClusters
from include.records.inbox import FileInbox
from include.records.ledger import GitLedger
from include.records.manifests import FileManifests
from include.records.past_runs import PastRuns
from include.records.removal_marks import FileRemovalMarks
from include.records.state import StateRoot
from include.records.traffic import FileTraffic
from include.services.context import SourceContext
from include.services.erased import ErasedMarks, WithoutErased
from include.services.retrieval import Policy, Retrieval, retrieve
from include.services.version_writer import VersionWriter
from include.settings import Settings, SourceSettings, load_settings
from include.store.edge import EdgeStore
from include.store.registry import open_store
from include.store.server import ServerStore
from include.text.chunk import chunk
from include.text.fingerprint import current_fingerprint
from include.text.normalise import extract
from include.validation.suites import index_problems, listing_problems
from include.wiring.clock import SystemClock

Store = EdgeStore | ServerStore

IMPATIENT_SECONDS = 3.0


class Secrets(Protocol):
    """From a `conn_id` to what it stands for. Raises ConfigError for an unknown one."""

    def credentials(self, conn_id: str) -> Credentials: ...

    def password(self, conn_id: str) -> str: ...

    def webhook_secrets(self, conn_id: str) -> Sequence[str]:
        """The shared secret, and the one it replaces while both are in use."""
        ...


class NoSecrets:
    """For installations whose settings name no connection."""

    def credentials(self, conn_id: str) -> Credentials:
        raise ConfigError(f"connection {conn_id!r} is needed, but there is nowhere to look it up")

    def password(self, conn_id: str) -> str:
        raise ConfigError(f"connection {conn_id!r} is needed, but there is nowhere to look it up")

    def webhook_secrets(self, conn_id: str) -> Sequence[str]:
        raise ConfigError(f"connection {conn_id!r} is needed, but there is nowhere to look it up")


@dataclass(frozen=True)
class Application:
    """Everything that is shared between sources. Nothing is opened before it is needed."""

    settings: Settings
    secrets: Secrets = field(default_factory=NoSecrets)
    file: str = "config/truecopy.yaml"

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], secrets: Secrets | None = None) -> Application:
        """Read once, at the edge: `TRUECOPY_CONFIG` names the settings. Raises ConfigError, with every wrong option
        of every source."""
        path = Path(environment.get("TRUECOPY_CONFIG") or "config/truecopy.yaml")
        made = cls(load_settings(path, environment), secrets or NoSecrets(), str(path))
        made._check_sources()
        return made

    def _check_sources(self) -> None:
        wrong = []
        for name, chosen in self.settings.sources.items():
            try:
                connectors.check(chosen.kind, name, chosen.options, file=self.file)
            except ConfigError as error:
                wrong.append(str(error))
        if wrong:
            raise ConfigError("\n".join(wrong), file=self.file)

    @cached_property
    def state(self) -> StateRoot:
        return StateRoot(self.settings.state)

    @cached_property
    def manifests(self) -> FileManifests:
        return FileManifests(self.state, self.ledger)

    @cached_property
    def past_runs(self) -> PastRuns:
        """The same manifests, for those who look at many and change none."""
        return PastRuns(self.state)

    @cached_property
    def ledger(self) -> GitLedger:
        return GitLedger(self.settings.ledger.absolute())

    @cached_property
    def inbox(self) -> FileInbox:
        return FileInbox(self.state, self.clock, self.ledger)

    @cached_property
    def traffic(self) -> FileTraffic:
        return FileTraffic(self.state, self.clock)

    @cached_property
    def clock(self) -> SystemClock:
        return SystemClock()

    @cached_property
    def embedder(self) -> Embedder:
        chosen = self.settings.embedding
        key = self._token(chosen.conn_id)
        keys = {"api_key": key} if key else {}
        return embedders.build(chosen.kind, chosen.options, credentials=keys)

    @cached_property
    def store(self) -> Store:
        """The index, its collection created if there is none. Raises EmbedderMismatch."""
        store = self.bare_store
        store.prepare(self.embedder.id, self.embedder.dimension)
        return store

    @cached_property
    def bare_store(self) -> Store:
        return self._open_store(self.settings.store.lock_timeout_seconds)

    @cached_property
    def impatient_store(self) -> Store:
        """The same index, for a page that would rather say that it is busy than wait, and that creates nothing."""
        return self._open_store(min(IMPATIENT_SECONDS, self.settings.store.lock_timeout_seconds))

    def _open_store(self, lock_timeout: float) -> Store:
        chosen = self.settings.store
        return open_store(
            chosen.url,
            chosen.alias,
            api_key=self._token(chosen.conn_id),
            timeout=chosen.timeout_seconds,
            lock_timeout=lock_timeout,
        )

    @cached_property
    def chunk_tokens(self) -> int:
        return min(self.settings.chunk_tokens, self.embedder.max_tokens)

    @cached_property
    def pipeline(self) -> str:
        return current_fingerprint(max_tokens=self.chunk_tokens, embedder_id=self.embedder.id)

    @cached_property
    def writer(self) -> VersionWriter:
        return VersionWriter(
            store=self.store,
            embedder=self.embedder,
            removal_marks=self.removal_marks,
            clock=self.clock,
            chunk=partial(chunk, max_tokens=self.chunk_tokens, count_tokens=self.embedder.count_tokens),
            pipeline=self.pipeline,
        )

    @cached_property
    def policy(self) -> Policy:
        chosen = self.settings.ranking
        return Policy(
            overfetch=chosen.overfetch,
            threshold=chosen.threshold,
            words=chosen.share_of_words,
            half_lives=chosen.half_lives(),
            vocabulary=chosen.words.vocabulary(),
        )

    def retrieve(
        self,
        query: str,
        *,
        limit: int = 5,
        sources: Sequence[str] = (),
        intent: IntentKind | None = None,
        period: Period | None = None,
        store: IndexStore | None = None,
        now: datetime | None = None,
        nothing_left_out: int = 0,
    ) -> Retrieval:
        """The answer of this installation's index; see `services.retrieval`. `store` is another way into the same
        index, for a process with many readers. `now` is when the question is asked, for one of an evaluation.
        `nothing_left_out` brings in so many chunks of each leg and applies no threshold."""
        policy = self.policy
        if nothing_left_out:
            policy = replace(policy, overfetch=nothing_left_out, threshold=0.0)
        return retrieve(
            store or self.store,
            self.embedder,
            query,
            now=now or self.clock.now(),
            limit=limit,
            sources=sources,
            intent=intent,
            period=period,
            policy=policy,
        )

    def connector(self, source: str) -> Connector:
        """A connector with a session of its own; the caller closes it. It hands over nothing that was erased. Raises
        ConfigError for an unknown source."""
        chosen = self._source(source)
        made = connectors.build(
            chosen.kind,
            source,
            chosen.options,
            clock=self.clock,
            cache_dir=self.settings.cache.absolute(),
            credentials=self._credentials(chosen),
            file=self.file,
        )
        return WithoutErased(made, self.ledger)

    @cached_property
    def removal_marks(self) -> RemovalMarks:
        return ErasedMarks(FileRemovalMarks(self.state), self.ledger, self.clock)

    def purging(self, source: str) -> Purging | None:
        """What takes documents out of a source that is ours to write; None for one that is not."""
        chosen = self._source(source)
        if not chosen.purge.commit:
            return None
        return connectors.build_purging(
            chosen.kind,
            source,
            connectors.check(chosen.kind, source, chosen.options, file=self.file),
            connectors.Surroundings(self.clock, self.settings.cache.absolute(), self._credentials(chosen)),
            connectors.PurgeOptions(chosen.purge.author_parts(), chosen.purge.push),
        )

    @contextmanager
    def context(self, source: str) -> Iterator[SourceContext]:
        connector = self.connector(source)
        try:
            yield SourceContext(
                connector=connector,
                extract=extract,
                store=self.store,
                writer=self.writer,
                ledger=self.ledger,
                manifests=self.manifests,
                removal_marks=self.removal_marks,
                date_clusters=FileDateClusters(self.state),
                clock=self.clock,
                limits=self.settings.limits_of(source),
                read_with=self._read_with(source),
                configured_sources=tuple(self.settings.sources),
                listing_problems=listing_problems,
                index_problems=index_problems,
                batch_documents=self.settings.batch_documents,
                removal_questions=self.settings.removal_questions,
                alike_enough=self.settings.families.needed(),
                purging=self.purging(source),
            )
        finally:
            connector.close()

    def _source(self, source: str) -> SourceSettings:
        chosen = self.settings.sources.get(source)
        if chosen is None:
            known = ", ".join(sorted(self.settings.sources))
            raise ConfigError(f"source {source!r} is not configured; configured are {known}")
        return chosen

    def _credentials(self, chosen: SourceSettings) -> Credentials:
        return self.secrets.credentials(chosen.conn_id) if chosen.conn_id else Credentials()

    def _read_with(self, source: str) -> str:
        chosen = self._source(source)
        return read_with(chosen.kind, connectors.check(chosen.kind, source, chosen.options, file=self.file))

    def _token(self, conn_id: str | None) -> str | None:
        if not conn_id:
            return None
        password = self.secrets.password(conn_id)
        if not password:
            raise ConfigError(f"connection {conn_id!r} has no password; the API key goes there")
        return password
