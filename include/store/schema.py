"""The layout of the collection: vectors, payload fields, payload indexes, and who built it.

Every payload index exists before the first point is written: an unindexed filter costs a scan of every payload,
a server in strict mode refuses it, and an index that is added later leaves the vector graph without it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from types import MappingProxyType

from include.domain.errors import ConfigError, EmbedderMismatch

DENSE = "dense"
SPARSE = "bm25"
SCHEMA_VERSION = 1

FUSION_K = 60
"""Of reciprocal rank fusion, 1 / (k + rank): the constant of Cormack, Clarke and Buettcher (SIGIR 2009). The engines'
default of 2 lets the first place of one leg outweigh good places in both."""

# Kilobytes of vectors above which an engine may build a graph. Below it the exact scan takes milliseconds and a
# graph loses up to 16 % of the true neighbours at 20,000 chunks.
GRAPH_THRESHOLD_KB = 400_000


class Kind(StrEnum):
    """Type of a payload field. A datetime is stored as text in the one spelling of `domain.dates.rfc3339`."""

    KEYWORD = "keyword"
    KEYWORDS = "keyword list"
    TEXT = "text"
    INTEGER = "integer"
    BOOL = "bool"
    DATETIME = "datetime"


@dataclass(frozen=True, slots=True)
class Field:
    """A payload field. Indexed fields are those that a filter uses; only optional ones may be absent."""

    kind: Kind
    indexed: bool = False
    optional: bool = False


FIELDS: Mapping[str, Field] = MappingProxyType(
    {
        "source": Field(Kind.KEYWORD, indexed=True),
        "doc_id": Field(Kind.KEYWORD, indexed=True),
        "doc_version": Field(Kind.KEYWORD, indexed=True),
        "content_hash": Field(Kind.KEYWORD, indexed=True),
        "chunk_hash": Field(Kind.KEYWORD, indexed=True),
        "pipeline": Field(Kind.KEYWORD),
        "chunk_index": Field(Kind.INTEGER, indexed=True),
        "chunk_count": Field(Kind.INTEGER),
        "status": Field(Kind.KEYWORD, indexed=True),
        "fetched_at": Field(Kind.DATETIME, indexed=True),
        "updated_at": Field(Kind.DATETIME, optional=True),
        "created_at": Field(Kind.DATETIME, indexed=True, optional=True),
        "effective_date": Field(Kind.DATETIME, optional=True),
        "expires_at": Field(Kind.DATETIME, optional=True),
        **{
            f"{date}_{part}": Field(Kind.KEYWORD, optional=True)
            for date in ("created_at", "updated_at", "effective_date", "expires_at")
            for part in ("origin", "trust", "precision")
        },
        "date_notes": Field(Kind.KEYWORDS, optional=True),
        "stated_family": Field(Kind.KEYWORD, optional=True),
        "stated_version": Field(Kind.KEYWORD, optional=True),
        "stated_status": Field(Kind.KEYWORD, optional=True),
        "stated_supersedes": Field(Kind.KEYWORDS, optional=True),
        "stated_superseded_by": Field(Kind.KEYWORDS, optional=True),
        "stated_aliases": Field(Kind.KEYWORDS, optional=True),
        "hints_supersedes": Field(Kind.KEYWORDS, optional=True),
        "hints_superseded_by": Field(Kind.KEYWORDS, optional=True),
        "overridden": Field(Kind.TEXT, optional=True),
        "metadata_hash": Field(Kind.KEYWORD, optional=True),
        "read_with": Field(Kind.KEYWORD, optional=True),
        "url": Field(Kind.TEXT),
        "title": Field(Kind.TEXT),
        "content_type": Field(Kind.KEYWORD),
        "lang": Field(Kind.KEYWORD, indexed=True, optional=True),
        "doc_family": Field(Kind.KEYWORD, indexed=True, optional=True),
        "family_version": Field(Kind.KEYWORD, optional=True),
        "is_canonical": Field(Kind.BOOL, indexed=True),
        "is_current": Field(Kind.BOOL, indexed=True),
        "pinned": Field(Kind.BOOL, indexed=True),
        "supersedes": Field(Kind.KEYWORDS),
        "superseded_by": Field(Kind.KEYWORDS),
        "text": Field(Kind.TEXT),
        "heading_path": Field(Kind.TEXT),
    }
)

PAYLOAD_INDEXES: Mapping[str, Kind] = MappingProxyType(
    {name: field.kind for name, field in FIELDS.items() if field.indexed}
)

# What a point is. Changing one of these in place would leave an id, a vector or a hash that no longer fits.
IDENTITY_FIELDS = frozenset(
    {"source", "doc_id", "content_hash", "chunk_hash", "pipeline", "chunk_index", "chunk_count", "text", "heading_path"}
)


@dataclass(frozen=True, slots=True)
class Builder:
    """Who built a collection; stored beside it. Vectors of two embedders never mix."""

    embedder_id: str
    dimension: int
    schema_version: int = SCHEMA_VERSION

    def as_metadata(self) -> dict[str, object]:
        return asdict(self)

    @classmethod
    def from_metadata(cls, metadata: Mapping[str, object] | None) -> Builder | None:
        """None if this is not the metadata of one of our collections."""
        match metadata:
            case {"embedder_id": str(embedder_id), "dimension": int(dimension), "schema_version": int(version)}:
                return cls(embedder_id, dimension, version)
        return None


def check_builder(found: Builder | None, embedder_id: str, dimension: int, where: str) -> None:
    """Raises EmbedderMismatch unless `found` is this embedder's, ConfigError for a layout newer than this code."""
    if found is None or (found.embedder_id, found.dimension) != (embedder_id, dimension):
        built_by = f"{found.embedder_id!r} with {found.dimension} dimensions" if found else "an unknown embedder"
        raise EmbedderMismatch(
            f"{where} was built by {built_by}, the configuration says {embedder_id!r} with {dimension}; nothing was "
            "changed. Set the embedder back, or re-embed into a new collection and swap the alias.",
            found=found and found.embedder_id,
            configured=embedder_id,
        )
    if found.schema_version > SCHEMA_VERSION:
        raise ConfigError(
            f"{where} has layout {found.schema_version}, this release knows up to {SCHEMA_VERSION}; nothing was "
            "changed. Install the release that wrote it."
        )


def check_embedder(embedder_id: str, dimension: int) -> None:
    """Raises ConfigError for an embedder without a name or a dimension: nothing could be told apart later."""
    if not embedder_id or not isinstance(dimension, int) or dimension < 1:
        raise ConfigError(f"an index needs an embedder with an id and a dimension, got {embedder_id!r}, {dimension!r}")


_ALIAS = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


def check_alias(alias: str) -> str:
    """The alias itself. Raises ConfigError if it could not be a folder name or part of a URL."""
    if not _ALIAS.fullmatch(alias):
        raise ConfigError(f"alias {alias!r}: allowed are 1 to 100 letters, digits, '-' and '_', the first no sign")
    return alias


def collection_name(alias: str, embedder_id: str) -> str:
    """The collection an embedder gets behind an alias. The same after a crash, so nothing half made is left over."""
    return f"{alias}.{hashlib.sha256(embedder_id.encode()).hexdigest()[:12]}"
