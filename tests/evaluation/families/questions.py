"""How many questions prose adds, on the registers and on ordinary documents, with what they state seen and hidden.

Ordinary documents are four projects' documentation and three repositories as they were at the end of their replays.
"""

from __future__ import annotations

import base64
import json
import lzma
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import PurePosixPath

from include.domain.documents import DocumentKey, ExtractedDocument, FetchedDocument
from include.domain.errors import Skippable
from include.domain.lineage import Lineage
from include.families.members import FamilyDecision, Member, Outcome
from include.families.resolve import resolve
from include.text.normalise import extract
from tests.benchmarks import corpus
from tests.evaluation.families.likeness import Likeness
from tests.evaluation.families.registers import DATA, REGISTERS, Shown, register

ORDINARY = ("rfcs", "enhancements", "fastapi", "uv", "kubernetes-community", "handbook-18f", "crossplane-docs")
_READ_AT = datetime(2026, 9, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Asked:
    """Of one set of documents: ambiguous families without hints of prose and with them. `changed` are families that
    are decided in another way with hints than without, which must be none; `because` what the added ones ask."""

    name: str
    shown: Shown
    documents: int
    before: int
    after: int
    changed: tuple[str, ...]
    because: tuple[str, ...]

    @property
    def added_per_thousand(self) -> float:
        return 1000 * (self.after - self.before) / self.documents


@cache
def asked(name: str, shown: Shown) -> Asked:
    """What the resolver asks about a register, or about one of ORDINARY."""
    if name in REGISTERS:
        made = register(name, shown)
        members: Sequence[Member] = made.members
        alike = Likeness(made.texts)
    else:
        documents = _documents(name)
        members = [_member(each, shown) for each in documents.values()]
        alike = Likeness(documents)
    without = _decisions(resolve(list(map(_unhinted, members)), alike))
    found = _decisions(resolve(members, alike))
    return Asked(
        name,
        shown,
        len(members),
        sum(each.outcome is Outcome.AMBIGUOUS for each in without.values()),
        sum(each.outcome is Outcome.AMBIGUOUS for each in found.values()),
        tuple(
            ", ".join(together)
            for together in sorted(without.keys() | found.keys())
            if without.get(together) != found.get(together)
            and any(each and each.outcome is Outcome.DECIDED for each in (without.get(together), found.get(together)))
        ),
        tuple(
            " | ".join(words for words in each.why if words.startswith("the text of "))
            for together, each in sorted(found.items())
            if together not in without
        ),
    )


def _decisions(decisions: Sequence[FamilyDecision]) -> Mapping[tuple[str, ...], FamilyDecision]:
    return {each.members: each for each in decisions}


def _unhinted(member: Member) -> Member:
    return replace(member, lineage=replace(member.lineage, hints_supersedes=(), hints_superseded_by=()))


def _member(document: ExtractedDocument, shown: Shown) -> Member:
    lineage = document.lineage
    if shown is Shown.STATES:
        lineage = replace(lineage, supersedes=(), superseded_by=())
    elif shown is Shown.NOTHING:
        lineage = Lineage(hints_supersedes=lineage.hints_supersedes, hints_superseded_by=lineage.hints_superseded_by)
    return Member(
        document.key, document.title, document.url, document.lang, content_hash=document.content_hash, lineage=lineage
    )


@cache
def _documents(name: str) -> Mapping[DocumentKey, ExtractedDocument]:
    texts = _replayed(name) if (DATA / "replays" / f"{name}.jsonl.xz").is_file() else _archived(name)
    found = {}
    for path, body in texts:
        fetched = FetchedDocument(
            key=DocumentKey(name, path),
            version="1",
            body=body,
            media_type=corpus.MEDIA_TYPES.get(PurePosixPath(path).suffix.lower(), "text/plain"),
            url=f"https://{name}.example/{path}",
            fetched_at=_READ_AT,
            empty_is_legitimate=True,
        )
        try:
            found[fetched.key] = extract(fetched)
        except Skippable:  # it is not indexed either
            continue
    return found


def _archived(name: str) -> Iterator[tuple[str, bytes]]:
    start = f"corpus/{name}/"
    for path, page in _archive().items():
        if path.startswith(start):
            yield path.removeprefix(start), page.text.encode()


@cache
def _archive() -> corpus.Corpus:
    return corpus.load(DATA / "corpus-2000.tar.xz")


def _replayed(name: str) -> Iterator[tuple[str, bytes]]:
    bodies: dict[str, bytes] = {}
    for line in lzma.decompress((DATA / "replays" / f"{name}.jsonl.xz").read_bytes()).decode().split("\n"):
        changes = json.loads(line).get("changes", ()) if line.strip() else ()
        moved = {each["path"]: bodies.pop(each["old_path"]) for each in changes if each["op"] == "rename"}
        for change in changes:
            if change["op"] == "delete":
                bodies.pop(change["path"], None)
            elif "b64" in change:
                bodies[change["path"]] = base64.b64decode(change["b64"])
            else:
                bodies[change["path"]] = change["text"].encode() if "text" in change else moved[change["path"]]
    yield from sorted(bodies.items())
