"""One audit for all tools: every stored (document, chunk text) is compared with what the source has."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

Texts = Mapping[str, tuple[str, ...]]
"""{doc_id: the chunk texts of the document}."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A chunk that a reader of the index can find."""

    doc_id: str
    text: str
    title: str


@dataclass(frozen=True, slots=True)
class Audit:
    """What is wrong with an index, in chunks. `torn` are documents that are no version as a whole."""

    stored: int
    missing: int
    orphaned: int
    stale: int
    torn: int

    @property
    def exact(self) -> bool:
        return not (self.missing or self.orphaned or self.stale)

    def __str__(self) -> str:
        if self.exact:
            return "exact"
        numbers = {"missing": self.missing, "orphaned": self.orphaned, "stale or double": self.stale}
        return ", ".join(f"{number:,} {name}" for name, number in numbers.items() if number)


def audit(stored: Iterable[Stored], accepted: Sequence[Texts]) -> Audit:
    """Compare with the versions that are right; of several, the one that fits a document best.

    The index is exact if every document is one accepted version as a whole (or absent, where a version has it not)
    and nothing else is stored. A text that a document repeats may be stored once or as often. Chunks of a document
    that no version knows are orphaned; other texts of a known document, and texts stored too often, are stale or
    double.
    """
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for each in stored:
        found[each.doc_id][each.text] += 1
    missing = orphaned = stale = torn = 0
    for doc_id in set(found).union(*accepted):
        versions = [Counter(texts[doc_id]) if doc_id in texts else Counter() for texts in accepted]
        lacks, extra = min((len(v.keys() - found[doc_id].keys()), (found[doc_id] - v).total()) for v in versions)
        missing += lacks
        torn += bool(lacks or extra) and not _both(found[doc_id], versions)
        if any(versions):
            stale += extra
        else:
            orphaned += extra
    return Audit(sum(map(Counter.total, found.values())), missing, orphaned, stale, torn)


def _both(found: Counter[str], versions: Sequence[Counter[str]]) -> bool:
    """Every accepted version is there as a whole and nothing else: a reader who knows the newer one is served."""
    return len(versions) > 1 and found.keys() == sum(versions, Counter()).keys()


def retitled(stored: Iterable[Stored], titles: Mapping[str, str]) -> tuple[int, int]:
    """(chunks with the right title, chunks) of these documents."""
    of_them = [each for each in stored if each.doc_id in titles]
    return sum(each.title == titles[each.doc_id] for each in of_them), len(of_them)
