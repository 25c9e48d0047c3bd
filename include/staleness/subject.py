"""What the detector knows of one indexed document, and what people have decided about it. Pure data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from include.domain.dates import EvidencedDate, Precision, Trust
from include.domain.documents import DocumentKey, Status
from include.domain.metadata import Patch
from include.domain.payload import instant_of, text_of, texts_of


@dataclass(frozen=True, slots=True)
class Care:
    """What people have decided in reviews of a document.

    `held_until`: nothing is proposed before it (a hold, an extension), for `hold_reason`. `reviewed_at`: when somebody
    last found it right, which is not when it was edited. `kept` are fingerprints of the evidence that was looked at
    then and found no reason.
    """

    held_until: datetime | None = None
    hold_reason: str = ""
    reviewed_at: datetime | None = None
    kept: frozenset[str] = frozenset()


NO_CARE = Care()


@dataclass(frozen=True, slots=True)
class Subject:
    """One indexed document. Dates carry their trust: a date that nobody vouches for is here, and never decides.

    `superseded_by` are the doc ids of its direct successors; `linked_by_person`: a person said so, otherwise the
    resolver. `states_heirs` and `states_forebears`: the document itself says that it is superseded by, or supersedes,
    something. `affirmed`: a person has said in the ledger that it is published or current. `read_at` is the clock
    before the present version was fetched.
    """

    key: DocumentKey
    title: str = ""
    url: str = ""
    content_type: str = "page"
    lang: str | None = None
    content_hash: str = ""
    status: Status = Status.PUBLISHED
    stated_status: str | None = None
    states_heirs: bool = False
    states_forebears: bool = False
    created_at: EvidencedDate | None = None
    updated_at: EvidencedDate | None = None
    effective_date: EvidencedDate | None = None
    expires_at: EvidencedDate | None = None
    read_at: datetime | None = None
    doc_family: str | None = None
    is_canonical: bool = False
    is_current: bool = True
    pinned: bool = False
    superseded_by: tuple[str, ...] = ()
    linked_by_person: bool = False
    affirmed: bool = False
    care: Care = NO_CARE


def subject_of(payload: Mapping[str, object], *, decided: Patch | None = None, care: Care = NO_CARE) -> Subject:
    """From the payload of any chunk of a version and from what a person has written in the ledger (`decided`).

    Raises ValueError when the payload lacks what every chunk carries.
    """
    source, doc_id, status = payload.get("source"), payload.get("doc_id"), payload.get("status")
    if not isinstance(source, str) or not isinstance(doc_id, str) or not isinstance(status, str):
        raise ValueError(f"a chunk without source, doc_id and status: {source!r}, {doc_id!r}, {status!r}")
    decided = decided or {}
    return Subject(
        key=DocumentKey(source, doc_id),
        title=text_of(payload, "title"),
        url=text_of(payload, "url"),
        content_type=text_of(payload, "content_type") or "page",
        lang=text_of(payload, "lang") or None,
        content_hash=text_of(payload, "content_hash"),
        status=Status(status),
        stated_status=text_of(payload, "stated_status") or None,
        states_heirs=bool(texts_of(payload, "stated_superseded_by")),
        states_forebears=bool(texts_of(payload, "stated_supersedes")),
        created_at=_date(payload, "created_at"),
        updated_at=_date(payload, "updated_at"),
        effective_date=_date(payload, "effective_date"),
        expires_at=_date(payload, "expires_at"),
        read_at=instant_of(payload, "fetched_at"),
        doc_family=text_of(payload, "doc_family") or None,
        is_canonical=payload.get("is_canonical") is True,
        is_current=payload.get("is_current") is not False,
        pinned=payload.get("pinned") is True,
        superseded_by=texts_of(payload, "superseded_by"),
        linked_by_person=bool(decided.get("superseded_by")),
        affirmed=decided.get("status") == Status.PUBLISHED or decided.get("is_current") is True,
        care=care,
    )


def _date(payload: Mapping[str, object], name: str) -> EvidencedDate | None:
    """None where there is no date. One whose provenance cannot be read is one that nobody vouches for."""
    value = instant_of(payload, name)
    if value is None:
        return None
    trust, precision = text_of(payload, f"{name}_trust"), text_of(payload, f"{name}_precision")
    is_known = trust in set(Trust) and precision in set(Precision)
    return EvidencedDate(
        value,
        Precision(precision) if is_known else Precision.INSTANT,
        text_of(payload, f"{name}_origin") or name,
        Trust(trust) if is_known else Trust.UNKNOWN,
    )
