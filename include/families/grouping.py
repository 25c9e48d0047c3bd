"""Which documents are proposed as one family: by structure, confirmed by similarity. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from include.domain.documents import DocumentKey
from include.families.members import Member
from include.families.names import Name

Alike = Callable[[DocumentKey, DocumentKey], float]
"""Cosine similarity of two documents' vectors; NaN where one has none."""


@dataclass(frozen=True, slots=True)
class Group:
    """Documents of one source that are versions of the same thing, in one language, for one audience.

    `family` is its name, the same whatever the order of input. `members` are sorted by key, `names` are what was read
    of each, in the same order. `why` says in words what proposed and what confirmed it. `is_period`: each member stays
    true for its own time.
    """

    source: str
    family: str
    lang: str | None
    audience: tuple[str, ...]
    is_period: bool
    members: tuple[Member, ...]
    names: tuple[Name, ...]
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rejected:
    """What structure proposed and something spoke against; shown to a person, never acted on. Sorted doc ids."""

    source: str
    family: str
    doc_ids: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Groups:
    """`found` and `rejected` are sorted by source and family. A document is in one found group at most."""

    found: tuple[Group, ...]
    rejected: tuple[Rejected, ...]


def group(members: Sequence[Member], alike: Alike) -> Groups:
    """Families of these documents. The order of `members` changes nothing."""
    raise NotImplementedError
