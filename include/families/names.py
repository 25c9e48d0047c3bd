"""What the name of a document says: which family it may belong to, which version it is. Pure.

Nothing here decides: a stem that two documents share proposes a family, `grouping` asks for more.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from include.families.versions import Kind, Stage, Version


class Where(StrEnum):
    """Where in a name something was found, most telling first."""

    FILE = "file name"
    FOLDER = "folder"
    TITLE = "title"


class Channel(StrEnum):
    """A name that stands in the place of a version and moves on. Which version it is now, the name does not say."""

    RELEASED = "released"  # latest, stable, current, lts: what readers are sent to
    UNRELEASED = "unreleased"  # master, next, edge: what is being written


@dataclass(frozen=True, slots=True)
class FoundVersion:
    version: Version
    where: Where


@dataclass(frozen=True, slots=True)
class Name:
    """A document's name, read.

    stem        path and file name without what tells versions apart: lower case, NFKC, words joined by "-"; "*" stands
                for a folder that was a version (docs/*/install). Numbers that are identity stay in it (PEP 101)
    title_stem  the title in the same way; "" without a title
    versions    every version found, the file name's first, then folders, then the title
    stage       draft, final … named beside the version; compared by `versions.compare` (final < final-final)
    copy        the marker as written ("copy of", "(1)", ".bak"), None for an original
    retired     the marker by which a name says that it is put away (old, archive, deprecated), else None
    channel     it bears a moving name (latest, master) where others have a version
    lang        as the name says it (guide.de.md, /fr/): BCP 47 in lower case, else None
    audience    words that keep families apart (internal, partner, enterprise, emea), sorted
    is_period   each member stays true for its own time or release (annual report, minutes, release notes)
    """

    stem: str
    title_stem: str
    versions: tuple[FoundVersion, ...] = ()
    stage: Version | None = None
    copy: str | None = None
    retired: str | None = None
    channel: Channel | None = None
    lang: str | None = None
    audience: tuple[str, ...] = ()
    is_period: bool = False

    @property
    def version(self) -> Version | None:
        """The one to compare by first; None where the name bears none."""
        return self.versions[0].version if self.versions else None

    def of_kind(self, kind: Kind) -> Version | None:
        """The first version of this kind."""
        return next((found.version for found in self.versions if found.version.kind is kind), None)

    @property
    def is_unfinished(self) -> bool:
        """Whether it says of itself that it is a draft or comes before its release. `final` takes no word back: a
        final release candidate is a release candidate."""
        stages = [found.version.stage for found in self.versions] + [self.stage.stage if self.stage else None]
        return any(stage is not None and stage is not Stage.FINAL for stage in stages)


def read_name(doc_id: str, title: str) -> Name:
    """What path and title say. Never fails: a name without any sign is its own stem."""
    raise NotImplementedError
