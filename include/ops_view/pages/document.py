"""One document: what the index holds of it, where its metadata come from, its family, what people decided, what became
of it in past runs, and who was shown it. And a box to find it by id, title or address."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response

from include.domain.date_candidates import DateField
from include.domain.dates import EvidencedDate, shown
from include.domain.documents import DocumentKey, StoredChunk
from include.domain.errors import Retriable, TruecopyError
from include.domain.metadata import Hand, merged
from include.domain.payload import MARK_FIELDS, METADATA_FIELDS, source_says
from include.ops_view.access import Person
from include.ops_view.paging import Pager
from include.ops_view.view import Entry, View
from include.planning.provenance import of_stored, said_over
from include.services.protecting import held_now
from include.wiring.application import Application
from include.wiring.document_past import citations_of, past_of
from include.wiring.dossier import MOST_KIN, Dossier, Matches, documents_named, dossier_of

ENTRY = Entry("Documents", "/document")

CHUNKS = 20
BEGINNING = 2_000
"""Characters of a text that other pages show."""

_OF_DATES = tuple(name for name in METADATA_FIELDS if any(name.startswith(str(each)) for each in DateField))
_ELSEWHERE = frozenset({*_OF_DATES, "date_notes", "overridden", "title", "url"})


@dataclass(frozen=True, slots=True)
class DateRow:
    """One of the four dates. `replaced`: a person has set another over it."""

    name: str
    date: EvidencedDate
    replaced: bool = False

    @property
    def value(self) -> str:
        return shown(self.date.value, self.date.precision)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the metadata as it is stored. `by` is who wrote it, `source_said` what a person's word covers,
    `due` what the ledger says where the index does not yet."""

    name: str
    value: str
    by: str
    source_said: str = ""
    due: str = ""


def routes(view: View) -> APIRouter:
    router = APIRouter()

    @router.get("/document")
    def find(request: Request, person: Person = Depends(view.reader), q: str = "", source: str = "") -> Response:
        application = view.application()
        known = sorted(application.settings.sources)
        matches: Matches | None = None
        problem, status = "", 200
        if q.strip():
            try:
                matches = documents_named(application, q, [source] if source in known else known)
            except TruecopyError as error:
                problem, status = str(error), 503 if isinstance(error, Retriable) else 500
        return view.page(
            request,
            person,
            "documents.html",
            status,
            q=q,
            source=source,
            sources=known,
            matches=matches,
            problem=problem,
        )

    @router.get("/document/{source}/{doc_id:path}")
    def one(
        source: str,
        doc_id: str,
        request: Request,
        person: Person = Depends(view.reader),
        page: Annotated[int, Query(ge=1, le=100_000)] = 1,
    ) -> Response:
        application = view.application()
        key = _key(application, source, doc_id)
        found = dossier_of(application, key)
        stored = found.shown
        its: Sequence[StoredChunk] = stored.chunks if stored else ()
        chunks = its[(page - 1) * CHUNKS : page * CHUNKS]
        metadata, path = stored.metadata if stored else {}, ("document", source, doc_id)
        return view.page(
            request,
            person,
            "document.html",
            200 if found.is_known or found.problems else 404,
            found=found,
            stored=stored,
            title=str(metadata.get("title") or doc_id),
            url=str(metadata.get("url") or ""),
            dates=dates_of(metadata),
            notes=of_stored(metadata).notes,
            fields=fields_of(metadata, found),
            chunks=chunks,
            pager=Pager(path, {}, page, CHUNKS, len(chunks), len(its) > page * CHUNKS, len(its)),
            most_kin=MOST_KIN,
            why_family=shlex.join(["truecopy", "families", source, doc_id]),
            location=application.impatient_store.location,
            is_held=_is_held(application, found),
        )

    @router.get("/document-past/{source}/{doc_id:path}")
    def past(source: str, doc_id: str, request: Request, person: Person = Depends(view.reader)) -> Response:
        """A part of a page: what became of it in past runs."""
        application = view.application()
        found = past_of(application, _key(application, source, doc_id))
        return view.page(request, person, "document_past.html", past=found, source=source)

    @router.get("/document-cited/{source}/{doc_id:path}")
    def cited(source: str, doc_id: str, request: Request, person: Person = Depends(view.reader)) -> Response:
        """A part of a page: which answers showed it."""
        application = view.application()
        found = citations_of(application, _key(application, source, doc_id))
        return view.page(request, person, "document_cited.html", cited=found)

    @router.get("/document-text/{source}/{doc_id:path}")
    def text(source: str, doc_id: str, request: Request, person: Person = Depends(view.reader)) -> Response:
        """A part of a page: how its text begins, whether readers find it or not."""
        application = view.application()
        found = dossier_of(application, _key(application, source, doc_id))
        stored = found.shown
        text = "\n\n".join(chunk.text or "" for chunk in stored.chunks) if stored else ""
        return view.page(
            request, person, "document_text.html", found=found, text=text[:BEGINNING], is_cut=len(text) > BEGINNING
        )

    return router


def dates_of(metadata: Mapping[str, object]) -> list[DateRow]:
    """What a person has set stands before what the source says of the same date."""
    said, over = of_stored(metadata).dates, said_over(metadata)
    rows = []
    for name in DateField:
        if name in over:
            rows.append(DateRow(name.word, over[name]))
        if name in said:
            rows.append(DateRow(name.word, said[name], replaced=name in over))
    return rows


def fields_of(metadata: Mapping[str, object], found: Dossier) -> list[Field]:
    """Everything that is stored besides dates, title and address, with who has written it."""
    source = source_says(metadata)
    decided = merged(*(found.said.get(hand, {}) for hand in Hand))
    status = ", ".join(found.shown.statuses) if found.shown else None
    rows = []
    for name in ("status", "title", *METADATA_FIELDS):
        value = status if name == "status" else metadata.get(name)
        if name not in decided and (value in (None, "", [], False) or name in _ELSEWHERE):
            continue
        overridden = name in source and source[name] != value
        by = "" if name in ("status", *MARK_FIELDS) else "source"
        due = ""
        if name in decided:
            by = next((hand.value for hand, its in found.said.items() if its.get(name) == decided[name]), "")
            due = _written(decided[name]) if _written(decided[name]) != _written(value) else ""
        row = Field(name, _written(value), by, _written(source[name]) if overridden else "", due)
        if row not in rows:
            rows.append(row)
    return rows


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else "" if value is None else str(value)


def _is_held(application: Application, found: Dossier) -> bool:
    if found.hold is None:
        return False
    return found.key.doc_id in held_now(application.ledger, found.key.source, application.clock.now())


def _key(application: Application, source: str, doc_id: str) -> DocumentKey:
    if source not in application.settings.sources:
        raise HTTPException(404, f"There is no source {source!r} in the settings.")
    if not doc_id:
        raise HTTPException(404, "A document has an id; find it by its title.")
    return DocumentKey(source, doc_id)
