"""Questions with known answers. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from include.domain.documents import DocumentKey
from include.ranking.intent import IntentKind


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and what a right answer shows and does not show.

    `expected` are documents of which one is enough, or all of them where `needs_all`; `expected_text` are wordings of
    the fact of which one has to stand in what is shown of such a document. `forbidden` documents and `forbidden_text`
    are outdated for whoever asks this. `intent` is what the person means, whatever is read from the words. `as_of` is
    the moment that is asked about, given to the search beside the question.
    """

    id: str
    text: str
    intent: IntentKind
    expected: tuple[DocumentKey, ...] = ()
    expected_text: tuple[str, ...] = ()
    forbidden: tuple[DocumentKey, ...] = ()
    forbidden_text: tuple[str, ...] = ()
    needs_all: bool = False
    as_of: datetime | None = None
    sources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise ValueError(f"question {self.id}: has no text")
        if not self.expected and not self.expected_text:
            raise ValueError(f"question {self.id}: names neither an expected document nor an expected text")
        if both := set(self.expected) & set(self.forbidden):
            raise ValueError(f"question {self.id}: {', '.join(map(str, sorted(both)))} is expected and forbidden")
        if self.needs_all and not self.expected:
            raise ValueError(f"question {self.id}: needs all of the expected documents, but names none")

    @property
    def has_conflict(self) -> bool:
        """Whether there is something outdated that could be taken for the answer."""
        return bool(self.forbidden or self.forbidden_text)

    @property
    def fingerprint(self) -> str:
        """Changes with the question or with what counts as right: two runs are compared on equal ones only."""
        parts = [
            self.text,
            self.intent.value,
            [str(key) for key in self.expected],
            list(self.expected_text),
            [str(key) for key in self.forbidden],
            list(self.forbidden_text),
            self.needs_all,
            self.as_of.isoformat() if self.as_of else "",
            list(self.sources),
        ]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Questions that are asked and judged together. `now` is when they are asked, so that a result does not drift with
    the calendar; None is the present. `at_least` and `at_most` are bounds of metrics, by name."""

    name: str
    questions: tuple[Question, ...]
    now: datetime | None = None
    at_least: Mapping[str, float] = field(default_factory=dict)
    at_most: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.questions:
            raise ValueError(f"question set {self.name}: holds no question")
        seen: set[str] = set()
        for question in self.questions:
            if question.id in seen:
                raise ValueError(f"question set {self.name}: two questions have the id {question.id!r}")
            seen.add(question.id)
