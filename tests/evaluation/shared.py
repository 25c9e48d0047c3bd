"""Questions about real documents, where their folder is there: documents, what is known of them, and the answers.

Each set is laid out in up to four ways, because what can be right depends on what the sources say:

    edited     old and new are versions of one page: the old one was in the index, the new one came
    dated      old and new stand side by side as two pages, with the dates that are known and nothing else
    resolved   side by side, with what the texts state of themselves, after a night of the resolver: what it decides
               is marked, what it leaves to a person is not
    linked     side by side, and the old one is marked as superseded, as a person or the documents themselves say
"""

from __future__ import annotations

import csv
import hashlib
import json
import lzma
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from include.domain.documents import DocumentKey, ExtractedDocument, Marks, Status
from include.domain.lineage import NO_LINEAGE, Lineage
from include.ranking.intent import IntentKind
from include.ranking.questions import Question, QuestionSet
from include.text.lineage import read_lineage
from tests.evaluation.families.registers import Shown, register
from tests.evaluation.shelf import document

DATA = Path(__file__).parents[3] / "shared" / "data"
ABSENT = f"the shared questions are not in {DATA / 'questions'}"
SOURCE = "shared"
_NOT_IN_FORCE = ("Withdrawn", "Rejected", "Retracted", "Humorous", "Deferred", "Experimental")
"""What is in such a state replaces nothing, whatever it says: a link to it is not made."""
_NOWISH = re.compile(r"\bnow\b|\bcurrent(ly)?\b", re.IGNORECASE)


@dataclass(frozen=True)
class Material:
    """`earlier` was read and indexed before `documents`. `marks` are by document. `is_resolved`: the resolver has been
    at work."""

    questions: QuestionSet
    documents: list[ExtractedDocument]
    earlier: list[ExtractedDocument] = field(default_factory=list)
    marks: dict[str, Marks] = field(default_factory=dict)
    is_resolved: bool = False


def materials() -> Iterator[Material]:
    for layout in ("edited", "dated", "resolved", "linked"):
        yield doc_history(layout)
    for layout in ("dated", "resolved", "linked"):
        yield dyknow(layout)
        yield dyknow_then(layout)
        yield latest_register(layout)


def doc_history(layout: str) -> Material:
    """A value that changed between versions of a real page. When the old version began is mostly not known."""
    now = datetime(2026, 6, 1, tzinfo=UTC)
    rows = _rows("questions/doc-history.jsonl")
    documents, earlier, questions, marks = [], [], [], {}
    for row in rows:
        current, title = row["current_doc"], row["title"]
        key = DocumentKey(SOURCE, row["id"])
        documents.append(document(key, title, current["text"], read_at=now, created_at=_instant(current["valid_from"])))
        old_keys = []
        for number, old in enumerate(row["outdated_docs"], start=1):
            old_key = key if layout == "edited" else DocumentKey(SOURCE, f"{row['id']}-old-{number}")
            old_keys.append(old_key)
            read_at = now - timedelta(days=30 * (len(row["outdated_docs"]) - number + 1))
            earlier.append(
                document(old_key, title, old["text"], read_at=read_at, created_at=_instant(old["valid_from"]))
            )
            marks[old_key.doc_id] = _replaced_by(key)
        edited = layout == "edited"
        questions.append(
            Question(
                id=row["id"],
                text=row["question"],
                intent=IntentKind.LATEST if _NOWISH.search(row["question"]) else IntentKind.PLAIN,
                # another question may hold a piece of the same page that says it too
                expected=tuple(DocumentKey(SOURCE, each["id"]) for each in rows if _page(each) == _page(row)),
                expected_text=(row["current_answer"],) if row["current_answer"] in current["text"] else (),
                forbidden=() if edited else tuple(old_keys),
                forbidden_text=tuple(
                    line for old in row["outdated_docs"] for line in _only_in_old(old["text"], current["text"])
                )
                if edited
                else (),
            )
        )
    return _laid_out("doc-history", layout, questions, documents, earlier, marks, now)


def dyknow(layout: str) -> Material:
    """Who holds an office, a post or a player now. The documents are one line each, with the day of the record."""
    documents, earlier, marks, rows = _dyknow_documents()
    questions = [
        Question(
            id=row["id"],
            text=row["question"],
            intent=IntentKind.LATEST,
            expected=(DocumentKey(SOURCE, row["id"]),),
            forbidden=_old_keys(row),
        )
        for row in rows
    ]
    return _laid_out("dyknow", layout, questions, documents, earlier, marks, _DYKNOW_NOW)


def dyknow_then(layout: str) -> Material:
    """The same subjects, asked for an earlier year: the middle of what one record says it was valid for."""
    documents, earlier, marks, rows = _dyknow_documents()
    questions = []
    for row in rows:
        began = re.match(r"Who is (.*)\?$", row["question"]) or re.match(
            r"What is the current (.*)\?$", row["question"]
        )
        for number, old in enumerate(row["outdated_docs"], start=1):
            if not began or not old.get("valid_to") or not old.get("date"):
                continue
            start, end = _instant(old["date"]), _instant(old["valid_to"])
            if not start or not end or end - start < timedelta(days=900):
                continue
            year = (start + (end - start) / 2).year
            asks = (
                f"Who was {began[1]} in {year}?" if "Who" in row["question"] else f"What was the {began[1]} in {year}?"
            )
            key = DocumentKey(SOURCE, f"{row['id']}-old-{number}")
            others = tuple(each for each in _old_keys(row) if each != key)
            later = tuple(
                each
                for each, record in zip(_old_keys(row), row["outdated_docs"], strict=True)
                if each in others and (date := _instant(record.get("date"))) and date > end - timedelta(days=1)
            )
            questions.append(
                Question(
                    id=f"{row['id']}-{year}",
                    text=asks,
                    intent=IntentKind.AS_OF,
                    expected=(key,),
                    forbidden=(DocumentKey(SOURCE, row["id"]), *later),
                )
            )
            break
    return _laid_out("dyknow-then", layout, questions, documents, earlier, marks, _DYKNOW_NOW)


def latest_register(layout: str) -> Material:
    """Which PEP or XEP is current, among all of them in full. BIPs and answers whose text is not there are left out."""
    now = datetime(2026, 6, 1, tzinfo=UTC)
    documents, marks = [], {}
    for name in ("peps", "xeps"):
        dates = {row["doc_id"]: row["created"] for row in _table(f"{name}.docs.csv")}
        lineages = _lineages(name) if layout == "resolved" else {}
        for row in _rows(f"supersession/{name}.corpus.jsonl.xz"):
            key = DocumentKey(SOURCE, row["doc_id"])
            title = f"{row['doc_id']}: {row['title']}"
            created = _instant(dates.get(row["doc_id"]))
            page = document(key, title, f"# {title}\n\n{row['text']}", read_at=now, created_at=created)
            documents.append(replace(page, lineage=lineages.get(row["doc_id"], NO_LINEAGE)))
        links: dict[str, list[str]] = {}
        for edge in _table(f"{name}.edges.csv"):
            if edge["newer_status"] not in _NOT_IN_FORCE:
                links.setdefault(edge["older"], []).append(edge["newer"])
        marks |= {older: Marks(status=Status.SUPERSEDED, superseded_by=tuple(newer)) for older, newer in links.items()}
    known = {each.key.doc_id for each in documents}
    questions = [
        Question(
            id=row["id"],
            text=row["question"],
            intent=IntentKind.LATEST,
            expected=tuple(DocumentKey(SOURCE, each) for each in row["current_docs"]),
            forbidden=tuple(DocumentKey(SOURCE, each) for each in row["outdated_docs"]),
        )
        for row in _rows("questions/latest-register.jsonl")
        if row["register"] in ("peps", "xeps") and row["expect"] == "answer" and known.issuperset(row["current_docs"])
    ]
    return _laid_out("latest-register", layout, questions, documents, [], marks, now)


_DYKNOW_NOW = datetime(2024, 1, 1, tzinfo=UTC)


def _dyknow_documents() -> tuple[list[ExtractedDocument], list[ExtractedDocument], dict[str, Marks], list[Any]]:
    rows = _rows("questions/dyknow.jsonl")
    documents, earlier, marks = [], [], {}
    for row in rows:
        key, title, current = DocumentKey(SOURCE, row["id"]), row["property"], row["current_doc"]
        title = current["text"].partition(":")[0]
        documents.append(
            document(key, title, current["text"], read_at=_DYKNOW_NOW, created_at=_instant(current["date"]))
        )
        for old_key, old in zip(_old_keys(row), row["outdated_docs"], strict=True):
            read_at = _DYKNOW_NOW - timedelta(days=30)
            created = _instant(old.get("date"))
            earlier.append(document(old_key, title, old["text"], read_at=read_at, created_at=created))
            marks[old_key.doc_id] = _replaced_by(key)
    return documents, earlier, marks, rows


def _laid_out(
    name: str,
    layout: str,
    questions: list[Question],
    documents: list[ExtractedDocument],
    earlier: list[ExtractedDocument],
    marks: dict[str, Marks],
    now: datetime,
) -> Material:
    asked = QuestionSet(f"{name}, {layout}", tuple(questions), now)
    if layout != "resolved":
        return Material(asked, documents, earlier, marks if layout == "linked" else {})
    is_register = name == "latest-register"
    return (
        Material(asked, documents, earlier, is_resolved=True)
        if is_register
        else _with_opaque_ids(asked, documents, earlier)
    )


def _with_opaque_ids(
    asked: QuestionSet, documents: list[ExtractedDocument], earlier: list[ExtractedDocument]
) -> Material:
    """Nothing in a name says which document is the old one, as in a system that numbers its pages."""

    def renamed(key: DocumentKey) -> DocumentKey:
        return DocumentKey(key.source, hashlib.sha256(key.doc_id.encode()).hexdigest()[:16])

    def page(document: ExtractedDocument) -> ExtractedDocument:
        key = renamed(document.key)
        return replace(
            document, key=key, url=f"https://docs.example.org/{key.doc_id}", lineage=read_lineage({}, document.text)
        )

    questions = tuple(
        replace(each, expected=tuple(map(renamed, each.expected)), forbidden=tuple(map(renamed, each.forbidden)))
        for each in asked.questions
    )
    return Material(
        replace(asked, questions=questions), [*map(page, documents)], [*map(page, earlier)], is_resolved=True
    )


def _lineages(name: str) -> dict[str, Lineage]:
    """What the texts of a register state, as ingestion reads it, by the register's ids."""
    found = register(name, Shown.ALL)
    return {found.ids[key.doc_id]: document.lineage for key, document in found.texts.items()}


def _page(row: dict[str, Any]) -> tuple[str, str]:
    return row["repo"], row["current_doc"]["path"]


def _old_keys(row: dict[str, Any]) -> tuple[DocumentKey, ...]:
    return tuple(DocumentKey(SOURCE, f"{row['id']}-old-{number}") for number, _ in enumerate(row["outdated_docs"], 1))


def _replaced_by(key: DocumentKey) -> Marks:
    return Marks(status=Status.SUPERSEDED, superseded_by=(key.doc_id,))


def _only_in_old(old: str, current: str) -> tuple[str, ...]:
    """The first line of the old text that the current one does not have, however it is broken into lines."""
    whole = _plain(current)
    return tuple(line for line in old.splitlines() if line.strip() and _plain(line) not in whole)[:1]


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("*", "").split())


def _rows(name: str) -> list[dict[str, Any]]:
    path = DATA / name
    data = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    return [json.loads(line) for line in data.decode().split("\n") if line.strip()]


def _table(name: str) -> list[dict[str, str]]:
    with (DATA / "supersession" / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _instant(text: str | None) -> datetime | None:
    """A day or an instant as the data states it; anything else is unknown."""
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
