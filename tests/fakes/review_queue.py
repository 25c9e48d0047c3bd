"""The review queue and what people hold, in memory, held to the same tests as those in the ledger's repository."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from include.domain.errors import ConfigError, DecisionConflict
from include.domain.review import Decision, Protection, Queue, Recorded, ReviewItem, Said, Unreadable
from include.planning.review_life import decided, taken_back


@dataclass
class FakeReviewQueue:
    """`spoilt` are documents whose file somebody made unreadable."""

    items: dict[tuple[str, str], ReviewItem] = field(default_factory=dict)
    done: list[ReviewItem] = field(default_factory=list)
    spoilt: dict[tuple[str, str], str] = field(default_factory=dict)
    held_documents: dict[str, dict[str, Protection]] = field(default_factory=dict)

    def candidates(self, source: str) -> Queue:
        items = [item for key, item in sorted(self.items.items()) if key[0] == source and key not in self.spoilt]
        unreadable = [
            Unreadable(doc_id, problem, doc_id)
            for (name, doc_id), problem in sorted(self.spoilt.items())
            if name == source
        ]
        return Queue(source, tuple(items), tuple(unreadable))

    def candidate(self, source: str, doc_id: str) -> ReviewItem:
        item = self.items.get((source, doc_id))
        if item is None or (source, doc_id) in self.spoilt:
            raise ConfigError(f"{source}: {doc_id} is no candidate, or its file cannot be read")
        return item

    def settled(self, source: str) -> Queue:
        items = [item for item in self.done if item.source == source]
        items.sort(key=lambda item: (item.applied.at if item.applied else "", item.doc_id))
        return Queue(source, tuple(items))

    def renew(self, source: str, renewed: Callable[[Queue], Iterable[ReviewItem]], *, message: str) -> Queue:
        queue = self.candidates(source)
        made = {(source, item.doc_id): item for item in renewed(queue)}
        for item in queue.items:
            del self.items[source, item.doc_id]
        self.items |= {key: item for key, item in made.items() if key not in self.spoilt}
        return self.candidates(source)

    def decide(
        self, source: str, doc_id: str, decision: Decision, *, fingerprint: str, overrule: bool = False
    ) -> ReviewItem:
        item = self.candidate(source, doc_id)
        changed = self.items[source, doc_id] = decided(item, decision, fingerprint=fingerprint, overrule=overrule)
        return changed

    def decide_all(self, source: str, words: Sequence[Said], *, by: str, message: str) -> Recorded:
        items, refused = [], {}
        for said in words:
            try:
                items.append(self.decide(source, said.doc_id, said.decision, fingerprint=said.fingerprint))
            except (ConfigError, DecisionConflict) as error:
                refused[said.doc_id] = str(error)
        return Recorded(tuple(items), refused)

    def reopen(self, source: str, notes: Mapping[str, str], *, message: str) -> Queue:
        return self.renew(
            source,
            lambda queue: [
                taken_back(item, notes[item.doc_id]) if item.doc_id in notes else item for item in queue.items
            ],
            message=message,
        )

    def settle(self, source: str, items: Sequence[ReviewItem], *, by: str, message: str) -> None:
        for item in items:
            if item.applied is None or item.decision is None:
                raise ValueError(f"{item.doc_id} was not decided, or nothing was done")
        for item in [each for each in items if self.stands(each)]:
            self.put_away(item)

    def stands(self, item: ReviewItem) -> bool:
        standing = self.items.get((item.source, item.doc_id))
        if standing is not None and standing.decision == item.decision:
            return True
        settled = (each for each in self.done if (each.source, each.doc_id) == (item.source, item.doc_id))
        if standing is None and any(each.decision == item.decision for each in settled):
            return False
        raise DecisionConflict(f"{item.source}: {item.doc_id}: the decision is another by now")

    def put_away(self, item: ReviewItem) -> None:
        del self.items[item.source, item.doc_id]
        self.done.append(item)

    def holds(self, source: str) -> Mapping[str, Protection]:
        return dict(self.held_documents.get(source, {}))

    def protect(self, source: str, changes: Mapping[str, Protection | None], *, by: str, message: str) -> None:
        after = {**self.holds(source), **changes}
        self.held_documents[source] = {doc_id: hold for doc_id, hold in after.items() if hold is not None}
