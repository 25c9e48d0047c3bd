"""Real registers of proposals with what supersedes what: as members for the resolver, and the truth about them.

Where the texts are there (PEP, XEP, ADR) they go through the real extraction; of the others (BIP, OEP, some PEPs and
XEPs) a header in the register's own format is written from the columns of the table, and goes the same way.

What is counted as true, of the claims in `*.edges.csv`:

    void       the newer one was given up (withdrawn, rejected, retracted, closed, a joke) and alone says so, or the
               table says that the older one is current: no link may be made
    forked     the table calls the newer one's family ambiguous: a person has to say
    to judge   the table marks both for review and they contradict one another: decided as it says, or left to a person
    true       all others
"""

from __future__ import annotations

import csv
import json
import lzma
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from pathlib import Path

from include.domain.dates import EvidencedDate, Precision, Trust
from include.domain.documents import DocumentKey, ExtractedDocument, FetchedDocument
from include.domain.lineage import Lineage
from include.families.members import Member
from include.text.normalise import extract

DATA = Path(__file__).parents[4] / "shared" / "data"
ABSENT = f"the shared data is not in {DATA}"
REGISTERS = ("peps", "xeps", "bips", "openedx-oeps", "adr-moj-cloud-platform")
_CORPORA = {"peps": "peps", "xeps": "xeps", "adr-moj-cloud-platform": "adr-moj"}
_MEDIA_TYPES = {".rst": "text/x-rst", ".md": "text/markdown"}
_GIVEN_UP = ("Withdrawn", "Rejected", "Retracted", "Humorous", "Closed")
_READ_AT = datetime(2026, 9, 1, tzinfo=UTC)

Pair = tuple[str, str]
"""(newer, older), by the register's own ids."""


class Shown(StrEnum):
    """How much of the headers the resolver sees."""

    ALL = "headers shown"
    STATES = "links hidden, states shown"
    NOTHING = "headers hidden"


@dataclass(frozen=True)
class Truth:
    """`heads` by family: the documents that may be called current; none: nobody can tell."""

    true: frozenset[Pair]
    to_judge: frozenset[Pair]
    forked: frozenset[Pair]
    void: frozenset[Pair]
    heads: Mapping[str, frozenset[str]]
    families: Mapping[str, frozenset[str]]

    def leads_to(self, older: str, newer: str) -> bool:
        """Whether the claims that have some force lead from the older to the newer, in one step or more."""
        return leads_to(self.true | self.to_judge | self.forked, older, newer)


def leads_to(pairs: Iterable[Pair], older: str, newer: str) -> bool:
    """Whether links lead from the older to the newer, in one step or more."""
    after: dict[str, set[str]] = defaultdict(set)
    for later, earlier in pairs:
        after[earlier].add(later)
    seen: set[str] = set()
    waiting = [older]
    while waiting:
        for following in after[waiting.pop()] - seen:
            seen.add(following)
            waiting.append(following)
    return newer in seen


@dataclass(frozen=True)
class Register:
    """Members are named by their paths, the truth by the register's ids: `ids` leads from one to the other. `texts` are
    the documents whose own text is there."""

    name: str
    members: tuple[Member, ...]
    ids: Mapping[str, str]
    truth: Truth
    texts: Mapping[DocumentKey, ExtractedDocument]


@cache
def register(name: str, shown: Shown) -> Register:
    documents = _documents(name)
    ids = {row["path"]: row["doc_id"] for row in _table(f"{name}.docs.csv")}
    members = tuple(_member(document, row, shown) for document, row in documents)
    texts = {document.key: document for document, row in documents if row["doc_id"] in _texts(name)}
    return Register(name, members, ids, _truth(name), texts)


def _member(document: ExtractedDocument, row: Mapping[str, str], shown: Shown) -> Member:
    lineage = document.lineage
    if shown is Shown.STATES:
        lineage = replace(lineage, supersedes=(), superseded_by=())
    elif shown is Shown.NOTHING:
        # what prose says is no header; of a header alone there is no prose
        lineage = Lineage(hints_supersedes=lineage.hints_supersedes, hints_superseded_by=lineage.hints_superseded_by)
    return Member(
        document.key,
        row["title"],
        document.url,
        content_hash=document.content_hash,
        lineage=lineage,
        created_at=_date(row["created"]),
    )


@cache
def _documents(name: str) -> list[tuple[ExtractedDocument, dict[str, str]]]:
    texts = _texts(name)
    found = []
    for row in _table(f"{name}.docs.csv"):
        path = row["path"]
        fetched = FetchedDocument(
            key=DocumentKey(name, path),
            version="1",
            body=(texts.get(row["doc_id"]) or _header(name, row)).encode(),
            media_type=_MEDIA_TYPES.get(Path(path).suffix, "text/plain"),
            url=f"https://{name}.example/{path}",
            fetched_at=_READ_AT,
        )
        found.append((extract(fetched), row))
    return found


@cache
def _texts(name: str) -> dict[str, str]:
    corpus = _CORPORA.get(name)
    return {row["doc_id"]: row["text"] for row in _rows(f"{corpus}.corpus.jsonl.xz")} if corpus else {}


def _header(name: str, row: Mapping[str, str]) -> str:
    """A header as the register writes it, from the columns of the table."""
    register, number = row["doc_id"].split("-")
    by, of = (" ".join(each.rpartition("-")[2].lstrip("0") for each in row[column].split()) for column in _COLUMNS)
    by, of = by.replace(" ", ", "), of.replace(" ", ", ")
    if name == "openedx-oeps":
        fields = {"OEP": row["doc_id"], "Title": row["title"], "Status": row["status"], "Type": row["type"]}
        fields |= {"Replaces": f"OEP-{of}"} if of else {}
        rows = "".join(f"   * - {field}\n     - {value}\n" for field, value in fields.items())
        title = f"{row['title']}\n{'#' * len(row['title'])}\n"
        return f"{title}\n.. list-table::\n   :widths: 25 75\n\n{rows}\nAbstract\n********\n\nText.\n"
    fields = {register: number.lstrip("0") or "0", "Title": row["title"], "Status": row["status"], "Type": row["type"]}
    fields |= {"Superseded-By": by} if by else {}
    fields |= {"Replaces": of} if of else {}
    lines = "\n".join(f"{field}: {value}" for field, value in fields.items())
    if row["path"].endswith(".mediawiki"):
        return f"<pre>\n{lines}\n</pre>\n\n==Abstract==\n\nWhat {row['title']} is about.\n"
    fence = "```\n" if row["path"].endswith(".md") else ""
    return f"{fence}{lines}\n{fence}\nAbstract\n========\n\nWhat {row['title']} is about.\n"


_COLUMNS = ("superseded_by", "replaces")


def _truth(name: str) -> Truth:
    rows = {row["doc_id"]: row for row in _table(f"{name}.docs.csv")}
    families: dict[str, set[str]] = defaultdict(set)
    heads: dict[str, set[str]] = defaultdict(set)
    for doc_id, row in rows.items():
        if row["family"]:
            families[row["family"]].add(doc_id)
            if row["current"] in ("yes", "pending"):
                heads[row["family"]].add(doc_id)
    by_kind: dict[str, set[Pair]] = defaultdict(set)
    for edge in _table(f"{name}.edges.csv"):
        by_kind[_kind(edge, rows)].add((edge["newer"], edge["older"]))
    true, to_judge, forked, void = (frozenset(by_kind[kind]) for kind in ("true", "to judge", "forked", "void"))
    return Truth(
        true=true,
        to_judge=to_judge,
        forked=forked,
        void=void,
        heads={family: frozenset(heads[family]) for family in families},
        families={family: frozenset(members) for family, members in families.items()},
    )


def _kind(edge: Mapping[str, str], rows: Mapping[str, Mapping[str, str]]) -> str:
    newer, older = rows[edge["newer"]], rows[edge["older"]]
    if older["current"] == "yes" or (edge["stated_by"] == "newer" and edge["newer_status"] in _GIVEN_UP):
        return "void"
    if newer["current"] == "ambiguous":
        return "forked"
    if _is_contradicted(edge, rows):
        return "to judge"
    return "true"


def _is_contradicted(edge: Mapping[str, str], rows: Mapping[str, Mapping[str, str]]) -> bool:
    """Whether a draft alone claims to replace what is active (XEP-0084 over XEP-0153), or two documents that the table
    marks for review are both named as successors (XEP-0008 names these two)."""
    newer, older = rows[edge["newer"]], rows[edge["older"]]
    named = older["superseded_by"].split()
    is_doubtful = len(named) > 1 and all(rows[each]["review"] for each in named)
    return is_doubtful or (older["status"] == "Active" and newer["status"] == "Draft")


def _date(text: str) -> EvidencedDate | None:
    try:
        value = datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        return None
    return EvidencedDate(value, Precision.DAY, "created in the header", Trust.HIGH)


def _table(name: str) -> list[dict[str, str]]:
    with (DATA / "supersession" / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _rows(name: str) -> Iterable[dict[str, str]]:
    data = lzma.decompress((DATA / "supersession" / name).read_bytes())
    return (json.loads(line) for line in data.decode().split("\n") if line.strip())
