"""Answers for readers outside, the same over HTTP and as tools: retrieved, recorded, and without a trace of what is
hidden."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from include.api.messages import Question
from include.domain.date_candidates import DateField
from include.domain.dates import rfc3339
from include.domain.documents import DocumentKey
from include.domain.errors import Skippable
from include.ports import IndexStore
from include.ranking.explain import DATE_PARTS, explained, explained_dates, explained_intent
from include.records.query_log import AskedQuestion, QueryLog, Shown
from include.services.document import read_document
from include.services.retrieval import Retrieval, check_question, period_asked_for
from include.store.shared import SharedReading
from include.wiring.application import Application

WAITING_SHARE = 0.8
"""Of the time for a request: so long at most it waits for the index, so that there is time to say so."""

_CITED = (
    *("source", "doc_id", "doc_version", "title", "url", "status", "notice"),
    *(f"{name}{part}" for name in DateField for part in ("", *(f"_{part}" for part in DATE_PARTS))),
    *("superseded_by", "is_canonical", "is_current", "pinned", "family"),
)
_SHOWN = (*_CITED, "place", "score", "date")
_CHUNK = ("chunk_index", "heading_path", "text")


class Answers:
    """Used by many threads at once. Everything here may block; nothing writes to the index."""

    def __init__(self, application: Application, query_log: QueryLog | None = None) -> None:
        settings = application.settings
        self.wait_seconds = settings.api.timeout_seconds * WAITING_SHARE
        store = settings.store.model_copy(
            update={
                "lock_timeout_seconds": min(settings.store.lock_timeout_seconds, self.wait_seconds),
                "timeout_seconds": min(settings.store.timeout_seconds, self.wait_seconds),
            }
        )
        self.application = replace(application, settings=settings.model_copy(update={"store": store}))
        self.query_log = query_log

    @cached_property
    def readers(self) -> IndexStore:
        """The way to the index for many readers. Raises StoreBusy, StoreUnavailable, EmbedderMismatch."""
        store = self.application.store
        is_embedded = self.application.settings.store.url.startswith(("edge:", "local:"))
        return SharedReading(store, wait_seconds=self.wait_seconds) if is_embedded else store

    def warm_up(self) -> None:
        """Load the embedder, so that the first question does not wait for it. Raises ConfigError."""
        self.application.embedder.count_tokens("truecopy")

    def close(self) -> None:
        """Leave the index to others, and write what is to be recorded."""
        if isinstance(readers := self.__dict__.get("readers"), SharedReading):
            readers.close()
        if self.query_log is not None:
            self.query_log.close()

    def retrieve(self, question: Question, *, asked_by: str) -> dict[str, Any]:
        """As `messages.Answer`. Raises Skippable for a question that cannot be asked like this, Retriable while the
        index or the embedder cannot be reached."""
        began = time.perf_counter()
        self._check(question)
        period = period_asked_for(question.as_of, question.intent, now=self.application.clock.now())
        sources = sorted(set(question.sources) or self.application.settings.sources)
        retrieval = self.application.retrieve(
            question.query,
            limit=question.limit,
            sources=sources,
            intent=question.intent,
            period=period,
            store=self.readers,
        )
        answer = _answer(retrieval, explain=question.explain)
        self._record(answer["retrieval_id"], question, retrieval, asked_by, time.perf_counter() - began)
        return answer

    def document(self, source: str, doc_id: str) -> dict[str, Any] | None:
        """As `messages.Document`. None for what is hidden and for what is not there: nothing tells them apart."""
        if source not in self.application.settings.sources or not doc_id:
            return None
        document = read_document(self.readers, DocumentKey(source, doc_id))
        if document is None:
            return None
        found = document.described
        return {
            "source": found.key.source,
            "doc_id": found.key.doc_id,
            "doc_version": found.version,
            "title": found.title,
            "url": found.url,
            "status": found.status.value,
            "notice": "superseded" if found.is_superseded else "",
            **explained_dates(found),
            "content_type": found.content_type,
            "lang": found.lang,
            "fetched_at": found.fetched_at,
            "family": found.family,
            "family_version": found.family_version,
            "is_canonical": found.is_canonical,
            "is_current": found.is_current,
            "pinned": found.pinned,
            "supersedes": list(found.supersedes),
            "superseded_by": list(found.superseded_by),
            "chunk_count": document.chunk_count,
            "chunks": [{"chunk_index": chunk.chunk_index, "text": chunk.text} for chunk in document.chunks],
        }

    def _check(self, question: Question) -> None:
        limits = self.application.settings.api
        check_question(self.application.embedder, question.query, longest=limits.longest_query)
        if question.limit > limits.most_results:
            raise Skippable(f"limit is {question.limit}, at most {limits.most_results} documents are shown")
        configured = self.application.settings.sources
        if unknown := sorted(set(question.sources) - configured.keys()):
            known = ", ".join(sorted(configured))
            raise Skippable(f"there is no source {unknown[0][:80]!r}; there are {known}")

    def _record(
        self, retrieval_id: str, question: Question, retrieval: Retrieval, asked_by: str, seconds: float
    ) -> None:
        if self.query_log is None:
            return
        candidates = [(each.scored.candidate, each.scored.score) for each in retrieval.shown]
        self.query_log.record(
            AskedQuestion(
                retrieval_id=retrieval_id,
                at=retrieval.asked_at,
                asked_by=asked_by,
                query=question.query,
                intent=retrieval.intent.kind.value,
                sources=tuple(question.sources),
                limit=question.limit,
                shown=tuple(
                    Shown(found.key.source, found.key.doc_id, found.version, score) for found, score in candidates
                ),
                candidates=len(retrieval.placed),
                latency_ms=round(seconds * 1000, 1),
            )
        )


def _answer(retrieval: Retrieval, *, explain: bool) -> dict[str, Any]:
    seen = {(each.scored.candidate.key.source, each.scored.candidate.key.doc_id) for each in retrieval.placed}
    placed = explained(retrieval.placed if explain else retrieval.shown)
    candidates = [_without_hidden(record, seen) for record in placed]
    answer: dict[str, Any] = {
        "retrieval_id": uuid.uuid4().hex,
        "asked_at": rfc3339(retrieval.asked_at),
        "intent": explained_intent(retrieval.intent),
        "results": [_result(record) for record in candidates if record["shown"]],
    }
    return answer | ({"candidates": candidates} if explain else {})


def _without_hidden(record: dict[str, Any], seen: set[tuple[str, str]]) -> dict[str, Any]:
    """Every readable document that replaced a candidate is a candidate itself. One that is none is hidden or gone, and
    not even its name is told."""
    links = [doc_id for doc_id in record["superseded_by"] if (record["source"], doc_id) in seen]
    if links == record["superseded_by"]:
        return record
    notice = "superseded; what replaced it cannot be shown" if record["notice"] else ""
    return record | {"superseded_by": links, "notice": notice}


def _result(record: Mapping[str, Any]) -> dict[str, Any]:
    chunks = [{name: chunk[name] for name in _CHUNK} for chunk in record["chunks"]]
    return {**{name: record[name] for name in _SHOWN}, "chunks": chunks}
