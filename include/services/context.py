"""Everything a use case needs for one source, put together by wiring."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from include.domain.documents import ExtractedDocument, FetchedDocument
from include.domain.inventory import IndexInventory, Listing
from include.families.grouping import NEEDED, Needed
from include.planning.limits import Limits
from include.ports import Clock, Connector, DateClusters, IndexStore, Ledger, Manifests, Purging, RemovalMarks
from include.services.version_writer import VersionWriter


@dataclass(frozen=True, slots=True)
class SourceContext:
    """One source with its connector, its limits and the adapters it shares with the others.

    `read_with` names the settings that its documents' metadata is read by; documents read by others are read again.
    `configured_sources` are all sources of this installation: a point of none of them is foreign.
    Texts that are as much alike as `alike_enough` confirm a family. `purging` takes documents out of a source that is
    ours to write; None for one that is not.
    More than `removal_questions` removals of one run are asked for by a sample of that size.
    `listing_problems` and `index_problems` are the validation suites; each returns what is wrong, in words.
    """

    connector: Connector
    extract: Callable[[FetchedDocument], ExtractedDocument]
    store: IndexStore
    writer: VersionWriter
    ledger: Ledger
    manifests: Manifests
    removal_marks: RemovalMarks
    date_clusters: DateClusters
    clock: Clock
    limits: Limits
    read_with: str
    configured_sources: Sequence[str]
    listing_problems: Callable[[Listing], Sequence[str]]
    index_problems: Callable[[IndexInventory], Sequence[str]]
    batch_documents: int = 200
    removal_questions: int = 200
    alike_enough: Needed = NEEDED
    purging: Purging | None = None

    @property
    def source(self) -> str:
        return self.connector.source

    def read(self, fetched: FetchedDocument) -> ExtractedDocument:
        """What was fetched as a document that says by which settings. Raises DocumentUnreadable."""
        return replace(self.extract(fetched), read_with=self.read_with)
